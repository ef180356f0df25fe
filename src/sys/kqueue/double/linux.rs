//! The system calls of Linux, each behind a safe function. An error is its number.

use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use libc::{c_int, c_short, c_void};

pub(super) type Errno = c_int;

pub(super) fn errno() -> Errno {
    // SAFETY: it returns the address of this thread's errno.
    unsafe { *libc::__errno_location() }
}

pub(super) fn set_errno(errno: Errno) {
    // SAFETY: it returns the address of this thread's errno.
    unsafe { *libc::__errno_location() = errno }
}

fn check(answer: c_int) -> Result<c_int, Errno> {
    if answer == -1 {
        Err(errno())
    } else {
        Ok(answer)
    }
}

fn owned(answer: c_int) -> Result<OwnedFd, Errno> {
    // SAFETY: the kernel has just made this descriptor for us alone.
    check(answer).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(super) fn epoll() -> Result<OwnedFd, Errno> {
    // SAFETY: no memory is passed.
    owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })
}

pub(super) fn eventfd() -> Result<OwnedFd, Errno> {
    // SAFETY: no memory is passed.
    owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })
}

/// A second number of the same file, which programs that are executed inherit.
pub(super) fn dup(fd: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    // SAFETY: no memory is passed.
    owned(unsafe { libc::dup(fd.as_raw_fd()) })
}

pub(super) fn close(fd: RawFd) -> Result<(), Errno> {
    // SAFETY: no memory is passed; whose number it is, is the caller's business, as it is with
    // close(2).
    check(unsafe { libc::close(fd) }).map(|_| ())
}

#[cfg(nioselect_kqueue_extern)]
pub(super) fn close_on_exec(fd: RawFd) {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
}

pub(super) fn is_open(fd: RawFd) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

pub(super) fn epoll_add(epoll: &OwnedFd, fd: RawFd, events: u32, data: u64) -> Result<(), Errno> {
    epoll_control(epoll, libc::EPOLL_CTL_ADD, fd, events, data)
}

pub(super) fn epoll_modify(
    epoll: &OwnedFd,
    fd: RawFd,
    events: u32,
    data: u64,
) -> Result<(), Errno> {
    epoll_control(epoll, libc::EPOLL_CTL_MOD, fd, events, data)
}

pub(super) fn epoll_delete(epoll: &OwnedFd, fd: RawFd) -> Result<(), Errno> {
    epoll_control(epoll, libc::EPOLL_CTL_DEL, fd, 0, 0)
}

fn epoll_control(
    epoll: &OwnedFd,
    operation: c_int,
    fd: RawFd,
    events: u32,
    data: u64,
) -> Result<(), Errno> {
    let mut event = libc::epoll_event { events, u64: data };
    // SAFETY: `event` lives through the call, which only reads it.
    check(unsafe { libc::epoll_ctl(epoll.as_raw_fd(), operation, fd, &raw mut event) })?;
    Ok(())
}

/// What has happened by now: how many of `events` are filled.
pub(super) fn epoll_collect(epoll: &OwnedFd, events: &mut [libc::epoll_event]) -> usize {
    let room = c_int::try_from(events.len()).unwrap_or(c_int::MAX);
    // SAFETY: `events` has `room` entries.
    let answer = unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), room, 0) };
    usize::try_from(answer).unwrap_or(0)
}

/// What poll(2) says of now.
pub(super) fn poll(fd: RawFd, events: c_short) -> c_short {
    let mut entry = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: `entry` is one entry and lives through the call.
    let answer = unsafe { libc::poll(&raw mut entry, 1, 0) };
    if answer > 0 { entry.revents } else { 0 }
}

/// Until `fd` is readable, or the time is over. None waits for the time alone.
pub(super) fn sleep(fd: Option<&OwnedFd>, timeout: Option<Duration>) -> Result<(), Errno> {
    let mut entry = libc::pollfd {
        fd: fd.map_or(-1, AsRawFd::as_raw_fd),
        events: libc::POLLIN,
        revents: 0,
    };
    let timeout = timeout.map(|time| libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos().into(),
    });
    let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: `entry` is one entry; it and the timeout live through the call; a null mask leaves
    // the signals alone.
    check(unsafe { libc::ppoll(&raw mut entry, 1, timeout, ptr::null()) })?;
    Ok(())
}

/// Makes an eventfd readable.
pub(super) fn raise(eventfd: &OwnedFd) {
    let one = 1_u64;
    // SAFETY: eight bytes are read, which live through the call. It cannot fail: the counter is
    // 0 before, see `lower`.
    unsafe { libc::write(eventfd.as_raw_fd(), (&raw const one).cast(), 8) };
}

/// Makes an eventfd unreadable again.
pub(super) fn lower(eventfd: &OwnedFd) {
    let mut count = 0_u64;
    // SAFETY: eight bytes are written, which live through the call. It cannot fail: see `raise`.
    unsafe { libc::read(eventfd.as_raw_fd(), (&raw mut count).cast(), 8) };
}

pub(super) fn stat(fd: RawFd) -> Result<libc::stat, Errno> {
    // SAFETY: the structure is plain numbers.
    let mut stat: libc::stat = unsafe { mem::zeroed() };
    // SAFETY: the call fills the structure.
    check(unsafe { libc::fstat(fd, &raw mut stat) })?;
    Ok(stat)
}

/// `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
pub(super) fn access_mode(fd: RawFd) -> c_int {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_GETFL) & libc::O_ACCMODE }
}

pub(super) fn offset(fd: RawFd) -> i64 {
    // SAFETY: no memory is passed.
    unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) }
}

pub(super) fn pipe_size(fd: RawFd) -> i64 {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_GETPIPE_SZ) }.into()
}

/// How many bytes can be read.
pub(super) fn readable_bytes(fd: RawFd) -> Option<i64> {
    integer(fd, libc::FIONREAD)
}

/// How many bytes have been written that the peer has not taken.
pub(super) fn unsent_bytes(fd: RawFd) -> Option<i64> {
    integer(fd, libc::TIOCOUTQ)
}

fn integer(fd: RawFd, request: libc::Ioctl) -> Option<i64> {
    let mut value: c_int = 0;
    // SAFETY: these requests write one integer.
    let answer = unsafe { libc::ioctl(fd, request, &raw mut value) };
    (answer != -1).then_some(value.into())
}

pub(super) fn socket_option(fd: RawFd, option: c_int) -> Result<c_int, Errno> {
    get_option(fd, libc::SOL_SOCKET, option)
}

/// The part of `TCP_INFO`, see linux/tcp.h, that is looked at.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct TcpInfo {
    pub(super) state: u8,
    _1: [u8; 23],
    /// Of a listener: how many connections wait to be accepted.
    pub(super) unacked: u32,
    _2: [u32; 10],
    pub(super) round_trip_time: u32,
    _3: [u32; 12],
    pub(super) bytes_acked: u64,
}

const _: () = assert!(mem::offset_of!(TcpInfo, unacked) == 24);
const _: () = assert!(mem::offset_of!(TcpInfo, round_trip_time) == 68);
const _: () = assert!(mem::offset_of!(TcpInfo, bytes_acked) == 120);

pub(super) fn tcp_info(fd: RawFd) -> Result<TcpInfo, Errno> {
    get_option(fd, libc::IPPROTO_TCP, libc::TCP_INFO)
}

/// `T` is plain numbers, whatever bytes they are made of.
fn get_option<T: Copy + Default>(fd: RawFd, level: c_int, option: c_int) -> Result<T, Errno> {
    let mut value = T::default();
    let mut length = libc::socklen_t::try_from(size_of::<T>()).map_err(|_| libc::EINVAL)?;
    // SAFETY: the kernel writes at most `length` bytes, which is the value's size.
    check(unsafe {
        libc::getsockopt(
            fd,
            level,
            option,
            (&raw mut value).cast::<c_void>(),
            &raw mut length,
        )
    })?;
    Ok(value)
}

/// Whether nothing more can be sent, by sending nothing: Linux tells of it in no other way for a
/// UNIX domain stream.
pub(super) fn refuses_to_send(fd: RawFd) -> bool {
    // SAFETY: no bytes are read.
    let answer = unsafe { libc::send(fd, ptr::null(), 0, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) };
    answer == -1 && errno() == libc::EPIPE
}
