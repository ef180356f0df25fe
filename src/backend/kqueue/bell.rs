//! Ending the wait by an event of our own.

use std::io;
use std::sync::Arc;

use crate::error::Result;
use crate::sys::kqueue::types::{EV_ADD, EV_CLEAR, EVFILT_USER, Flags, NOTE_TRIGGER};
use crate::sys::kqueue::{Event, Queue};
use crate::sys::wake::Bell;
use crate::token::Token;

/// `EVFILT_USER`: it needs no descriptor, and no reading to be silent again.
///
/// It keeps the queue, so that the number it rings is never somebody else's; the poller drops it
/// before the descriptors that are watched can be closed.
#[derive(Debug)]
pub(super) struct UserBell {
    queue: Arc<Queue>,
}

impl UserBell {
    /// Fails where the kernel has no such filter: NetBSD before 10, OpenBSD before 7.8.
    pub(super) fn hang(queue: &Arc<Queue>) -> io::Result<Self> {
        let mut addition = [event(EV_ADD | EV_CLEAR, 0)];
        queue.submit(&mut addition)?;
        match addition[0].outcome() {
            Some(0) => Ok(Self {
                queue: Arc::clone(queue),
            }),
            Some(errno) => Err(io::Error::from_raw_os_error(errno)),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Bell for UserBell {
    fn ring(&self) {
        // It fails in a child only, which has no such queue and no thread that waits for it.
        let _ = self.queue.submit(&mut [event(0, NOTE_TRIGGER)]);
    }

    fn quieten(&self) -> Result<()> {
        Ok(())
    }
}

/// FreeBSD takes the user data from the trigger, so that both must have the same.
fn event(flags: Flags, fflags: u32) -> Event {
    // No descriptor is meant: the filter is part of an event's name.
    Event::new(0, EVFILT_USER, flags, fflags, Token::WAKE.generation())
}
