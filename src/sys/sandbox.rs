//! Whether system calls are filtered.

use std::fs;
use std::io;

/// Whether seccomp(2) may keep the calling thread from some system call. Not asked by prctl(2),
/// which a filter may punish too.
///
/// Where there is no `/proc` to tell it is assumed; that there is no descriptor left to read it
/// by, or the like, is an error.
pub(crate) fn may_filter_system_calls() -> io::Result<bool> {
    match fs::read_to_string("/proc/thread-self/status") {
        Ok(status) => Ok(tells_of_a_filter(&status)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Ok(true),
            _ => Err(error),
        },
    }
}

/// A kernel that has no filters has no such line.
fn tells_of_a_filter(status: &str) -> bool {
    let mut lines = status.lines();
    let mode = lines.find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_told_by_its_mode() {
        assert!(tells_of_a_filter(
            "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n"
        ));
        assert!(tells_of_a_filter("Seccomp:\t1\n"));
        assert!(!tells_of_a_filter("Seccomp:\t0\nSeccomp_filters:\t0\n"));
        assert!(!tells_of_a_filter("Name:\tx\n"));
    }
}
