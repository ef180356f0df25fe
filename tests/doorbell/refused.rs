//! Where the doorbell may not be had, that is said, and all else goes on.

use super::*;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use common::filter::{forbid, where_a_call_fails};

fn why_unavailable(selector: &Selector<()>) -> String {
    match selector.doorbell().state {
        State::Unavailable(why) => why,
        other => panic!("{other}"),
    }
}

/// All that a selector does, idle stretches included; why it has no doorbell.
fn goes_on_without(policy: Policy) -> String {
    let mut selector = selector_by(policy);
    let pipe = pipe();
    let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
    for _ in 0..3 {
        for _ in 0..200 {
            assert_eq!(selector.select_now().unwrap(), 0);
        }
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert!(key.is_readable());
        selector.selected_keys().clear();
        assert_eq!(selector.select().unwrap(), 1);
        selector.selected_keys().clear();
        assert_eq!(read_all(&pipe.source), b"x");
    }
    assert_silent(&mut selector);
    let doorbell = selector.doorbell();
    assert_eq!(
        (doorbell.rings, doorbell.answered, doorbell.rung),
        (0, 0, 0)
    );
    let why = why_unavailable(&selector);
    assert!(format!("{selector:?}").contains("Unavailable"));
    assert!(!why.is_empty());
    why
}

#[test]
fn a_call_that_fails() {
    if !can_be_had() {
        return;
    }
    for call in [
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
    ] {
        for (errno, reason) in [
            (libc::EPERM, "forbidden"),
            (libc::EACCES, "forbidden"),
            (libc::ENOSYS, "no io_uring"),
            (libc::ENOMEM, "RLIMIT_MEMLOCK"),
            (libc::EINVAL, "Linux 6.1"),
            (libc::EMFILE, "open files"),
        ] {
            for policy in [Policy::On, Policy::Eager] {
                where_a_call_fails(call, errno, || {
                    let why = goes_on_without(policy);
                    assert!(why.contains(reason), "{why}");
                });
            }
        }
    }
}

/// This one would end the process.
#[test]
fn automatically_a_filter_is_not_challenged() {
    const NAME: &str = "refused::automatically_a_filter_is_not_challenged";
    if !can_be_had() || !in_own_process(NAME) {
        return;
    }
    forbid(libc::SYS_io_uring_setup, libc::SECCOMP_RET_KILL_PROCESS);
    let why = goes_on_without(Policy::Auto);
    assert!(why.contains("filter"), "{why}");
    assert!(why.contains("the policy on asks"), "{why}");
    assert_eq!(goes_on_without_asking(), State::Off);
}

fn goes_on_without_asking() -> State {
    let mut selector = selector_by::<()>(Policy::Off);
    for _ in 0..200 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    selector.doorbell().state
}

/// Otherwise the test above would show nothing.
#[test]
fn when_told_to_a_filter_is_challenged() {
    const NAME: &str = "refused::when_told_to_a_filter_is_challenged";
    const VARIABLE: &str = "NIOSELECT_TEST_IS_KILLED";
    if std::env::var_os(VARIABLE).is_some() {
        forbid(libc::SYS_io_uring_setup, libc::SECCOMP_RET_KILL_PROCESS);
        goes_on_without(Policy::On);
        return;
    }
    if !can_be_had() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--test-threads=1"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGSYS), "{output:?}");
}

/// Some kernels count rings, others do not.
#[test]
fn no_memory_may_be_locked() {
    if !can_be_had() || !in_own_process("refused::no_memory_may_be_locked") {
        return;
    }
    let mut limit = getrlimit(Resource::Memlock);
    limit.current = Some(0);
    setrlimit(Resource::Memlock, limit).unwrap();
    give_up_privileges();
    // This one has a spare ring by now.
    thread::spawn(armed_or_told_of_the_limit).join().unwrap();
}

fn armed_or_told_of_the_limit() {
    let mut selector = selector_by::<()>(Policy::On);
    for _ in 0..200 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    match selector.doorbell().state {
        State::Armed => println!("this kernel does not count rings"),
        State::Unavailable(_) => {
            let why = goes_on_without(Policy::On);
            println!("{why}");
            assert!(why.contains("RLIMIT_MEMLOCK"), "{why}");
        }
        other => panic!("{other}"),
    }
}

/// Root may lock as much as it likes.
fn give_up_privileges() {
    const NOBODY: libc::uid_t = 65_534;
    // SAFETY: no memory is passed.
    unsafe {
        if libc::geteuid() == 0 {
            assert_eq!(libc::setuid(NOBODY), 0);
        }
    }
}

/// Every descriptor that the process may have.
fn take_all_descriptors() -> Vec<OwnedFd> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = Some(64);
    setrlimit(Resource::Nofile, limit).unwrap();
    let mut all = Vec::new();
    while let Ok(descriptor) = rustix::io::dup(rustix::stdio::stdin()) {
        all.push(descriptor);
    }
    all
}

#[test]
fn without_a_descriptor_left_it_comes_later() {
    if !can_be_had() || !in_own_process("refused::without_a_descriptor_left_it_comes_later") {
        return;
    }
    for policy in [Policy::Auto, Policy::On, Policy::Eager] {
        thread::spawn(move || {
            let mut selector = selector_by(policy);
            let pipe = pipe();
            pipe.source.register(&selector, Ops::READ, ()).unwrap();
            let all = take_all_descriptors();
            for _ in 0..200 {
                assert_eq!(selector.select_now().unwrap(), 0);
            }
            let why = why_unavailable(&selector);
            assert!(why.contains("open files"), "{policy}: {why}");
            (&pipe.sink).write_all(b"x").unwrap();
            assert_eq!(selector.select_now().unwrap(), 1);
            assert_eq!(read_all(&pipe.source), b"x");
            drop(all);
            for _ in 0..10_000 {
                assert_eq!(selector.select_now().unwrap(), 0);
            }
            let doorbell = selector.doorbell();
            assert_eq!(doorbell.state, State::Armed, "{policy}");
            assert!(doorbell.answered > 0);
        })
        .join()
        .unwrap();
    }
}
