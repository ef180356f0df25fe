//! What wakes a thread that waits: an eventfd(2) on Linux, a pipe elsewhere.
//!
//! Java holds both descriptors in one number, the watched one in its lower half and the rung one
//! in its upper half; they are the same for an eventfd.
#![allow(unsafe_code)]

use std::ffi::c_int;

use jni::sys::{jint, jlong};

use crate::descriptor;
use crate::errno::{Errno, Result, retry};

/// The descriptor to be watched.
#[inline]
pub(crate) fn watched(bell: jlong) -> c_int {
    bell as c_int
}

#[inline]
fn rung(bell: jlong) -> c_int {
    (bell >> 32) as c_int
}

fn pack(watched: c_int, rung: c_int) -> jlong {
    jlong::from(watched) | jlong::from(rung) << 32
}

/// `Descriptors.openBell`.
#[cfg(target_os = "linux")]
pub(crate) fn open() -> Result<jlong> {
    // SAFETY: no memory is passed.
    let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    crate::errno::check(fd).map(|fd| pack(fd, fd))
}

/// `Descriptors.openBell`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open() -> Result<jlong> {
    descriptor::new_pipe().map(|[reading, writing]| pack(reading, writing))
}

/// `Descriptors.ring`. A full counter or pipe is readable already.
pub(crate) fn ring(bell: jlong) -> Result<jint> {
    let one = 1_u64.to_ne_bytes();
    // SAFETY: the length is that of the bytes.
    match retry(|| unsafe { libc::write(rung(bell), one.as_ptr().cast(), one.len()) }) {
        Ok(_) | Err(Errno(libc::EAGAIN)) => Ok(0),
        Err(error) => Err(error),
    }
}

/// `Descriptors.quieten`.
pub(crate) fn quieten(bell: jlong) -> Result<jint> {
    let mut bytes = [0_u8; 64];
    loop {
        // SAFETY: the length is the buffer's.
        match retry(|| unsafe { libc::read(watched(bell), bytes.as_mut_ptr().cast(), bytes.len()) })
        {
            Ok(count) if count == bytes.len() as isize => {}
            Ok(_) | Err(Errno(libc::EAGAIN)) => return Ok(0),
            Err(error) => return Err(error),
        }
    }
}

/// `Descriptors.closeBell`.
///
/// # Safety
///
/// Nobody uses the bell any more.
pub(crate) unsafe fn close(bell: jlong) -> Result<jint> {
    // SAFETY: as demanded.
    let result = unsafe { descriptor::close(watched(bell)) };
    if rung(bell) == watched(bell) {
        return result;
    }
    // SAFETY: as demanded.
    unsafe { descriptor::close(rung(bell)) }.and(result)
}
