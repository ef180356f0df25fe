//! Descriptors of any kind.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;

use jni::sys::{jint, jlong};

use crate::errno::{Errno, Result, check, retry};

/// Memory that Java has passed the address of.
#[inline]
pub(crate) fn memory<T>(address: jlong) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// A length that Java has passed.
#[inline]
pub(crate) fn size(length: jint) -> Result<usize> {
    usize::try_from(length).map_err(|_| Errno(libc::EINVAL))
}

/// `Descriptors.read`.
///
/// # Safety
///
/// `length` bytes may be written to the memory at `to`.
#[inline]
pub(crate) unsafe fn read(fd: jint, to: jlong, length: jint) -> Result<jint> {
    let length = size(length)?;
    // SAFETY: as demanded.
    let count = retry(|| unsafe { libc::read(fd, memory(to), length) })?;
    Ok(count as jint)
}

/// `Descriptors.write`.
///
/// # Safety
///
/// `length` bytes may be read from the memory at `from`.
#[inline]
pub(crate) unsafe fn write(fd: jint, from: jlong, length: jint) -> Result<jint> {
    let length = size(length)?;
    // SAFETY: as demanded.
    let count = retry(|| unsafe { libc::write(fd, memory(from), length) })?;
    Ok(count as jint)
}

/// `Descriptors.readv`.
///
/// # Safety
///
/// `vector` is the address of `count` pairs, whose memory may be written to.
#[inline]
pub(crate) unsafe fn readv(fd: jint, vector: jlong, count: jint) -> Result<jlong> {
    // SAFETY: as demanded; the system refuses a negative count.
    let count = retry(|| unsafe { libc::readv(fd, memory(vector), count) })?;
    Ok(count as jlong)
}

/// `Descriptors.writev`.
///
/// # Safety
///
/// `vector` is the address of `count` pairs, whose memory may be read.
#[inline]
pub(crate) unsafe fn writev(fd: jint, vector: jlong, count: jint) -> Result<jlong> {
    // SAFETY: as demanded; the system refuses a negative count.
    let count = retry(|| unsafe { libc::writev(fd, memory(vector), count) })?;
    Ok(count as jlong)
}

/// `Descriptors.close`.
///
/// # Safety
///
/// Nobody uses the descriptor any more.
pub(crate) unsafe fn close(fd: jint) -> Result<jint> {
    // SAFETY: as demanded.
    match check(unsafe { libc::close(fd) }) {
        // The number is free already; to close it again could hit another thread's descriptor.
        Err(Errno(libc::EINTR)) => Ok(0),
        result => result,
    }
}

/// `Descriptors.pipe`.
///
/// # Safety
///
/// Two ints may be written to the memory at `to`.
pub(crate) unsafe fn pipe(to: jlong) -> Result<jint> {
    let ends = new_pipe()?;
    // SAFETY: as demanded.
    unsafe { memory::<[c_int; 2]>(to).write_unaligned(ends) };
    Ok(0)
}

/// The reading end and the writing end of a new pipe, non-blocking and closed on exec.
#[cfg(not(target_vendor = "apple"))]
pub(crate) fn new_pipe() -> Result<[c_int; 2]> {
    let mut ends = [-1; 2];
    // SAFETY: there is room for two descriptors.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) })?;
    Ok(ends)
}

/// The reading end and the writing end of a new pipe, non-blocking and closed on exec.
#[cfg(target_vendor = "apple")]
pub(crate) fn new_pipe() -> Result<[c_int; 2]> {
    let mut ends = [-1; 2];
    // SAFETY: there is room for two descriptors.
    check(unsafe { libc::pipe(ends.as_mut_ptr()) })?;
    let [reading, writing] = ends.map(Unfinished);
    prepare(reading.0)?;
    prepare(writing.0)?;
    Ok([reading.finish(), writing.finish()])
}

/// A new descriptor, closed if something goes wrong before it is finished.
pub(crate) struct Unfinished(pub(crate) c_int);

impl Unfinished {
    pub(crate) fn finish(self) -> c_int {
        let fd = self.0;
        std::mem::forget(self);
        fd
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // SAFETY: it was made for the one who holds this value. The failure that made them give
        // it up is the one to be reported.
        let _ = unsafe { close(self.0) };
    }
}

/// Makes a descriptor closed on exec and non-blocking.
#[cfg(target_vendor = "apple")]
pub(crate) fn prepare(fd: c_int) -> Result<()> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    set_nonblocking(fd)
}

pub(crate) fn set_nonblocking(fd: c_int) -> Result<()> {
    // SAFETY: no memory is passed.
    let flags = check(unsafe { libc::fcntl(fd, libc::F_GETFL) })?;
    if flags & libc::O_NONBLOCK == 0 {
        // SAFETY: no memory is passed.
        check(unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) })?;
    }
    Ok(())
}

/// `Sockets.duplicate`.
pub(crate) fn duplicate(fd: jint) -> Result<jint> {
    // SAFETY: no memory is passed.
    let copy = Unfinished(check(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) })?);
    set_nonblocking(copy.0)?;
    Ok(copy.finish())
}

/// `Sockets.replaceByNull`: the number is never free, and is inherited by programs that are
/// started, as a standard stream has to be.
///
/// # Safety
///
/// The descriptor is open, and nobody relies on what it is.
pub(crate) unsafe fn replace_by_null(fd: jint) -> Result<jint> {
    let flags = libc::O_RDWR | libc::O_CLOEXEC;
    // SAFETY: the path ends with a NUL.
    let null = retry(|| unsafe { libc::open(c"/dev/null".as_ptr(), flags) }).map(Unfinished)?;
    // SAFETY: as demanded.
    retry(|| unsafe { libc::dup2(null.0, fd) })?;
    Ok(0)
}
