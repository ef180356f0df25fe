//! select(2) with sets of any size.

use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::time::Duration;

use super::count;
use crate::sys::descriptor_set::DescriptorSet;

/// Replaces both sets by those of their descriptors that are readable or writable, and tells how
/// many bits are set. `highest` is the largest descriptor in either.
///
/// Most kernels read as many words as the number of descriptors asks for: `FD_SETSIZE` limits only
/// the C library's type. Where it limits more, [`takes`] tells.
pub(crate) fn select(
    highest: RawFd,
    readable: &mut DescriptorSet,
    writable: &mut DescriptorSet,
    timeout: Option<Duration>,
) -> io::Result<usize> {
    readable.make_room_for(highest);
    writable.make_room_for(highest);
    let mut limit = timeout.map(timeval);
    let limit = limit.as_mut().map_or(ptr::null_mut(), ptr::from_mut);
    // SAFETY: both sets have a bit for every descriptor up to `highest`, and the time limit, a
    // copy that the kernel may change, lives through the call.
    count(unsafe {
        system::select(
            highest + 1,
            readable.as_mut_ptr().cast(),
            writable.as_mut_ptr().cast(),
            ptr::null_mut(),
            limit,
        )
    })
}

#[cfg(not(target_vendor = "apple"))]
use libc as system;

/// By its plain name, the call refuses descriptors beyond `FD_SETSIZE`; this is the name that
/// `_DARWIN_UNLIMITED_SELECT` gives it in C, see select(2).
#[cfg(target_vendor = "apple")]
mod system {
    use libc::{c_int, fd_set, timeval};

    unsafe extern "C" {
        #[link_name = "select$DARWIN_EXTSN"]
        pub(super) fn select(
            limit: c_int,
            readable: *mut fd_set,
            writable: *mut fd_set,
            exceptional: *mut fd_set,
            timeout: *mut timeval,
        ) -> c_int;
    }
}

/// Whether the call can be asked about a descriptor. On illumos and Solaris it is made of poll(2)
/// by the C library, which answers EINVAL to all if one is beyond `FD_SETSIZE`, select(3C).
pub(crate) fn takes(fd: RawFd) -> bool {
    let limited = cfg!(any(target_os = "illumos", target_os = "solaris"));
    !limited || usize::try_from(fd).is_ok_and(|fd| fd < libc::FD_SETSIZE)
}

/// Rounded up to microseconds, and clamped to what every kernel takes (the caller resumes).
fn timeval(timeout: Duration) -> libc::timeval {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    let rounded_up = timeout.min(LONGEST) + Duration::from_nanos(999);
    // The types of the fields differ between systems; a day fits them all.
    libc::timeval {
        tv_sec: rounded_up.as_secs() as _,
        tv_usec: rounded_up.subsec_micros() as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeval_rounds_up_and_clamps() {
        assert_eq!(timeval(Duration::ZERO).tv_usec, 0);
        assert_eq!(timeval(Duration::from_nanos(1)).tv_usec, 1);
        assert_eq!(timeval(Duration::from_nanos(999_999_001)).tv_sec, 1);
        assert_eq!(timeval(Duration::MAX).tv_sec, 24 * 60 * 60);
    }
}
