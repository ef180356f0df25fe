//! Ending a wait from another thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sys::wake::Bell;

/// A wakeup that the next wait to end uses up.
const WAKEUP: u32 = 1;
/// Somebody has queued changes that the waiting thread is to take in.
const CHANGES: u32 = 2;
/// The waiting thread blocks, or is about to: it must be woken by the descriptor.
const ASLEEP: u32 = 4;
/// Whoever waits for this is gone, or is to go.
const CLOSED: u32 = 8;

/// What the other threads tell the waiting one.
///
/// One word, so that a wait that does not block looks at one word, and a signal to a thread that
/// does not sleep is one atomic operation. The system call is left to the first signal that
/// finds the thread asleep: the others coalesce.
#[derive(Debug)]
pub(crate) struct Signals {
    state: AtomicU32,
    /// `None` once the poller is gone, so that a [`Waker`] that outlives it costs no descriptor.
    bell: Mutex<Option<Box<dyn Bell>>>,
}

/// What had been signalled when a wait looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signalled(u32);

impl Signalled {
    #[inline]
    pub(crate) fn wakeup(self) -> bool {
        self.0 & WAKEUP != 0
    }

    #[inline]
    pub(crate) fn changes(self) -> bool {
        self.0 & CHANGES != 0
    }

    #[inline]
    pub(crate) fn closed(self) -> bool {
        self.0 & CLOSED != 0
    }

    /// Whether there is anything to be done about it.
    #[inline]
    pub(super) fn anything(self) -> bool {
        self.0 != 0
    }

    #[inline]
    pub(crate) fn any(self) -> bool {
        self.0 & (WAKEUP | CHANGES) != 0
    }
}

impl Signals {
    pub(super) fn new(bell: Box<dyn Bell>) -> Self {
        Self {
            state: AtomicU32::new(0),
            bell: Mutex::new(Some(bell)),
        }
    }

    pub(super) fn bell(&self) -> MutexGuard<'_, Option<Box<dyn Bell>>> {
        self.bell.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn announce_changes(&self) {
        self.raise(CHANGES);
    }

    /// For good. It is a wakeup too.
    pub(crate) fn announce_end(&self) {
        self.raise(CLOSED | WAKEUP);
    }

    fn raise(&self, signals: u32) {
        let before = self.state.fetch_or(signals, Ordering::AcqRel);
        if before & (ASLEEP | WAKEUP | CHANGES) == ASLEEP
            && let Some(bell) = &*self.bell()
        {
            bell.ring();
        }
    }

    #[inline]
    pub(crate) fn look(&self) -> Signalled {
        Signalled(self.state.load(Ordering::Acquire))
    }

    /// The word that is 0 as long as nothing is signalled and nobody sleeps.
    pub(super) fn word(&self) -> &AtomicU32 {
        &self.state
    }

    /// From here on a signal rings; one that came before is in the answer, and then the caller
    /// must not block.
    pub(super) fn fall_asleep(&self) -> Signalled {
        Signalled(self.state.fetch_or(ASLEEP, Ordering::AcqRel))
    }

    pub(super) fn get_up(&self) -> Signalled {
        Signalled(self.state.fetch_and(!ASLEEP, Ordering::AcqRel))
    }

    pub(super) fn use_up_wakeup(&self) {
        self.state.fetch_and(!WAKEUP, Ordering::AcqRel);
    }

    /// To be called before the changes are taken in, so that one that comes later is announced
    /// again.
    pub(crate) fn take_changes(&self) {
        self.state.fetch_and(!CHANGES, Ordering::AcqRel);
    }
}

/// Ends a wait from any thread (`Selector.wakeup`).
///
/// A wakeup makes the wait that is in progress return, or else the next one, once: many wakeups
/// before it coalesce into one. It never selects a key and never waits for the selecting thread,
/// but it may take a lock for a moment: it is not for signal handlers. When its selector or
/// poller is gone it does nothing.
///
/// ```
/// use nioselect::Selector;
///
/// let mut selector: Selector<()> = Selector::open()?;
/// let waker = selector.waker();
/// std::thread::spawn(move || waker.wake());
/// assert_eq!(selector.select()?, 0);
/// # Ok::<(), nioselect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Waker(Arc<Signals>);

impl Waker {
    pub(crate) fn new(signals: Arc<Signals>) -> Self {
        Self(signals)
    }

    /// Ends the wait in progress, or else the next one.
    pub fn wake(&self) {
        self.0.raise(WAKEUP);
    }
}
