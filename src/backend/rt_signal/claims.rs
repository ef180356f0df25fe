//! Which selector has armed which descriptor. Signals go to threads: a selector may read one
//! that is for another on the same thread.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::super::poll::index;
use crate::sys::fork;

/// What other selectors leave for one.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    filled: AtomicBool,
    notices: Mutex<Notices>,
}

#[derive(Debug, Default)]
pub(super) struct Notices {
    /// Descriptors that signals have named.
    pub(super) hints: Vec<RawFd>,
    /// There were too many hints to keep.
    pub(super) everything: bool,
    /// Descriptors that another selector has armed since: the number is another file's now.
    pub(super) lost: Vec<RawFd>,
}

impl Notices {
    fn clear(&mut self) {
        self.hints.clear();
        self.everything = false;
        self.lost.clear();
    }
}

/// A selector that is never asked must not gather hints for ever.
const MOST_HINTS: usize = 1024;

impl Inbox {
    /// Whether anything has come since the last time. It takes the place of what `taken` had,
    /// whose memory is used for what comes next.
    #[inline]
    pub(super) fn take(&self, taken: &mut Notices) -> bool {
        self.filled.load(Ordering::Acquire) && self.take_filled(taken)
    }

    #[cold]
    fn take_filled(&self, taken: &mut Notices) -> bool {
        taken.clear();
        let mut notices = lock(&self.notices);
        self.filled.store(false, Ordering::Release);
        std::mem::swap(&mut *notices, taken);
        true
    }

    fn fill(&self, note: impl FnOnce(&mut Notices)) {
        let mut notices = lock(&self.notices);
        note(&mut notices);
        self.filled.store(true, Ordering::Release);
    }

    fn hint(&self, fd: RawFd) {
        self.fill(|notices| {
            if notices.hints.len() == MOST_HINTS {
                notices.hints.clear();
                notices.everything = true;
            }
            if !notices.everything {
                notices.hints.push(fd);
            }
        });
    }
}

/// By descriptor, whose claim it is.
#[derive(Debug, Default)]
pub(super) struct Claims(Vec<Option<Arc<Inbox>>>);

impl Claims {
    /// Whoever holds the lock is the only one in the process that arms or disarms.
    pub(super) fn lock() -> MutexGuard<'static, Self> {
        lock(&OfProcess::current().claims)
    }

    /// From now on the signals that name `fd` are for `inbox`.
    pub(super) fn claim(&mut self, fd: RawFd, inbox: &Arc<Inbox>) {
        let place = index(fd);
        if self.0.len() <= place {
            self.0.resize(place + 1, None);
        }
        if let Some(before) = self.0[place].replace(Arc::clone(inbox))
            && !Arc::ptr_eq(&before, inbox)
        {
            before.fill(|notices| notices.lost.push(fd));
        }
    }

    /// Whether it was `inbox` that had the claim.
    pub(super) fn give_up(&mut self, fd: RawFd, inbox: &Arc<Inbox>) -> bool {
        let Some(claim) = self.0.get_mut(index(fd)) else {
            return false;
        };
        let ours = claim.as_ref().is_some_and(|claim| Arc::ptr_eq(claim, inbox));
        if ours {
            *claim = None;
        }
        ours
    }

    /// A hint that was read by one who has not armed `fd`: it goes to the one who has.
    pub(super) fn hand_over(&self, fd: RawFd) {
        if let Some(inbox) = usize::try_from(fd)
            .ok()
            .and_then(|place| self.0.get(place))
            .and_then(Option::as_ref)
        {
            inbox.hint(fd);
        }
    }
}

/// A forked child may have been born while another thread of its parent held the lock, which
/// nobody in the child would ever release: each process of a line has its own.
struct OfProcess {
    forks: u32,
    claims: Mutex<Claims>,
    child: OnceLock<Box<OfProcess>>,
}

static FIRST: OfProcess = OfProcess::after(0);

impl OfProcess {
    const fn after(forks: u32) -> Self {
        Self {
            forks,
            claims: Mutex::new(Claims(Vec::new())),
            child: OnceLock::new(),
        }
    }

    fn current() -> &'static Self {
        let forks = fork::generation();
        let mut process = &FIRST;
        while process.forks != forks {
            process = process.child.get_or_init(|| Box::new(Self::after(forks)));
        }
        process
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(inbox: &Inbox) -> Notices {
        let mut notices = Notices::default();
        inbox.take(&mut notices);
        notices
    }

    #[test]
    fn a_hint_reaches_the_one_who_has_the_claim() {
        let (first, second) = (Arc::new(Inbox::default()), Arc::new(Inbox::default()));
        let mut claims = Claims::default();
        claims.claim(7, &first);
        claims.hand_over(7);
        claims.hand_over(8);
        assert_eq!(taken(&first).hints, [7]);
        claims.claim(7, &second);
        claims.hand_over(7);
        let notices = taken(&first);
        assert_eq!((notices.lost, notices.hints), (vec![7], vec![]));
        assert_eq!(taken(&second).hints, [7]);
        assert!(!claims.give_up(7, &first) && claims.give_up(7, &second));
        claims.hand_over(7);
        let mut none = Notices::default();
        assert!(!first.take(&mut none) && !second.take(&mut none));
    }

    #[test]
    fn too_many_hints_become_one() {
        let inbox = Inbox::default();
        for _ in 0..=MOST_HINTS {
            inbox.hint(7);
        }
        let notices = taken(&inbox);
        assert!(notices.everything && notices.hints.is_empty());
    }
}
