//! Closing and dropping selectors.

mod common;

use std::io::{Read, Write};
use std::sync::Arc;

use common::{LONG, during, on_every_backend, selector, unix_pair};
use nioselect::{Error, Ops, Selector};

fn assert_closed<A: Send>(selector: &mut Selector<A>) {
    assert!(!selector.is_open());
    for answer in [
        selector.select(),
        selector.select_now(),
        selector.select_timeout(LONG),
        selector.select_with(|_| unreachable!()),
        selector.select_now_with(|_| unreachable!()),
        selector.select_timeout_with(LONG, |_| unreachable!()),
    ] {
        assert!(matches!(answer, Err(Error::ClosedSelector)), "{answer:?}");
    }
}

#[test]
fn a_closed_selector_selects_no_more() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        assert!(selector.is_open());
        selector.close();
        assert_closed(&mut selector);
    });
}

#[test]
fn a_selector_closed_through_its_handle_selects_no_more() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let handle = selector.handle();
        handle.close();
        assert!(!handle.is_open());
        assert_closed(&mut selector);
    });
}

#[test]
fn closing_during_a_selection_ends_it_without_an_error() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (channel, _peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(during(|| selector.select(), || handle.close()).unwrap(), 0);
        assert_closed(&mut selector);
    });
}

#[test]
fn a_selection_that_ends_because_of_closing_lets_go_of_keys_and_attachments() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (channel, _peer) = unix_pair();
        let attachment = Arc::new(());
        channel
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        assert_eq!(during(|| selector.select(), || handle.close()).unwrap(), 0);
        assert_eq!(Arc::strong_count(&attachment), 1);
        assert!(!channel.is_registered());
    });
}

#[test]
fn the_callback_may_close_the_selector() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (channel, _peer) = unix_pair();
        channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_with(|_| handle.close()).unwrap(), 1);
        assert_closed(&mut selector);
    });
}

#[test]
fn closing_invalidates_keys_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        selector.handle().close();
        assert!(!key.is_valid());
        assert!(key.interest_ops().is_empty() && key.ready_ops().is_empty());
        assert!(matches!(
            key.set_interest_ops(Ops::READ),
            Err(Error::CancelledKey)
        ));
        key.cancel();

        selector.close();
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.keys().count(), 0);
        assert_eq!(selector.attachment(&key), None);
        assert!(!channel.is_registered());
        assert_eq!(channel.key_for(&selector), None);
    });
}

#[test]
fn closing_leaves_channels_open() {
    on_every_backend(|backend| {
        let mut closed = selector(backend);
        let (mut channel, mut peer) = unix_pair();
        channel.register(&closed, Ops::READ, ()).unwrap();
        closed.select_now().unwrap();
        closed.close();

        let mut other = selector(backend);
        let key = channel.register(&other, Ops::READ, ()).unwrap();
        peer.write_all(b"hello").unwrap();
        assert_eq!(other.select_timeout(LONG).unwrap(), 1);
        assert_eq!(channel.read(&mut [0; 16]).unwrap(), 5);
        drop(other);
        assert!(!key.is_valid());
        channel.configure_blocking(true).unwrap();
        channel
            .into_inner()
            .expect("no selector holds it")
            .write_all(b"bye")
            .unwrap();
        assert_eq!(peer.read(&mut [0; 16]).unwrap(), 3);
    });
}

#[test]
fn a_channel_of_a_selector_closed_by_its_handle_can_be_registered_elsewhere() {
    on_every_backend(|backend| {
        let (closed, mut other) = (selector(backend), selector(backend));
        let (channel, _peer) = unix_pair();
        channel.register(&closed, Ops::WRITE, ()).unwrap();
        closed.handle().close();
        channel.configure_blocking(true).unwrap();
        channel.configure_blocking(false).unwrap();
        channel.register(&other, Ops::WRITE, ()).unwrap();
        assert_eq!(other.select_now().unwrap(), 1);
    });
}

#[test]
fn waking_and_closing_a_closed_selector_do_nothing() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let (handle, waker) = (selector.handle(), selector.waker());
        selector.close();
        selector.close();
        selector.wakeup();
        handle.close();
        handle.wakeup();
        waker.wake();
        assert_closed(&mut selector);
    });
}

#[test]
fn a_handle_outlives_its_selector() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let handle = selector.handle();
        drop(selector);
        let (channel, _peer) = unix_pair();
        assert!(!handle.is_open());
        assert_eq!(handle.backend(), backend);
        assert!(matches!(
            channel.register(&handle, Ops::READ, ()),
            Err(Error::ClosedSelector)
        ));
        handle.wakeup();
        handle.close();
    });
}

#[test]
fn attachments_are_dropped_by_closing() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let [taken_in, pending] = [unix_pair(), unix_pair()];
        let attachment = Arc::new(());
        taken_in
            .0
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        selector.select_now().unwrap();
        pending
            .0
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        selector.close();
        assert_eq!(Arc::strong_count(&attachment), 1);
        assert!(!taken_in.0.is_registered() && !pending.0.is_registered());
    });
}

#[test]
fn attachments_are_dropped_with_the_selector_even_if_a_handle_is_left() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let _handle = selector.handle();
        let (channel, _peer) = unix_pair();
        let attachment = Arc::new(());
        let key = channel
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        drop(selector);
        assert_eq!(Arc::strong_count(&attachment), 1);
        assert!(!key.is_valid() && !channel.is_registered());
    });
}

#[test]
fn a_channel_dropped_before_its_selector_is_closed_with_it() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        selector.select_now().unwrap();
        drop(channel);
        selector.close();
        assert_eq!(peer.read(&mut [0]).unwrap(), 0);
    });
}
