//! Which kernel is imitated.

use std::cell::Cell;
use std::sync::OnceLock;

/// A kernel whose kqueue has been measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// FreeBSD 13.
    FreeBsd,
    /// NetBSD 7.99: no `EVFILT_USER`, and the flags that a knote was made with are reported.
    NetBsd,
}

/// Names the flavour of every kqueue whose thread has not chosen one.
const VARIABLE: &str = "NIOSELECT_KQUEUE_DOUBLE";

thread_local! {
    static CHOSEN: Cell<Option<Flavour>> = const { Cell::new(None) };
}

/// The flavour of the kqueues that this thread opens from now on, or None for that of the
/// environment.
pub fn choose(flavour: Option<Flavour>) {
    CHOSEN.set(flavour);
}

impl Flavour {
    /// Of a kqueue that is opened now.
    pub(super) fn current() -> Self {
        static NAMED: OnceLock<Flavour> = OnceLock::new();
        CHOSEN.get().unwrap_or_else(|| *NAMED.get_or_init(named))
    }
}

fn named() -> Flavour {
    match std::env::var(VARIABLE).as_deref() {
        Err(_) | Ok("" | "freebsd") => Flavour::FreeBsd,
        Ok("netbsd") => Flavour::NetBsd,
        Ok(other) => panic!("{VARIABLE}: there is no {other:?}, only freebsd and netbsd"),
    }
}
