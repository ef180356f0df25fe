//! Socket addresses of the system, made of the form that Java knows and passed on in it.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::{self, offset_of};

use jni::sys::{jint, jlong};
use libc::{sockaddr, sockaddr_in, sockaddr_in6, sockaddr_storage, sockaddr_un, socklen_t};

use crate::errno::{Errno, Result, retry};
use crate::form::{Family, Form, IPV4, IPV6, NONE, UNIX};

const PATH_SIZE: usize = size_of::<sockaddr_un>() - offset_of!(sockaddr_un, sun_path);

/// How an IPv6 socket writes an IPv4 address, but for the wildcard address: that is the wildcard
/// of IPv6, which stands for both.
const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

#[derive(Clone, Copy)]
#[repr(C)]
union Storage {
    any: sockaddr_storage,
    ipv4: sockaddr_in,
    ipv6: sockaddr_in6,
    unix: sockaddr_un,
}

/// An address as system calls take and give it.
#[derive(Clone, Copy)]
pub(crate) struct SocketAddress {
    storage: Storage,
    length: socklen_t,
}

impl SocketAddress {
    /// The address that a socket of a family takes.
    pub(crate) fn new(form: &Form, socket: Family) -> Result<Self> {
        let port = (form.port as u16).to_be();
        match (form.family, socket) {
            (IPV4, IPV4) => Ok(Self::ipv4(
                form.bytes[..4].try_into().unwrap_or_default(),
                port,
            )),
            (IPV4, IPV6) => Ok(Self::ipv6(mapped(&form.bytes), port, 0)),
            (IPV6, IPV6) => {
                let bytes = form.bytes[..16].try_into().unwrap_or_default();
                Ok(Self::ipv6(bytes, port, form.scope.cast_unsigned()))
            }
            (UNIX, UNIX) => Self::unix(form.path()?),
            _ => Err(Errno(libc::EAFNOSUPPORT)),
        }
    }

    /// Of no family: to connect to it is to disconnect.
    #[cfg(not(any(target_vendor = "apple", target_os = "illumos", target_os = "solaris")))]
    pub(crate) fn unspecified(socket: Family) -> Self {
        let mut address = match socket {
            IPV6 => Self::ipv6([0; 16], 0, 0),
            _ => Self::ipv4([0; 4], 0),
        };
        address.storage.any.ss_family = libc::AF_UNSPEC as _;
        address
    }

    fn ipv4(bytes: [u8; 4], port: u16) -> Self {
        let mut address = Self::zeroed(size_of::<sockaddr_in>());
        address.storage.ipv4.sin_family = libc::AF_INET as _;
        address.storage.ipv4.sin_port = port;
        address.storage.ipv4.sin_addr.s_addr = u32::from_ne_bytes(bytes);
        address
    }

    fn ipv6(bytes: [u8; 16], port: u16, scope: u32) -> Self {
        let mut address = Self::zeroed(size_of::<sockaddr_in6>());
        address.storage.ipv6.sin6_family = libc::AF_INET6 as _;
        address.storage.ipv6.sin6_port = port;
        address.storage.ipv6.sin6_addr.s6_addr = bytes;
        address.storage.ipv6.sin6_scope_id = scope;
        address
    }

    /// The name of a UNIX socket: a path, which gets a NUL at its end; an abstract name, which
    /// begins with one; or none at all.
    fn unix(path: &[u8]) -> Result<Self> {
        let terminator = usize::from(path.first().is_some_and(|&first| first != 0));
        let length = offset_of!(sockaddr_un, sun_path) + path.len() + terminator;
        if length > size_of::<sockaddr_un>() {
            return Err(Errno(libc::ENAMETOOLONG));
        }
        let mut address = Self::zeroed(length);
        address.storage.unix.sun_family = libc::AF_UNIX as _;
        // SAFETY: the field's memory is zeroed, and any bytes are valid in it.
        let name = unsafe { &mut address.storage.unix.sun_path };
        for (to, &from) in name.iter_mut().zip(path) {
            *to = from as _;
        }
        Ok(address)
    }

    fn zeroed(length: usize) -> Self {
        // SAFETY: zero is a valid value of every field.
        let storage = unsafe { mem::zeroed() };
        let mut address = Self {
            storage,
            length: length as socklen_t,
        };
        address.set_inner_length();
        address
    }

    /// BSD keeps the length in the address, too.
    fn set_inner_length(&mut self) {
        #[cfg(any(
            target_vendor = "apple",
            target_os = "dragonfly",
            target_os = "freebsd",
            target_os = "netbsd",
            target_os = "openbsd"
        ))]
        {
            self.storage.any.ss_len = self.length as u8;
        }
    }

    pub(crate) fn as_ptr(&self) -> *const sockaddr {
        (&raw const self.storage).cast()
    }

    pub(crate) fn length(&self) -> socklen_t {
        self.length
    }

    /// What getsockname(2) and its like need.
    pub(crate) fn storage(&self) -> sockaddr_storage {
        // SAFETY: all of the storage is initialised, and any bytes are valid in this field.
        unsafe { self.storage.any }
    }

    /// Makes a call that fills in an address, again if a signal interrupts it.
    #[inline]
    pub(crate) fn filled<T: PartialEq + From<i8>>(
        mut call: impl FnMut(*mut sockaddr, *mut socklen_t) -> T,
    ) -> Result<(T, Self)> {
        let mut address = Self::zeroed(0);
        let storage = (&raw mut address.storage).cast();
        let answer = retry(|| {
            address.length = size_of::<Storage>() as socklen_t;
            call(storage, &raw mut address.length)
        })?;
        Ok((answer, address))
    }

    /// The address that a socket is bound to.
    pub(crate) fn of_socket(fd: c_int) -> Result<Self> {
        // SAFETY: `filled` passes storage and its length.
        let call = |to, length: *mut socklen_t| unsafe { libc::getsockname(fd, to, length) };
        Ok(Self::filled(call)?.1)
    }

    /// The address that a socket is connected to.
    pub(crate) fn of_peer(fd: c_int) -> Result<Self> {
        // SAFETY: `filled` passes storage and its length.
        let call = |to, length: *mut socklen_t| unsafe { libc::getpeername(fd, to, length) };
        Ok(Self::filled(call)?.1)
    }

    /// The family, which is `NONE` for those that java.nio does not know.
    pub(crate) fn family(&self) -> Family {
        if self.length == 0 {
            return NONE;
        }
        match c_int::from(self.storage().ss_family) {
            libc::AF_UNIX => UNIX,
            libc::AF_INET => IPV4,
            libc::AF_INET6 => IPV6,
            _ => NONE,
        }
    }

    /// Passes the address on to Java. A mapped IPv4 address is one of IPv4.
    pub(crate) fn write_to(&self, form: &mut Form) {
        match self.family() {
            IPV4 => {
                // SAFETY: this is an address of that family.
                let address = unsafe { self.storage.ipv4 };
                let bytes = address.sin_addr.s_addr.to_ne_bytes();
                form.fill(IPV4, u16::from_be(address.sin_port), 0, &bytes);
            }
            IPV6 => {
                // SAFETY: this is an address of that family.
                let address = unsafe { self.storage.ipv6 };
                let port = u16::from_be(address.sin6_port);
                let bytes = &address.sin6_addr.s6_addr;
                match bytes.strip_prefix(&MAPPED) {
                    Some(ipv4) => form.fill(IPV4, port, 0, ipv4),
                    None => form.fill(IPV6, port, address.sin6_scope_id, bytes),
                }
            }
            UNIX => form.fill(UNIX, 0, 0, self.name()),
            _ => form.fill(NONE, 0, 0, &[]),
        }
    }

    /// The name of a UNIX socket, without the NUL after a path.
    fn name(&self) -> &[u8] {
        let unix = &raw const self.storage.unix;
        // SAFETY: the storage is initialised, and chars are bytes.
        let field: &[u8; PATH_SIZE] = unsafe { &*(&raw const (*unix).sun_path).cast() };
        let given = (self.length as usize).saturating_sub(offset_of!(sockaddr_un, sun_path));
        // Linux counts a NUL that has no room in the field.
        let field = &field[..given.min(field.len())];
        match field.iter().position(|&byte| byte == 0) {
            // An abstract name on Linux; elsewhere, that there is none.
            Some(0) if cfg!(target_os = "linux") => field,
            Some(end) => &field[..end],
            None => field,
        }
    }
}

/// An IPv4 address as one of IPv6.
fn mapped(ipv4: &[u8]) -> [u8; 16] {
    let mut bytes = [0; 16];
    if ipv4[..4] != [0; 4] {
        bytes[..12].copy_from_slice(&MAPPED);
        bytes[12..].copy_from_slice(&ipv4[..4]);
    }
    bytes
}

/// `Sockets.localAddress`.
///
/// # Safety
///
/// See [`Form::at`].
pub(crate) unsafe fn local_address(fd: jint, to: jlong) -> Result<jint> {
    // SAFETY: as demanded.
    SocketAddress::of_socket(fd)?.write_to(unsafe { Form::at(to) });
    Ok(0)
}

/// `Sockets.remoteAddress`.
///
/// # Safety
///
/// See [`Form::at`].
pub(crate) unsafe fn remote_address(fd: jint, to: jlong) -> Result<jint> {
    // SAFETY: as demanded.
    SocketAddress::of_peer(fd)?.write_to(unsafe { Form::at(to) });
    Ok(0)
}
