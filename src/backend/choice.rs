//! Which mechanism is used: by name, by preference, by what the system has.

use std::fmt;
use std::str::FromStr;
use std::thread;

use super::Engine;
#[cfg(has_devpoll)]
use super::devpoll::DevPoll;
#[cfg(has_epoll)]
use super::epoll::Epoll;
#[cfg(has_io_uring)]
use super::io_uring::IoUring;
#[cfg(has_kqueue)]
use super::kqueue::Kqueue;
use super::poll::Poll;
#[cfg(target_os = "linux")]
use super::rt_signal::RtSignal;
use super::select::Select;
use crate::error::{Error, Result};

/// A mechanism of the system by which a selector learns what is ready.
///
/// All of them give the same results; they differ in speed. The names are those that
/// `NIOSELECT_BACKEND` takes.
///
/// ```
/// use nioselect::Backend;
///
/// for backend in Backend::available() {
///     println!("{backend}");
/// }
/// assert_eq!("poll".parse::<Backend>()?, Backend::Poll);
/// # Ok::<(), nioselect::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// epoll(7), Linux: its cost does not depend on the number of idle descriptors.
    Epoll,
    /// kqueue(2), macOS and the BSDs: as epoll, and changes of interest cost no system call of
    /// their own.
    Kqueue,
    /// The device `/dev/poll`, poll(7d), Solaris and illumos: the descriptors are kept in the
    /// kernel, where every wait looks at those that have been woken or were ready.
    ///
    /// One thing it does not tell: that a descriptor was closed, behind the back of whoever has
    /// registered it, before the kernel heard of it for the first time.
    DevPoll,
    /// io_uring(7), Linux 5.13 or later, where it is not forbidden: a selection that finds
    /// nothing makes no system call, from Linux 6.1 on.
    ///
    /// What is watched belongs to the thread that selects. When another one does, everything is
    /// made anew for it, and edges that were reported are reported once more. When a selector has
    /// been closed, or has gone to another thread, the kernel may interrupt the next call that the
    /// thread waits in, if that has a time limit (EINTR, as if by a signal handler).
    ///
    /// What was watched by one thread may be ended by another, which then waits until the kernel
    /// has let go of it: some ten milliseconds, but up to a second if a child that was forked
    /// meanwhile and has not called exec(2) has the ring, too. After that the file may stay open,
    /// though its descriptor is closed, until the child ends.
    IoUring,
    /// poll(2), everywhere: every wait looks at each descriptor. It fails if `RLIMIT_NOFILE` is
    /// lowered below the number of channels registered. On macOS it does not watch devices, such
    /// as terminals.
    Poll,
    /// select(2), everywhere: every wait looks at each number up to the largest descriptor.
    /// Descriptors beyond `FD_SETSIZE` are served too, but on Solaris and illumos, where it is
    /// 65536.
    ///
    /// One thing is different: select(2) has no word for a hang-up but "readable". A channel
    /// that is interested in writing alone learns of one only if it makes it writable, as it
    /// nearly always does; not, on Linux, if both directions of a UNIX domain connection have
    /// been shut down while there is no room to write.
    Select,
    /// Real-time signals, Linux: `O_ASYNC` and `F_SETSIG`, see fcntl(2). Pipes and the common
    /// sockets cost nothing while they are idle; other descriptors, and those that wait for room
    /// to write, are looked at by every wait, as by poll(2), and with the same limit: there may be
    /// no more of them than `RLIMIT_NOFILE` allows.
    ///
    /// It is never chosen by itself, for what it takes from the process:
    ///
    /// - The signal `SIGRTMIN + 10` and SIGIO are blocked in each thread that selects, for good,
    ///   and must stay so while it selects. Where their action is the default one, which ends the
    ///   process, it becomes to do nothing. What others send to such a thread or to the whole
    ///   process by one of the two may be swallowed. Programs that are started from such a thread
    ///   inherit the mask.
    /// - `O_ASYNC`, the owner and the signal of each descriptor that is registered, until it is
    ///   deregistered. One for which the program has set these itself is left alone, and looked
    ///   at by every wait. From then on `F_SETFL` must keep `O_ASYNC`, and owner and signal must
    ///   stay.
    ///
    /// Processes that have an open file in common, by a fork, must not begin to select it at the
    /// same moment: the later one takes the signals from the other, which in rare cases does not
    /// notice.
    ///
    /// The signals go to one thread: when another one selects, every descriptor is told so. One
    /// thing must be [told](crate::poller::reading_has_ended): that a descriptor, not a channel of
    /// this crate, has been shut down for reading on this side.
    RtSignal,
}

impl Backend {
    /// The environment variable that names the backend of every selector that is opened without
    /// an explicit one. An empty one counts for nothing, and none does for the JVM's selectors.
    pub const VARIABLE: &'static str = "NIOSELECT_BACKEND";

    /// Every backend that this crate has, the best first.
    pub const ALL: &'static [Self] = &[
        Self::Epoll,
        Self::Kqueue,
        Self::DevPoll,
        Self::IoUring,
        Self::Poll,
        Self::Select,
        Self::RtSignal,
    ];

    /// The name, as [`FromStr`] takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Epoll => "epoll",
            Self::Kqueue => "kqueue",
            Self::DevPoll => "devpoll",
            Self::IoUring => "io_uring",
            Self::Poll => "poll",
            Self::Select => "select",
            Self::RtSignal => "rt_signal",
        }
    }

    /// The system call that waits.
    pub(crate) const fn waiting_call(self) -> &'static str {
        match self {
            Self::Epoll => "epoll_wait",
            Self::Kqueue => "kevent",
            Self::DevPoll => "ioctl(DP_POLL)",
            Self::IoUring => "io_uring_enter",
            Self::Poll | Self::RtSignal => "poll",
            Self::Select => "select",
        }
    }

    /// The system call that tells the kernel of changes which have been held back.
    pub(crate) const fn changing_call(self) -> &'static str {
        match self {
            Self::DevPoll => "write",
            _ => self.waiting_call(),
        }
    }

    /// Whether it is a mechanism of this operating system. Whether it can run is another
    /// question: a kernel may be too old for it, or forbid it.
    pub const fn is_of_this_system(self) -> bool {
        match self {
            Self::Epoll => cfg!(has_epoll),
            Self::Kqueue => cfg!(has_kqueue),
            Self::DevPoll => cfg!(has_devpoll),
            Self::IoUring => cfg!(has_io_uring),
            Self::RtSignal => cfg!(target_os = "linux"),
            Self::Poll | Self::Select => true,
        }
    }

    /// The backends that can run here, the best first. Each is probed by opening it, io_uring in a
    /// thread of its own. (Some sandboxes end a process that asks for io_uring.)
    pub fn available() -> Vec<Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|backend| backend.can_run())
            .collect()
    }

    /// What a selector uses when it is not told: the backend that `NIOSELECT_BACKEND` names, or
    /// else the best that can run here.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the variable names no backend of this crate. That the named one
    /// cannot run here is reported when a selector is opened.
    pub fn preferred() -> Result<Self> {
        let named = std::env::var_os(Self::VARIABLE).filter(|name| !name.is_empty());
        if let Some(name) = named {
            let name = name.to_string_lossy();
            let named = Self::named(&name);
            return named.map_err(|why| Error::Unsupported(format!("{}: {why}", Self::VARIABLE)));
        }
        Ok(Self::best())
    }

    /// The best that can run here, whatever `NIOSELECT_BACKEND` says. No backend is probed that
    /// comes after it.
    pub fn best() -> Self {
        let mut all = Self::ALL.iter().copied();
        let best = all.find(|backend| !backend.is_double() && backend.can_run());
        best.unwrap_or(Self::Poll)
    }

    /// Whether it is only imitated here, for tests: whoever wants that has to name it.
    const fn is_double(self) -> bool {
        let doubles = cfg!(all(target_os = "linux", feature = "doubles"));
        doubles && matches!(self, Self::Kqueue | Self::DevPoll)
    }

    /// The backend of that name, or what is wrong with the name.
    fn named(name: &str) -> std::result::Result<Self, String> {
        let mut all = Self::ALL.iter().copied();
        all.find(|backend| backend.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|backend| backend.name()).collect();
            format!("there is no backend {name:?}, only {}", known.join(", "))
        })
    }

    /// That there is no descriptor or memory left just now says nothing of the system.
    fn can_run(self) -> bool {
        match self.probe() {
            Ok(()) => true,
            Err(error) => matches!(
                error.raw_os_error(),
                Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM)
            ),
        }
    }

    fn probe(self) -> Result<()> {
        let try_it = move || self.open().map(drop);
        if self == Self::IoUring
            && let Ok(prober) = thread::Builder::new().spawn(try_it)
        {
            // The thread that has opened a ring may have a system call interrupted when the ring
            // ends, a while after it was closed: not the caller's.
            return prober.join().unwrap_or_else(|_| try_it());
        }
        try_it()
    }

    /// A mechanism for a poller that has ended.
    pub(crate) fn without_kernel_state() -> Engine {
        Engine::Other(Box::<Poll>::default())
    }

    #[allow(unreachable_patterns, reason = "with the doubles, Linux has them all")]
    pub(crate) fn open(self) -> Result<Engine> {
        Ok(match self {
            #[cfg(has_epoll)]
            Self::Epoll => Engine::Epoll(Epoll::open()?),
            #[cfg(has_kqueue)]
            Self::Kqueue => Engine::Other(Box::new(Kqueue::open()?)),
            #[cfg(has_devpoll)]
            Self::DevPoll => Engine::Other(Box::new(DevPoll::open()?)),
            #[cfg(has_io_uring)]
            Self::IoUring => Engine::IoUring(Box::new(IoUring::open()?)),
            #[cfg(target_os = "linux")]
            Self::RtSignal => Engine::Other(Box::new(RtSignal::open()?)),
            Self::Poll => Engine::Other(Box::<Poll>::default()),
            Self::Select => Engine::Other(Box::<Select>::default()),
            _ => {
                let systems = self.systems();
                return Err(Error::Unsupported(format!(
                    "{self} exists only on {systems}"
                )));
            }
        })
    }

    /// Those that have it, in words.
    const fn systems(self) -> &'static str {
        match self {
            Self::Epoll | Self::IoUring | Self::RtSignal => "Linux",
            Self::Kqueue => "macOS and the BSDs",
            Self::DevPoll => "Solaris and illumos",
            Self::Poll | Self::Select => "every system",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::named(name).map_err(Error::Unsupported)
    }
}
