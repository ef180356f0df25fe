//! Connecting, without waiting and with.

mod common;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use common::{
    LONG, any_port, assert_silent, await_ready, during, on_every_backend, selector, tcp_pair,
};
use nioselect::poller::Kind;
use nioselect::{Backend, Error, Ops, ProtocolFamily, SelectableChannel, Selector, SocketChannel};
use socket2::{Domain, Socket, Type};

const ALL: Ops = Ops::READ.union(Ops::WRITE).union(Ops::CONNECT);

fn unconnected() -> SocketChannel {
    let channel = SocketChannel::open(ProtocolFamily::Inet).unwrap();
    channel.configure_blocking(false).unwrap();
    channel
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(any_port()).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// An address at which nobody listens, and what keeps others from it.
fn refusing() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&any_port().into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}

fn connected(backend: Backend, interest: Ops) -> (Selector<()>, SocketChannel, TcpListener) {
    let mut selector = selector(backend);
    let (listener, address) = listener();
    let channel = unconnected();
    let key = channel.register(&selector, interest, ()).unwrap();
    if !channel.connect(address).unwrap() {
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(channel.finish_connect().unwrap());
    }
    selector.selected_keys().clear();
    (selector, channel, listener)
}

fn is_refusal<T: std::fmt::Debug>(answer: Result<T, Error>) -> bool {
    answer.unwrap_err().kind() == io::ErrorKind::ConnectionRefused
}

#[test]
fn a_connect_is_reported_and_finished() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        assert!(!channel.connect(address).unwrap());
        assert!(channel.is_connection_pending() && !channel.is_connected());

        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(key.is_connectable());
        assert!(channel.finish_connect().unwrap());
        assert!(channel.is_connected() && !channel.is_connection_pending());
        assert!(
            channel.finish_connect().unwrap(),
            "finishing again does nothing"
        );
    });
}

#[test]
fn a_refused_connect_is_reported_and_its_reason_told_when_it_is_finished() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_socket, address) = refusing();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        assert!(!channel.connect(address).unwrap());
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert_eq!(key.ready_ops(), Ops::CONNECT);
        assert!(is_refusal(channel.finish_connect()));

        assert!(!channel.is_connected() && !channel.is_connection_pending());
        assert!(key.is_valid());
        assert!(matches!(
            channel.finish_connect(),
            Err(Error::NoConnectionPending)
        ));
        assert_silent(&mut selector);
    });
}

#[test]
fn a_channel_that_was_refused_can_connect_elsewhere() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_socket, refusing) = refusing();
        let (_listener, address) = listener();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        assert!(!channel.connect(refusing).unwrap());
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(is_refusal(channel.finish_connect()));

        channel.connect(address).unwrap();
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(channel.finish_connect().unwrap());
    });
}

#[test]
fn a_channel_that_was_refused_stays_unconnected_when_it_is_refreshed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_socket, refusing) = refusing();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        assert!(!channel.connect(refusing).unwrap());
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(is_refusal(channel.finish_connect()));

        channel.refresh().unwrap();
        assert!(!channel.is_connection_pending());
        assert_silent(&mut selector);
    });
}

#[test]
fn a_refused_connect_makes_the_same_operations_ready_everywhere() {
    for interest in [
        ALL,
        Ops::CONNECT | Ops::READ,
        Ops::READ,
        Ops::WRITE,
        ALL - Ops::CONNECT,
    ] {
        on_every_backend(|backend| {
            let mut selector = selector(backend);
            let (_socket, address) = refusing();
            let channel = unconnected();
            let key = channel.register(&selector, interest, ()).unwrap();
            assert!(!channel.connect(address).unwrap());
            assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
            assert_eq!(key.ready_ops(), interest);
        });
    }
}

#[test]
fn a_channel_registered_before_it_connects_is_silent() {
    on_every_backend(|backend| {
        for interest in [Ops::CONNECT, Ops::READ, Ops::WRITE, ALL] {
            let mut selector = selector(backend);
            let channel = unconnected();
            channel.register(&selector, interest, ()).unwrap();
            assert_silent(&mut selector);
        }
    });
}

#[test]
fn a_connect_begun_during_a_selection_is_reported_by_it() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || assert!(!channel.connect(address).unwrap()),
        );
        assert_eq!(count.unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::CONNECT);
        assert!(channel.finish_connect().unwrap());
    });
}

#[test]
fn connect_alone_is_reported_until_it_is_finished_and_never_afterwards() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let channel = unconnected();
        let key = channel.register(&selector, ALL, ()).unwrap();
        assert!(!channel.connect(address).unwrap());
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert_eq!(key.ready_ops(), Ops::CONNECT);

        assert!(channel.finish_connect().unwrap());
        selector.selected_keys().clear();
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn without_connect_writing_is_reported_when_the_connection_stands() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (listener, address) = listener();
        let channel = unconnected();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert!(!channel.connect(address).unwrap());
        await_ready(&mut selector, &key, Ops::WRITE);
        assert!(channel.finish_connect().unwrap());
        (&channel).write_all(b"hello").unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        assert_eq!(peer.read(&mut [0; 16]).unwrap(), 5);
    });
}

#[test]
fn a_fresh_connection_has_nothing_to_read() {
    on_every_backend(|backend| {
        let (mut selector, channel, listener) = connected(backend, Ops::CONNECT);
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_silent(&mut selector);
        let (mut peer, _) = listener.accept().unwrap();
        peer.write_all(b"x").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
    });
}

#[test]
fn interest_in_connect_that_is_left_over_is_silent() {
    on_every_backend(|backend| {
        let (mut selector, _channel, _listener) = connected(backend, Ops::CONNECT);
        assert_silent(&mut selector);
    });
}

#[test]
fn interest_in_connect_that_is_left_over_is_silent_when_the_peer_hangs_up() {
    on_every_backend(|backend| {
        let (mut selector, channel, listener) = connected(backend, Ops::CONNECT);
        let (peer, _) = listener.accept().unwrap();
        socket2::SockRef::from(&peer)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
        drop(peer);
        // The reset has arrived when reading tells of it.
        common::until(
            || !matches!((&channel).read(&mut [0]), Err(e) if e.kind() == io::ErrorKind::WouldBlock),
        );
        assert_silent(&mut selector);
    });
}

#[test]
fn connecting_twice_is_an_error() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let channel = unconnected();
        assert!(matches!(
            channel.finish_connect(),
            Err(Error::NoConnectionPending)
        ));
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        assert!(!channel.connect(address).unwrap());
        assert!(matches!(
            channel.connect(address),
            Err(Error::ConnectionPending)
        ));
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(matches!(
            channel.connect(address),
            Err(Error::ConnectionPending)
        ));
        assert!(channel.finish_connect().unwrap());
        assert!(matches!(
            channel.connect(address),
            Err(Error::AlreadyConnected)
        ));
        assert!(channel.is_connected());
    });
}

#[test]
fn an_accepted_or_adopted_connection_is_connected_already() {
    on_every_backend(|_| {
        let (channel, _peer) = tcp_pair();
        assert!(channel.is_connected());
        assert_eq!(channel.kind(), Kind::Connected);
        assert!(channel.finish_connect().unwrap());
        assert!(matches!(
            channel.connect(any_port()),
            Err(Error::AlreadyConnected)
        ));
    });
}

#[test]
fn in_blocking_mode_connect_waits() {
    on_every_backend(|_| {
        let (_listener, address) = listener();
        let channel = SocketChannel::open(ProtocolFamily::Inet).unwrap();
        assert!(channel.connect(address).unwrap());
        assert!(channel.is_connected());
        assert!(
            SocketChannel::open_connected(address)
                .unwrap()
                .is_connected()
        );

        let (_socket, address) = refusing();
        let channel = SocketChannel::open(ProtocolFamily::Inet).unwrap();
        assert!(is_refusal(channel.connect(address)));
        assert!(!channel.is_connected() && !channel.is_connection_pending());
        assert!(is_refusal(SocketChannel::open_connected(address)));
    });
}

#[test]
fn in_blocking_mode_finish_connect_waits() {
    on_every_backend(|_| {
        let (_listener, address) = listener();
        let channel = unconnected();
        assert!(!channel.connect(address).unwrap());
        channel.configure_blocking(true).unwrap();
        assert!(channel.finish_connect().unwrap());

        let (_socket, address) = refusing();
        let channel = unconnected();
        assert!(!channel.connect(address).unwrap());
        channel.configure_blocking(true).unwrap();
        assert!(is_refusal(channel.finish_connect()));
    });
}

#[test]
fn a_socket_that_others_have_begun_to_connect_is_finished() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        let begun = socket.connect(&address.into()).unwrap_err();
        assert_eq!(begun.raw_os_error(), Some(libc::EINPROGRESS));

        let channel: SocketChannel = SelectableChannel::new(socket.into()).unwrap();
        let key = channel
            .register(&selector, Ops::CONNECT | Ops::WRITE, ())
            .unwrap();
        if channel.is_connection_pending() {
            await_ready(&mut selector, &key, Ops::CONNECT);
        }
        assert!(channel.finish_connect().unwrap());
        await_ready(&mut selector, &key, Ops::WRITE);
    });
}

#[test]
fn a_socket_that_others_have_failed_to_connect_tells_why() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_socket, address) = refusing();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        socket.connect(&address.into()).unwrap_err();

        let channel: SocketChannel = SelectableChannel::new(socket.into()).unwrap();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(is_refusal(channel.finish_connect()));
    });
}

#[test]
fn an_adopted_socket_that_nobody_has_connected_can_connect() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (_listener, address) = listener();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        socket.bind(&any_port().into()).unwrap();
        let channel: SocketChannel = SelectableChannel::new(socket.into()).unwrap();
        let key = channel.register(&selector, ALL, ()).unwrap();
        assert_silent(&mut selector);

        assert!(!channel.connect(address).unwrap());
        await_ready(&mut selector, &key, Ops::CONNECT);
        assert!(channel.finish_connect().unwrap());
    });
}

#[test]
fn an_ipv6_channel_connects() {
    on_every_backend(|backend| {
        // A machine without IPv6 has nothing to show here.
        let Ok(listener) = TcpListener::bind("[::1]:0") else {
            return;
        };
        let mut selector = selector(backend);
        let channel = SocketChannel::open(ProtocolFamily::Inet6).unwrap();
        channel.configure_blocking(false).unwrap();
        let key = channel.register(&selector, Ops::CONNECT, ()).unwrap();
        if !channel.connect(listener.local_addr().unwrap()).unwrap() {
            await_ready(&mut selector, &key, Ops::CONNECT);
        }
        assert!(channel.finish_connect().unwrap());
    });
}
