//! What an open file has for `O_ASYNC`: the flag, the owner and the signal. All three belong to
//! the open file description, which duplicates and forked children share.

use std::os::fd::RawFd;

use super::super::check;
use super::{ThreadId, signal_number};
use crate::error::Result;

// The numbers of fcntl(2) for Linux, which the crate libc has not for every C library.
const F_SETSIG: libc::c_int = 10;
const F_GETSIG: libc::c_int = 11;
const F_SETOWN_EX: libc::c_int = 15;
const F_GETOWN_EX: libc::c_int = 16;
const F_OWNER_TID: libc::c_int = 0;

/// `struct f_owner_ex`.
#[repr(C)]
struct Owner {
    kind: libc::c_int,
    /// 0: nobody, or one who is gone.
    number: libc::pid_t,
}

/// The flags that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(crate) asynchronous: bool,
    pub(crate) nonblocking: bool,
}

pub(crate) fn status(fd: RawFd) -> Result<Status> {
    // SAFETY: no memory is passed.
    let flags = check("fcntl(F_GETFL)", unsafe { libc::fcntl(fd, libc::F_GETFL) })?;
    Ok(Status {
        asynchronous: flags & libc::O_ASYNC != 0,
        nonblocking: flags & libc::O_NONBLOCK != 0,
    })
}

fn signal_of(fd: RawFd) -> Result<libc::c_int> {
    // SAFETY: no memory is passed.
    check("fcntl(F_GETSIG)", unsafe { libc::fcntl(fd, F_GETSIG) })
}

fn owner_of(fd: RawFd) -> Result<Owner> {
    let mut owner = Owner { kind: 0, number: 0 };
    // SAFETY: `owner` is laid out as the kernel writes it, and lives through the call.
    check("fcntl(F_GETOWN_EX)", unsafe {
        libc::fcntl(fd, F_GETOWN_EX, &raw mut owner)
    })?;
    Ok(owner)
}

fn set_signal(fd: RawFd, signal: libc::c_int) -> Result<()> {
    // SAFETY: no memory is passed.
    check("fcntl(F_SETSIG)", unsafe {
        libc::fcntl(fd, F_SETSIG, signal)
    })?;
    Ok(())
}

fn set_owner(fd: RawFd, number: libc::pid_t) -> Result<()> {
    let owner = Owner {
        kind: F_OWNER_TID,
        number,
    };
    // SAFETY: `owner` is laid out as the kernel reads it, and lives through the call.
    check("fcntl(F_SETOWN_EX)", unsafe {
        libc::fcntl(fd, F_SETOWN_EX, &raw const owner)
    })?;
    Ok(())
}

/// Whether nobody has said who shall get which signal.
pub(crate) fn is_unclaimed(fd: RawFd) -> Result<bool> {
    Ok(signal_of(fd)? == 0 && owner_of(fd)?.number == 0)
}

/// Whether our signal goes to `thread`, or went to it while it lived.
pub(crate) fn is_sent_to(fd: RawFd, thread: ThreadId) -> Result<bool> {
    if signal_of(fd)? != signal_number() {
        return Ok(false);
    }
    let owner = owner_of(fd)?;
    Ok(owner.kind == F_OWNER_TID && [0, thread.0].contains(&owner.number))
}

/// The signal of this file is to be ours, for `thread`.
pub(crate) fn send_to(fd: RawFd, thread: ThreadId) -> Result<()> {
    set_signal(fd, signal_number())?;
    set_owner(fd, thread.0)
}

/// Nobody gets a signal of this file any more.
pub(crate) fn unclaim(fd: RawFd) -> Result<()> {
    set_owner(fd, 0)?;
    set_signal(fd, 0)
}

/// Sets or clears `O_ASYNC`.
///
/// Unlike `F_SETFL` this neither writes back the other flags, which another thread may change
/// meanwhile, nor ignores without a word that the file has no such thing.
pub(crate) fn set_async(fd: RawFd, on: bool) -> Result<()> {
    let on = libc::c_int::from(on);
    // SAFETY: `on` lives through the call, which reads it.
    check("ioctl(FIOASYNC)", unsafe {
        libc::ioctl(fd, libc::FIOASYNC, &raw const on)
    })?;
    Ok(())
}

/// Whether the kernel announces by a signal all that poll(2) would notice, if space to write is
/// left aside.
///
/// Pipes do, and the sockets that have been checked; terminals say nothing of a hang-up, nor do
/// sockets of rarer families.
pub(crate) fn announces_everything(fd: RawFd) -> bool {
    match socket_option(fd, libc::SO_DOMAIN) {
        Some(libc::AF_UNIX) => true,
        Some(libc::AF_INET | libc::AF_INET6) => {
            let protocol = socket_option(fd, libc::SO_PROTOCOL);
            matches!(protocol, Some(libc::IPPROTO_TCP | libc::IPPROTO_UDP))
        }
        Some(_) => false,
        None => is_pipe(fd),
    }
}

fn socket_option(fd: RawFd, option: libc::c_int) -> Option<libc::c_int> {
    let mut value: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `value` has room for `length` bytes, and both live through the call.
    let answer = unsafe {
        libc::getsockopt(
            fd,
            libc::SOL_SOCKET,
            option,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    (answer == 0).then_some(value)
}

fn is_pipe(fd: RawFd) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_GETPIPE_SZ) != -1 }
}

/// `siginfo_t` of a signal with a value, as sigqueue(3) fills it in; the layout follows from the
/// alignment.
#[repr(C)]
struct Message {
    signal: libc::c_int,
    error: libc::c_int,
    code: libc::c_int,
    body: Body,
    /// At least what is missing to the 128 bytes that the kernel reads.
    rest: [u8; 112],
}

#[repr(C)]
struct Body {
    process: libc::pid_t,
    user: libc::uid_t,
    value: usize,
}

const _: () = assert!(size_of::<Message>() >= 128);

/// Announces a change of readiness that the kernel does not announce, to whichever thread of
/// this process the descriptor's signals of ours go to, if any.
pub(crate) fn announce(fd: RawFd) {
    let ours = matches!(signal_of(fd), Ok(signal) if signal == signal_number());
    let Some(owner) = owner_of(fd).ok().filter(|owner| ours && owner.number != 0) else {
        return;
    };
    send(owner.number, fd);
}

fn send(thread: libc::pid_t, fd: RawFd) {
    // SAFETY: no memory is passed.
    let (process, user) = unsafe { (libc::getpid(), libc::getuid()) };
    let info = Message {
        signal: signal_number(),
        error: 0,
        code: libc::SI_QUEUE,
        body: Body {
            process,
            user,
            value: fd.cast_unsigned() as usize,
        },
        rest: [0; 112],
    };
    // SAFETY: `info` is as large as the kernel's siginfo_t, and lives through the call. A thread
    // that is not of this process is refused.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            process,
            thread,
            info.signal,
            &raw const info,
        )
    };
    if answer == -1 && std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock {
        // The queue is full; what stands for that needs no room in it.
        // SAFETY: no memory is passed.
        unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::SIGIO) };
    }
}
