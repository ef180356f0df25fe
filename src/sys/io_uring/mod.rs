//! io_uring(7), as far as readiness goes: requests to poll a descriptor, and to cancel them.

mod flag_word;

pub(crate) use flag_word::FlagWord;

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, cqueue, opcode, squeue};

use super::poll;
use crate::error::{Error, Result};

/// How large the two queues are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// How many requests one system call can take.
    pub(crate) requests: u32,
    /// How many completions there is room for. What finds none is kept by the kernel.
    pub(crate) completions: u32,
}

impl Sizes {
    /// Small, for it counts against RLIMIT_MEMLOCK of the user: four pages.
    pub(crate) const USUAL: Self = Self {
        requests: 64,
        completions: 512,
    };

    /// For a single request that polls.
    pub(crate) const SINGLE: Self = Self {
        requests: 2,
        completions: 8,
    };
}

/// When the kernel completes requests whose descriptors have become ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Regime {
    /// In the system calls of the ring alone, which belongs to one thread, and a bit in memory
    /// tells that there is something to complete (Linux 6.1).
    Deferred,
    /// Whenever the thread that made the request is in the kernel (Linux 5.19).
    Cooperative,
    /// As soon as possible, for which the thread that made the request is interrupted.
    Plain,
}

impl Regime {
    pub(crate) const BEST_FIRST: [Self; 3] = [Self::Deferred, Self::Cooperative, Self::Plain];

    fn setup(self, sizes: Sizes) -> io_uring::Builder<squeue::Entry, cqueue::Entry> {
        let mut setup = IoUring::builder();
        // Disabled until its thread is known: the one that opens a ring need not be the one that
        // waits.
        setup.setup_cqsize(sizes.completions).setup_r_disabled();
        match self {
            Self::Deferred => setup
                .setup_submit_all()
                .setup_single_issuer()
                .setup_defer_taskrun()
                .setup_taskrun_flag(),
            Self::Cooperative => setup.setup_submit_all().setup_coop_taskrun(),
            Self::Plain => &mut setup,
        };
        setup
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion {
    /// The number that the request was made under.
    pub(crate) number: u64,
    /// The events, or an error number negated.
    pub(crate) result: i32,
    /// Whether the request goes on.
    pub(crate) more: bool,
}

/// Both queues, shared with the kernel.
///
/// All requests belong to the thread that [`enable`](Self::enable)s it, and end with that thread.
pub(crate) struct Ring {
    ring: IoUring,
    regime: Regime,
    /// Of every call that may wait.
    waiting_flags: EnterFlags,
    /// The ring has the other end of this pipe, and nobody else. There is none if no descriptor
    /// was left for it.
    canary: Option<OwnedFd>,
}

impl Ring {
    /// A ring of the best regime that this system has.
    pub(crate) fn open() -> Result<Self> {
        Self::open_by(Self::open_as)
    }

    /// A ring that takes the place of `before`, which is to be closed next. If no descriptor is
    /// left for it, it takes the one by which the end of `before` would be known.
    pub(crate) fn open_after(before: &mut Self) -> Result<Self> {
        let outcome = Self::open();
        match &outcome {
            Err(error) if lacks_descriptors(error) && before.canary.take().is_some() => {
                Self::open_by(Self::open_alone)
            }
            _ => outcome,
        }
    }

    fn open_by(open: impl Fn(Regime, Sizes) -> Result<Self>) -> Result<Self> {
        let mut outcome = open(Regime::BEST_FIRST[0], Sizes::USUAL);
        for regime in &Regime::BEST_FIRST[1..] {
            if !is_unknown_to_the_kernel(&outcome) {
                break;
            }
            outcome = open(*regime, Sizes::USUAL);
        }
        outcome.map_err(explain)
    }

    pub(crate) fn open_as(regime: Regime, sizes: Sizes) -> Result<Self> {
        let (canary, other_end) = io::pipe().map_err(|error| Error::system("pipe", error))?;
        let mut ring = Self::open_alone(regime, sizes)?;
        let registered = ring
            .ring
            .submitter()
            .register_files(&[other_end.as_raw_fd()]);
        registered.map_err(|error| Error::system("io_uring_register", error))?;
        ring.canary = Some(canary.into());
        Ok(ring)
    }

    /// Without a canary.
    pub(crate) fn open_alone(regime: Regime, sizes: Sizes) -> Result<Self> {
        let ring = regime.setup(sizes).build(sizes.requests);
        let ring = ring.map_err(|error| Error::system("io_uring_setup", error))?;
        let features = ring.params();
        // Resource tags are the feature that tells Linux 5.13, the first with requests that
        // complete more than once.
        if !(features.is_feature_resource_tagging()
            && features.is_feature_nodrop()
            && features.is_feature_ext_arg())
        {
            return Err(Error::Unsupported("io_uring needs Linux 5.13".into()));
        }
        // A thread that waits here is no sign of a slow disk.
        let waiting_flags = if features.is_feature_no_iowait() {
            EnterFlags::NO_IOWAIT
        } else {
            EnterFlags::empty()
        };
        let ring = Self {
            ring,
            regime,
            waiting_flags,
            canary: None,
        };
        ring.probe_entering()?;
        Ok(ring)
    }

    /// A filter of system calls may forbid this one alone.
    fn probe_entering(&self) -> Result<()> {
        // SAFETY: no memory is passed.
        let answer = unsafe { self.ring.submitter().enter::<()>(0, 0, 0, None) };
        match answer {
            Err(error) if error.raw_os_error() != Some(libc::EBADFD) => {
                Err(Error::system("io_uring_enter", error))
            }
            _ => Ok(()),
        }
    }

    /// The word that tells what [`is_silent`](Self::is_silent) looks at, as far as it is the
    /// kernel's.
    pub(crate) fn flag_word(&self) -> Result<FlagWord> {
        FlagWord::of(&self.ring)
    }

    /// Makes it the calling thread's.
    pub(crate) fn enable(&self) -> io::Result<()> {
        self.ring.submitter().register_enable_rings()
    }

    /// Queues a request, unless there is no room.
    #[must_use]
    fn push(&mut self, request: &squeue::Entry) -> bool {
        // SAFETY: the requests that this module makes point to no memory.
        unsafe { self.ring.submission().push(request) }.is_ok()
    }

    /// Queues that a descriptor be polled for events, once or again and again (then for edges).
    #[must_use]
    pub(crate) fn push_poll(&mut self, fd: RawFd, events: u8, again: bool, number: u64) -> bool {
        let request = opcode::PollAdd::new(Fd(fd), u32::from(events)).multi(again);
        self.push(&request.build().user_data(number))
    }

    /// Queues that the request with a number be cancelled. If it has not completed it does so
    /// now, and this completes too, under `own_number`.
    #[must_use]
    pub(crate) fn push_cancel(&mut self, number: u64, own_number: u64) -> bool {
        self.push(
            &opcode::AsyncCancel::new(number)
                .build()
                .user_data(own_number),
        )
    }

    /// Whether there are requests that the kernel has not been given.
    pub(crate) fn has_requests(&mut self) -> bool {
        !self.ring.submission().is_empty()
    }

    /// Whether the kernel keeps completions for which there was no room.
    #[inline]
    pub(crate) fn has_overflown(&mut self) -> bool {
        self.ring.submission().cq_overflow()
    }

    /// Whether the kernel says that there are requests to complete, which it does in an
    /// exchange.
    #[inline]
    pub(crate) fn has_work(&mut self) -> bool {
        self.ring.submission().taskrun()
    }

    /// Whether nothing can be learnt from the kernel: no completion is there, and none is about
    /// to be.
    ///
    /// Whoever makes a descriptor ready sets the bit before its system call returns. (Of two that
    /// do so at the same moment, the second may return before the first has set it for both.)
    /// That is so in one regime alone: in the cooperative one the bit is not set if work for any
    /// other ring of the thread is waiting already.
    #[inline]
    pub(crate) fn is_silent(&mut self) -> bool {
        if self.regime != Regime::Deferred {
            return false;
        }
        let requests = self.ring.submission();
        let told = requests.taskrun() || requests.cq_overflow();
        drop(requests);
        !told && self.ring.completion().is_empty()
    }

    /// Gives the kernel all requests and has it complete what can be completed.
    pub(crate) fn exchange(&mut self) -> io::Result<()> {
        self.enter(0, Some(Duration::ZERO))
    }

    /// As [`exchange`](Self::exchange), and waits until there is a completion or the time is
    /// over. If requests were given, a signal handler ends the wait without an error.
    pub(crate) fn await_completion(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        self.enter(1, timeout)
    }

    fn enter(&mut self, completions: u32, timeout: Option<Duration>) -> io::Result<()> {
        let requests = self.ring.submission().len();
        let requests = u32::try_from(requests).expect("the queue is small");
        let limit = timeout.map(timespec);
        let mut arguments = None;
        let mut flags = EnterFlags::GETEVENTS | self.waiting_flags;
        if let (1.., Some(limit)) = (completions, &limit) {
            arguments = Some(SubmitArgs::new().timespec(limit));
            flags |= EnterFlags::EXT_ARG;
        }
        let (submitter, flags) = (self.ring.submitter(), flags.bits());
        // SAFETY: the arguments are what the flags say, and live through the call with the time
        // limit that they point to. The requests point to no memory.
        let answer = unsafe { submitter.enter(requests, completions, flags, arguments.as_ref()) };
        match answer {
            Ok(_) => Ok(()),
            Err(error) => match error.raw_os_error() {
                // The time is over; or completions must be taken out first, which the caller
                // does.
                Some(libc::ETIME | libc::EBUSY) => Ok(()),
                _ => Err(error),
            },
        }
    }

    pub(crate) fn next_completion(&mut self) -> Option<Completion> {
        let entry = self.ring.completion().next()?;
        Some(Completion {
            number: entry.user_data(),
            result: entry.result(),
            more: cqueue::more(entry.flags()),
        })
    }

    /// For when it has been closed. None if it cannot be known: then its files may stay open for
    /// a moment longer.
    pub(crate) fn end(&mut self) -> Option<EndOfRing> {
        self.canary.take().map(EndOfRing)
    }
}

/// Tells when the kernel has let go of all descriptors that a ring has polled.
///
/// The kernel takes a closed ring down behind the caller's back. The files that belong to it come
/// last: when the pipe's other end is gone, all requests are.
#[derive(Debug)]
pub(crate) struct EndOfRing(OwnedFd);

impl EndOfRing {
    /// Waits for it, but not for longer.
    pub(crate) fn comes_until(&self, latest: Instant) -> bool {
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            match poll::poll_one(self.0.as_fd(), 0, Some(left)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted && !left.is_zero() => {}
                answer => return answer.is_ok_and(|events| events != 0),
            }
        }
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("regime", &self.regime)
            .finish_non_exhaustive()
    }
}

/// The kernel counts on from now, so what is too long is clamped (the caller resumes).
fn timespec(timeout: Duration) -> Timespec {
    const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    Timespec::from(timeout.min(LONGEST))
}

fn lacks_descriptors(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Whether another regime may be what this kernel has.
fn is_unknown_to_the_kernel(outcome: &Result<Ring>) -> bool {
    matches!(outcome, Err(error) if error.raw_os_error() == Some(libc::EINVAL))
}

/// Tells what keeps a program from using io_uring, where that is not for the moment only.
fn explain(error: Error) -> Error {
    match explanation(&error) {
        Some(why) => Error::Unsupported(why),
        None => error,
    }
}

/// Why the kernel refuses a ring, in words, if its number is known to mean more than it says.
pub(crate) fn explanation(error: &Error) -> Option<String> {
    let why = match error.raw_os_error()? {
        libc::ENOSYS => "the kernel has no io_uring, or a filter hides it",
        libc::EPERM | libc::EACCES => {
            "io_uring is forbidden here, by the sysctl kernel.io_uring_disabled or a filter of \
             system calls"
        }
        libc::ENOMEM => {
            "there is no memory for an io_uring, or the limit of locked memory (RLIMIT_MEMLOCK) \
             does not allow it"
        }
        libc::EINVAL => "io_uring needs Linux 5.13",
        _ => return None,
    };
    Some(format!("{why} ({error})"))
}
