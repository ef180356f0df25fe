//! The doorbell: a `select_now` that finds nothing without a system call.
//!
//! On Linux 6.1 or later, a selector over [`Backend::Epoll`](crate::Backend::Epoll) that is asked
//! again and again and finds nothing has an io_uring(7) watch its epoll descriptor. As soon as
//! anything becomes ready the kernel sets a bit in memory that the process has mapped, before the
//! system call that made it ready returns. While the bit is clear there is nothing to ask the
//! kernel for.
//!
//! It comes by itself after an idle stretch, 16 calls in a row that found nothing, for the thread
//! that selects. Where it may not be had every call asks the kernel, as ever: [`State`] says why. It
//! takes one descriptor, that of the ring, which the thread keeps for its next selector.
//! [`Policy::Off`] does without, for one selector or, by the variable `NIOSELECT_DOORBELL`, for all
//! that are not told otherwise.
//!
//! It is of use where one looks more often than something happens. What it rings for is noticed
//! somewhat later than without, and a selector that waits gains nothing by it, unless it
//! [spins](crate::SelectorBuilder::spin).
//!
//! A selector that has been given an eventfd, an epoll descriptor or an io_uring as a channel has
//! none any more: of what an io_uring makes ready the bit does not tell reliably.
//! ([`Policy::On`] allows eventfds.)
//!
//! When a selector ends by another thread than the one that selected, or goes on in another one,
//! its ring is closed, and some milliseconds later the kernel may interrupt a call in which the
//! ring's thread waits (EINTR, as if by a signal handler).
//!
//! ```
//! use nioselect::doorbell::{Policy, State};
//! use nioselect::{Ops, Pipe, Selector};
//!
//! let pipe = Pipe::open()?;
//! pipe.source.configure_blocking(false)?;
//! let mut selector = Selector::builder().doorbell(Policy::Auto).open()?;
//! pipe.source.register(&selector, Ops::READ, ())?;
//! for _ in 0..100 {
//!     selector.select_now()?;
//! }
//! let doorbell = selector.doorbell();
//! match doorbell.state {
//!     State::Armed => assert!(doorbell.answered > 50),
//!     other => println!("every call asks the kernel: {other}"),
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// When a selector is to have a doorbell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// After 16 idle calls of `select_now` in a row. Not in a thread for which a filter of system
    /// calls is in force (seccomp(2)): some of these end a process that asks for io_uring. One that
    /// is put in force later must let io_uring_enter(2) pass, or refuse it by an error, for a
    /// doorbell that is there by then.
    #[default]
    Auto,
    /// As `Auto`, whether a filter of system calls is in force or not, and also with eventfds among
    /// the channels: none of them may be one that an io_uring signals.
    On,
    /// Never: every call asks the kernel.
    Off,
    /// As `On`, but one idle call is enough. For tests: it costs who finds something now and then
    /// more than it spares.
    Eager,
}

impl Policy {
    /// The environment variable that names the policy of every selector that is opened without
    /// an explicit one. An empty one counts for nothing, and none does for the JVM's selectors.
    pub const VARIABLE: &'static str = "NIOSELECT_DOORBELL";

    /// Every policy.
    pub const ALL: &'static [Self] = &[Self::Auto, Self::On, Self::Off, Self::Eager];

    /// The name, as [`FromStr`] takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
            Self::Eager => "eager",
        }
    }

    /// What a selector does when it is not told: what `NIOSELECT_DOORBELL` says, or else
    /// [`Auto`](Self::Auto).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the variable names no policy.
    pub fn preferred() -> Result<Self> {
        let named = std::env::var_os(Self::VARIABLE).filter(|name| !name.is_empty());
        let Some(name) = named else {
            return Ok(Self::default());
        };
        let policy = Self::named(&name.to_string_lossy());
        policy.map_err(|why| Error::Unsupported(format!("{}: {why}", Self::VARIABLE)))
    }

    fn named(name: &str) -> std::result::Result<Self, String> {
        let mut all = Self::ALL.iter().copied();
        all.find(|policy| policy.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|policy| policy.name()).collect();
            format!(
                "there is no doorbell policy {name:?}, only {}",
                known.join(", ")
            )
        })
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Policy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::named(name).map_err(Error::Unsupported)
    }
}

/// How far a selector's doorbell has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The policy is [`Policy::Off`], or the backend is another than epoll: those have none.
    #[default]
    Off,
    /// There has been no idle stretch yet, or none since a fork.
    Idle,
    /// There is a ring, and calls of its thread that find nothing make no system call: but those of
    /// the idle stretch after it has rung, and one after a wait that blocked. If another thread
    /// selects, each of its calls asks the kernel until it has stayed for long enough to be given a
    /// ring. [`Statistics::answered`] tells what is spared.
    Armed,
    /// It could not be had, for this reason. If that may pass, such as a lack of descriptors, it
    /// is tried again from time to time; otherwise it stays so for this selector.
    Unavailable(String),
}

impl State {
    /// One word for it: off, idle, armed or unavailable.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Idle => "idle",
            Self::Armed => "armed",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "unavailable: {why}"),
            other => f.pad(other.name()),
        }
    }
}

/// What a selector's doorbell has done since the selector was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// How far it has come.
    pub state: State,
    /// How many rings it has been given: more than one if another thread has come to select.
    pub rings: u64,
    /// How many looks at the kernel were spared. While a wait spins, up to 64 looks at memory count
    /// as one.
    pub answered: u64,
    /// How often it rang, and ended a stretch of spared looks.
    pub rung: u64,
}
