//! Channels that are moved into what is attached to their keys, so that the selector owns them.

mod common;

use std::io::Write;
use std::os::unix::net::UnixStream;

use common::{
    LONG, assert_silent, await_end, during, on_every_backend, read_all, selector, unix_pair,
};
use nioselect::{Error, Ops, SelectableChannel};

struct Connection {
    channel: SelectableChannel<UnixStream>,
    received: Vec<u8>,
}

fn connection(channel: SelectableChannel<UnixStream>) -> Connection {
    Connection {
        channel,
        received: Vec::new(),
    }
}

#[test]
fn a_connection_is_served_through_its_attachment() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        let key = selector
            .register_into(channel, Ops::READ, connection)
            .unwrap();
        for part in [&b"hello, "[..], b"world"] {
            peer.write_all(part).unwrap();
            let count = selector.select_timeout_with(LONG, |mut selected| {
                let Connection { channel, received } = selected.attachment();
                received.extend(read_all(&*channel));
            });
            assert_eq!(count.unwrap(), 1);
        }
        assert_eq!(selector.attachment(&key).unwrap().received, b"hello, world");
    });
}

#[test]
fn cancelling_its_key_closes_it_in_the_next_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        let key = selector
            .register_into(channel, Ops::READ, connection)
            .unwrap();
        selector.select_now().unwrap();
        key.cancel();
        assert_silent(&mut selector);
        assert_eq!(selector.keys().count(), 0);
        await_end(&peer);
    });
}

#[test]
fn cancelling_its_key_closes_it_at_once_in_a_selection_that_is_running() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let waker = selector.waker();
        let (channel, peer) = unix_pair();
        let key = selector
            .register_into(channel, Ops::READ, connection)
            .unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                key.cancel();
                await_end(&peer);
                waker.wake();
            },
        );
        assert_eq!(count.unwrap(), 0);
    });
}

#[test]
fn the_callback_may_cancel_its_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        selector
            .register_into(channel, Ops::WRITE, connection)
            .unwrap();
        assert_eq!(
            selector.select_with(|selected| selected.cancel()).unwrap(),
            1
        );
        await_end(&peer);
    });
}

#[test]
fn closing_or_dropping_the_selector_closes_it() {
    on_every_backend(|backend| {
        let (mut closed, dropped) = (selector(backend), selector(backend));
        let [(one, its_peer), (other, others_peer)] = [unix_pair(), unix_pair()];
        closed.register_into(one, Ops::READ, connection).unwrap();
        dropped.register_into(other, Ops::READ, connection).unwrap();
        closed.close();
        await_end(&its_peer);
        drop(dropped);
        await_end(&others_peer);
    });
}

#[test]
fn a_registration_that_fails_closes_it() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (channel, peer) = unix_pair();
        let answer = selector.register_into(channel, Ops::ACCEPT, connection);
        assert!(matches!(answer, Err(Error::InvalidOps { .. })));
        await_end(&peer);
    });
}
