//! Tests of the functions beneath the native methods, on real sockets and without a JVM.
#![allow(unsafe_code)]

mod addresses;
mod credentials;
mod datagrams;
mod descriptors;
mod errors;
#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
mod multicast;
mod options;
mod sockets;
mod waiting;

use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;

use jni::sys::{jint, jlong};

use crate::errno::{Errno, Result};
use crate::form::{Family, Form, IPV4, IPV6, UNIX};
use crate::socket;

/// The address of memory, as Java passes it.
fn address_of<T>(memory: &mut T) -> jlong {
    ptr::from_mut(memory).expose_provenance() as jlong
}

fn form(family: Family, bytes: &[u8], port: u16) -> Form {
    let mut form = Form {
        family,
        port: port.into(),
        scope: 0,
        length: bytes.len() as jint,
        bytes: [0xee; 112],
    };
    form.bytes[..bytes.len()].copy_from_slice(bytes);
    form
}

fn ipv4(bytes: [u8; 4], port: u16) -> Form {
    form(IPV4, &bytes, port)
}

fn ipv6_loopback(port: u16) -> Form {
    form(IPV6, &std::net::Ipv6Addr::LOCALHOST.octets(), port)
}

fn unix(path: &[u8]) -> Form {
    form(UNIX, path, 0)
}

const LOOPBACK: [u8; 4] = [127, 0, 0, 1];

/// What a form says, in the words of the standard library.
fn parts(form: &Form) -> (Family, jint, jint, &[u8]) {
    (form.family, form.port, form.scope, form.path().unwrap())
}

/// A socket that is closed at the end of a test.
fn open(family: Family, kind: jint) -> OwnedFd {
    owned(socket::open(family, kind))
}

fn owned(fd: Result<RawFd>) -> OwnedFd {
    let fd = fd.unwrap();
    // SAFETY: it was opened for the caller.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

fn bind(fd: RawFd, family: Family, mut address: Form) -> Result<jint> {
    // SAFETY: the form is this function's own.
    unsafe { socket::bind(fd, family, address_of(&mut address)) }
}

fn connect(fd: RawFd, family: Family, mut address: Form) -> Result<jint> {
    // SAFETY: the form is this function's own.
    unsafe { socket::connect(fd, family, address_of(&mut address)) }
}

fn local_address(fd: RawFd) -> Form {
    let mut address = unix(&[]);
    // SAFETY: the form is this function's own.
    unsafe { crate::address::local_address(fd, address_of(&mut address)) }.unwrap();
    address
}

fn remote_address(fd: RawFd) -> Result<Form> {
    let mut address = unix(&[]);
    // SAFETY: the form is this function's own.
    unsafe { crate::address::remote_address(fd, address_of(&mut address)) }?;
    Ok(address)
}

fn accept(fd: RawFd) -> Result<(OwnedFd, Form)> {
    let mut peer = unix(&[]);
    // SAFETY: the form is this function's own.
    let socket = unsafe { socket::accept(fd, address_of(&mut peer)) }?;
    Ok((owned(Ok(socket)), peer))
}

/// A listening socket bound to a free port, and that port.
fn listening(family: Family, address: Form) -> (OwnedFd, u16) {
    use std::os::fd::AsRawFd;

    let listener = open(family, socket::LISTENER);
    bind(listener.as_raw_fd(), family, address).unwrap();
    socket::listen(listener.as_raw_fd(), 5).unwrap();
    let port = local_address(listener.as_raw_fd()).port;
    (listener, port.try_into().unwrap())
}

/// For results whose values have no `Debug`.
fn error<T>(result: Result<T>) -> Option<Errno> {
    result.err()
}

/// The index of the loopback interface.
fn loopback() -> i32 {
    let name = if cfg!(target_os = "linux") {
        c"lo"
    } else {
        c"lo0"
    };
    // SAFETY: the name ends with a NUL.
    unsafe { libc::if_nametoindex(name.as_ptr()) }.cast_signed()
}
