//! getsockopt(2) and setsockopt(2) with values of any plain type.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem;

use libc::socklen_t;

use crate::errno::{Result, check};

/// What setsockopt(2) calls an option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) level: c_int,
    pub(crate) option: c_int,
}

pub(crate) const fn name(level: c_int, option: c_int) -> Name {
    Name { level, option }
}

/// A type of option values.
///
/// # Safety
///
/// Any bytes are a valid value, zeros among them.
pub(crate) unsafe trait Value: Copy {}

// SAFETY: integers.
unsafe impl Value for c_int {}
// SAFETY: an integer.
unsafe impl Value for u8 {}
// SAFETY: two integers.
unsafe impl Value for libc::linger {}
// SAFETY: an integer.
unsafe impl Value for libc::in_addr {}
// SAFETY: integers.
#[cfg(target_os = "linux")]
unsafe impl Value for libc::ip_mreqn {}
// SAFETY: integers.
#[cfg(target_os = "linux")]
unsafe impl Value for libc::ucred {}

pub(crate) fn get<T: Value>(fd: c_int, name: Name) -> Result<T> {
    // SAFETY: zeros are a value.
    let mut value: T = unsafe { mem::zeroed() };
    let mut length = size_of::<T>() as socklen_t;
    // SAFETY: the length is the value's, and any bytes that come are one.
    check(unsafe {
        libc::getsockopt(
            fd,
            name.level,
            name.option,
            (&raw mut value).cast(),
            &raw mut length,
        )
    })?;
    Ok(value)
}

pub(crate) fn set<T: Value>(fd: c_int, name: Name, value: T) -> Result<()> {
    let length = size_of::<T>() as socklen_t;
    // SAFETY: the length is the value's.
    check(unsafe {
        libc::setsockopt(
            fd,
            name.level,
            name.option,
            (&raw const value).cast(),
            length,
        )
    })?;
    Ok(())
}
