//! Where io_uring is forbidden, that is said, and all else goes on.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod common;

use std::process::Command;
use std::thread;

use common::selector;
use nioselect::{Backend, Error, Selector};

/// Lets `act` run in a thread for which one system call fails.
fn where_a_call_fails(call: libc::c_long, errno: i32, act: impl FnOnce() + Send) {
    thread::scope(|scope| {
        scope.spawn(|| {
            forbid(call, errno);
            act();
        });
    });
}

/// For the calling thread, for good: seccomp(2).
fn forbid(call: libc::c_long, errno: i32) {
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut equals = statement(
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        u32::try_from(call).unwrap(),
    );
    equals.jf = 1;
    // The number of the call comes first in what the filter reads.
    let mut program = [
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        equals,
        statement(
            libc::BPF_RET,
            libc::SECCOMP_RET_ERRNO | errno.cast_unsigned(),
        ),
        statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: 4,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: no memory is passed but the filter, which lives through the call.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(
            libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter),
            0
        );
    }
}

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
