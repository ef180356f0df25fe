//! The form in which Java reads and writes socket addresses.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;

use jni::sys::{jint, jlong};

use crate::errno::{Errno, Result};

/// A number for an address family that is the same on every system.
pub(crate) type Family = jint;

pub(crate) const NONE: Family = 0;
pub(crate) const UNIX: Family = 1;
pub(crate) const IPV4: Family = 4;
pub(crate) const IPV6: Family = 6;

/// The system's number for a family.
pub(crate) fn domain(family: Family) -> Result<c_int> {
    match family {
        UNIX => Ok(libc::AF_UNIX),
        IPV4 => Ok(libc::AF_INET),
        IPV6 => Ok(libc::AF_INET6),
        _ => Err(Errno(libc::EAFNOSUPPORT)),
    }
}

/// `AddressForm` of the Java sources.
#[repr(C)]
pub(crate) struct Form {
    pub(crate) family: Family,
    pub(crate) port: jint,
    pub(crate) scope: jint,
    pub(crate) length: jint,
    pub(crate) bytes: [u8; 112],
}

const _: () = assert!(size_of::<Form>() == 128);

impl Form {
    /// The form in memory that Java has passed.
    ///
    /// # Safety
    ///
    /// Memory of that size is there, aligned as ints are, and this call's alone as long as the
    /// reference lives.
    pub(crate) unsafe fn at<'a>(address: jlong) -> &'a mut Self {
        // SAFETY: as above; all bit patterns are valid.
        unsafe { &mut *ptr::with_exposed_provenance_mut(address as usize) }
    }

    /// Writes all of it.
    pub(crate) fn fill(&mut self, family: Family, port: u16, scope: u32, bytes: &[u8]) {
        self.family = family;
        self.port = port.into();
        self.scope = scope.cast_signed();
        self.length = bytes.len() as jint;
        self.bytes[..bytes.len()].copy_from_slice(bytes);
    }

    /// The bytes, as many as there are.
    pub(crate) fn path(&self) -> Result<&[u8]> {
        let length = usize::try_from(self.length).map_err(|_| Errno(libc::EINVAL))?;
        self.bytes.get(..length).ok_or(Errno(libc::ENAMETOOLONG))
    }
}
