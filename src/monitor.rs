//! Callbacks on top of a selector.

use std::cell::Cell;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::backend::Backend;
use crate::channel::SelectableChannel;
use crate::doorbell;
use crate::error::Result;
use crate::key::SelectionKey;
use crate::ops::Ops;
use crate::poller::{Deadline, Statistics, Waker};
use crate::selector::{SelectedKeyMut, Selector, SelectorBuilder};
use crate::token::Token;

/// Calls a watcher when its channel is ready.
///
/// There is one watcher a channel. Watchers get the monitor lent, so they may set and remove
/// watchers, themselves and those included that the same run has yet to call, and run the monitor
/// again. A removed watcher is not called any more, and a watcher is never called while it runs.
///
/// Removing a watcher and setting one for the same channel and operations before the next run
/// costs no system call.
///
/// ```
/// use std::cell::Cell;
/// use std::io::{Read, Write};
/// use std::rc::Rc;
/// use nioselect::{Monitor, Ops, Pipe};
///
/// let Pipe { source, mut sink } = Pipe::open()?;
/// source.configure_blocking(false)?;
/// let source = Rc::new(source);
/// let received = Rc::new(Cell::new(0));
///
/// let mut monitor = Monitor::open()?;
/// let (reader, total) = (Rc::clone(&source), Rc::clone(&received));
/// monitor.set(&source, Ops::READ, move |monitor, _ready| {
///     let mut buffer = [0; 64];
///     match (&*reader).read(&mut buffer) {
///         Ok(0) => assert!(monitor.remove(&reader)),
///         Ok(count) => total.set(total.get() + count),
///         Err(error) => panic!("{error}"),
///     }
/// })?;
///
/// sink.write_all(b"hello")?;
/// drop(sink);
/// monitor.run()?; // until the last watcher has removed itself
/// assert_eq!(received.get(), 5);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Monitor {
    selector: Selector<Watcher>,
    /// How many watchers are set.
    watching: Rc<Cell<usize>>,
    /// Registrations that had their watcher removed since the last run. The next cancels them,
    /// unless they have got another by then.
    removed: Vec<Token>,
    stop: Arc<AtomicBool>,
    waker: Waker,
}

type Callback = Box<dyn FnMut(&mut Monitor, Ops)>;

/// What is attached to a key.
struct Watcher {
    /// `None` while it runs, and when it is removed.
    callback: Option<Callback>,
    /// `None` when it is removed.
    counted: Option<Counted>,
    /// Its interest, if it became ready again while it runs: nothing until it has returned, or
    /// a run within it would be busy.
    suspended: Option<Ops>,
    /// Tells whether it was replaced or removed while it ran.
    version: u64,
    /// Whether its key is among the removed ones.
    listed: bool,
}

/// One watcher that is set, for as long as it lives: it also ends with its channel.
struct Counted {
    watching: Rc<Cell<usize>>,
    waker: Waker,
}

impl Monitor {
    /// A monitor over the [preferred](Backend::preferred) backend.
    ///
    /// # Errors
    ///
    /// As [`SelectorBuilder::open`](crate::SelectorBuilder::open).
    pub fn open() -> Result<Self> {
        Selector::open().map(Self::over)
    }

    /// A monitor over `backend`.
    ///
    /// # Errors
    ///
    /// As [`SelectorBuilder::open`](crate::SelectorBuilder::open).
    pub fn open_with(backend: Backend) -> Result<Self> {
        Self::from_builder(&Selector::builder().backend(backend))
    }

    /// A monitor over a selector as `builder` makes it.
    ///
    /// ```
    /// use nioselect::doorbell::{Policy, State};
    /// use nioselect::{Monitor, Selector};
    ///
    /// let monitor = Monitor::from_builder(&Selector::builder().doorbell(Policy::Off))?;
    /// assert_eq!(monitor.doorbell().state, State::Off);
    /// # Ok::<(), nioselect::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SelectorBuilder::open`](crate::SelectorBuilder::open).
    pub fn from_builder(builder: &SelectorBuilder<()>) -> Result<Self> {
        builder.with_attachments().open().map(Self::over)
    }

    fn over(selector: Selector<Watcher>) -> Self {
        Self {
            waker: selector.waker(),
            selector,
            watching: Rc::default(),
            removed: Vec::new(),
            stop: Arc::default(),
        }
    }

    /// Calls `watcher` whenever `channel` is ready for something in `interest`, and tells it for
    /// what. It replaces the watcher that the channel has.
    ///
    /// Level-triggered: as long as the channel stays ready, every run calls it.
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register`](crate::SelectorHandle::register). The watcher that was
    /// set before stays then.
    pub fn set<T: Send + 'static>(
        &mut self,
        channel: &SelectableChannel<T>,
        interest: Ops,
        watcher: impl FnMut(&mut Monitor, Ops) + 'static,
    ) -> Result<()> {
        let callback: Callback = Box::new(watcher);
        if let Some(mut entry) = self.selector.entry_of(channel) {
            entry.set_interest_ops(interest)?;
            let known = entry.attachment();
            known
                .counted
                .get_or_insert_with(|| Counted::new(&self.watching, &self.waker));
            known.suspended = None;
            // Foreign code runs when it is dropped: last.
            drop(known.replace(Some(callback)));
            return Ok(());
        }
        let watcher = Watcher {
            callback: Some(callback),
            counted: Some(Counted::new(&self.watching, &self.waker)),
            suspended: None,
            version: 0,
            listed: false,
        };
        channel.register(&self.selector, interest, watcher)?;
        Ok(())
    }

    /// Removes the watcher of `channel`; tells whether it had one. The channel stays registered
    /// until the next run.
    pub fn remove<T>(&mut self, channel: &SelectableChannel<T>) -> bool {
        let entry = self.selector.entry_of(channel);
        entry.is_some_and(|entry| remove_from(entry, &mut self.removed))
    }

    /// How many channels have a watcher; one that has been dropped counts until the next run.
    pub fn len(&self) -> usize {
        self.watching.get()
    }

    /// Whether no channel has a watcher.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until a channel is ready, and calls the watchers of all that are. Returns how many
    /// it has called; none if a [`Stopper`] ended the wait. Without any watcher only that does.
    ///
    /// # Errors
    ///
    /// As [`Selector::select`].
    pub fn run_once(&mut self) -> Result<usize> {
        self.run_until(Deadline::Never)
    }

    /// As [`run_once`](Self::run_once), but waits for at most `timeout`.
    ///
    /// # Errors
    ///
    /// As [`Selector::select`].
    pub fn run_once_timeout(&mut self, timeout: Duration) -> Result<usize> {
        self.run_until(Deadline::after(Some(timeout)))
    }

    /// As [`run_once`](Self::run_once), but does not wait.
    ///
    /// # Errors
    ///
    /// As [`Selector::select`].
    pub fn run_now(&mut self) -> Result<usize> {
        self.run_until(Deadline::Now)
    }

    /// Runs until it is stopped, or until no watcher is left to wait for. A stop ends one run,
    /// the innermost if they are nested.
    ///
    /// # Errors
    ///
    /// As [`Selector::select`].
    pub fn run(&mut self) -> Result<()> {
        while !self.stop.swap(false, Ordering::AcqRel) && self.has_anything_to_wait_for() {
            self.turn(Deadline::Never)?;
        }
        Ok(())
    }

    /// A handle that stops [`run`](Self::run), for watchers and for other threads.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            stop: Arc::clone(&self.stop),
            waker: self.waker.clone(),
        }
    }

    /// What the selector below has asked of its mechanism so far.
    pub fn statistics(&self) -> Statistics {
        self.selector.statistics()
    }

    /// What the [doorbell] of the selector below has done so far.
    pub fn doorbell(&self) -> doorbell::Statistics {
        self.selector.doorbell()
    }

    /// What ends a selection may concern nobody any more: a stop that has been obeyed, the end of
    /// a watcher.
    fn run_until(&mut self, deadline: Deadline) -> Result<usize> {
        loop {
            let called = self.turn(deadline)?;
            if called > 0 || deadline.has_passed() || self.stop.swap(false, Ordering::AcqRel) {
                return Ok(called);
            }
        }
    }

    fn turn(&mut self, deadline: Deadline) -> Result<usize> {
        self.forget_removed();
        self.selector.select_into_set(deadline)?;
        Ok(self.call_watchers())
    }

    fn has_anything_to_wait_for(&mut self) -> bool {
        // Lets go of the watchers of channels that have been dropped.
        let registered = self.selector.keys().next().is_some();
        registered && !self.is_empty()
    }

    fn forget_removed(&mut self) {
        for token in self.removed.drain(..) {
            if let Some(mut entry) = self.selector.entry(token) {
                entry.attachment().listed = false;
                if entry.attachment().counted.is_none() {
                    entry.key().cancel();
                }
            }
        }
    }

    fn call_watchers(&mut self) -> usize {
        let mut called = 0;
        while let Some(mut selected) = self.selector.selected_keys().pop() {
            // A watcher that was set in this run may be interested in something else.
            let ready = selected.ready_ops() & selected.interest_ops();
            if ready.is_empty() {
                continue;
            }
            let Some(token) = selected.token() else {
                continue;
            };
            let key = selected.key();
            let watcher = selected.attachment();
            if let Some(callback) = watcher.callback.take() {
                let version = watcher.version;
                self.call(token, ready, callback, version);
                called += 1;
            } else if watcher.counted.is_some() {
                watcher.suspend(key);
            }
        }
        called
    }

    /// The registration, unless its watcher has been replaced or removed, or the watcher has put
    /// another monitor in the place of its `own`, which is told by its count.
    fn current(
        &mut self,
        own: &Rc<Cell<usize>>,
        token: Token,
        version: u64,
    ) -> Option<SelectedKeyMut<'_, Watcher>> {
        if !Rc::ptr_eq(own, &self.watching) {
            return None;
        }
        let mut entry = self.selector.entry(token)?;
        (entry.attachment().version == version).then_some(entry)
    }

    /// A watcher that panics is removed: nobody knows in which state it is.
    fn call(&mut self, token: Token, ready: Ops, mut callback: Callback, version: u64) {
        let own = Rc::clone(&self.watching);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| callback(self, ready))) {
            let mut removed = mem::take(&mut self.removed);
            if let Some(entry) = self.current(&own, token, version) {
                remove_from(entry, &mut removed);
            }
            self.removed = removed;
            resume_unwind(panic);
        }
        if let Some(mut entry) = self.current(&own, token, version) {
            let key = entry.key();
            entry.attachment().callback = Some(callback);
            entry.attachment().resume(key);
        }
    }
}

/// Whether there was a watcher to be removed.
fn remove_from(mut entry: SelectedKeyMut<'_, Watcher>, removed: &mut Vec<Token>) -> bool {
    let token = entry.token();
    let watcher = entry.attachment();
    let before = watcher.counted.take();
    if !mem::replace(&mut watcher.listed, true) {
        removed.extend(token);
    }
    // Foreign code runs when it is dropped: last.
    drop(watcher.replace(None));
    before.is_some()
}

impl Watcher {
    fn replace(&mut self, callback: Option<Callback>) -> Option<Callback> {
        self.version += 1;
        mem::replace(&mut self.callback, callback)
    }

    // A key that is not valid has no interest to be changed.
    fn suspend(&mut self, key: &SelectionKey) {
        self.suspended = key.interest_ops_and(Ops::empty()).ok();
    }

    fn resume(&mut self, key: &SelectionKey) {
        if let Some(interest) = self.suspended.take() {
            let _ = key.set_interest_ops(interest);
        }
    }
}

/// When it ends with its channel, in the midst of a selection, there may be nothing left to wait
/// for.
impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(counted) = &self.counted {
            counted.waker.wake();
        }
    }
}

impl Counted {
    fn new(watching: &Rc<Cell<usize>>, waker: &Waker) -> Self {
        watching.set(watching.get() + 1);
        Self {
            watching: Rc::clone(watching),
            waker: waker.clone(),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.watching.set(self.watching.get() - 1);
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor")
            .field("watching", &self.len())
            .field("selector", &self.selector)
            .finish_non_exhaustive()
    }
}

/// Stops a [`Monitor`] that runs, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper {
    stop: Arc<AtomicBool>,
    waker: Waker,
}

impl Stopper {
    /// Has [`Monitor::run`] return when the watchers that it is calling have returned, and
    /// [`Monitor::run_once`] end its wait; if neither is running, the next time. One stop ends
    /// one run.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.waker.wake();
    }
}
