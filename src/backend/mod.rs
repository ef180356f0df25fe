//! The mechanisms: descriptors, tokens and readiness. Nothing here knows of keys or channels.

#[cfg(any(
    all(target_os = "linux", feature = "doubles"),
    target_os = "solaris",
    target_os = "illumos"
))]
mod devpoll;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) mod epoll;
#[cfg(target_os = "linux")]
mod io_uring;
#[cfg(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "dragonfly",
    target_os = "netbsd",
    target_os = "openbsd",
    nioselect_kqueue_extern,
    all(target_os = "linux", feature = "doubles"),
))]
mod kqueue;
mod poll;
mod ready_list;
#[cfg(target_os = "linux")]
mod rt_signal;
mod select;

pub(crate) use ready_list::ReadyList;

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::wake::{Bell, WakeDescriptor};
use crate::token::Token;

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
    /// kernel, and every wait looks at each of them there.
    ///
    /// One thing it does not tell: that a descriptor was closed, behind the back of whoever has
    /// registered it, before the kernel heard of it for the first time.
    DevPoll,
    /// io_uring(7), Linux 5.13 or later, where it is not forbidden: a selection that finds
    /// nothing makes no system call, from Linux 6.1 on.
    ///
    /// What is watched belongs to the thread that selects. When another one does, everything is
    /// made anew for it, and edges that were reported are reported once more.
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
    /// to write, are looked at by every wait, as by poll(2).
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
    ///   at by every wait. `F_SETFL` must keep `O_ASYNC`.
    ///
    /// The signals go to one thread: when another one selects, every descriptor is told so. One
    /// thing must be [told](crate::poller::reading_has_ended): that a descriptor, not a channel of
    /// this crate, has been shut down for reading on this side.
    RtSignal,
}

impl Backend {
    /// The environment variable that names the backend of every selector that is opened without
    /// an explicit one.
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
        let doubles = cfg!(all(target_os = "linux", feature = "doubles"));
        match self {
            Self::Epoll => cfg!(any(target_os = "linux", target_os = "android")),
            Self::IoUring | Self::RtSignal => cfg!(target_os = "linux"),
            Self::Kqueue => {
                doubles
                    || cfg!(any(
                        target_vendor = "apple",
                        target_os = "freebsd",
                        target_os = "netbsd",
                        target_os = "openbsd",
                        target_os = "dragonfly",
                        nioselect_kqueue_extern,
                    ))
            }
            Self::DevPoll => doubles || cfg!(any(target_os = "solaris", target_os = "illumos")),
            Self::Poll | Self::Select => true,
        }
    }

    /// The backends that can run here, the best first. Each is probed.
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
        if let Some(name) = std::env::var_os(Self::VARIABLE) {
            let name = name.to_string_lossy();
            let named = Self::named(&name);
            return named.map_err(|why| Error::Unsupported(format!("{}: {why}", Self::VARIABLE)));
        }
        Ok(Self::best())
    }

    /// The best that can run here, whatever `NIOSELECT_BACKEND` says. No backend is probed that
    /// comes after it.
    pub fn best() -> Self {
        let best = Self::ALL.iter().copied().find(|backend| backend.can_run());
        best.unwrap_or(Self::Poll)
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
        match self.open() {
            Ok(_) => true,
            Err(error) => matches!(
                error.raw_os_error(),
                Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM)
            ),
        }
    }

    /// A mechanism for a poller that has ended.
    pub(crate) fn without_kernel_state() -> Engine {
        Engine::Other(Box::<poll::Poll>::default())
    }

    pub(crate) fn open(self) -> Result<Engine> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Self::Epoll => Ok(Engine::Epoll(epoll::Epoll::open()?)),
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            Self::Epoll => unsupported("epoll exists only on Linux"),
            #[cfg(any(
                target_vendor = "apple",
                target_os = "freebsd",
                target_os = "dragonfly",
                target_os = "netbsd",
                target_os = "openbsd",
                nioselect_kqueue_extern,
                all(target_os = "linux", feature = "doubles"),
            ))]
            Self::Kqueue => Ok(Engine::Other(Box::new(kqueue::Kqueue::open()?))),
            #[cfg(not(any(
                target_vendor = "apple",
                target_os = "freebsd",
                target_os = "dragonfly",
                target_os = "netbsd",
                target_os = "openbsd",
                nioselect_kqueue_extern,
                all(target_os = "linux", feature = "doubles"),
            )))]
            Self::Kqueue => unsupported("kqueue exists only on macOS and the BSDs"),
            #[cfg(any(
                all(target_os = "linux", feature = "doubles"),
                target_os = "solaris",
                target_os = "illumos"
            ))]
            Self::DevPoll => Ok(Engine::Other(Box::new(devpoll::DevPoll::open()?))),
            #[cfg(not(any(
                all(target_os = "linux", feature = "doubles"),
                target_os = "solaris",
                target_os = "illumos"
            )))]
            Self::DevPoll => unsupported("/dev/poll exists only on Solaris and illumos"),
            #[cfg(target_os = "linux")]
            Self::IoUring => Ok(Engine::IoUring(Box::new(io_uring::IoUring::open()?))),
            #[cfg(not(target_os = "linux"))]
            Self::IoUring => unsupported("io_uring exists only on Linux"),
            #[cfg(target_os = "linux")]
            Self::RtSignal => Ok(Engine::Other(Box::new(rt_signal::RtSignal::open()?))),
            #[cfg(not(target_os = "linux"))]
            Self::RtSignal => unsupported("real-time signals tell of readiness only on Linux"),
            Self::Poll => Ok(Engine::Other(Box::<poll::Poll>::default())),
            Self::Select => Ok(Engine::Other(Box::<select::Select>::default())),
        }
    }
}

/// Takes note that this side has shut down reading: real-time signals do not announce it.
pub(crate) fn reading_has_ended(fd: BorrowedFd<'_>) {
    #[cfg(target_os = "linux")]
    rt_signal::announce(fd.as_raw_fd());
    #[cfg(not(target_os = "linux"))]
    let _ = fd;
}

fn unsupported(why: &str) -> Result<Engine> {
    Err(Error::Unsupported(why.into()))
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

bitflags::bitflags! {
    /// What the kernel is asked for or tells of one descriptor, in the bits of poll(2), which
    /// are the same on every system and those of epoll(7) too.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Readiness: u8 {
        const READABLE = libc::POLLIN as u8;
        const WRITABLE = libc::POLLOUT as u8;
        /// An error, which nobody has to ask for.
        const ERROR = libc::POLLERR as u8;
        /// A hang-up, which nobody has to ask for.
        const HANGUP = libc::POLLHUP as u8;
        /// The descriptor is not open. It would be reported for ever: the caller removes it.
        const DEAD = libc::POLLNVAL as u8;
        /// What nobody asks for.
        const FAILED = Self::ERROR.bits() | Self::HANGUP.bits() | Self::DEAD.bits();
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const _: () = assert!(
    libc::EPOLLIN == libc::POLLIN as i32
        && libc::EPOLLOUT == libc::POLLOUT as i32
        && libc::EPOLLERR == libc::POLLERR as i32
        && libc::EPOLLHUP == libc::POLLHUP as i32
);

impl Readiness {
    /// The bits that matter here, of what poll(2) or epoll(7) has answered.
    #[inline]
    fn of_poll_events(events: u32) -> Self {
        Self::from_bits_truncate((events & 0xff) as u8)
    }

    /// As poll(2) and epoll(7) are asked.
    fn to_poll_events(self) -> u8 {
        self.bits()
    }
}

/// One descriptor that has something to tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) token: Token,
    pub(crate) readiness: Readiness,
    /// Not 0: the kernel has refused to watch it, for this reason.
    pub(crate) refusal: i32,
}

/// What every mechanism does.
///
/// - Level-triggered, unless a descriptor was added in another [`Mode`].
/// - A descriptor is watched from `add` to `remove`; the caller never asks for nothing (it
///   removes instead) and never adds the same one twice.
/// - Additions and modifications may be held back until `wait`, but when `remove` returns, the
///   kernel has forgotten the descriptor: it may be closed.
/// - What the kernel objects to when it learns of a change in `wait` goes into the list by
///   [`ReadyList::refuse`], beside what is ready, and then the wait does not block. The refused
///   descriptor is not watched. One that turns out to be closed is [`Readiness::DEAD`] instead.
pub(crate) trait Mechanism: Send + fmt::Debug {
    fn supports(&self, mode: Mode) -> bool;

    /// What ends its wait from another thread; its events have the token [`Token::WAKE`].
    fn open_bell(&mut self) -> Result<Box<dyn Bell>> {
        open_wake_descriptor(self)
    }

    /// Whether it may go on to report what it was told to forget: epoll(7) does when the
    /// descriptor has been made another open file by dup2(2).
    fn may_be_haunted(&self) -> bool {
        false
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()>;

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()>;

    /// Forgets a descriptor, at once: it is to be closed.
    fn remove(&mut self, fd: RawFd) -> Result<()>;

    /// Forgets a descriptor that stays open at least until the next `wait` or `remove`, and so
    /// may be held back until then.
    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        self.remove(fd)
    }

    /// Whether the kernel still has a descriptor that [`unwatch`](Self::unwatch) was told of: it
    /// must be removed before it is closed.
    fn lingers(&self, _fd: RawFd) -> bool {
        false
    }

    /// Waits for at most `timeout` (`None`: for ever) and fills `ready`, which is empty, up to
    /// its limit, each token once; what did not fit comes first the next time. May return early
    /// and empty-handed.
    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()>;
}

/// A bell that is a descriptor: every mechanism can watch one.
fn open_wake_descriptor(mechanism: &mut (impl Mechanism + ?Sized)) -> Result<Box<dyn Bell>> {
    let mut descriptor = WakeDescriptor::open()?;
    let mode = if mechanism.supports(Mode::Edge) && descriptor.never_fills() {
        descriptor.leave_readable();
        Mode::Edge
    } else {
        Mode::Level
    };
    let fd = descriptor.as_fd().as_raw_fd();
    mechanism.add(fd, Token::WAKE, Readiness::READABLE, mode)?;
    Ok(Box::new(descriptor))
}

/// A mechanism that is open.
#[derive(Debug)]
pub(crate) enum Engine {
    /// By itself, so that the compiler can see through a selection that finds nothing.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Epoll(epoll::Epoll),
    /// As epoll.
    #[cfg(target_os = "linux")]
    IoUring(Box<io_uring::IoUring>),
    Other(Box<dyn Mechanism>),
}

impl Deref for Engine {
    type Target = dyn Mechanism;

    fn deref(&self) -> &Self::Target {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Self::Epoll(epoll) => epoll,
            #[cfg(target_os = "linux")]
            Self::IoUring(io_uring) => &**io_uring,
            Self::Other(mechanism) => &**mechanism,
        }
    }
}

impl DerefMut for Engine {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Self::Epoll(epoll) => epoll,
            #[cfg(target_os = "linux")]
            Self::IoUring(io_uring) => &mut **io_uring,
            Self::Other(mechanism) => &mut **mechanism,
        }
    }
}

impl Engine {
    #[inline]
    pub(crate) fn wait(
        &mut self,
        ready: &mut ReadyList,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Self::Epoll(epoll) => epoll.wait(ready, timeout),
            #[cfg(target_os = "linux")]
            Self::IoUring(io_uring) => io_uring.wait(ready, timeout),
            Self::Other(mechanism) => mechanism.wait(ready, timeout),
        }
    }
}
