//! Error numbers and texts, and panics.

use crate::errno::{self, Errno};

#[test]
fn names_are_those_of_the_system() {
    assert_eq!(errno::by_name("EPIPE"), Some(libc::EPIPE));
    assert_eq!(errno::by_name("EINPROGRESS"), Some(libc::EINPROGRESS));
    assert_eq!(errno::by_name("EWHATEVER"), None);
}

#[test]
fn texts_are_those_of_strerror() {
    assert_eq!(errno::describe(libc::EPIPE), "Broken pipe");
    assert_eq!(
        errno::describe(libc::ECONNRESET),
        "Connection reset by peer"
    );
    assert!(errno::describe(54321).contains("54321"));
}

#[test]
fn answers_are_results_or_negated_numbers() {
    assert_eq!(errno::answer::<i32>(Ok(7)), 7);
    assert_eq!(
        errno::answer::<i32>(Err(Errno(libc::EAGAIN))),
        -libc::EAGAIN
    );
    assert_eq!(
        errno::answer::<i64>(Err(Errno(libc::EAGAIN))),
        -i64::from(libc::EAGAIN)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_calls_are_made_again() {
    let fail_with = |number| {
        // SAFETY: it is this thread's own.
        unsafe { *libc::__errno_location() = number };
        -1
    };
    let mut calls = 0;
    let answer = errno::retry(|| {
        calls += 1;
        if calls == 3 {
            42
        } else {
            fail_with(libc::EINTR)
        }
    });
    assert_eq!((answer, calls), (Ok(42), 3));
    assert_eq!(
        errno::retry(|| fail_with(libc::EPIPE)),
        Err(Errno(libc::EPIPE))
    );
}
