//! Which selector has armed which descriptor. Signals go to threads: a selector may read one
//! that is for another on the same thread.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use slab::Slab;

use crate::backend::index;
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

/// Names a selector among those that claim descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claimant(u32);

const NOBODY: Claimant = Claimant(u32::MAX);

#[derive(Debug, Default)]
pub(super) struct Claims {
    /// By descriptor, whose it is.
    claims: Vec<Claimant>,
    inboxes: Slab<Arc<Inbox>>,
}

impl Claims {
    /// Whoever holds the lock is the only one in the process that arms or disarms.
    pub(super) fn lock() -> MutexGuard<'static, Self> {
        lock(&OfProcess::current().claims)
    }

    pub(super) fn enter(&mut self, inbox: &Arc<Inbox>) -> Claimant {
        let number = self.inboxes.insert(Arc::clone(inbox));
        Claimant(u32::try_from(number).expect("each selector has a descriptor"))
    }

    /// To be called when nothing is claimed any more.
    pub(super) fn leave(&mut self, claimant: Claimant) {
        self.inboxes.remove(claimant.0 as usize);
        if self.inboxes.is_empty() {
            self.claims = Vec::new();
        }
    }

    fn inbox(&self, claimant: Claimant) -> Option<&Inbox> {
        self.inboxes.get(claimant.0 as usize).map(Arc::as_ref)
    }

    /// From now on the signals that name `fd` are for this one.
    pub(super) fn claim(&mut self, fd: RawFd, claimant: Claimant) {
        let place = index(fd);
        if self.claims.len() <= place {
            self.claims.resize(place + 1, NOBODY);
        }
        let before = std::mem::replace(&mut self.claims[place], claimant);
        if before != claimant
            && let Some(inbox) = self.inbox(before)
        {
            inbox.fill(|notices| notices.lost.push(fd));
        }
    }

    /// Whether it was this one that had the claim.
    pub(super) fn give_up(&mut self, fd: RawFd, claimant: Claimant) -> bool {
        match self.claims.get_mut(index(fd)) {
            Some(claim) if *claim == claimant => {
                *claim = NOBODY;
                true
            }
            _ => false,
        }
    }

    /// A hint that was read by one who has not armed `fd`: it goes to the one who has.
    pub(super) fn hand_over(&self, fd: RawFd) {
        if let Some(inbox) = usize::try_from(fd)
            .ok()
            .and_then(|place| self.claims.get(place))
            .and_then(|&claimant| self.inbox(claimant))
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
            claims: Mutex::new(Claims {
                claims: Vec::new(),
                inboxes: Slab::new(),
            }),
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
        let (mine, theirs) = (Arc::new(Inbox::default()), Arc::new(Inbox::default()));
        let mut claims = Claims::default();
        let (me, other) = (claims.enter(&mine), claims.enter(&theirs));
        claims.claim(7, me);
        claims.hand_over(7);
        claims.hand_over(8);
        assert_eq!(taken(&mine).hints, [7]);

        claims.claim(7, other);
        claims.hand_over(7);
        let notices = taken(&mine);
        assert_eq!((notices.lost, notices.hints), (vec![7], vec![]));
        assert_eq!(taken(&theirs).hints, [7]);

        assert!(!claims.give_up(7, me) && claims.give_up(7, other));
        claims.hand_over(7);
        let mut none = Notices::default();
        assert!(!mine.take(&mut none) && !theirs.take(&mut none));
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
