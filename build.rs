//! Which mechanisms the target has, as cfgs: their conditions are long, and needed in many places.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let is_one_of = |systems: &[&str]| systems.contains(&system.as_str());
    // Apple's systems have it, all of them.
    let is_apple = env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple");
    let is_bsd = is_one_of(&["freebsd", "netbsd", "openbsd", "dragonfly"]);
    let has_foreign_kqueue = env::var_os("CARGO_CFG_NIOSELECT_KQUEUE_EXTERN").is_some();
    let has_doubles = is_one_of(&["linux"]) && env::var_os("CARGO_FEATURE_DOUBLES").is_some();

    declare("has_epoll", is_one_of(&["linux", "android"]));
    declare(
        "has_kqueue",
        is_apple || is_bsd || has_foreign_kqueue || has_doubles,
    );
    declare("has_io_uring", is_one_of(&["linux"]) && is_of_io_uring());
    declare(
        "has_devpoll",
        is_one_of(&["solaris", "illumos"]) || has_doubles,
    );
}

/// The io-uring crate has the kernel's structures for these processors.
fn is_of_io_uring() -> bool {
    let known = ["x86_64", "aarch64", "riscv64", "loongarch64", "powerpc64"];
    env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|processor| known.contains(&processor.as_str()))
}

fn declare(name: &str, is_set: bool) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if is_set {
        println!("cargo::rustc-cfg={name}");
    }
}
