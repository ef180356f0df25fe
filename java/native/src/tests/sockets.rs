//! Opening, connecting, accepting, shutting down, looking at what was inherited.

use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixListener;

use super::{
    LOOPBACK, accept, address_of, bind, connect, ipv4, ipv6_loopback, listening, open, parts,
    remote_address,
};
use crate::errno::Errno;
use crate::form::{IPV4, IPV6, UNIX};
use crate::socket::{self, DATAGRAM, LISTENER, STREAM};
use crate::wait::wait;

const READABLE: i32 = 1;
const WRITABLE: i32 = 2;

/// Waits as long as it takes.
fn until(fd: RawFd, events: i32) {
    assert_eq!(wait(fd, events, -1, -1), Ok(events));
}

/// A client and the socket that was accepted for it, on the loopback interface.
fn connected() -> (OwnedFd, OwnedFd) {
    let (listener, port) = listening(IPV4, ipv4(LOOPBACK, 0));
    let client = open(IPV4, STREAM);
    match connect(client.as_raw_fd(), IPV4, ipv4(LOOPBACK, port)) {
        Ok(0) | Err(Errno(libc::EINPROGRESS)) => {}
        other => panic!("{other:?}"),
    }
    until(client.as_raw_fd(), WRITABLE);
    assert_eq!(socket::take_error(client.as_raw_fd()), Ok(0));
    until(listener.as_raw_fd(), READABLE);
    let (accepted, _) = accept(listener.as_raw_fd()).unwrap();
    (client, accepted)
}

fn inspect(fd: RawFd) -> Result<[i32; 4], Errno> {
    let mut facts = [-1; 4];
    // SAFETY: there is room for four ints.
    unsafe { socket::inspect(fd, address_of(&mut facts)) }?;
    Ok(facts)
}

#[test]
fn both_ends_of_a_connection_know_each_other() {
    let (client, accepted) = connected();
    let local = super::local_address(client.as_raw_fd());
    let remote = remote_address(accepted.as_raw_fd()).unwrap();
    assert_eq!(parts(&local), parts(&remote));
    assert_eq!(parts(&local).3, LOOPBACK);
}

#[test]
fn an_ipv6_socket_connects_to_either_family() {
    for (family, target) in [(IPV4, ipv4(LOOPBACK, 0)), (IPV6, ipv6_loopback(0))] {
        let (listener, port) = listening(family, target);
        let mut target = super::local_address(listener.as_raw_fd());
        target.port = port.into();
        let client = open(IPV6, STREAM);
        let _ = connect(client.as_raw_fd(), IPV6, target);
        until(client.as_raw_fd(), WRITABLE);
        let peer = remote_address(client.as_raw_fd()).unwrap();
        assert_eq!((peer.family, peer.port), (family, port.into()));
    }
}

#[test]
fn nothing_to_accept_is_eagain() {
    let (listener, _) = listening(IPV4, ipv4(LOOPBACK, 0));
    assert_eq!(
        accept(listener.as_raw_fd()).err(),
        Some(Errno(libc::EAGAIN))
    );
}

#[test]
fn a_refused_connection_leaves_its_error_once() {
    let (listener, port) = listening(IPV4, ipv4(LOOPBACK, 0));
    drop(listener);
    let client = open(IPV4, STREAM);
    match connect(client.as_raw_fd(), IPV4, ipv4(LOOPBACK, port)) {
        Err(Errno(libc::EINPROGRESS)) => {
            until(client.as_raw_fd(), WRITABLE);
            let error = socket::take_error(client.as_raw_fd());
            assert_eq!(error, Err(Errno(libc::ECONNREFUSED)));
        }
        at_once => assert_eq!(at_once, Err(Errno(libc::ECONNREFUSED))),
    }
    assert_eq!(socket::take_error(client.as_raw_fd()), Ok(0));
}

#[test]
fn a_listener_takes_an_address_that_old_connections_still_hold() {
    let (listener, port) = listening(IPV4, ipv4(LOOPBACK, 0));
    let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    until(listener.as_raw_fd(), READABLE);
    let (accepted, _) = accept(listener.as_raw_fd()).unwrap();
    // The side that closes first keeps the port for a while.
    drop((accepted, listener));
    drop(client);
    let again = open(IPV4, LISTENER);
    assert_eq!(bind(again.as_raw_fd(), IPV4, ipv4(LOOPBACK, port)), Ok(0));
}

#[test]
fn shutting_down_ends_the_peers_input_and_needs_no_peer() {
    let (client, accepted) = connected();
    assert_eq!(socket::shutdown(client.as_raw_fd(), 1), Ok(0));
    until(accepted.as_raw_fd(), READABLE);
    let mut byte = 0_u8;
    // SAFETY: there is room for a byte.
    let count = unsafe { crate::descriptor::read(accepted.as_raw_fd(), address_of(&mut byte), 1) };
    assert_eq!(count, Ok(0));
    assert_eq!(socket::shutdown(open(IPV4, STREAM).as_raw_fd(), 2), Ok(0));
    assert_eq!(
        socket::shutdown(client.as_raw_fd(), 3),
        Err(Errno(libc::EINVAL))
    );
}

#[test]
fn urgent_data_and_what_waits_to_be_read_are_counted() {
    let (client, accepted) = connected();
    let in_line = crate::option::set(accepted.as_raw_fd(), IPV4, 12, 1);
    assert_eq!(in_line, Ok(0));
    assert_eq!(socket::available(accepted.as_raw_fd()), Ok(0));
    assert_eq!(socket::send_urgent(client.as_raw_fd(), 0x141), Ok(1));
    until(accepted.as_raw_fd(), READABLE);
    assert_eq!(socket::available(accepted.as_raw_fd()), Ok(1));
    let mut byte = 0_u8;
    // SAFETY: there is room for a byte.
    unsafe { crate::descriptor::read(accepted.as_raw_fd(), address_of(&mut byte), 1) }.unwrap();
    assert_eq!(byte, 0x41);
}

#[test]
fn what_was_inherited_is_recognised() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(inspect(tcp.as_raw_fd()), Ok([IPV4, LISTENER, 0, 0]));
    let (client, _accepted) = connected();
    assert_eq!(inspect(client.as_raw_fd()), Ok([IPV4, STREAM, 1, 0]));
    assert_eq!(
        inspect(open(IPV6, STREAM).as_raw_fd()),
        Ok([IPV6, STREAM, 0, 0])
    );
    assert_eq!(
        inspect(open(IPV6, DATAGRAM).as_raw_fd()),
        Ok([IPV6, DATAGRAM, 0, 0])
    );
    let (pair, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    assert_eq!(inspect(pair.as_raw_fd()), Ok([UNIX, STREAM, 1, 0]));
    let file = std::fs::File::open("/dev/null").unwrap();
    assert_eq!(inspect(file.as_raw_fd()), Err(Errno(libc::ENOTSOCK)));
    assert_eq!(inspect(i32::MAX), Err(Errno(libc::EBADF)));
}

#[cfg(target_os = "linux")]
#[test]
fn sockets_of_other_families_have_none() {
    // SAFETY: no memory is passed.
    let netlink = unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
    let netlink = super::owned(Ok(netlink));
    assert_eq!(inspect(netlink.as_raw_fd()).unwrap()[0], crate::form::NONE);
}

#[test]
fn a_unix_listener_does_not_take_over_a_path() {
    let path = std::env::temp_dir().join(format!("nioselect-jni-taken-{}", std::process::id()));
    let _first = UnixListener::bind(&path).unwrap();
    let second = open(UNIX, LISTENER);
    let outcome = bind(
        second.as_raw_fd(),
        UNIX,
        super::unix(path.as_os_str().as_encoded_bytes()),
    );
    std::fs::remove_file(&path).unwrap();
    assert_eq!(outcome, Err(Errno(libc::EADDRINUSE)));
}

#[test]
fn families_of_this_system_are_available() {
    assert_eq!(socket::is_available(IPV4), Ok(1));
    assert_eq!(socket::is_available(UNIX), Ok(1));
    assert_eq!(socket::is_available(99), Err(Errno(libc::EAFNOSUPPORT)));
    assert_eq!(socket::open(IPV4, 99), Err(Errno(libc::EINVAL)));
}
