//! What the kernel and this crate say to each other: the system's own types and constants.
//!
//! They are the C library's where its kernel is asked: NetBSD has changed its `struct kevent`
//! more than once, and only the library knows which function goes with which. Another kernel (a
//! double for tests, or a library that is linked in) is spoken to in NetBSD's, as the C library
//! has them: they are the widest.

#[cfg(not(any(target_os = "linux", nioselect_kqueue_extern)))]
pub(crate) use libc::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EV_EOF, EV_ERROR, EV_ONESHOT,
    EV_RECEIPT, EVFILT_READ, EVFILT_USER, EVFILT_WRITE, NOTE_TRIGGER, kevent as Kevent,
};

#[cfg(any(target_os = "linux", nioselect_kqueue_extern))]
pub(crate) use netbsd::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EV_EOF, EV_ERROR, EV_ONESHOT,
    EV_RECEIPT, EVFILT_READ, EVFILT_USER, EVFILT_WRITE, Kevent, NOTE_TRIGGER,
};

/// A filter's number.
#[cfg(not(any(target_os = "linux", target_os = "netbsd", nioselect_kqueue_extern)))]
pub(crate) type Filter = i16;
/// A filter's number.
#[cfg(any(target_os = "linux", target_os = "netbsd", nioselect_kqueue_extern))]
pub(crate) type Filter = u32;

/// The bits of `flags`.
#[cfg(not(any(target_os = "linux", target_os = "netbsd", nioselect_kqueue_extern)))]
pub(crate) type Flags = u16;
/// The bits of `flags`.
#[cfg(any(target_os = "linux", target_os = "netbsd", nioselect_kqueue_extern))]
pub(crate) type Flags = u32;

/// What makes `EVFILT_READ` find a regular file ready at its end too, as poll(2) does.
#[cfg(all(target_os = "freebsd", not(nioselect_kqueue_extern)))]
pub(crate) const READ_LIKE_POLL: u32 = libc::NOTE_FILE_POLL;
/// What makes `EVFILT_READ` find a regular file ready at its end too, as poll(2) does.
#[cfg(all(target_os = "openbsd", not(nioselect_kqueue_extern)))]
pub(crate) const READ_LIKE_POLL: u32 = libc::NOTE_EOF;
/// What makes `EVFILT_READ` find a regular file ready at its end too, as poll(2) does: there is
/// no such thing here.
#[cfg(any(
    not(any(target_os = "freebsd", target_os = "openbsd")),
    nioselect_kqueue_extern
))]
pub(crate) const READ_LIKE_POLL: u32 = 0;

#[cfg(any(target_os = "linux", nioselect_kqueue_extern))]
mod netbsd {
    use libc::c_void;

    /// `struct kevent`, kqueue(2).
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Kevent {
        pub(crate) ident: usize,
        pub(crate) filter: u32,
        pub(crate) flags: u32,
        pub(crate) fflags: u32,
        pub(crate) data: i64,
        pub(crate) udata: *mut c_void,
    }

    pub(crate) const EVFILT_READ: u32 = 0;
    pub(crate) const EVFILT_WRITE: u32 = 1;
    pub(crate) const EVFILT_USER: u32 = 8;

    pub(crate) const EV_ADD: u32 = 0x1;
    pub(crate) const EV_DELETE: u32 = 0x2;
    pub(crate) const EV_ENABLE: u32 = 0x4;
    pub(crate) const EV_DISABLE: u32 = 0x8;
    pub(crate) const EV_ONESHOT: u32 = 0x10;
    pub(crate) const EV_CLEAR: u32 = 0x20;
    pub(crate) const EV_RECEIPT: u32 = 0x40;
    pub(crate) const EV_DISPATCH: u32 = 0x80;
    pub(crate) const EV_ERROR: u32 = 0x4000;
    pub(crate) const EV_EOF: u32 = 0x8000;

    pub(crate) const NOTE_TRIGGER: u32 = 0x0100_0000;
}
