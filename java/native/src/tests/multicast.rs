//! Groups on the loopback interface.

use std::os::fd::{AsRawFd, RawFd};

use super::{address_of, bind, form, ipv4, ipv6_loopback, local_address, loopback, open};
use crate::errno::Errno;
use crate::form::{Form, IPV4, IPV6};
use crate::socket::DATAGRAM;
use crate::wait::wait;
use crate::{datagram, multicast, option};

const JOIN: i32 = 0;
const LEAVE: i32 = 1;
const BLOCK: i32 = 2;
const UNBLOCK: i32 = 3;

fn ipv4_group() -> Form {
    ipv4([239, 255, 17, 4], 0)
}

/// A group that stays within this host.
fn ipv6_group() -> Form {
    form(
        IPV6,
        &[0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x17, 4],
        0,
    )
}

fn change(
    fd: RawFd,
    action: i32,
    group: &mut Form,
    source: Option<&mut Form>,
) -> Result<i32, Errno> {
    let source = source.map_or(0, address_of);
    // SAFETY: the forms are there.
    unsafe { multicast::change(fd, action, address_of(group), loopback(), source) }
}

/// Whether a datagram to the group comes to a socket of a family that has joined it; nothing if
/// the loopback interface carries no such datagrams.
fn is_delivered(family: i32, mut group: Form, leave: bool) -> Option<bool> {
    let socket = open(family, DATAGRAM);
    let fd = socket.as_raw_fd();
    bind(fd, family, ipv4([0; 4], 0)).unwrap();
    option::set(fd, family, 9, loopback()).unwrap();
    change(fd, JOIN, &mut group, None).unwrap();
    if leave {
        change(fd, LEAVE, &mut group, None).unwrap();
    }
    group.port = local_address(fd).port;
    let mut text = *b"hello";
    // SAFETY: the length is the text's, the form is there.
    let sent =
        unsafe { datagram::send(fd, family, address_of(&mut text), 5, address_of(&mut group)) };
    if sent == Err(Errno(libc::ENETUNREACH)) {
        return None;
    }
    assert_eq!(sent, Ok(5));
    // Over this interface it is there when the call returns.
    Some(wait(fd, 1, -1, 0).unwrap() == 1)
}

#[test]
fn a_member_gets_what_is_sent_to_the_group() {
    for leave in [false, true] {
        assert_eq!(is_delivered(IPV4, ipv4_group(), leave), Some(!leave));
        assert_eq!(is_delivered(IPV6, ipv4_group(), leave), Some(!leave));
        // Whether the loopback interface carries those of IPv6 depends on the system.
        let ipv6 = is_delivered(IPV6, ipv6_group(), leave);
        assert!(!leave || ipv6 != Some(true));
    }
}

#[test]
fn a_membership_ends_once() {
    let socket = open(IPV4, DATAGRAM);
    let mut group = ipv4_group();
    assert_eq!(change(socket.as_raw_fd(), JOIN, &mut group, None), Ok(0));
    assert_eq!(change(socket.as_raw_fd(), LEAVE, &mut group, None), Ok(0));
    let again = change(socket.as_raw_fd(), LEAVE, &mut group, None);
    assert_eq!(again, Err(Errno(libc::EADDRNOTAVAIL)));
}

#[test]
fn sources_can_be_joined_and_left_blocked_and_unblocked() {
    let cases = [
        (IPV4, ipv4_group(), ipv4([127, 0, 0, 1], 0)),
        (IPV6, ipv6_group(), ipv6_loopback(0)),
    ];
    for (family, mut group, mut source) in cases {
        let socket = open(family, DATAGRAM);
        let fd = socket.as_raw_fd();
        for action in [JOIN, LEAVE] {
            assert_eq!(change(fd, action, &mut group, Some(&mut source)), Ok(0));
        }
        change(fd, JOIN, &mut group, None).unwrap();
        for action in [BLOCK, UNBLOCK] {
            assert_eq!(change(fd, action, &mut group, Some(&mut source)), Ok(0));
        }
        let nothing_blocked = change(fd, UNBLOCK, &mut group, Some(&mut source));
        assert_eq!(nothing_blocked, Err(Errno(libc::EADDRNOTAVAIL)));
    }
}

#[test]
fn only_a_source_can_be_blocked() {
    let socket = open(IPV4, DATAGRAM);
    let refused = Err(Errno(libc::EINVAL));
    assert_eq!(
        change(socket.as_raw_fd(), BLOCK, &mut ipv4_group(), None),
        refused
    );
    let mut source = ipv4([127, 0, 0, 1], 0);
    assert_eq!(
        change(socket.as_raw_fd(), 4, &mut ipv4_group(), Some(&mut source)),
        refused
    );
}
