//! Network interfaces and their addresses.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::ptr;

use libc::{ifaddrs, in_addr, sockaddr_in};

use crate::errno::{Result, check};

/// The addresses of all interfaces, a list that is freed with this value.
struct Addresses(*mut ifaddrs);

impl Addresses {
    fn list() -> Result<Self> {
        let mut first = ptr::null_mut();
        // SAFETY: there is room for a pointer.
        check(unsafe { libc::getifaddrs(&raw mut first) })?;
        Ok(Self(first))
    }

    fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        // SAFETY: the list is ours, and a null pointer ends it.
        let mut next = unsafe { self.0.as_ref() };
        std::iter::from_fn(move || {
            let entry = next?;
            // SAFETY: as above.
            next = unsafe { entry.ifa_next.as_ref() };
            Some(Entry(entry))
        })
    }
}

impl Drop for Addresses {
    fn drop(&mut self) {
        // SAFETY: getifaddrs(3) gave the list; nothing borrows from it any more.
        unsafe { libc::freeifaddrs(self.0) };
    }
}

/// An interface and one of its addresses.
struct Entry<'a>(&'a ifaddrs);

impl Entry<'_> {
    fn index(&self) -> u32 {
        // SAFETY: every entry has a name, which ends with a NUL.
        unsafe { libc::if_nametoindex(CStr::from_ptr(self.0.ifa_name).as_ptr()) }
    }

    fn domain(&self) -> Option<c_int> {
        // SAFETY: it is null or points to an address.
        let address = unsafe { self.0.ifa_addr.as_ref() }?;
        Some(address.sa_family.into())
    }

    fn ipv4(&self) -> Option<in_addr> {
        if self.domain()? != libc::AF_INET {
            return None;
        }
        // SAFETY: an address of that family; where it lies may be aligned for less.
        let address = unsafe { self.0.ifa_addr.cast::<sockaddr_in>().read_unaligned() };
        Some(address.sin_addr)
    }
}

pub(crate) fn any_has_ipv6() -> Result<bool> {
    let addresses = Addresses::list()?;
    let found = addresses
        .iter()
        .any(|entry| entry.domain() == Some(libc::AF_INET6));
    Ok(found)
}

/// The first IPv4 address of an interface.
pub(crate) fn ipv4_of(index: u32) -> Result<Option<in_addr>> {
    let addresses = Addresses::list()?;
    let mut own = addresses.iter().filter(|entry| entry.index() == index);
    Ok(own.find_map(|entry| entry.ipv4()))
}

/// The index of the interface that has an IPv4 address; 0 for none.
pub(crate) fn with_ipv4(address: in_addr) -> Result<u32> {
    let addresses = Addresses::list()?;
    let owner = addresses
        .iter()
        .find(|entry| entry.ipv4().is_some_and(|own| own.s_addr == address.s_addr));
    Ok(owner.map_or(0, |entry| entry.index()))
}
