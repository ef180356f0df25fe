//! No descriptor outlives what it was opened for. Counting them wants a process in which nothing
//! else goes on, so this is one test.
#![cfg(target_os = "linux")]

mod common;

use std::io::Write;

use common::{fill, on_every_backend, open_descriptors, pipe, selector, tcp_pair, unix_pair};
use nioselect::{Backend, Ops, ProtocolFamily, SocketChannel, UnixSocketChannel};

/// Something that ends with as many descriptors open as it began with.
type Scenario = fn(Backend);

const SCENARIOS: &[(&str, Scenario)] = &[
    ("a selector dropped", dropped),
    ("a selector closed, its waker kept", closed_with_waker),
    ("channels never registered", channels_never_registered),
    ("a channel dropped, then selected", dropped_then_selected),
    (
        "a channel dropped, never selected",
        dropped_with_its_selector,
    ),
    (
        "a key cancelled, the channel dropped",
        cancelled_then_dropped,
    ),
    ("a failed connect", failed_connect),
    ("a selector dropped, its key kept", dropped_with_key),
];

fn dropped(backend: Backend) {
    drop(selector::<()>(backend));
}

fn closed_with_waker(backend: Backend) {
    let before = open_descriptors();
    let mut selector = selector::<()>(backend);
    let (_waker, _handle) = (selector.waker(), selector.handle());
    selector.close();
    assert_eq!(open_descriptors(), before, "a closed selector on {backend}");
}

fn channels_never_registered(_backend: Backend) {
    drop((pipe(), tcp_pair(), unix_pair()));
    drop((
        SocketChannel::open(ProtocolFamily::Inet),
        UnixSocketChannel::open(),
    ));
}

fn dropped_then_selected(backend: Backend) {
    let mut selector = selector(backend);
    let (channel, mut peer) = unix_pair();
    channel.register(&selector, Ops::READ, ()).unwrap();
    peer.write_all(b"x").unwrap();
    assert_eq!(selector.select().unwrap(), 1);
    let before = open_descriptors();
    drop(channel);
    assert_eq!(selector.select_now().unwrap(), 0);
    assert_eq!(
        open_descriptors(),
        before - 1,
        "the channel's, on {backend}"
    );
}

fn dropped_with_its_selector(backend: Backend) {
    let mut selector = selector(backend);
    let pipe = pipe();
    pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
    fill(&pipe.sink);
    selector.select_now().unwrap();
}

fn cancelled_then_dropped(backend: Backend) {
    let mut selector = selector(backend);
    let pipe = pipe();
    pipe.source
        .register(&selector, Ops::READ, ())
        .unwrap()
        .cancel();
    selector.select_now().unwrap();
    drop(pipe);
}

fn failed_connect(_backend: Backend) {
    let channel = UnixSocketChannel::open().unwrap();
    channel.connect("/nowhere/at/all").unwrap_err();
}

fn dropped_with_key(backend: Backend) {
    let before = open_descriptors();
    let selector = selector(backend);
    let pipe = pipe();
    let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
    drop((selector, pipe));
    assert_eq!(open_descriptors(), before, "with a key left, on {backend}");
    drop(key);
}

#[test]
fn every_descriptor_is_closed_in_the_end() {
    on_every_backend(|backend| {
        for (what, scenario) in SCENARIOS {
            let before = open_descriptors();
            for _ in 0..20 {
                scenario(backend);
            }
            assert_eq!(open_descriptors(), before, "{what}, on {backend}");
        }
    });
}
