//! The same jobs done by nioselect and by what it is compared with.

mod mio;
mod nioselect;
mod polling;
#[cfg(target_os = "linux")]
mod raw_epoll;

pub(crate) use nioselect::Nioselect;
#[cfg(target_os = "linux")]
pub(crate) use raw_epoll::RawEpoll;

use std::fmt;
use std::hint::black_box;
use std::io;

use ::nioselect::Backend;

use crate::channel::Channel;
use crate::mechanism::Mechanism;
use mio::Mio;
use polling::Polling;

/// How many events each engine takes from the kernel at most in one look.
const CAPACITY: usize = 1024;

/// The number that an engine's own wakeup has, and no channel.
const WAKEUP: usize = 0;

/// Numbers the channels, from one.
fn numbered(channels: &[Channel]) -> impl Iterator<Item = (usize, &Channel)> {
    (1..).zip(channels)
}

/// What belongs to each channel, by its number: here the number itself. The selector has it
/// attached to the key; who gets only a number looks it up.
fn attachments(channels: &[Channel]) -> Vec<usize> {
    (0..=channels.len() + 1).collect()
}

/// What an engine is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// [`Engine::look`].
    Look,
    /// [`Engine::register_and_deregister`].
    Registration,
    /// [`Engine::toggle_interest`].
    InterestToggle,
    /// [`Engine::wake_and_look`].
    Wakeup,
    /// [`Engine::renew_all`].
    Renewal,
}

/// Watches channels for reading, level-triggered, and does [jobs](Job) with them.
pub trait Engine: fmt::Debug {
    /// What the tables call it.
    fn name(&self) -> &str;

    /// Asks what is ready, without waiting, and visits what is: sees what it is ready for, and
    /// what belongs to it. The sum of that of those that can be read.
    ///
    /// # Errors
    ///
    /// That of the system call that failed, here and below.
    fn look(&mut self) -> io::Result<usize>;

    /// Begins to watch one more channel, looks, ceases to watch it and looks.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    fn register_and_deregister(&mut self) -> io::Result<usize>;

    /// Watches the first channel for writing too, then only for reading again, and looks.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    fn toggle_interest(&mut self) -> io::Result<usize>;

    /// Asks for a wakeup, while nobody waits, and looks.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    fn wake_and_look(&mut self) -> io::Result<usize>;

    /// Ceases to watch each channel and begins to watch it again, and looks.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    fn renew_all(&mut self) -> io::Result<usize>;

    /// Does a job so many times.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    fn run(&mut self, job: Job, times: u64) -> io::Result<()> {
        // The loops are here so that each engine has its own, with nothing dynamic in them.
        match job {
            Job::Look => repeat(times, || self.look()),
            Job::Registration => repeat(times, || self.register_and_deregister()),
            Job::InterestToggle => repeat(times, || self.toggle_interest()),
            Job::Wakeup => repeat(times, || self.wake_and_look()),
            Job::Renewal => repeat(times, || self.renew_all()),
        }
    }
}

#[inline]
fn repeat(times: u64, mut action: impl FnMut() -> io::Result<usize>) -> io::Result<()> {
    for _ in 0..times {
        black_box(action()?);
    }
    Ok(())
}

/// Every engine of this system: nioselect with its preferred backend and no doorbell first, then
/// what it is compared with, then nioselect with a doorbell and with its other backends. All of
/// them watch the same channels.
///
/// # Errors
///
/// That of the system call that failed.
///
/// # Panics
///
/// Without a channel.
pub fn all(channels: &[Channel]) -> io::Result<Vec<Box<dyn Engine>>> {
    let preferred = Mechanism::plain(Backend::preferred()?);
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(Nioselect::over(preferred, channels)?),
        #[cfg(target_os = "linux")]
        Box::new(RawEpoll::over(channels)?),
        Box::new(Mio::over(channels)?),
        Box::new(Polling::over(channels)?),
    ];
    for mechanism in Mechanism::available() {
        if mechanism != preferred {
            engines.push(Box::new(Nioselect::over(mechanism, channels)?));
        }
    }
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel;

    #[test]
    fn every_engine_sees_the_same_channels_again_and_again() {
        let channels = channel::open(10, 2).unwrap();
        for mut engine in all(&channels).unwrap() {
            for _ in 0..3 {
                assert_eq!(engine.look().unwrap(), 5 + 10, "{}", engine.name());
            }
        }
    }

    #[test]
    fn no_job_makes_a_silent_channel_ready() {
        let channels = channel::open(10, 0).unwrap();
        for mut engine in all(&channels).unwrap() {
            let name = engine.name().to_owned();
            for _ in 0..3 {
                assert_eq!(engine.look().unwrap(), 0, "{name}");
                assert_eq!(engine.register_and_deregister().unwrap(), 0, "{name}");
                assert_eq!(engine.toggle_interest().unwrap(), 0, "{name}");
                assert_eq!(engine.wake_and_look().unwrap(), 0, "{name}");
                assert_eq!(engine.renew_all().unwrap(), 0, "{name}");
            }
        }
    }

    #[test]
    fn every_mechanism_does_the_jobs() {
        let channels = channel::open(10, 1).unwrap();
        for mechanism in Mechanism::available() {
            let mut engine = Nioselect::over(mechanism, &channels).unwrap();
            assert_eq!(engine.look().unwrap(), 10, "{mechanism}");
            assert_eq!(engine.register_and_deregister().unwrap(), 20, "{mechanism}");
            assert_eq!(engine.toggle_interest().unwrap(), 10, "{mechanism}");
            assert_eq!(engine.wake_and_look().unwrap(), 10, "{mechanism}");
            assert_eq!(engine.renew_all().unwrap(), 10, "{mechanism}");
        }
    }
}
