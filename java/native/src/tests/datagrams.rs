//! Sending, receiving, and the peer of a datagram socket.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::{
    LOOPBACK, address_of, bind, connect, ipv4, local_address, open, parts, remote_address, unix,
};
use crate::datagram;
use crate::errno::Errno;
use crate::form::{Form, IPV4, IPV6};
use crate::socket::DATAGRAM;
use crate::wait::wait;

/// A socket on a free port of the loopback interface.
fn bound(family: i32) -> (OwnedFd, Form) {
    let socket = open(family, DATAGRAM);
    bind(socket.as_raw_fd(), family, ipv4(LOOPBACK, 0)).unwrap();
    let address = local_address(socket.as_raw_fd());
    (socket, address)
}

fn send(fd: RawFd, family: i32, text: &mut [u8], to: Option<&mut Form>) -> Result<i32, Errno> {
    let to = to.map_or(0, address_of);
    let from = address_of(&mut text[0]);
    // SAFETY: the length is the slice's, the form is there.
    unsafe { datagram::send(fd, family, from, text.len() as i32, to) }
}

fn receive(fd: RawFd, to: &mut [u8; 16], length: i32) -> Result<(i32, Form), Errno> {
    assert_eq!(wait(fd, 1, -1, -1), Ok(1));
    let mut sender = unix(b"nobody");
    // SAFETY: the length is at most the array's, the form is there.
    let count = unsafe { datagram::receive(fd, address_of(to), length, address_of(&mut sender)) }?;
    Ok((count, sender))
}

#[test]
fn a_datagram_comes_with_its_sender() {
    for family in [IPV4, IPV6] {
        let (one, from) = bound(family);
        let (other, mut to) = bound(family);
        assert_eq!(
            send(
                one.as_raw_fd(),
                family,
                &mut b"hello".to_vec(),
                Some(&mut to)
            ),
            Ok(5)
        );
        let mut buffer = [0; 16];
        let (count, sender) = receive(other.as_raw_fd(), &mut buffer, 16).unwrap();
        assert_eq!(&buffer[..count as usize], b"hello");
        assert_eq!(parts(&sender), parts(&from));
        assert_eq!(sender.family, IPV4);
    }
}

#[test]
fn a_datagram_is_cut_to_the_length_even_if_that_is_zero() {
    let (one, _) = bound(IPV4);
    let (other, mut to) = bound(IPV4);
    let mut buffer = [0; 16];
    for length in [3, 0] {
        send(one.as_raw_fd(), IPV4, &mut b"hello".to_vec(), Some(&mut to)).unwrap();
        let (count, _) = receive(other.as_raw_fd(), &mut buffer, length).unwrap();
        assert_eq!(count, length);
    }
    // SAFETY: the length is the array's.
    let rest = unsafe { datagram::receive(other.as_raw_fd(), address_of(&mut buffer), 16, 0) };
    assert_eq!(rest, Err(Errno(libc::EAGAIN)));
}

#[test]
fn a_connected_socket_sends_to_its_peer_until_it_is_disconnected() {
    for family in [IPV4, IPV6] {
        let (one, _) = bound(family);
        let (other, to) = bound(family);
        let port = to.port;
        connect(one.as_raw_fd(), family, to).unwrap();
        assert_eq!(remote_address(one.as_raw_fd()).unwrap().port, port);
        assert_eq!(send(one.as_raw_fd(), family, &mut [1, 2], None), Ok(2));
        let (count, _) = receive(other.as_raw_fd(), &mut [0; 16], 16).unwrap();
        assert_eq!(count, 2);

        assert_eq!(datagram::disconnect(one.as_raw_fd(), family), Ok(0));
        assert_eq!(
            remote_address(one.as_raw_fd()).err(),
            Some(Errno(libc::ENOTCONN))
        );
        let nowhere = send(one.as_raw_fd(), family, &mut [1], None);
        assert!(
            matches!(nowhere, Err(Errno(libc::EDESTADDRREQ | libc::ENOTCONN))),
            "{nowhere:?}"
        );
    }
}

#[test]
fn the_largest_datagram_passes_and_a_larger_one_does_not() {
    let (one, _) = bound(IPV4);
    let (other, mut to) = bound(IPV4);
    let mut largest = vec![7; 65507];
    assert_eq!(
        send(one.as_raw_fd(), IPV4, &mut largest, Some(&mut to)),
        Ok(65507)
    );
    let mut buffer = vec![0_u8; 65536];
    assert_eq!(wait(other.as_raw_fd(), 1, -1, -1), Ok(1));
    // SAFETY: the length is the vector's.
    let count =
        unsafe { datagram::receive(other.as_raw_fd(), address_of(&mut buffer[0]), 65536, 0) };
    assert_eq!(count, Ok(65507));
    largest.push(7);
    let refused = send(one.as_raw_fd(), IPV4, &mut largest, Some(&mut to));
    assert_eq!(refused, Err(Errno(libc::EMSGSIZE)));
}

#[test]
fn negative_lengths_are_refused() {
    let (one, _) = bound(IPV4);
    // SAFETY: nothing is read or written.
    unsafe {
        assert_eq!(
            datagram::receive(one.as_raw_fd(), 0, -1, 0),
            Err(Errno(libc::EINVAL))
        );
        assert_eq!(
            datagram::send(one.as_raw_fd(), IPV4, 0, -1, 0),
            Err(Errno(libc::EINVAL))
        );
    }
}
