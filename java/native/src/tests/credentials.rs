//! Who is at the other end.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use super::{address_of, open};
use crate::credentials;
use crate::errno::Errno;
use crate::form::UNIX;
use crate::socket::STREAM;

#[test]
fn the_peer_of_a_pair_is_this_process() {
    let (one, _other) = UnixStream::pair().unwrap();
    let mut ids = [u32::MAX; 2];
    // SAFETY: there is room for two ints.
    unsafe { credentials::of_peer(one.as_raw_fd(), address_of(&mut ids)) }.unwrap();
    // SAFETY: these calls cannot go wrong.
    assert_eq!(ids, unsafe { [libc::geteuid(), libc::getegid()] });
}

#[test]
fn without_a_peer_there_are_no_credentials() {
    let socket = open(UNIX, STREAM);
    let mut ids = [0; 2];
    // SAFETY: there is room for two ints.
    let outcome =
        unsafe { credentials::of_peer(socket.as_raw_fd(), address_of::<[u32; 2]>(&mut ids)) };
    assert_eq!(outcome, Err(Errno(libc::ENOTCONN)));
}

#[test]
fn users_and_groups_without_a_name_have_their_number() {
    assert_eq!(credentials::user(0), "root");
    assert!(["root", "wheel"].contains(&credentials::group(0).as_str()));
    assert_eq!(credentials::user(3_999_999_999), "3999999999");
    assert_eq!(credentials::group(3_999_999_999), "3999999999");
}
