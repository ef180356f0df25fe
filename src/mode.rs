//! How often a condition is reported.

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
pub enum Mode {
    /// Report a condition in every selection for as long as it lasts, as `java.nio` does. Every
    /// backend has it.
    #[default]
    Level,
    /// Report once, then empty the interest set; whoever has handled the event sets it again.
    /// Every backend has it, where the mechanism has no such thing by removing the descriptor.
    OneShot,
    /// Report a condition when it begins, or begins anew, and never again (`EPOLLET`, see
    /// epoll(7)). Only epoll has it; a registration elsewhere is
    /// [`Unsupported`](crate::Error::Unsupported).
    Edge,
}
