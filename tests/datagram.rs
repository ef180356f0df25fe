//! UDP channels.

mod common;

use std::io;
use std::net::SocketAddr;

use common::{any_port, assert_silent, await_ready, on_every_backend, selector};
use nioselect::poller::Kind;
use nioselect::{DatagramChannel, Ops};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

fn datagrams() -> (DatagramChannel, SocketAddr) {
    let channel = DatagramChannel::bind(any_port()).unwrap();
    channel.configure_blocking(false).unwrap();
    let address = channel.get_ref().local_addr().unwrap();
    (channel, address)
}

/// An address that takes datagrams of one peer only and refuses ours, for as long as it lives.
fn refusing() -> (DatagramChannel, SocketAddr) {
    let (channel, address) = datagrams();
    channel.connect(address).unwrap();
    (channel, address)
}

#[test]
fn a_datagram_is_reported_and_received_with_its_sender() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (sender, from) = datagrams();
        let (receiver, to) = datagrams();
        let key = receiver.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(sender.send(b"hello", to).unwrap(), Some(5));
        await_ready(&mut selector, &key, Ops::READ);
        let mut buffer = [0; 16];
        assert_eq!(receiver.receive(&mut buffer).unwrap(), Some((5, from)));
        assert_eq!(&buffer[..5], b"hello");
        assert_eq!(receiver.receive(&mut buffer).unwrap(), None);
        assert_silent(&mut selector);
    });
}

#[test]
fn an_empty_datagram_is_one_too() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (sender, from) = datagrams();
        let (receiver, to) = datagrams();
        let key = receiver.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(sender.send(b"", to).unwrap(), Some(0));
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(receiver.receive(&mut [0; 16]).unwrap(), Some((0, from)));
    });
}

#[test]
fn datagrams_are_reported_until_the_last_is_received() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (sender, _) = datagrams();
        let (receiver, to) = datagrams();
        let key = receiver.register(&selector, Ops::READ, ()).unwrap();
        for datagram in [b"1", b"2", b"3"] {
            sender.send(datagram, to).unwrap();
        }
        for expected in [b"1", b"2", b"3"] {
            await_ready(&mut selector, &key, Ops::READ);
            let mut buffer = [0];
            assert!(receiver.receive(&mut buffer).unwrap().is_some());
            assert_eq!(&buffer, expected);
        }
        assert_silent(&mut selector);
    });
}

#[test]
fn what_does_not_fit_is_lost() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (sender, from) = datagrams();
        let (receiver, to) = datagrams();
        let key = receiver.register(&selector, Ops::READ, ()).unwrap();
        sender.send(b"too long", to).unwrap();
        sender.send(b"next", to).unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let mut buffer = [0; 3];
        assert_eq!(receiver.receive(&mut buffer).unwrap(), Some((3, from)));
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(receiver.receive(&mut buffer).unwrap(), Some((3, from)));
        assert_eq!(&buffer, b"nex");
    });
}

#[test]
fn a_datagram_channel_reads_and_writes_and_is_writable_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _) = datagrams();
        assert_eq!(channel.kind(), Kind::Datagram);
        assert_eq!(channel.valid_ops(), BOTH);
        let key = channel.register(&selector, BOTH, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn a_connected_channel_hears_its_peer_only() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, ours) = datagrams();
        let (peer, peers) = datagrams();
        let (stranger, _) = datagrams();
        channel.connect(peers).unwrap();
        peer.connect(ours).unwrap();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();

        // It is refused, and the stranger, who is not connected, does not hear of that.
        stranger.send(b"psst", ours).unwrap();
        peer.get_ref().send(b"hello").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let mut buffer = [0; 16];
        assert_eq!(channel.get_ref().recv(&mut buffer).unwrap(), 5);
        assert_eq!(&buffer[..5], b"hello");
        channel.get_ref().send(b"answer").unwrap();
        peer.configure_blocking(true).unwrap();
        assert_eq!(peer.get_ref().recv(&mut buffer).unwrap(), 6);
    });
}

#[test]
fn connecting_again_changes_the_peer() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, ours) = datagrams();
        let (first, firsts) = datagrams();
        let (second, seconds) = datagrams();
        channel.connect(firsts).unwrap();
        channel.connect(seconds).unwrap();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        first.send(b"first", ours).unwrap();
        second.send(b"second", ours).unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(channel.receive(&mut [0; 16]).unwrap(), Some((6, seconds)));
        assert_eq!(channel.receive(&mut [0; 16]).unwrap(), None);
    });
}

#[test]
fn a_connected_channel_is_told_that_its_peer_does_not_listen() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _) = datagrams();
        let (_refuser, target) = refusing();
        channel.connect(target).unwrap();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        channel.get_ref().send(b"anybody there?").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let error = channel.receive(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_channel_without_peer_is_not_told_that_a_target_does_not_listen() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _) = datagrams();
        let (_refuser, target) = refusing();
        channel.register(&selector, Ops::READ, ()).unwrap();
        channel.send(b"anybody there?", target).unwrap();
        assert_silent(&mut selector);
        assert_eq!(channel.receive(&mut [0]).unwrap(), None);
    });
}

#[test]
fn a_datagram_longer_than_any_is_an_error() {
    on_every_backend(|_| {
        let (channel, _) = datagrams();
        let (_receiver, to) = datagrams();
        let error = channel.send(&[0; 70_000], to).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE));
    });
}

#[test]
fn an_address_in_use_is_an_error_of_bind() {
    on_every_backend(|_| {
        let (_channel, address) = datagrams();
        let error = DatagramChannel::bind(address).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(error.to_string().starts_with("bind: "), "{error}");
    });
}
