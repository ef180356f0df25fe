//! What the tables call a backend.

use nioselect::Backend;

/// Whether it is only imitated here, for tests, so that its times say nothing.
pub(crate) fn is_double(backend: Backend) -> bool {
    cfg!(target_os = "linux") && matches!(backend, Backend::Kqueue | Backend::DevPoll)
}

pub(crate) fn label(backend: Backend) -> String {
    if is_double(backend) {
        format!("{backend} (double)")
    } else {
        backend.to_string()
    }
}
