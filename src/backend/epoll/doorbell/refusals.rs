//! What was refused, and when it is worth asking for again.

use super::wire;
use crate::doorbell::Policy;
use crate::error::Error;

/// After how many idle looks it pays to set up, or to settle, what may spare the next ones: as
/// many as cost about as much.
const PATIENCE: u32 = 16;

/// How much is waited at most for what was refused.
pub(super) const LONGEST_PATIENCE: u32 = 1 << 20;

/// Of one doorbell. It is asked for again ever more rarely, until it is there.
#[derive(Clone, Debug)]
pub(super) struct Refusals {
    /// The patience as long as nothing is refused.
    usual: u32,
    patience: u32,
    last: Option<Refusal>,
}

#[derive(Clone, Debug)]
struct Refusal {
    why: String,
    /// Whether it is of no use to try again.
    is_final: bool,
}

impl Refusals {
    pub(super) fn none_yet(policy: Policy) -> Self {
        let usual = match policy {
            Policy::Auto | Policy::On => PATIENCE,
            Policy::Eager => 1,
            Policy::Off => u32::MAX,
        };
        Self {
            usual,
            patience: usual,
            last: None,
        }
    }

    /// How many idle looks there have to be.
    #[inline]
    pub(super) fn patience(&self) -> u32 {
        self.patience
    }

    /// Why there is no doorbell, if it was refused.
    pub(super) fn why(&self) -> Option<&str> {
        self.last.as_ref().map(|refusal| refusal.why.as_str())
    }

    pub(super) fn is_final(&self) -> bool {
        self.last.as_ref().is_some_and(|refusal| refusal.is_final)
    }

    /// Whether it is too early, after so many idle looks, to ask again for what was refused.
    pub(super) fn is_too_early(&self, idle: u32) -> bool {
        self.last.is_some() && idle < self.patience
    }

    pub(super) fn note(&mut self, error: &Error) {
        let why = wire::explain(error);
        if !may_pass(error) {
            return self.note_for_good(why);
        }
        self.patience = self.patience.saturating_mul(2).min(LONGEST_PATIENCE);
        self.last = Some(Refusal {
            why,
            is_final: false,
        });
    }

    pub(super) fn note_for_good(&mut self, why: String) {
        // So that idle looks are not held up by asking whether to ask.
        self.patience = u32::MAX;
        self.last = Some(Refusal {
            why,
            is_final: true,
        });
    }

    /// A ring is there. Whether it can be used has to show.
    pub(super) fn note_granted(&mut self) {
        self.last = None;
    }

    /// It works: nothing that was before counts any more.
    pub(super) fn forget(&mut self) {
        self.patience = self.usual;
    }
}

/// What is lacking now may be there later.
fn may_pass(error: &Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::EMFILE
                | libc::ENFILE
                | libc::ENOMEM
                | libc::EAGAIN
                | libc::EBUSY
                | libc::ECANCELED
        )
    )
}
