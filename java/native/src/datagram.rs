//! Datagrams.
#![allow(unsafe_code)]

use jni::sys::{jint, jlong};
use libc::socklen_t;

use crate::address::SocketAddress;
use crate::descriptor::{memory, size};
use crate::errno::{Result, check, retry};
use crate::form::{Family, Form};

/// `Sockets.receive`.
///
/// # Safety
///
/// `length` bytes may be written to the memory at `to`; `sender` is 0 or see [`Form::at`].
#[inline]
pub(crate) unsafe fn receive(fd: jint, to: jlong, length: jint, sender: jlong) -> Result<jint> {
    let length = size(length)?;
    if sender == 0 {
        // SAFETY: as demanded.
        let count = retry(|| unsafe { libc::recv(fd, memory(to), length, 0) })?;
        return Ok(count as jint);
    }
    // SAFETY: as demanded; `filled` passes storage and its length.
    let call = |from, storage: *mut socklen_t| unsafe {
        libc::recvfrom(fd, memory(to), length, 0, from, storage)
    };
    let (count, address) = SocketAddress::filled(call)?;
    // SAFETY: as demanded.
    address.write_to(unsafe { Form::at(sender) });
    Ok(count as jint)
}

/// `Sockets.send`.
///
/// # Safety
///
/// `length` bytes may be read from the memory at `from`; `target` is 0 or see [`Form::at`].
#[inline]
pub(crate) unsafe fn send(
    fd: jint,
    family: Family,
    from: jlong,
    length: jint,
    target: jlong,
) -> Result<jint> {
    let length = size(length)?;
    if target == 0 {
        // SAFETY: as demanded.
        let count = retry(|| unsafe { libc::send(fd, memory(from), length, 0) })?;
        return Ok(count as jint);
    }
    // SAFETY: as demanded.
    let address = SocketAddress::new(unsafe { Form::at(target) }, family)?;
    // SAFETY: as demanded; the address's length is its own.
    let count = retry(|| unsafe {
        let (target, target_length) = (address.as_ptr(), address.length());
        libc::sendto(fd, memory(from), length, 0, target, target_length)
    })?;
    Ok(count as jint)
}

/// `Sockets.disconnect`.
#[cfg(not(any(target_vendor = "apple", target_os = "illumos", target_os = "solaris")))]
pub(crate) fn disconnect(fd: jint, family: Family) -> Result<jint> {
    use crate::errno::Errno;

    let nobody = SocketAddress::unspecified(family);
    // SAFETY: the length is the address's.
    match check(unsafe { libc::connect(fd, nobody.as_ptr(), nobody.length()) }) {
        // BSD complains about such an address, and disconnects all the same.
        Err(Errno(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL)) if !cfg!(target_os = "linux") => Ok(0),
        result => result,
    }
}

/// `Sockets.disconnect`. An address of no family would be refused here, and the peer kept.
#[cfg(any(target_os = "illumos", target_os = "solaris"))]
pub(crate) fn disconnect(fd: jint, _family: Family) -> Result<jint> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::connect(fd, std::ptr::null(), 0) })
}

/// `Sockets.disconnect`.
#[cfg(target_vendor = "apple")]
pub(crate) fn disconnect(fd: jint, _family: Family) -> Result<jint> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::disconnectx(fd, libc::SAE_ASSOCID_ANY, libc::SAE_CONNID_ANY) })
}
