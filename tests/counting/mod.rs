//! An allocator that counts what each thread asks for.
#![allow(unreachable_pub, reason = "its users are the test binaries")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a thread has asked for so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub allocations: u64,
    /// That are not freed.
    pub bytes: i64,
}

thread_local! {
    #[allow(
        clippy::missing_const_for_thread_local,
        reason = "a false alarm where the system has no thread-local storage of its own"
    )]
    static COUNT: Cell<Count> = const { Cell::new(Count { allocations: 0, bytes: 0 }) };
}

/// What this thread has asked for so far.
pub fn so_far() -> Count {
    COUNT.get()
}

#[derive(Debug)]
pub struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What stands in for a kernel needs memory that is not the library's.
fn is_in_kernel() -> bool {
    #[cfg(target_os = "linux")]
    return nioselect::doubles::kqueue::is_running();
    #[cfg(not(target_os = "linux"))]
    return false;
}

fn note(allocations: u64, bytes: i64) {
    if is_in_kernel() {
        return;
    }
    let count = COUNT.get();
    COUNT.set(Count {
        allocations: count.allocations + allocations,
        bytes: count.bytes + bytes,
    });
}

fn signed(size: usize) -> i64 {
    size.try_into().unwrap_or(i64::MAX)
}

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, signed(layout.size()));
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(0, -signed(layout.size()));
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(1, signed(new_size) - signed(layout.size()));
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(memory, layout, new_size) }
    }
}
