//! Filters of system calls: seccomp(2).
#![allow(unsafe_code)]

use std::thread;

/// Lets `act` run in a thread for which one system call fails.
pub fn where_a_call_fails(call: libc::c_long, errno: i32, act: impl FnOnce() + Send) {
    thread::scope(|scope| {
        scope.spawn(|| {
            forbid(call, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned());
            act();
        });
    });
}

/// Has the calling thread, for good, answered by this action of seccomp(2) when it makes the call.
pub fn forbid(call: libc::c_long, action: u32) {
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
        statement(libc::BPF_RET, action),
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
