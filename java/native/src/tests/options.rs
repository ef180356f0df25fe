//! Options of real sockets.

use std::ffi::c_int;
use std::os::fd::{AsRawFd, RawFd};

use super::open;
use crate::errno::Errno;
use crate::form::{Family, IPV4, IPV6};
use crate::option::{get, is_available, set};
use crate::socket::{DATAGRAM, LISTENER, STREAM};
use crate::sockopt::{self, name};

/// The constants of the class `SocketOptionCalls`.
const SO_SNDBUF: i32 = 0;
const SO_RCVBUF: i32 = 1;
const SO_KEEPALIVE: i32 = 2;
const SO_REUSEADDR: i32 = 3;
const SO_BROADCAST: i32 = 5;
const SO_LINGER: i32 = 6;
const TCP_NODELAY: i32 = 7;
const IP_TOS: i32 = 8;
const IP_MULTICAST_IF: i32 = 9;
const IP_MULTICAST_TTL: i32 = 10;
const IP_MULTICAST_LOOP: i32 = 11;
const TCP_KEEPCOUNT: i32 = 16;
const LAST: i32 = 23;

/// A value as Java reads it off the lower half of the answer.
fn value(fd: RawFd, family: Family, option: i32) -> Result<i32, Errno> {
    get(fd, family, option).map(|answer| {
        assert!(answer >= 0);
        answer as i32
    })
}

/// Sets each value and expects to read it back.
fn keeps(fd: RawFd, family: Family, option: i32, values: &[i32]) {
    for &wanted in values {
        assert_eq!(
            set(fd, family, option, wanted),
            Ok(0),
            "option {option} = {wanted}"
        );
        assert_eq!(value(fd, family, option), Ok(wanted), "option {option}");
    }
}

#[test]
fn a_stream_socket_keeps_what_is_set() {
    for family in [IPV4, IPV6] {
        let socket = open(family, STREAM);
        let fd = socket.as_raw_fd();
        for flag in [SO_KEEPALIVE, SO_REUSEADDR, TCP_NODELAY] {
            assert_eq!(value(fd, family, flag), Ok(0));
            keeps(fd, family, flag, &[1, 0]);
        }
        keeps(fd, family, SO_SNDBUF, &[16 * 1024]);
        keeps(fd, family, SO_RCVBUF, &[16 * 1024]);
        keeps(fd, family, TCP_KEEPCOUNT, &[3]);
        keeps(fd, family, IP_TOS, &[0x10, 0]);
    }
}

#[test]
fn lingering_is_off_at_minus_one() {
    let socket = open(IPV4, STREAM);
    assert_eq!(value(socket.as_raw_fd(), IPV4, SO_LINGER), Ok(-1));
    keeps(socket.as_raw_fd(), IPV4, SO_LINGER, &[0, 10, -1]);
}

#[test]
fn new_sockets_have_the_defaults_of_java_nio() {
    let v6_only = name(libc::IPPROTO_IPV6, libc::IPV6_V6ONLY);
    for kind in [STREAM, LISTENER, DATAGRAM] {
        let socket = open(IPV6, kind);
        assert_eq!(sockopt::get::<c_int>(socket.as_raw_fd(), v6_only), Ok(0));
        let reuse = value(socket.as_raw_fd(), IPV6, SO_REUSEADDR);
        assert_eq!(reuse, Ok((kind == LISTENER).into()));
    }
    for family in [IPV4, IPV6] {
        let socket = open(family, DATAGRAM);
        let fd = socket.as_raw_fd();
        assert_eq!(value(fd, family, SO_BROADCAST), Ok(0));
        assert_eq!(value(fd, family, IP_MULTICAST_TTL), Ok(1));
        assert_eq!(value(fd, family, IP_MULTICAST_LOOP), Ok(1));
        assert_eq!(value(fd, family, IP_MULTICAST_IF), Ok(0));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn datagram_sockets_get_only_what_they_have_joined() {
    let socket = open(IPV6, DATAGRAM);
    let ipv4 = name(libc::IPPROTO_IP, libc::IP_MULTICAST_ALL);
    assert_eq!(sockopt::get::<c_int>(socket.as_raw_fd(), ipv4), Ok(0));
    let ipv6 = name(libc::IPPROTO_IPV6, 29);
    assert_eq!(sockopt::get::<c_int>(socket.as_raw_fd(), ipv6), Ok(0));
}

#[test]
fn multicast_options_are_kept() {
    for family in [IPV4, IPV6] {
        let socket = open(family, DATAGRAM);
        keeps(socket.as_raw_fd(), family, IP_MULTICAST_TTL, &[0, 255, 2]);
        keeps(socket.as_raw_fd(), family, IP_MULTICAST_LOOP, &[0, 1]);
        keeps(
            socket.as_raw_fd(),
            family,
            IP_MULTICAST_IF,
            &[super::loopback(), 0],
        );
    }
    let socket = open(IPV4, DATAGRAM);
    let too_far = set(socket.as_raw_fd(), IPV4, IP_MULTICAST_TTL, 256);
    assert_eq!(too_far, Err(Errno(libc::EINVAL)));
}

/// For IPv4 datagrams of an IPv6 socket only the options of IPv4 count.
#[cfg(target_os = "linux")]
#[test]
fn options_of_ip_act_on_both_stacks() {
    let socket = open(IPV6, DATAGRAM);
    let fd = socket.as_raw_fd();
    let loopback = super::loopback();
    for (option, ipv4, wanted) in [
        (IP_MULTICAST_TTL, libc::IP_MULTICAST_TTL, 7),
        (IP_MULTICAST_LOOP, libc::IP_MULTICAST_LOOP, 0),
        (IP_TOS, libc::IP_TOS, 0x08),
    ] {
        set(fd, IPV6, option, wanted).unwrap();
        assert_eq!(
            sockopt::get::<c_int>(fd, name(libc::IPPROTO_IP, ipv4)),
            Ok(wanted)
        );
        assert_eq!(value(fd, IPV6, option), Ok(wanted));
    }
    set(fd, IPV6, IP_MULTICAST_IF, loopback).unwrap();
    assert_eq!(value(fd, IPV4, IP_MULTICAST_IF), Ok(loopback));
    assert_eq!(value(fd, IPV6, IP_MULTICAST_IF), Ok(loopback));
}

#[test]
fn any_buffer_size_is_accepted() {
    let socket = open(IPV4, STREAM);
    for option in [SO_SNDBUF, SO_RCVBUF] {
        let before = value(socket.as_raw_fd(), IPV4, option).unwrap();
        assert_eq!(set(socket.as_raw_fd(), IPV4, option, i32::MAX), Ok(0));
        assert!(value(socket.as_raw_fd(), IPV4, option).unwrap() >= before);
    }
}

#[test]
fn what_is_available_can_be_read() {
    let [stream, datagram] = [STREAM, DATAGRAM].map(|kind| open(IPV4, kind));
    for option in 0..=LAST {
        let readable = [&stream, &datagram]
            .iter()
            .any(|socket| get(socket.as_raw_fd(), IPV4, option).is_ok());
        assert_eq!(is_available(option), Ok(readable.into()), "option {option}");
    }
}

#[test]
fn unknown_options_are_refused() {
    let socket = open(IPV4, STREAM);
    for option in [-1, LAST + 1] {
        let refused = Some(Errno(libc::EINVAL));
        assert_eq!(is_available(option).err(), refused);
        assert_eq!(get(socket.as_raw_fd(), IPV4, option).err(), refused);
        assert_eq!(set(socket.as_raw_fd(), IPV4, option, 1).err(), refused);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn linux_options_have_the_numbers_of_the_java_class() {
    let [stream, datagram] = [STREAM, DATAGRAM].map(|kind| open(IPV4, kind));
    let tcp = |option| sockopt::get::<c_int>(stream.as_raw_fd(), name(libc::IPPROTO_TCP, option));
    for (option, system, wanted) in [
        (14, libc::TCP_KEEPIDLE, 100),
        (15, libc::TCP_KEEPINTVL, 20),
        (16, libc::TCP_KEEPCNT, 4),
        (19, libc::TCP_USER_TIMEOUT, 5000),
        (20, libc::TCP_NOTSENT_LOWAT, 16384),
        (22, libc::TCP_FASTOPEN, 16),
    ] {
        keeps(stream.as_raw_fd(), IPV4, option, &[wanted]);
        assert_eq!(tcp(system), Ok(wanted));
    }
    keeps(datagram.as_raw_fd(), IPV4, 18, &[1, 0, 1]);
    let discovery = name(libc::IPPROTO_IP, libc::IP_MTU_DISCOVER);
    let how = sockopt::get::<c_int>(datagram.as_raw_fd(), discovery);
    assert_eq!(how, Ok(libc::IP_PMTUDISC_DO));
}
