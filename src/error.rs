//! Everything that can go wrong.

use std::io;
use std::os::fd::RawFd;

use crate::ops::Ops;
use crate::token::Token;

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// A broken contract, a mechanism that cannot do what was asked, or a failed system call.
///
/// It converts into an [`io::Error`] of the same [kind](Self::kind), which keeps it inside, so
/// that `?` works in functions that return one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The selector has been closed or dropped (`ClosedSelectorException`).
    #[error("the selector is closed")]
    ClosedSelector,

    /// The key has been cancelled, its channel dropped or its selector closed
    /// (`CancelledKeyException`). After the selector's next selection the channel can be
    /// registered anew.
    #[error("the key is cancelled")]
    CancelledKey,

    /// The channel is in blocking mode and cannot be registered, or has valid keys and cannot
    /// be put into blocking mode (`IllegalBlockingModeException`).
    #[error("a channel must be in non-blocking mode to be registered, and as long as it is")]
    IllegalBlockingMode,

    /// Operations were asked for that this kind of channel does not have
    /// (`IllegalArgumentException`).
    #[error("{requested} is not valid here: this channel allows {valid}")]
    InvalidOps {
        /// What was asked for.
        requested: Ops,
        /// What the channel allows.
        valid: Ops,
    },

    /// The channel has been dropped (`ClosedChannelException`).
    #[error("the channel has been dropped")]
    ClosedChannel,

    /// The same descriptor is registered already, by another channel object or token.
    #[error("descriptor {fd} is registered already")]
    AlreadyRegistered {
        /// The descriptor's number.
        fd: RawFd,
    },

    /// The token belongs to no registration, or to one that has ended.
    #[error("{0} is not registered")]
    NotRegistered(Token),

    /// The channel is connected already (`AlreadyConnectedException`).
    #[error("the channel is connected already")]
    AlreadyConnected,

    /// A connect is pending on the channel (`ConnectionPendingException`).
    #[error("a connect is pending on the channel")]
    ConnectionPending,

    /// No connect is pending on the channel (`NoConnectionPendingException`).
    #[error("no connect is pending on the channel")]
    NoConnectionPending,

    /// The system, the mechanism or the kind of file cannot do this.
    #[error("unsupported: {0}")]
    Unsupported(String),

    /// The kernel refused to watch a descriptor when a queued change was applied.
    ///
    /// The change stays queued and is tried again at each selection, which returns with this error
    /// at once, until it succeeds, or
    /// until the registration is cancelled: [`Selector::key_of`](crate::Selector::key_of) finds
    /// the key. All other changes have been applied, and what was ready has been reported.
    #[error("cannot watch descriptor {fd} ({token}): {call}: {source}")]
    Refused {
        /// The registration.
        token: Token,
        /// Its descriptor.
        fd: RawFd,
        /// The system call that failed.
        call: &'static str,
        /// What it reported.
        source: io::Error,
    },

    /// A system call failed.
    #[error("{call}: {source}")]
    System {
        /// The system call.
        call: &'static str,
        /// What it reported.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn system(call: &'static str, source: io::Error) -> Self {
        Self::System { call, source }
    }

    /// The failure of `call` that `errno` tells of.
    pub(crate) fn last_os(call: &'static str) -> Self {
        Self::system(call, io::Error::last_os_error())
    }

    /// The system's error number, where a system call failed.
    pub fn raw_os_error(&self) -> Option<i32> {
        match self {
            Self::System { source, .. } | Self::Refused { source, .. } => source.raw_os_error(),
            _ => None,
        }
    }

    /// The kind that [`io::Error`] has for this.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::System { source, .. } | Self::Refused { source, .. } => source.kind(),
            Self::Unsupported(_) => io::ErrorKind::Unsupported,
            Self::AlreadyRegistered { .. } => io::ErrorKind::AlreadyExists,
            Self::NotRegistered(_) => io::ErrorKind::NotFound,
            Self::ClosedSelector | Self::CancelledKey | Self::ClosedChannel => io::ErrorKind::Other,
            Self::NoConnectionPending => io::ErrorKind::NotConnected,
            Self::IllegalBlockingMode
            | Self::InvalidOps { .. }
            | Self::AlreadyConnected
            | Self::ConnectionPending => io::ErrorKind::InvalidInput,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error)
    }
}
