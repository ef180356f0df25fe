//! Addresses on their way between Java and the system.

use std::os::fd::AsRawFd;

use super::{
    LOOPBACK, bind, error, form, ipv4, ipv6_loopback, listening, local_address, open, parts, unix,
};
use crate::address::SocketAddress;
use crate::errno::Errno;
use crate::form::{Form, IPV4, IPV6, NONE, UNIX};
use crate::socket::{LISTENER, STREAM};

/// To the system and back.
fn round_trip(form: &Form, socket: i32) -> Form {
    let mut back = unix(b"what was there before");
    SocketAddress::new(form, socket)
        .unwrap()
        .write_to(&mut back);
    back
}

#[test]
fn an_ipv4_address_keeps_its_bytes_and_port() {
    let back = round_trip(&ipv4([192, 0, 2, 7], 65535), IPV4);
    assert_eq!(parts(&back), (IPV4, 65535, 0, &[192, 0, 2, 7][..]));
}

#[test]
fn an_ipv6_address_keeps_its_scope() {
    let mut link_local = form(
        IPV6,
        &[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9],
        80,
    );
    link_local.scope = 3;
    let back = round_trip(&link_local, IPV6);
    assert_eq!(parts(&back), (IPV6, 80, 3, &link_local.bytes[..16]));
}

#[test]
fn an_ipv6_socket_maps_ipv4_addresses_both_ways() {
    let back = round_trip(&ipv4([192, 0, 2, 7], 80), IPV6);
    assert_eq!(parts(&back), (IPV4, 80, 0, &[192, 0, 2, 7][..]));
}

#[test]
fn the_ipv4_wildcard_on_an_ipv6_socket_stands_for_both_stacks() {
    let back = round_trip(&ipv4([0; 4], 80), IPV6);
    assert_eq!(parts(&back), (IPV6, 80, 0, &[0; 16][..]));
}

#[test]
fn a_socket_refuses_addresses_of_other_families() {
    let refused = Some(Errno(libc::EAFNOSUPPORT));
    assert_eq!(error(SocketAddress::new(&ipv6_loopback(80), IPV4)), refused);
    assert_eq!(error(SocketAddress::new(&unix(b"/x"), IPV6)), refused);
    assert_eq!(
        error(SocketAddress::new(&ipv4(LOOPBACK, 80), UNIX)),
        refused
    );
    assert_eq!(
        error(SocketAddress::new(&form(NONE, &[], 0), IPV4)),
        refused
    );
}

#[test]
fn a_path_keeps_its_bytes() {
    let back = round_trip(&unix(b"/tmp/a b\xff"), UNIX);
    assert_eq!(parts(&back), (UNIX, 0, 0, &b"/tmp/a b\xff"[..]));
}

#[test]
fn a_path_longer_than_the_system_takes_is_refused() {
    let too_long = Some(Errno(libc::ENAMETOOLONG));
    assert_eq!(
        error(SocketAddress::new(&unix(&[b'x'; 109]), UNIX)),
        too_long
    );
    let mut wild = unix(b"x");
    wild.length = 4096;
    assert_eq!(error(SocketAddress::new(&wild, UNIX)), too_long);
    wild.length = -1;
    assert_eq!(
        error(SocketAddress::new(&wild, UNIX)),
        Some(Errno(libc::EINVAL))
    );
}

#[test]
fn a_socket_without_a_name_has_the_empty_one() {
    let socket = open(UNIX, STREAM);
    assert_eq!(
        parts(&local_address(socket.as_raw_fd())),
        (UNIX, 0, 0, &[][..])
    );
}

#[test]
fn the_longest_path_can_be_bound_and_read_back() {
    let directory = tempdir();
    let mut path = directory.0.clone().into_bytes();
    path.push(b'/');
    path.resize(
        size_of::<libc::sockaddr_un>() - std::mem::offset_of!(libc::sockaddr_un, sun_path) - 1,
        b'x',
    );
    let socket = open(UNIX, LISTENER);
    bind(socket.as_raw_fd(), UNIX, unix(&path)).unwrap();
    assert_eq!(parts(&local_address(socket.as_raw_fd())).3, path);
}

#[cfg(target_os = "linux")]
#[test]
fn an_abstract_name_begins_with_a_nul_and_may_hold_more() {
    let name = format!("\0nioselect\0{}", std::process::id());
    let socket = open(UNIX, crate::socket::DATAGRAM);
    bind(socket.as_raw_fd(), UNIX, unix(name.as_bytes())).unwrap();
    assert_eq!(parts(&local_address(socket.as_raw_fd())).3, name.as_bytes());

    let peer = std::os::unix::net::UnixDatagram::unbound().unwrap();
    super::connect(peer.as_raw_fd(), UNIX, unix(name.as_bytes())).unwrap();
    assert!(peer.peer_addr().unwrap().as_pathname().is_none());
}

#[test]
fn a_listener_on_the_wildcard_address_accepts_both_families() {
    let (listener, port) = listening(IPV6, ipv4([0; 4], 0));
    for target in ["127.0.0.1", "::1"] {
        let client = std::net::TcpStream::connect((target, port)).unwrap();
        crate::wait::wait(listener.as_raw_fd(), 1, -1, -1).unwrap();
        let (_accepted, peer) = super::accept(listener.as_raw_fd()).unwrap();
        let expected = if target.contains(':') { IPV6 } else { IPV4 };
        assert_eq!(peer.family, expected);
        assert_eq!(peer.port, i32::from(client.local_addr().unwrap().port()));
    }
}

struct Directory(String);

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn tempdir() -> Directory {
    let path = std::env::temp_dir().join(format!("nioselect-jni-{}", std::process::id()));
    std::fs::create_dir(&path).unwrap();
    Directory(path.into_os_string().into_string().unwrap())
}
