//! What an attachment does when it is dropped: it registers another channel, or panics. Neither
//! leaves the selector in disorder.

mod common;

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use common::{
    assert_silent, nonblocking, on_every_backend, returns_early, sees_end, selector, unix_pair,
};
use nioselect::{Backend, Error, Ops, SelectableChannel, SelectionKey, Selector};

/// What is to be done when it is dropped, if anything.
struct OnDrop(Option<Box<dyn FnOnce() + Send>>);

impl OnDrop {
    fn nothing() -> Self {
        Self(None)
    }

    fn run(action: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(action)))
    }

    fn panic() -> Self {
        Self::run(|| resume_unwind(Box::new("the attachment's own")))
    }
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(action) = self.0.take() {
            action();
        }
    }
}

type Stream = SelectableChannel<Arc<OwnedFd>>;

/// Several channel objects with the same descriptor, and their peer.
fn siblings() -> ([Arc<Stream>; 3], UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let descriptor = Arc::new(OwnedFd::from(ours));
    let siblings = [(); 3].map(|()| Arc::new(nonblocking(Arc::clone(&descriptor))));
    (siblings, theirs)
}

/// Registers the channel when it is dropped, which the selector may refuse for only one reason.
fn registering(selector: &Selector<OnDrop>, channel: &Arc<Stream>) -> OnDrop {
    let (handle, channel) = (selector.handle(), Arc::clone(channel));
    OnDrop::run(
        move || match channel.register(&handle, Ops::WRITE, OnDrop::nothing()) {
            Ok(_) | Err(Error::AlreadyRegistered { .. }) => {}
            Err(error) => panic!("{error}"),
        },
    )
}

/// At most one of the channels is registered, and the selector serves it.
fn assert_in_order(selector: &mut Selector<OnDrop>, siblings: &[Arc<Stream>; 3]) {
    let registered = siblings.iter().filter(|s| s.is_registered()).count();
    assert!(registered <= 1, "one descriptor is registered twice");
    let [.., free] = siblings;
    match free.register(selector, Ops::WRITE, OnDrop::nothing()) {
        Ok(_) => assert_eq!(registered, 0),
        Err(Error::AlreadyRegistered { .. }) => assert_eq!(registered, 1),
        Err(error) => panic!("{error}"),
    }
    selector.selected_keys().clear();
    assert_eq!(returns_early(selector), 1);
    assert_eq!(selector.keys().count(), 1);

    selector.keys().for_each(SelectionKey::cancel);
    assert_silent(selector);
    for sibling in siblings {
        let key = sibling
            .register(selector, Ops::WRITE, OnDrop::nothing())
            .expect("nobody holds the descriptor");
        assert_eq!(returns_early(selector), 1);
        key.cancel();
        assert_silent(selector);
    }
}

#[test]
fn an_attachment_of_a_key_registered_twice_and_cancelled_may_register_the_same_descriptor() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (siblings, _peer) = siblings();
        let attachment = registering(&selector, &siblings[1]);
        let key = siblings[0]
            .register(&selector, Ops::READ, attachment)
            .unwrap();
        siblings[0]
            .register(&selector, Ops::WRITE, OnDrop::nothing())
            .unwrap();
        key.cancel();
        selector.select_now().unwrap();
        assert_in_order(&mut selector, &siblings);
    });
}

#[test]
fn an_attachment_of_a_cancelled_key_may_register_the_same_descriptor() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (siblings, _peer) = siblings();
        let attachment = registering(&selector, &siblings[1]);
        let key = siblings[0]
            .register(&selector, Ops::READ, attachment)
            .unwrap();
        selector.select_now().unwrap();
        key.cancel();
        selector.select_now().unwrap();
        assert_in_order(&mut selector, &siblings);
    });
}

type UnixChannel = SelectableChannel<UnixStream>;

type Culprit = fn(&mut Selector<OnDrop>, &UnixChannel);

/// Ways to have the next selection drop an attachment that panics.
const CULPRITS: [Culprit; 4] = [
    cancelled_after_a_selection,
    cancelled_before_any_selection,
    replaced_by_another,
    added_to_a_cancelled_key,
];

fn cancelled_after_a_selection(selector: &mut Selector<OnDrop>, channel: &UnixChannel) {
    let key = channel
        .register(selector, Ops::READ, OnDrop::panic())
        .unwrap();
    selector.select_now().unwrap();
    key.cancel();
}

fn cancelled_before_any_selection(selector: &mut Selector<OnDrop>, channel: &UnixChannel) {
    channel
        .register(selector, Ops::READ, OnDrop::panic())
        .unwrap()
        .cancel();
}

fn replaced_by_another(selector: &mut Selector<OnDrop>, channel: &UnixChannel) {
    for attachment in [OnDrop::panic(), OnDrop::nothing()] {
        channel.register(selector, Ops::READ, attachment).unwrap();
    }
}

/// The selection lets go of the key before it meets the attachment.
fn added_to_a_cancelled_key(selector: &mut Selector<OnDrop>, channel: &UnixChannel) {
    let key = channel
        .register(selector, Ops::READ, OnDrop::nothing())
        .unwrap();
    selector.select_now().unwrap();
    channel
        .register(selector, Ops::READ, OnDrop::panic())
        .unwrap();
    key.cancel();
}

/// Registered, and taken in by a selection.
fn settled(selector: &mut Selector<OnDrop>) -> (UnixChannel, UnixStream, SelectionKey) {
    let (ours, theirs) = unix_pair();
    let key = ours
        .register(selector, Ops::READ, OnDrop::nothing())
        .unwrap();
    selector.select_now().unwrap();
    (ours, theirs, key)
}

fn what_else_was_pending_is_taken_in(backend: Backend, culprit: Culprit) {
    let mut selector = selector(backend);
    let (changed, _changed_peer, changed_key) = settled(&mut selector);
    let (dropped, dropped_peer, _) = settled(&mut selector);
    let (cancelled, _cancelled_peer, cancelled_key) = settled(&mut selector);
    let (guilty, guilty_peer) = unix_pair();
    let (added, _added_peer) = unix_pair();

    culprit(&mut selector, &guilty);
    changed_key.set_interest_ops(Ops::WRITE).unwrap();
    drop(dropped);
    cancelled_key.cancel();
    let added_key = added
        .register(&selector, Ops::WRITE, OnDrop::nothing())
        .unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| selector.select_now()));
    assert!(outcome.is_err(), "nothing has panicked");

    await_both(&mut selector, [&changed_key, &added_key]);
    assert!(sees_end(&dropped_peer), "its channel was dropped");
    assert!(!cancelled.is_registered());
    nothing_is_stuck(&mut selector, [&changed_key, &added_key]);
    drop((guilty, changed, added));
    assert_silent(&mut selector);
    assert!(sees_end(&guilty_peer), "its channel is stuck");
}

/// A second selection may be needed, as the first was cut short.
fn await_both(selector: &mut Selector<OnDrop>, keys: [&SelectionKey; 2]) {
    while !keys
        .iter()
        .all(|key| selector.selected_keys().contains(key))
    {
        assert_ne!(returns_early(selector), 0, "a change is lost");
    }
}

/// Changes and cancellations reach the selector as ever.
fn nothing_is_stuck(selector: &mut Selector<OnDrop>, keys: [&SelectionKey; 2]) {
    for key in keys {
        key.set_interest_ops(Ops::empty()).unwrap();
    }
    assert_silent(selector);
    for key in keys {
        key.set_interest_ops(Ops::WRITE).unwrap();
    }
    assert_eq!(returns_early(selector), 2);
    for key in keys {
        key.cancel();
    }
    assert_silent(selector);
    assert!(!selector.keys().any(|key| keys.contains(&key)));
}

#[test]
fn an_attachment_that_panics_in_a_selection_does_not_hinder_what_else_is_pending() {
    on_every_backend(|backend| {
        for culprit in CULPRITS {
            what_else_was_pending_is_taken_in(backend, culprit);
        }
    });
}

/// Ways to end a selector, which drops all attachments.
const ENDS: [fn(Selector<OnDrop>); 2] = [drop::<Selector<OnDrop>>, close];

fn close(mut selector: Selector<OnDrop>) {
    let outcome = catch_unwind(AssertUnwindSafe(|| selector.close()));
    assert!(outcome.is_err());
    assert!(matches!(selector.select(), Err(Error::ClosedSelector)));
    resume_unwind(Box::new("passed on"));
}

#[test]
fn an_attachment_that_panics_when_its_selector_ends_does_not_keep_the_others() {
    on_every_backend(|backend| {
        for end in ENDS {
            for panicking in 0..4 {
                let mut selector = selector(backend);
                let attachments: [Arc<()>; 4] = Default::default();
                let mut channels = Vec::new();
                for (number, attachment) in attachments.iter().enumerate() {
                    let (ours, theirs) = unix_pair();
                    let kept = Arc::clone(attachment);
                    let attachment = OnDrop::run(move || {
                        drop(kept);
                        if number == panicking {
                            resume_unwind(Box::new("the attachment's own"));
                        }
                    });
                    ours.register(&selector, Ops::READ, attachment).unwrap();
                    channels.push((ours, theirs));
                    if number == 1 {
                        selector.select_now().unwrap();
                    }
                }
                let outcome = catch_unwind(AssertUnwindSafe(|| end(selector)));
                assert!(outcome.is_err(), "nothing has panicked");
                assert!(attachments.iter().all(|kept| Arc::strong_count(kept) == 1));
                for (ours, theirs) in channels {
                    assert!(!ours.is_registered());
                    drop(ours);
                    assert!(sees_end(&theirs));
                }
            }
        }
    });
}
