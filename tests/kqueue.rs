//! What is peculiar to kqueue(2), seen from outside. On Linux a double stands in for its kernel.
#![cfg(target_os = "linux")]

mod common;

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use common::{LONG, look, may_have_descriptors, pipe, selector};
use nioselect::doubles::kqueue::{Flavour, calls, choose_flavour};
use nioselect::poller::{Kind, Options, Poller};
use nioselect::{Backend, Error, Mode, Ops, Pipe, Selector};

fn on_both_kernels(test: impl Fn()) {
    for flavour in [Flavour::FreeBsd, Flavour::NetBsd] {
        println!("on {flavour:?}");
        choose_flavour(Some(flavour));
        test();
    }
    choose_flavour(None);
}

fn selects_with_one_call(selector: &mut Selector<()>, expected: usize) {
    let before = calls();
    assert_eq!(selector.select_timeout(LONG).unwrap(), expected);
    assert_eq!(calls() - before, 1);
    selector.selected_keys().clear();
}

#[test]
fn a_selection_is_one_call_with_no_one_and_thousands_of_changes() {
    const PIPES: usize = 1500;
    if !may_have_descriptors(2 * PIPES as u64 + 100) {
        return;
    }
    on_both_kernels(|| {
        let mut selector = selector(Backend::Kqueue);
        let pipes: Vec<Pipe> = (0..PIPES).map(|_| pipe()).collect();
        let mut keys = Vec::new();
        for pipe in &pipes {
            keys.push(pipe.source.register(&selector, Ops::empty(), ()).unwrap());
            keys.push(pipe.sink.register(&selector, Ops::empty(), ()).unwrap());
        }
        let sinks = || keys.iter().skip(1).step_by(2);
        let sources = || keys.iter().step_by(2);
        sinks()
            .next()
            .unwrap()
            .set_interest_ops(Ops::WRITE)
            .unwrap();
        selects_with_one_call(&mut selector, 1);
        selects_with_one_call(&mut selector, 1);

        sinks().for_each(|key| key.set_interest_ops(Ops::WRITE).unwrap());
        sources().for_each(|key| key.set_interest_ops(Ops::READ).unwrap());
        selects_with_one_call(&mut selector, Options::DEFAULT_CAPACITY);

        sinks().for_each(|key| key.set_interest_ops(Ops::empty()).unwrap());
        (&pipes[7].sink).write_all(b"x").unwrap();
        selects_with_one_call(&mut selector, 1);
        sources().for_each(|key| key.set_interest_ops(Ops::empty()).unwrap());
        let before = calls();
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(calls() - before, 1);
    });
}

#[test]
fn a_device_that_is_refused_is_named_and_the_others_are_served() {
    on_both_kernels(|| {
        let mut poller: Poller<OwnedFd> = Poller::open(Backend::Kqueue).unwrap();
        let (source, sink) = std::io::pipe().unwrap();
        let good = poller
            .register(source.into(), Kind::PipeSource, Ops::READ, Mode::Level)
            .unwrap();
        let device = File::open("/dev/null").unwrap().into();
        let bad = poller
            .register(device, Kind::Other, Ops::READ, Mode::Level)
            .unwrap();
        (&sink).write_all(b"x").unwrap();
        for _ in 0..2 {
            let mut seen = Vec::new();
            let outcome = poller.wait(Some(LONG), |token, _, ops| seen.push((token, ops)));
            let refused = outcome.unwrap_err();
            assert_eq!(refused.raw_os_error(), Some(libc::EINVAL));
            assert!(
                matches!(refused, Error::Refused { token, call, .. }
                    if token == bad && call == "kevent"),
                "{refused}"
            );
            assert_eq!(seen, [(good, Ops::READ)]);
        }
        poller.deregister(bad).unwrap();
        assert_eq!(look(&mut poller), [(good, Ops::READ)]);
    });
}

#[test]
fn a_pipe_without_reader_is_writable_when_it_is_registered_too_late() {
    on_both_kernels(|| {
        let mut selector = selector(Backend::Kqueue);
        let mut pipe = pipe();
        drop(pipe.source);
        let key = pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        for _ in 0..3 {
            assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
            assert_eq!(key.ready_ops(), Ops::WRITE);
            selector.selected_keys().clear();
        }
        let error = pipe.sink.write(b"x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
        key.set_interest_ops(Ops::empty()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
    });
}
