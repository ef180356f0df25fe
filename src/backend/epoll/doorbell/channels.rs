//! Which channels a doorbell does not go with.

use std::os::fd::RawFd;

use crate::doorbell::Policy;
use crate::sys::descriptor;

/// Why there can be no doorbell with this descriptor among the channels, if that is so.
pub(super) fn objection_to(fd: RawFd, policy: Policy) -> Option<String> {
    match descriptor::nameless_kind(fd) {
        Ok(Some(kind)) if may_be_rung_by_a_ring(&kind, policy) => Some(format!(
            "an io_uring may make a channel ready (descriptor {fd}, {kind})"
        )),
        Ok(_) => None,
        // The kernel will not watch it.
        Err(_) if !descriptor::is_open(fd) => None,
        Err(error) => Some(format!("it is not known what descriptor {fd} is ({error})")),
    }
}

/// By the name that the system has for such files. Most eventfds have nothing to do with an
/// io_uring, but it cannot be known.
fn may_be_rung_by_a_ring(kind: &str, policy: Policy) -> bool {
    match kind {
        "[io_uring]" | "[eventpoll]" => true,
        "[eventfd]" => policy == Policy::Auto,
        _ => false,
    }
}
