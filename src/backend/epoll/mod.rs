//! epoll(7).

mod doorbell;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList};
use crate::doorbell::{Policy, Statistics};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::epoll::{self, Change};
use crate::token::Token;
use doorbell::Doorbell;

#[derive(Debug)]
pub(crate) struct Epoll {
    /// Declared first, so that it has let go of the descriptor when that is closed.
    doorbell: Doorbell,
    descriptor: OwnedFd,
}

impl Epoll {
    pub(super) fn open() -> Result<Self> {
        Ok(Self {
            doorbell: Doorbell::new(Policy::Off),
            descriptor: epoll::create()?,
        })
    }

    pub(super) fn set_doorbell(&mut self, policy: Policy) {
        self.doorbell = Doorbell::new(policy);
    }

    /// Takes the place of `before`, which has not been told of anything since.
    pub(super) fn succeed(&mut self, before: &Self) {
        self.doorbell = before.doorbell.succeed();
    }

    /// Takes note of a descriptor that is neither a socket nor a pipe, before it is watched.
    pub(super) fn examine(&mut self, fd: RawFd) {
        self.doorbell.examine(fd);
    }

    pub(super) fn doorbell(&self) -> Statistics {
        self.doorbell.statistics()
    }

    /// Whether it is known without asking that nothing is ready.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.doorbell.is_silent()
    }

    /// As [`is_silent`](Self::is_silent), in place of a look.
    #[inline]
    pub(super) fn spares_a_look(&mut self) -> bool {
        self.doorbell.spares_a_look()
    }

    /// The word that is 0 as long as [`is_silent`](Self::is_silent) is true, if it is now.
    pub(super) fn silence(&self) -> Option<&AtomicU32> {
        self.doorbell.silence()
    }

    /// Expects to be asked again and again what is ready now.
    pub(super) fn listen(&mut self) {
        self.doorbell.listen(self.descriptor.as_raw_fd());
    }

    #[inline(always)]
    fn look(&mut self, ready: &mut ReadyList) -> io::Result<()> {
        if self.spares_a_look() {
            return Ok(());
        }
        self.doorbell.before_look(self.descriptor.as_raw_fd());
        self.ask(ready, Some(Duration::ZERO))?;
        self.doorbell.after_look(ready.is_empty());
        Ok(())
    }

    #[inline(always)]
    fn ask(&self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        let limit = ready.limit();
        epoll::wait(&self.descriptor, ready.events(), limit, timeout)
    }

    fn control(&self, change: Change, fd: RawFd, events: u32, token: Token) -> Result<()> {
        epoll::control(&self.descriptor, change, fd, events, token.to_bits())
    }
}

impl Mechanism for Epoll {
    fn supports(&self, _mode: Mode) -> bool {
        true
    }

    fn may_be_haunted(&self) -> bool {
        true
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.control(Change::Add, fd, events_for(wanted, mode), token)
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.control(Change::Modify, fd, events_for(wanted, mode), token)
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        match self.control(Change::Remove, fd, 0, Token::WAKE) {
            Err(error) if is_forgotten(&error) => Ok(()),
            answer => answer,
        }
    }

    #[inline(always)]
    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        if timeout == Some(Duration::ZERO) {
            return self.look(ready);
        }
        self.doorbell.before_wait();
        self.ask(ready, timeout)
    }
}

/// A descriptor closed behind our back has left the kernel's set already (epoll(7), question 6).
fn is_forgotten(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EBADF))
}

/// Neither EPOLLPRI, so that an urgent byte cannot spin, nor EPOLLRDHUP, which does not tell
/// which side has shut down.
fn events_for(wanted: Readiness, mode: Mode) -> u32 {
    let events = match mode {
        Mode::Level => 0,
        Mode::Edge => libc::EPOLLET,
        Mode::OneShot => libc::EPOLLONESHOT,
    };
    events.cast_unsigned() | u32::from(wanted.to_poll_events())
}

/// Whether epoll cannot watch this descriptor: a regular file, a directory, `/dev/null` and
/// their like, which are always ready.
pub(crate) fn refuses(fd: RawFd) -> Result<bool> {
    let probe = epoll::create()?;
    match epoll::control(&probe, Change::Add, fd, 0, 0) {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(error),
    }
}
