//! Whether system calls are filtered.

use std::fs;

/// Whether seccomp(2) may keep the calling thread from some system call. Not asked by prctl(2),
/// which a filter may punish too.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn may_filter_system_calls() -> bool {
    let Ok(status) = fs::read_to_string("/proc/thread-self/status") else {
        return true;
    };
    let mode = status
        .lines()
        .find_map(|line| line.strip_prefix("Seccomp:"));
    // A kernel without the line has no filters.
    mode.is_some_and(|mode| mode.trim() != "0")
}
