//! Several threads register, change, cancel, drop and wake against a selector that is running:
//! every byte that is written is read, by the right handler, and nothing is left over.

mod common;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::thread;

use common::{HangGuard, LONG, on_every_backend, open_descriptors, pipe, read_all, selector};
use nioselect::{Backend, Error, Mode, Ops, PipeSource, SelectionKey, Selector, SelectorHandle};

const WORKERS: usize = 4;

/// All workers together, for each backend.
const PIPES: usize = 16_000;

/// What the worker that made a pipe and the selecting thread know of it.
struct Line {
    /// What every byte of this pipe is.
    mark: u8,
    /// The worker owns it, and may drop it at any time.
    source: Weak<PipeSource>,
    key: OnceLock<SelectionKey>,
    received: Mutex<usize>,
    progress: Condvar,
}

impl Line {
    fn receive(&self, count: usize) {
        *self.received.lock().unwrap() += count;
        self.progress.notify_all();
    }

    /// Waits until this many bytes have been read.
    fn await_received(&self, count: usize) {
        let received = self.received.lock().unwrap();
        let (received, _) = self
            .progress
            .wait_timeout_while(received, LONG, |received| *received < count)
            .unwrap();
        assert_eq!(
            *received, count,
            "bytes are lost, or come from somewhere else"
        );
    }
}

type Attachment = Arc<Line>;

#[test]
fn nothing_is_lost_between_threads() {
    let before = open_descriptors();
    on_every_backend(|backend| {
        let _guard = HangGuard::new(format!("threads on {backend}"));
        stress(backend);
    });
    assert_eq!(open_descriptors(), before, "descriptors have leaked");
}

fn stress(backend: Backend) {
    let mut selector = selector(backend);
    let handle = selector.handle();
    let begun = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            if number >= PIPES {
                return;
            }
            live_through_one_pipe(&handle, number);
        }
    };
    thread::scope(|scope| {
        let selecting = scope.spawn(|| serve(&mut selector));
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let outcomes: Vec<_> = workers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        handle.close();
        selecting.join().unwrap();
        assert!(outcomes.iter().all(Result::is_ok), "a worker has failed");
    });
}

/// The selecting thread, until the selector is closed.
fn serve(selector: &mut Selector<Attachment>) {
    let mut rounds = 0;
    loop {
        rounds += 1;
        let outcome = if rounds % 2 == 0 {
            selector.select_with(|mut key| {
                let line = Arc::clone(key.attachment());
                handle_ready(&key, &line);
            })
        } else {
            selector.select()
        };
        match outcome {
            Ok(_) => {}
            Err(Error::ClosedSelector) => return,
            Err(error) => panic!("{error}"),
        }
        for selected in selector.selected_keys().drain() {
            handle_ready(selected.key(), selected.attachment());
        }
    }
}

fn handle_ready(key: &SelectionKey, line: &Line) {
    if let Some(expected) = line.key.get() {
        assert_eq!(key, expected, "an attachment of another key");
    }
    if let Some(source) = line.source.upgrade() {
        let bytes = read_all(&*source);
        assert!(
            bytes.iter().all(|&byte| byte == line.mark),
            "bytes of another pipe"
        );
        line.receive(bytes.len());
    }
    if key.mode() == Mode::OneShot {
        arm(key);
    }
}

/// Its worker may have cancelled it.
fn arm(key: &SelectionKey) {
    match key.set_interest_ops(Ops::READ) {
        Ok(()) | Err(Error::CancelledKey) => {}
        Err(error) => panic!("{error}"),
    }
}

/// Registers a pipe, sends through it while its interest comes and goes, and ends it in one of
/// several ways.
fn live_through_one_pipe(handle: &SelectorHandle<Attachment>, number: usize) {
    let pipe = pipe();
    let source = Arc::new(pipe.source);
    let line = Arc::new(Line {
        mark: number.to_ne_bytes()[0],
        source: Arc::downgrade(&source),
        key: OnceLock::new(),
        received: Mutex::new(0),
        progress: Condvar::new(),
    });
    let mode = if number.is_multiple_of(3) {
        Mode::OneShot
    } else {
        Mode::Level
    };
    let key = handle
        .register_with_mode(&source, Ops::READ, mode, Arc::clone(&line))
        .unwrap();
    line.key.set(key.clone()).unwrap();
    let mut sent = 0;
    for round in 0..number % 7 {
        if round % 2 == 0 {
            key.set_interest_ops(Ops::empty()).unwrap();
        }
        if round % 3 == 0 {
            handle.wakeup();
        }
        (&pipe.sink).write_all(&vec![line.mark; round + 1]).unwrap();
        sent += round + 1;
        key.set_interest_ops(Ops::READ).unwrap();
        if round % 2 == 1 {
            line.await_received(sent);
        }
    }
    if !number.is_multiple_of(5) {
        line.await_received(sent);
    }
    match number % 4 {
        0 => drop(source),
        1 => key.cancel(),
        2 => drop(pipe.sink),
        _ => {
            key.cancel();
            handle.wakeup();
        }
    }
}
