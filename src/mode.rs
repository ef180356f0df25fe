//! How often a condition is reported.

use crate::backend::Backend;
use crate::error::Error;

/// How often a readiness that lasts is reported.
///
/// The mode matters when a reader stops before it has read everything:
///
/// - [`Level`](Self::Level): the next selection reports the channel again. Nothing is lost.
/// - [`OneShot`](Self::OneShot): nothing is reported until the interest set is set again; then
///   what is still there is reported. Nothing is lost, as long as every handler ends by setting
///   the interest.
/// - [`Edge`](Self::Edge): nothing is reported until *more* arrives. If the peer waits for an
///   answer to what has been left unread, both wait for ever: the hang that edge triggering is
///   known for. Read and write until the call would block, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Report a condition in every selection for as long as it lasts, as `java.nio` does. Every
    /// backend has it.
    #[default]
    Level,
    /// Report once, then empty the interest set; whoever has handled the event sets it again.
    /// Every backend has it, where the mechanism has no such thing by removing the descriptor.
    OneShot,
    /// Report a condition when it begins, or begins anew, and never again (`EPOLLET`, see
    /// epoll(7); `EV_CLEAR`, see kqueue(2)). A change of the interest set, even one that is taken
    /// back, or of the state of the connection has what is there reported once more; setting what
    /// is set already is no change of a key's. epoll, kqueue and io_uring have it; a registration
    /// elsewhere is [`Unsupported`](crate::Error::Unsupported).
    Edge,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Level, Self::OneShot, Self::Edge];

    #[inline]
    pub(crate) fn from_index(index: u8) -> Self {
        Self::ALL[usize::from(index)]
    }

    /// The answer of a backend that does not have it.
    pub(crate) fn unsupported_by(self, backend: Backend) -> Error {
        Error::Unsupported(format!("{backend} has no {self:?} mode"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_survives_the_way_through_its_index() {
        for mode in Mode::ALL {
            assert_eq!(Mode::from_index(mode as u8), mode);
        }
    }
}
