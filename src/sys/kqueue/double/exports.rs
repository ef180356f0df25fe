//! The double as the C functions that a build with `nioselect_kqueue_extern` is linked with.

use libc::{c_int, size_t, timespec};

use super::linux;
use crate::sys::kqueue::types::Kevent;

// SAFETY: nobody else has symbols of these names.
#[unsafe(no_mangle)]
extern "C" fn nioselect_kqueue() -> c_int {
    let kq = super::kqueue();
    // The numbers of another kernel mean nothing to a program that is executed, nor should this.
    if kq != -1 {
        linux::close_on_exec(kq);
    }
    kq
}

// SAFETY: nobody else has symbols of these names.
#[unsafe(no_mangle)]
unsafe extern "C" fn nioselect_kevent(
    kq: c_int,
    changes: *const Kevent,
    nchanges: size_t,
    events: *mut Kevent,
    nevents: size_t,
    timeout: *const timespec,
) -> c_int {
    // SAFETY: it is called as kevent(2).
    unsafe { super::kevent(kq, changes, nchanges, events, nevents, timeout) }
}

// SAFETY: nobody else has symbols of these names.
#[unsafe(no_mangle)]
unsafe extern "C" fn nioselect_close(kq: c_int) -> c_int {
    // SAFETY: it is called as close(2).
    unsafe { super::close(kq) }
}
