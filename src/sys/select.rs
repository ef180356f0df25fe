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
/// The kernels of Linux and of the BSDs read as many words as the number of descriptors asks
/// for: `FD_SETSIZE` limits only the C library's type.
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
        libc::select(
            highest + 1,
            readable.as_mut_ptr().cast(),
            writable.as_mut_ptr().cast(),
            ptr::null_mut(),
            limit,
        )
    })
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
