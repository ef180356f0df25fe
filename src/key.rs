//! The tie between one channel and one selector.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::notices::Notices;
use crate::ops::Ops;
use crate::token::Token;
use crate::wish::{AtomicWish, Wish};

/// The registration of one channel with one selector (`java.nio.channels.SelectionKey`).
///
/// A key is a handle: clones are the same key, and keys compare by identity. Every method may be
/// called from any thread, also while the selector selects, and none waits for it. A key does
/// not keep its channel open.
///
/// A key is valid until it is [cancelled](Self::cancel), its channel is dropped or its selector
/// is closed. An invalid key has neither interest nor readiness, so that a loop that asks
/// [`is_readable`](Self::is_readable) passes over it. (In Java these queries throw.)
#[derive(Clone)]
pub struct SelectionKey(Arc<State>);

/// Small, because there may be very many: what only the selecting thread needs is in the
/// poller's slot.
struct State {
    notices: Arc<Notices>,
    /// 0, which no token is, until the selecting thread has taken the registration in.
    token: AtomicU64,
    /// Where the key is in the selected set, or [`NOT_SELECTED`]. Only the selector changes it.
    selected_at: AtomicU32,
    wish: AtomicWish,
    ready: AtomicU8,
    valid_ops: Ops,
    valid: AtomicBool,
    /// Whether the key waits among the selector's notices.
    queued: AtomicBool,
}

const NOT_SELECTED: u32 = u32::MAX;

impl SelectionKey {
    pub(crate) fn new(notices: Arc<Notices>, valid_ops: Ops, wish: Wish) -> Self {
        Self(Arc::new(State {
            notices,
            token: AtomicU64::new(0),
            selected_at: AtomicU32::new(NOT_SELECTED),
            wish: AtomicWish::new(wish),
            ready: AtomicU8::new(0),
            valid_ops,
            valid: AtomicBool::new(true),
            queued: AtomicBool::new(false),
        }))
    }

    /// Whether the key still ties its channel to its selector (`isValid`).
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.0.valid.load(Ordering::Acquire) && !self.0.notices.is_closed()
    }

    /// The operations that an interest set of this key may have (`channel().validOps()`).
    pub fn valid_ops(&self) -> Ops {
        self.0.valid_ops
    }

    /// What the key is interested in (`interestOps()`); nothing if it is not valid.
    #[inline]
    pub fn interest_ops(&self) -> Ops {
        if self.is_valid() {
            self.wish().interest
        } else {
            Ops::empty()
        }
    }

    /// What the last selection that reported the key found ready (`readyOps()`); nothing if it
    /// is not valid.
    ///
    /// It stays as it is until the key is reported again, even when the channel has been read
    /// empty: it is a hint that an operation will not block, which may be out of date.
    #[inline]
    pub fn ready_ops(&self) -> Ops {
        if self.is_valid() {
            self.ready()
        } else {
            Ops::empty()
        }
    }

    /// Whether [`Ops::READ`] is ready.
    #[inline]
    pub fn is_readable(&self) -> bool {
        self.ready_ops().contains(Ops::READ)
    }

    /// Whether [`Ops::WRITE`] is ready.
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.ready_ops().contains(Ops::WRITE)
    }

    /// Whether [`Ops::CONNECT`] is ready: the connect can be finished.
    #[inline]
    pub fn is_connectable(&self) -> bool {
        self.ready_ops().contains(Ops::CONNECT)
    }

    /// Whether [`Ops::ACCEPT`] is ready.
    #[inline]
    pub fn is_acceptable(&self) -> bool {
        self.ready_ops().contains(Ops::ACCEPT)
    }

    /// Replaces the interest set (`interestOps(int)`). Nothing is a legal interest: the channel
    /// is silent then, even if its peer hangs up.
    ///
    /// The change takes effect at once, in a selection that is running too. It costs a system
    /// call only if the next selection finds the set different from what the kernel has (or if
    /// the mode is [`Mode::Edge`]).
    ///
    /// # Errors
    ///
    /// [`Error::CancelledKey`] if the key is not valid; [`Error::InvalidOps`] for operations
    /// that its channel does not have.
    pub fn set_interest_ops(&self, ops: Ops) -> Result<()> {
        self.check(ops)?;
        let before = self.0.wish.replace_interest(ops);
        self.note_change(before.interest, ops);
        Ok(())
    }

    /// Adds to the interest set, atomically, and returns what it was (`interestOpsOr`).
    ///
    /// # Errors
    ///
    /// As [`set_interest_ops`](Self::set_interest_ops).
    pub fn interest_ops_or(&self, ops: Ops) -> Result<Ops> {
        self.check(ops)?;
        let before = self.0.wish.add_interest(ops).interest;
        self.note_change(before, before | ops);
        Ok(before)
    }

    /// Removes what is not in `ops` from the interest set, atomically, and returns what it was
    /// (`interestOpsAnd`). Operations that the channel does not have do no harm here.
    ///
    /// # Errors
    ///
    /// [`Error::CancelledKey`] if the key is not valid.
    pub fn interest_ops_and(&self, ops: Ops) -> Result<Ops> {
        self.check(Ops::empty())?;
        let before = self.0.wish.keep_interest(ops).interest;
        self.note_change(before, before & ops);
        Ok(before)
    }

    /// Makes the key invalid, at once and for good (`cancel`). Cancelling twice does nothing.
    ///
    /// The selector lets go of the key, its attachment and its channel's descriptor in its next
    /// selection, before it waits, or at once if it is waiting. Until then the channel
    /// cannot be registered with the same selector again.
    pub fn cancel(&self) {
        if self.0.valid.swap(false, Ordering::AcqRel) {
            self.enqueue();
        }
    }

    /// How often a readiness that lasts is reported.
    #[inline]
    pub fn mode(&self) -> Mode {
        self.0.wish.load().mode
    }

    /// Replaces the mode; it takes effect as a change of the interest set does.
    ///
    /// # Errors
    ///
    /// [`Error::CancelledKey`] if the key is not valid; [`Error::Unsupported`] if the selector's
    /// backend does not have the mode.
    pub fn set_mode(&self, mode: Mode) -> Result<()> {
        self.0.notices.check_mode(mode)?;
        self.check(Ops::empty())?;
        if self.0.wish.replace_mode(mode).mode != mode {
            self.enqueue();
        }
        Ok(())
    }

    /// The poller's name for the registration, as [`Error::Refused`] has it; none before the
    /// first selection after the registration.
    #[inline]
    pub fn token(&self) -> Option<Token> {
        match self.0.token.load(Ordering::Acquire) {
            0 => None,
            bits => Some(Token::from_bits(bits)),
        }
    }

    fn check(&self, requested: Ops) -> Result<()> {
        if !self.is_valid() {
            return Err(Error::CancelledKey);
        }
        requested.check_against(self.valid_ops())
    }

    fn note_change(&self, before: Ops, now: Ops) {
        if before != now {
            self.enqueue();
        }
    }

    /// Has the selecting thread look at the key.
    pub(crate) fn enqueue(&self) {
        if !self.0.queued.swap(true, Ordering::AcqRel) {
            self.0.notices.push(self.clone());
        }
    }
}

/// What the selector does with its keys.
impl SelectionKey {
    /// From here on a change queues the key again. Every earlier one is visible.
    pub(crate) fn dequeue(&self) {
        self.0.queued.swap(false, Ordering::AcqRel);
    }

    pub(crate) fn invalidate(&self) {
        self.0.valid.store(false, Ordering::Release);
    }

    #[inline]
    pub(crate) fn belongs_to(&self, notices: &Arc<Notices>) -> bool {
        Arc::ptr_eq(&self.0.notices, notices)
    }

    pub(crate) fn set_token(&self, token: Token) {
        self.0.token.store(token.to_bits(), Ordering::Release);
    }

    /// Interest and mode at once, for a registration that is made anew.
    pub(crate) fn set_wish(&self, wish: Wish) -> Result<()> {
        self.check(wish.interest)?;
        if self.0.wish.replace(wish) != wish {
            self.enqueue();
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn wish(&self) -> Wish {
        self.0.wish.load()
    }

    /// A one-shot that has fired is interested in nothing.
    #[cold]
    pub(crate) fn disarm(&self, fired: Wish) {
        self.0.wish.disarm(fired);
    }

    #[inline]
    pub(crate) fn ready(&self) -> Ops {
        Ops::from_bits_retain(self.0.ready.load(Ordering::Acquire))
    }

    #[inline]
    pub(crate) fn set_ready(&self, ready: Ops) {
        self.0.ready.store(ready.bits(), Ordering::Release);
    }

    #[inline]
    pub(crate) fn is_cancelled(&self) -> bool {
        !self.0.valid.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn selected_at(&self) -> Option<usize> {
        let place = self.0.selected_at.load(Ordering::Relaxed);
        (place != NOT_SELECTED).then_some(place as usize)
    }

    #[inline]
    pub(crate) fn set_selected_at(&self, place: usize) {
        let place = u32::try_from(place).expect("there are fewer keys than 32-bit numbers");
        self.0.selected_at.store(place, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn set_not_selected(&self) {
        self.0.selected_at.store(NOT_SELECTED, Ordering::Relaxed);
    }
}

impl PartialEq for SelectionKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SelectionKey {}

impl std::hash::Hash for SelectionKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for SelectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectionKey")
            .field("valid", &self.is_valid())
            .field("interest_ops", &format_args!("{}", self.interest_ops()))
            .field("ready_ops", &format_args!("{}", self.ready_ops()))
            .field("mode", &self.mode())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}
