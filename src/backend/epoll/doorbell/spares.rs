//! The wires of a thread that watch nothing at the moment.

use std::cell::RefCell;

use super::wire::Wire;
use crate::sys::thread::ThreadNumber;

/// How many a thread keeps: as many as the selectors that it is likely to use in turn.
const MOST: usize = 4;

thread_local! {
    static SPARES: RefCell<Vec<Wire>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn take() -> Option<Wire> {
    SPARES
        .try_with(|spares| {
            let mut spares = spares.borrow_mut();
            // A forked child has copies of its parent's, which are of no use to it.
            spares.retain(|wire| Some(wire.owner()) == ThreadNumber::known());
            spares.pop()
        })
        .ok()
        .flatten()
}

pub(super) fn put(wire: Wire) {
    // A thread that is ending keeps nothing.
    let _ = SPARES.try_with(|spares| {
        let mut spares = spares.borrow_mut();
        if spares.len() < MOST {
            spares.push(wire);
        }
    });
}
