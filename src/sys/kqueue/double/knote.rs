//! What a kqueue remembers of one ident and one filter.

use std::ffi::c_void;

use super::flavour::Flavour;
use super::kind::Kind;
use super::linux::Errno;
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EV_EOF, EV_ONESHOT,
    EVFILT_READ, EVFILT_USER, EVFILT_WRITE, Kevent, NOTE_TRIGGER,
};

const EV_SYSFLAGS: u32 = 0xf000;
const NOTE_FFCTRLMASK: u32 = 0xc000_0000;
const NOTE_FFAND: u32 = 0x4000_0000;
const NOTE_FFOR: u32 = 0x8000_0000;
/// What the user may keep: the trigger is not of it.
const NOTE_FFLAGSMASK: u32 = 0x00ff_ffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Filter {
    Read,
    Write,
    User,
}

impl Filter {
    pub(super) fn of(change: &Kevent, flavour: Flavour) -> Result<Self, Errno> {
        match change.filter {
            EVFILT_READ => Ok(Self::Read),
            EVFILT_WRITE => Ok(Self::Write),
            EVFILT_USER if flavour == Flavour::FreeBsd => Ok(Self::User),
            _ => Err(libc::EINVAL),
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Read => EVFILT_READ,
            Self::Write => EVFILT_WRITE,
            Self::User => EVFILT_USER,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) ident: usize,
    pub(super) filter: Filter,
}

/// What a filter says of now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdict {
    pub(super) active: bool,
    pub(super) eof: bool,
    pub(super) fflags: u32,
    pub(super) data: i64,
}

#[derive(Debug)]
pub(super) struct Knote {
    pub(super) key: Key,
    /// Tells it from an earlier knote of the same key.
    pub(super) serial: u32,
    pub(super) kind: Kind,
    pub(super) verdict: Verdict,
    pub(super) active: bool,
    pub(super) disabled: bool,
    /// Its place in the queue of what is ready.
    pub(super) place: Option<u64>,
    flags: u32,
    udata: *mut c_void,
    user: User,
}

// SAFETY: `udata` is a number of the caller's, which nothing here follows.
unsafe impl Send for Knote {}

/// The state of an `EVFILT_USER`.
#[derive(Clone, Copy, Debug, Default)]
struct User {
    triggered: bool,
    fflags: u32,
    data: i64,
}

impl Knote {
    pub(super) fn new(
        key: Key,
        change: &Kevent,
        flavour: Flavour,
        serial: u32,
        kind: Kind,
    ) -> Self {
        let given = change.flags & !EV_SYSFLAGS;
        let user = User {
            triggered: change.fflags & NOTE_TRIGGER != 0,
            fflags: change.fflags & NOTE_FFLAGSMASK,
            data: change.data,
        };
        Self {
            key,
            serial,
            kind,
            verdict: Verdict::default(),
            active: false,
            disabled: given & EV_DISABLE != 0,
            place: None,
            flags: match flavour {
                Flavour::FreeBsd => given & !(EV_ADD | EV_DELETE | EV_ENABLE | EV_DISABLE),
                Flavour::NetBsd => given,
            },
            udata: change.udata,
            user,
        }
    }

    /// Every change says anew what comes back with the event.
    pub(super) fn touch(&mut self, change: &Kevent) {
        self.udata = change.udata;
        if self.key.filter == Filter::User {
            self.user.touch(change);
        }
    }

    pub(super) fn is_oneshot(&self) -> bool {
        self.flags & EV_ONESHOT != 0
    }

    pub(super) fn is_clear(&self) -> bool {
        self.flags & EV_CLEAR != 0
    }

    pub(super) fn is_dispatch(&self) -> bool {
        self.flags & EV_DISPATCH != 0
    }

    /// Whether the kernel would not have told this knote of that wakeup. No writer is told that a
    /// pipe's reader is gone: one that is queued finds out, another does not.
    pub(super) fn misses(&self, events: u32) -> bool {
        let is_pipe = matches!(self.kind, Kind::Pipe { .. });
        let reader_is_gone = events & libc::EPOLLERR.cast_unsigned() != 0;
        self.key.filter == Filter::Write && is_pipe && reader_is_gone
    }

    /// The pipe lets it go: it is reported once more at most, if it is queued or touched again.
    /// (`pipeclose` of FreeBSD, and its tests/sys/kern/pipe/pipe_kqueue_test.c.)
    pub(super) fn let_go(&mut self) {
        self.flags |= EV_ONESHOT;
        self.verdict.eof = true;
    }

    pub(super) fn user_verdict(&self) -> Verdict {
        Verdict {
            active: self.user.triggered,
            eof: false,
            fflags: self.user.fflags,
            data: self.user.data,
        }
    }

    /// The event has been reported.
    pub(super) fn clear(&mut self) {
        self.user.triggered = false;
    }

    pub(super) fn event(&self) -> Kevent {
        let eof = if self.verdict.eof { EV_EOF } else { 0 };
        Kevent {
            ident: self.key.ident,
            filter: self.key.filter.number(),
            flags: self.flags | eof,
            fflags: self.verdict.fflags,
            data: self.verdict.data,
            udata: self.udata,
        }
    }
}

impl User {
    /// FreeBSD's rules, of which one surprises: a trigger that says `EV_CLEAR` takes itself back.
    fn touch(&mut self, change: &Kevent) {
        if change.fflags & NOTE_TRIGGER != 0 {
            self.triggered = true;
        }
        let fflags = change.fflags & NOTE_FFLAGSMASK;
        match change.fflags & NOTE_FFCTRLMASK {
            0 => {}
            NOTE_FFAND => self.fflags &= fflags,
            NOTE_FFOR => self.fflags |= fflags,
            _ => self.fflags = fflags,
        }
        self.data = change.data;
        if change.flags & EV_CLEAR != 0 {
            self.triggered = false;
        }
    }
}
