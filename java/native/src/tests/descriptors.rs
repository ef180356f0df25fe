//! Reading, writing, pipes and bells.

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use super::{address_of, owned};
use crate::errno::Errno;
use crate::{bell, descriptor, wait};

fn pipe() -> [OwnedFd; 2] {
    let mut ends = [-1; 2];
    // SAFETY: there is room for two descriptors.
    unsafe { descriptor::pipe(address_of(&mut ends)) }.unwrap();
    ends.map(|end| owned(Ok(end)))
}

fn flags(fd: RawFd) -> (bool, bool) {
    // SAFETY: no memory is passed.
    let [status, own] = [libc::F_GETFL, libc::F_GETFD].map(|get| unsafe { libc::fcntl(fd, get) });
    (status & libc::O_NONBLOCK != 0, own & libc::FD_CLOEXEC != 0)
}

#[test]
fn what_is_opened_does_not_block_and_is_closed_on_exec() {
    let [source, sink] = pipe();
    let copy = owned(descriptor::duplicate(
        std::io::stdin().as_raw_fd().max(source.as_raw_fd()),
    ));
    let socket = super::open(crate::form::IPV4, crate::socket::STREAM);
    for fd in [&source, &sink, &copy, &socket] {
        assert_eq!(flags(fd.as_raw_fd()), (true, true));
    }
}

#[test]
fn bytes_go_through_a_pipe_and_its_end_is_zero() {
    let [source, sink] = pipe();
    let mut text = *b"hello";
    let mut read = [0_u8; 16];
    let (text, to) = (address_of(&mut text), address_of(&mut read));
    // SAFETY: the lengths are those of the memory.
    unsafe {
        assert_eq!(
            descriptor::read(source.as_raw_fd(), to, 16),
            Err(Errno(libc::EAGAIN))
        );
        assert_eq!(descriptor::write(sink.as_raw_fd(), text, 5), Ok(5));
        assert_eq!(descriptor::read(source.as_raw_fd(), to, 16), Ok(5));
        drop(sink);
        assert_eq!(descriptor::read(source.as_raw_fd(), to, 16), Ok(0));
    }
    assert_eq!(&read[..5], b"hello");
}

#[test]
fn vectors_scatter_and_gather() {
    let [source, sink] = pipe();
    let (mut first, mut second) = (*b"sca", *b"tter");
    let mut vector = [
        (address_of(&mut first) as usize, 3_usize),
        (address_of(&mut second) as usize, 4),
    ];
    // SAFETY: the vector is one of two pairs.
    let written = unsafe { descriptor::writev(sink.as_raw_fd(), address_of(&mut vector), 2) };
    assert_eq!(written, Ok(7));
    (first, second) = ([0; 3], [0; 4]);
    // SAFETY: the vector is one of two pairs.
    let read = unsafe { descriptor::readv(source.as_raw_fd(), address_of(&mut vector), 2) };
    assert_eq!(read, Ok(7));
    assert_eq!((&first, &second), (b"sca", b"tter"));
}

#[test]
fn negative_lengths_are_refused() {
    let [source, sink] = pipe();
    let refused = Err(Errno(libc::EINVAL));
    // SAFETY: nothing is read or written.
    unsafe {
        assert_eq!(descriptor::read(source.as_raw_fd(), 0, -1), refused);
        assert_eq!(descriptor::write(sink.as_raw_fd(), 0, -1), refused);
        assert_eq!(
            descriptor::readv(source.as_raw_fd(), 0, -1),
            Err(Errno(libc::EINVAL))
        );
    }
}

#[test]
fn a_closed_descriptor_is_an_error_of_each_call() {
    // Larger than any that is open.
    let fd = RawFd::MAX;
    let closed = Some(Errno(libc::EBADF));
    // SAFETY: no memory is touched.
    unsafe {
        assert_eq!(descriptor::read(fd, 0, 0).err(), closed);
        assert_eq!(descriptor::close(fd).err(), closed);
        assert_eq!(crate::socket::accept(fd, 0).err(), closed);
    }
    assert_eq!(descriptor::duplicate(fd).err(), closed);
    assert_eq!(crate::option::get(fd, 4, 0).err(), closed);
}

#[test]
fn the_null_device_takes_the_place_of_a_descriptor_and_is_inherited() {
    let [source, sink] = pipe().map(std::fs::File::from);
    // SAFETY: the pipe is this test's own.
    let replaced = unsafe { descriptor::replace_by_null(sink.as_raw_fd()) };
    assert_eq!(replaced, Ok(0));
    assert_eq!((&source).read(&mut [0]).unwrap(), 0);
    assert_eq!((&sink).write(&[1]).unwrap(), 1);
    assert_eq!((&sink).read(&mut [0]).unwrap(), 0);
    assert_eq!(flags(sink.as_raw_fd()), (false, false));
}

#[test]
fn closing_gives_the_number_back() {
    let [mut source, sink] = pipe().map(std::fs::File::from);
    // SAFETY: `into_raw_fd` has made it this call's own.
    assert_eq!(unsafe { descriptor::close(sink.into_raw_fd()) }, Ok(0));
    assert_eq!(source.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_bell_is_readable_from_ringing_to_quietening() {
    let bell = bell::open().unwrap();
    let rung = || wait::wait(bell::watched(bell), 1, -1, 0);
    assert_eq!(rung(), Ok(0));
    for _ in 0..100 {
        assert_eq!(bell::ring(bell), Ok(0));
    }
    assert_eq!(rung(), Ok(1));
    assert_eq!(bell::quieten(bell), Ok(0));
    assert_eq!(rung(), Ok(0));
    assert_eq!(bell::quieten(bell), Ok(0));
    // SAFETY: nobody uses it any more.
    assert_eq!(unsafe { bell::close(bell) }, Ok(0));
}
