//! Who is at the other end of a UNIX domain socket.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;

use jni::Env;
use jni::objects::JString;
use jni::sys::{jint, jlong};
use libc::{gid_t, uid_t};

use crate::descriptor::memory;
use crate::errno::Result;

/// `Sockets.peerCredentials`.
///
/// # Safety
///
/// Two ints may be written to the memory at `to`.
pub(crate) unsafe fn of_peer(fd: jint, to: jlong) -> Result<jint> {
    let (user, group) = peer(fd)?;
    // SAFETY: as demanded.
    unsafe { memory::<[u32; 2]>(to).write_unaligned([user, group]) };
    Ok(0)
}

#[cfg(target_os = "linux")]
fn peer(fd: c_int) -> Result<(uid_t, gid_t)> {
    use crate::sockopt::{self, name};

    let peer: libc::ucred = sockopt::get(fd, name(libc::SOL_SOCKET, libc::SO_PEERCRED))?;
    if peer.uid == uid_t::MAX {
        return Err(crate::errno::Errno(libc::ENOTCONN));
    }
    Ok((peer.uid, peer.gid))
}

#[cfg(any(target_os = "illumos", target_os = "solaris"))]
fn peer(fd: c_int) -> Result<(uid_t, gid_t)> {
    use crate::errno::check;

    let mut peer = ptr::null_mut();
    // SAFETY: there is room for a pointer.
    check(unsafe { libc::getpeerucred(fd, &raw mut peer) })?;
    // SAFETY: the call before has given the credentials, which are freed once.
    unsafe {
        let ids = (libc::ucred_geteuid(peer), libc::ucred_getegid(peer));
        libc::ucred_free(peer);
        Ok(ids)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "illumos", target_os = "solaris")))]
fn peer(fd: c_int) -> Result<(uid_t, gid_t)> {
    let (mut user, mut group) = (0, 0);
    // SAFETY: there is room for both numbers.
    crate::errno::check(unsafe { libc::getpeereid(fd, &raw mut user, &raw mut group) })?;
    Ok((user, group))
}

/// `Sockets.userName`.
pub(crate) fn user_name<'local>(
    env: &mut Env<'local>,
    number: jint,
) -> jni::errors::Result<JString<'local>> {
    env.new_string(user(number.cast_unsigned()))
}

/// `Sockets.groupName`.
pub(crate) fn group_name<'local>(
    env: &mut Env<'local>,
    number: jint,
) -> jni::errors::Result<JString<'local>> {
    env.new_string(group(number.cast_unsigned()))
}

pub(crate) fn user(number: uid_t) -> String {
    let name = look_up(|entry: *mut libc::passwd, text, size, found| {
        // SAFETY: `look_up` passes memory and its size.
        let outcome = unsafe { libc::getpwuid_r(number, entry, text, size, found) };
        // SAFETY: what was found is initialised.
        (
            outcome,
            unsafe { (*found).as_ref() }.map(|entry| entry.pw_name),
        )
    });
    name.unwrap_or_else(|| number.to_string())
}

pub(crate) fn group(number: gid_t) -> String {
    let name = look_up(|entry: *mut libc::group, text, size, found| {
        // SAFETY: `look_up` passes memory and its size.
        let outcome = unsafe { libc::getgrgid_r(number, entry, text, size, found) };
        // SAFETY: what was found is initialised.
        (
            outcome,
            unsafe { (*found).as_ref() }.map(|entry| entry.gr_name),
        )
    });
    name.unwrap_or_else(|| number.to_string())
}

/// Makes a call that fills in an entry and a buffer with its texts, with a larger one as long as
/// it is too small, and gives the name that the call has found.
fn look_up<T>(
    call: impl Fn(*mut T, *mut c_char, usize, *mut *mut T) -> (c_int, Option<*mut c_char>),
) -> Option<String> {
    const LARGEST: usize = 1 << 20;

    let mut texts: Vec<c_char> = vec![0; 1024];
    loop {
        let mut entry = MaybeUninit::uninit();
        let mut found = ptr::null_mut();
        let (text, size) = (texts.as_mut_ptr(), texts.len());
        match call(entry.as_mut_ptr(), text, size, &raw mut found) {
            (libc::ERANGE, _) if size < LARGEST => texts.resize(size * 2, 0),
            (libc::EINTR, _) => {}
            (0, Some(name)) => {
                // SAFETY: a string in `texts`.
                let name = unsafe { CStr::from_ptr(name) };
                return Some(name.to_string_lossy().into_owned());
            }
            _ => return None,
        }
    }
}
