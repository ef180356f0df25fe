//! Sockets: how they come to be and to be connected.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::os::fd::BorrowedFd;

use jni::sys::{jint, jlong};
use libc::socklen_t;
use nioselect::poller::{Kind, reading_has_ended};

use crate::address::SocketAddress;
use crate::descriptor::{Unfinished, memory};
use crate::errno::{Errno, Result, check, retry};
use crate::form::{self, Family, Form, IPV6, UNIX};
use crate::interface;
use crate::sockopt::{self, name};

/// The constants of the class `Sockets`.
pub(crate) const STREAM: jint = 0;
pub(crate) const LISTENER: jint = 1;
pub(crate) const DATAGRAM: jint = 2;

/// `Sockets.open`.
pub(crate) fn open(family: Family, kind: jint) -> Result<jint> {
    let system_type = match kind {
        STREAM | LISTENER => libc::SOCK_STREAM,
        DATAGRAM => libc::SOCK_DGRAM,
        _ => return Err(Errno(libc::EINVAL)),
    };
    let socket = Unfinished(new(form::domain(family)?, system_type)?);
    if family == IPV6 {
        let both_stacks = name(libc::IPPROTO_IPV6, libc::IPV6_V6ONLY);
        sockopt::set(socket.0, both_stacks, 0)?;
    }
    if kind == LISTENER && family != UNIX {
        sockopt::set(socket.0, name(libc::SOL_SOCKET, libc::SO_REUSEADDR), 1)?;
    }
    if kind == DATAGRAM && family != UNIX {
        prepare_datagrams(socket.0, family)?;
    }
    Ok(socket.finish())
}

/// A socket, non-blocking and closed on exec.
#[cfg(not(target_vendor = "apple"))]
fn new(domain: c_int, system_type: c_int) -> Result<c_int> {
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no memory is passed.
    check(unsafe { libc::socket(domain, system_type | flags, 0) })
}

/// A socket, non-blocking and closed on exec.
#[cfg(target_vendor = "apple")]
fn new(domain: c_int, system_type: c_int) -> Result<c_int> {
    // SAFETY: no memory is passed.
    let socket = Unfinished(check(unsafe { libc::socket(domain, system_type, 0) })?);
    crate::descriptor::prepare(socket.0)?;
    Ok(socket.finish())
}

/// Linux delivers what anybody on this host has joined, unless it is told not to, and lets an
/// IPv6 socket's datagrams of either stack go as far as the administrator's default.
#[cfg(target_os = "linux")]
fn prepare_datagrams(fd: c_int, family: Family) -> Result<()> {
    let if_known = |result| match result {
        Err(Errno(libc::ENOPROTOOPT)) => Ok(()),
        result => result,
    };
    let all_ipv4 = name(libc::IPPROTO_IP, libc::IP_MULTICAST_ALL);
    if_known(sockopt::set(fd, all_ipv4, 0))?;
    if family == IPV6 {
        let all_ipv6 = name(libc::IPPROTO_IPV6, IPV6_MULTICAST_ALL);
        if_known(sockopt::set(fd, all_ipv6, 0))?;
        let hops = name(libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_HOPS);
        sockopt::set(fd, hops, 1)?;
    }
    Ok(())
}

/// The headers of musl do not have it; the kernel does.
#[cfg(target_os = "linux")]
const IPV6_MULTICAST_ALL: c_int = 29;

/// Elsewhere the send buffer limits the size of a datagram, and is too small for the largest.
#[cfg(not(target_os = "linux"))]
fn prepare_datagrams(fd: c_int, _family: Family) -> Result<()> {
    const LARGEST: c_int = 65535;

    let buffer = name(libc::SOL_SOCKET, libc::SO_SNDBUF);
    if sockopt::get::<c_int>(fd, buffer)? < LARGEST {
        sockopt::set(fd, buffer, LARGEST)?;
    }
    Ok(())
}

/// `Sockets.isAvailable`.
pub(crate) fn is_available(family: Family) -> Result<jint> {
    let opens = match new(form::domain(family)?, libc::SOCK_STREAM) {
        Ok(fd) => {
            drop(Unfinished(fd));
            true
        }
        Err(Errno(libc::EAFNOSUPPORT | libc::EPROTONOSUPPORT)) => false,
        Err(error) => return Err(error),
    };
    // Linux opens sockets of IPv6 even where it has been disabled on all interfaces.
    let usable = opens && (family != IPV6 || interface::any_has_ipv6()?);
    Ok(usable.into())
}

/// `Sockets.bind`.
///
/// # Safety
///
/// See [`Form::at`].
pub(crate) unsafe fn bind(fd: jint, family: Family, address: jlong) -> Result<jint> {
    // SAFETY: as demanded.
    let address = SocketAddress::new(unsafe { Form::at(address) }, family)?;
    // SAFETY: the length is the address's.
    check(unsafe { libc::bind(fd, address.as_ptr(), address.length()) })
}

/// `Sockets.listen`.
pub(crate) fn listen(fd: jint, backlog: jint) -> Result<jint> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::listen(fd, backlog) })
}

/// `Sockets.connect`.
///
/// # Safety
///
/// See [`Form::at`].
pub(crate) unsafe fn connect(fd: jint, family: Family, address: jlong) -> Result<jint> {
    // SAFETY: as demanded.
    let address = SocketAddress::new(unsafe { Form::at(address) }, family)?;
    // SAFETY: the length is the address's.
    match check(unsafe { libc::connect(fd, address.as_ptr(), address.length()) }) {
        // The attempt goes on; to repeat the call would be another one.
        Err(Errno(libc::EINTR)) => Err(Errno(libc::EINPROGRESS)),
        result => result,
    }
}

/// `Sockets.takeError`.
pub(crate) fn take_error(fd: jint) -> Result<jint> {
    match sockopt::get(fd, name(libc::SOL_SOCKET, libc::SO_ERROR))? {
        0 => Ok(0),
        pending => Err(Errno(pending)),
    }
}

/// `Sockets.accept`.
///
/// # Safety
///
/// See [`Form::at`].
pub(crate) unsafe fn accept(fd: jint, to: jlong) -> Result<jint> {
    loop {
        match accept_one(fd) {
            Ok((socket, peer)) => {
                // SAFETY: as demanded.
                peer.write_to(unsafe { Form::at(to) });
                return Ok(socket);
            }
            Err(Errno(libc::ECONNABORTED)) => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(not(target_vendor = "apple"))]
fn accept_one(fd: c_int) -> Result<(c_int, SocketAddress)> {
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: `filled` passes storage and its length.
    let call = |to, length: *mut socklen_t| unsafe { libc::accept4(fd, to, length, flags) };
    SocketAddress::filled(call)
}

#[cfg(target_vendor = "apple")]
fn accept_one(fd: c_int) -> Result<(c_int, SocketAddress)> {
    // SAFETY: `filled` passes storage and its length.
    let call = |to, length: *mut socklen_t| unsafe { libc::accept(fd, to, length) };
    let (socket, peer) = SocketAddress::filled(call)?;
    let socket = Unfinished(socket);
    crate::descriptor::prepare(socket.0)?;
    Ok((socket.finish(), peer))
}

/// `Sockets.shutdown`.
pub(crate) fn shutdown(fd: jint, how: jint) -> Result<jint> {
    let how = match how {
        0 => libc::SHUT_RD,
        1 => libc::SHUT_WR,
        2 => libc::SHUT_RDWR,
        _ => return Err(Errno(libc::EINVAL)),
    };
    // SAFETY: no memory is passed.
    match check(unsafe { libc::shutdown(fd, how) }) {
        Err(Errno(libc::ENOTCONN)) => Ok(0),
        Ok(answer) => {
            if how != libc::SHUT_WR {
                // SAFETY: the channel keeps the descriptor open until this call has returned.
                reading_has_ended(unsafe { BorrowedFd::borrow_raw(fd) });
            }
            Ok(answer)
        }
        refused => refused,
    }
}

/// `Sockets.sendUrgent`.
pub(crate) fn send_urgent(fd: jint, data: jint) -> Result<jint> {
    let byte = data as u8;
    // SAFETY: there is one byte.
    let count = retry(|| unsafe { libc::send(fd, (&raw const byte).cast(), 1, libc::MSG_OOB) })?;
    Ok(count as jint)
}

/// `Sockets.available`.
pub(crate) fn available(fd: jint) -> Result<jint> {
    let mut count: c_int = 0;
    // SAFETY: this request fills in an int.
    check(unsafe { libc::ioctl(fd, libc::FIONREAD, &raw mut count) })?;
    Ok(count)
}

/// `Sockets.inspect`.
///
/// # Safety
///
/// Four ints may be written to the memory at `to`.
pub(crate) unsafe fn inspect(fd: jint, to: jlong) -> Result<jint> {
    let system_type: c_int = sockopt::get(fd, name(libc::SOL_SOCKET, libc::SO_TYPE))?;
    let family = SocketAddress::of_socket(fd)?.family();
    let facts = match system_type {
        libc::SOCK_STREAM => match kind(fd)? {
            Kind::Listener => [family, LISTENER, 0, 0],
            kind => [family, STREAM, (kind == Kind::Connected).into(), 0],
        },
        libc::SOCK_DGRAM => [family, DATAGRAM, is_connected(fd)?.into(), 0],
        _ => [form::NONE, STREAM, 0, 0],
    };
    // SAFETY: as demanded.
    unsafe { memory::<[jint; 4]>(to).write_unaligned(facts) };
    Ok(0)
}

fn kind(fd: c_int) -> Result<Kind> {
    // SAFETY: it is open as long as its owner waits for the call that inspects it.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(Kind::of(fd)?)
}

fn is_connected(fd: c_int) -> Result<bool> {
    match SocketAddress::of_peer(fd) {
        Ok(_) => Ok(true),
        // EINVAL: it was connected, on some systems.
        Err(Errno(libc::ENOTCONN | libc::EINVAL)) => Ok(false),
        Err(error) => Err(error),
    }
}
