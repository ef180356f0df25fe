//! Where io_uring is forbidden, that is said, and all else goes on.
#![cfg(target_os = "linux")]

mod common;

use std::process::Command;

use common::filter::where_a_call_fails;
use common::selector;
use nioselect::{Backend, Error, Selector};

fn is_unsupported(reason: &str) {
    let opened = Selector::<()>::builder().backend(Backend::IoUring).open();
    let refused = opened.unwrap_err();
    assert!(matches!(refused, Error::Unsupported(_)), "{refused}");
    assert!(refused.to_string().contains(reason), "{refused}");
}

#[test]
fn a_forbidden_mechanism_is_unsupported_and_the_others_go_on() {
    let mut others = Backend::available();
    if !others.contains(&Backend::IoUring) {
        return;
    }
    others.retain(|&backend| backend != Backend::IoUring);
    let preferred = Backend::preferred().unwrap();
    for call in [
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
    ] {
        for (errno, reason) in [(libc::EPERM, "forbidden"), (libc::ENOSYS, "no io_uring")] {
            where_a_call_fails(call, errno, || {
                is_unsupported(reason);
                assert_eq!(Backend::available(), others);
                assert_eq!(Backend::preferred().unwrap(), preferred);
                assert_eq!(selector::<()>(others[0]).select_now().unwrap(), 0);
            });
        }
    }
}

#[test]
fn a_limit_of_locked_memory_is_named() {
    where_a_call_fails(libc::SYS_io_uring_setup, libc::ENOMEM, || {
        is_unsupported("RLIMIT_MEMLOCK");
    });
}

#[test]
fn an_old_kernel_is_named() {
    where_a_call_fails(libc::SYS_io_uring_setup, libc::EINVAL, || {
        is_unsupported("Linux 5.13");
    });
}

#[test]
fn a_forbidden_mechanism_that_the_environment_names_is_told_with_the_variable() {
    const NAME: &str = "a_forbidden_mechanism_that_the_environment_names_is_told_with_the_variable";
    if std::env::var(Backend::VARIABLE).is_ok_and(|name| name == "io_uring") {
        where_a_call_fails(libc::SYS_io_uring_setup, libc::EPERM, || {
            let refused = Selector::<()>::open().unwrap_err().to_string();
            assert!(refused.contains(Backend::VARIABLE), "{refused}");
            assert!(refused.contains("forbidden"), "{refused}");
        });
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(Backend::VARIABLE, "io_uring")
        .status();
    assert!(status.unwrap().success());
}
