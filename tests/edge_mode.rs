//! Edge-triggered registrations, which not every backend has: what is reported, and what has it
//! reported again.

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;

use common::{
    any_port, assert_silent, await_ready, has_edges, on_every_backend, returns_early, selector,
    unix_pair,
};
use nioselect::{
    Backend, Error, Mode, Ops, ProtocolFamily, SelectableChannel, SelectionKey, Selector,
    SocketChannel,
};

fn on_every_backend_with_edges(test: impl Fn(Backend)) {
    on_every_backend(|backend| {
        if has_edges(backend) {
            test(backend);
        }
    });
}

#[test]
fn an_edge_is_reported_when_it_comes() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut ours, mut theirs) = unix_pair();
        let registered = ours.register_with_mode(&selector, Ops::READ, Mode::Edge, ());
        if !has_edges(backend) {
            let refused = registered.unwrap_err();
            assert!(matches!(refused, Error::Unsupported(_)), "{refused}");
            assert!(refused.to_string().contains(backend.name()));
            assert!(!ours.is_registered());
            return;
        }
        let key = registered.unwrap();
        theirs.write_all(b"ab").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(key.interest_ops(), Ops::READ);
        // The hang that it is known for: there is more, and nobody says so.
        ours.read_exact(&mut [0]).unwrap();
        assert_silent(&mut selector);
        theirs.write_all(b"c").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert_silent(&mut selector);

        ours.register(&selector, Ops::READ, ()).unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        await_ready(&mut selector, &key, Ops::READ);
        ours.register_with_mode(&selector, Ops::READ, Mode::Edge, ())
            .unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_silent(&mut selector);
    });
}

/// A channel with something to read that has been reported, and its peer.
fn reported(
    selector: &mut Selector<()>,
) -> (SelectableChannel<UnixStream>, UnixStream, SelectionKey) {
    let (ours, mut theirs) = unix_pair();
    let key = ours
        .register_with_mode(selector, Ops::READ, Mode::Edge, ())
        .unwrap();
    theirs.write_all(b"unread").unwrap();
    await_ready(selector, &key, Ops::READ);
    assert_silent(selector);
    (ours, theirs, key)
}

fn lose_and_regain_interest(key: &SelectionKey) {
    key.set_interest_ops(Ops::empty()).unwrap();
    key.set_interest_ops(Ops::READ).unwrap();
}

fn remove_and_add_interest(key: &SelectionKey) {
    key.interest_ops_and(!Ops::READ).unwrap();
    key.interest_ops_or(Ops::READ).unwrap();
}

fn add_and_remove_other_interest(key: &SelectionKey) {
    key.interest_ops_or(Ops::WRITE).unwrap();
    key.interest_ops_and(!Ops::WRITE).unwrap();
}

#[test]
fn changes_of_interest_that_cancel_out_have_what_is_there_reported_again() {
    on_every_backend_with_edges(|backend| {
        let mut selector = selector(backend);
        let (_ours, _theirs, key) = reported(&mut selector);
        for change in [
            lose_and_regain_interest,
            remove_and_add_interest,
            add_and_remove_other_interest,
        ] {
            change(&key);
            assert_eq!(returns_early(&mut selector), 1);
            assert_eq!(key.ready_ops(), Ops::READ);
            assert_silent(&mut selector);
        }
    });
}

#[test]
fn interest_that_was_lost_for_a_selection_has_what_is_there_reported_again() {
    on_every_backend_with_edges(|backend| {
        let mut selector = selector(backend);
        let (_ours, _theirs, key) = reported(&mut selector);
        key.set_interest_ops(Ops::empty()).unwrap();
        assert_silent(&mut selector);
        key.set_interest_ops(Ops::READ).unwrap();
        assert_eq!(returns_early(&mut selector), 1);
        assert_silent(&mut selector);
    });
}

/// Both events are in the batch when the handler of the first ends the interest in the second.
fn one_of_two_events_is_dropped(selector: &mut Selector<()>, keys: &[SelectionKey; 2]) {
    let count = selector.select_with(|_| {
        for key in keys {
            key.set_interest_ops(Ops::empty()).unwrap();
        }
    });
    assert_eq!(count.unwrap(), 1);
}

#[test]
fn an_event_that_another_handler_has_kept_off_comes_when_the_interest_is_back() {
    on_every_backend_with_edges(|backend| {
        for selects_between in [false, true] {
            let mut selector = selector(backend);
            let mut channels = [unix_pair(), unix_pair()];
            let keys = channels.each_mut().map(|(ours, theirs)| {
                theirs.write_all(b"x").unwrap();
                ours.register_with_mode(&selector, Ops::READ, Mode::Edge, ())
                    .unwrap()
            });
            one_of_two_events_is_dropped(&mut selector, &keys);
            if selects_between {
                assert_silent(&mut selector);
            }
            for key in &keys {
                key.set_interest_ops(Ops::READ).unwrap();
            }
            assert_eq!(returns_early(&mut selector), 2);
            assert!(keys.iter().all(SelectionKey::is_readable));
            assert_silent(&mut selector);
        }
    });
}

/// A channel whose connect has been reported and finished.
fn finished_connect(
    selector: &mut Selector<()>,
    interest: Ops,
) -> (SocketChannel, TcpListener, SelectionKey) {
    let listener = TcpListener::bind(any_port()).unwrap();
    let channel = SocketChannel::open(ProtocolFamily::Inet).unwrap();
    channel.configure_blocking(false).unwrap();
    let key = channel
        .register_with_mode(selector, interest, Mode::Edge, ())
        .unwrap();
    let address = listener.local_addr().unwrap();
    assert!(!channel.connect(address).unwrap());
    await_ready(selector, &key, Ops::CONNECT);
    assert!(channel.finish_connect().unwrap());
    (channel, listener, key)
}

#[test]
fn writing_is_reported_when_the_interest_moves_from_connecting_to_it() {
    on_every_backend_with_edges(|backend| {
        let mut selector = selector(backend);
        let (_channel, _listener, key) = finished_connect(&mut selector, Ops::CONNECT);
        key.set_interest_ops(Ops::WRITE).unwrap();
        selector.selected_keys().clear();
        assert_eq!(returns_early(&mut selector), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        assert_silent(&mut selector);
    });
}

#[test]
fn writing_is_reported_when_the_connect_has_been_finished() {
    on_every_backend_with_edges(|backend| {
        let mut selector = selector(backend);
        let both = Ops::CONNECT | Ops::WRITE;
        let (_channel, _listener, key) = finished_connect(&mut selector, both);
        selector.selected_keys().clear();
        assert_eq!(returns_early(&mut selector), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        assert_silent(&mut selector);
    });
}
