//! What tests see of the imitations of other systems' mechanisms, and what they make them do.

/// kqueue(2).
pub mod kqueue {
    pub use crate::sys::kqueue::double::{Flavour, calls, changes, choose_flavour, is_running};
}

/// /dev/poll.
pub mod devpoll {
    pub use crate::sys::devpoll::double::{Calls, FailingDriver, calls, fail_next_write};
}
