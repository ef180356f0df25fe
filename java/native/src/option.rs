//! Socket options by the numbers of the class `SocketOptionCalls`.

use std::ffi::c_int;

use jni::sys::{jint, jlong};
use libc::{IPPROTO_IP, IPPROTO_IPV6, IPPROTO_TCP, SOL_SOCKET, in_addr, linger};

use crate::descriptor::Unfinished;
use crate::errno::{Errno, Result};
use crate::form::{Family, IPV4, IPV6};
use crate::interface;
use crate::socket;
use crate::sockopt::{self, Name, name};

/// What an option is on this system, if it has it.
struct Definition {
    /// Its name on a socket of any family, or if there is one for IPv6, on the IPv4 stack.
    name: Option<Name>,
    /// Its name on the IPv6 stack.
    ipv6: Option<Name>,
    form: Form,
}

/// How a value is represented.
#[derive(Clone, Copy)]
enum Form {
    Number,
    /// Any number but zero is yes.
    Flag,
    /// A number, of which Linux makes two: half is for its own structures.
    BufferSize,
    Linger,
    /// A byte for IPv4, a number for IPv6.
    Byte,
    /// An address for IPv4, an index for IPv6.
    Interface,
    /// Whether the path MTU is a limit, as a number that tells how it is found out.
    #[cfg(target_os = "linux")]
    PathMtu,
}

/// A number, where the system has it.
macro_rules! on {
    ($systems:meta, $number:expr) => {{
        #[cfg($systems)]
        let number = Some($number);
        #[cfg(not($systems))]
        let number = None;
        number
    }};
}

#[rustfmt::skip]
const DEFINITIONS: [Definition; 24] = {
    use Form::{BufferSize, Byte, Flag, Interface, Linger, Number};
    use libc::*;

    [
        /* SO_SNDBUF */ on_socket(Some(SO_SNDBUF), BufferSize),
        /* SO_RCVBUF */ on_socket(Some(SO_RCVBUF), BufferSize),
        /* SO_KEEPALIVE */ on_socket(Some(SO_KEEPALIVE), Flag),
        /* SO_REUSEADDR */ on_socket(Some(SO_REUSEADDR), Flag),
        /* SO_REUSEPORT */ on_socket(on!(not(any(target_os = "illumos", target_os = "solaris")), SO_REUSEPORT), Flag),
        /* SO_BROADCAST */ on_socket(Some(SO_BROADCAST), Flag),
        /* SO_LINGER */ on_socket(Some(LINGER_IN_SECONDS), Linger),
        /* TCP_NODELAY */ on_tcp(Some(TCP_NODELAY), Flag),
        /* IP_TOS */ on_both_stacks(IP_TOS, IPV6_TCLASS, Number),
        /* IP_MULTICAST_IF */ on_both_stacks(IP_MULTICAST_IF, IPV6_MULTICAST_IF, Interface),
        /* IP_MULTICAST_TTL */ on_both_stacks(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, Byte),
        /* IP_MULTICAST_LOOP */ on_both_stacks(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, Byte),
        /* SO_OOBINLINE */ on_socket(Some(SO_OOBINLINE), Flag),
        /* TCP_QUICKACK */ on_tcp(on!(target_os = "linux", TCP_QUICKACK), Flag),
        /* TCP_KEEPIDLE */ on_tcp(KEEPALIVE_IDLE, Number),
        /* TCP_KEEPINTERVAL */ on_tcp(on!(not(target_os = "openbsd"), TCP_KEEPINTVL), Number),
        /* TCP_KEEPCOUNT */ on_tcp(on!(not(target_os = "openbsd"), TCP_KEEPCNT), Number),
        /* SO_INCOMING_NAPI_ID */ on_socket(on!(target_os = "linux", SO_INCOMING_NAPI_ID), Number),
        /* IP_DONTFRAGMENT */ DONT_FRAGMENT,
        /* TCP_USER_TIMEOUT */ on_tcp(on!(target_os = "linux", TCP_USER_TIMEOUT), Number),
        /* TCP_NOTSENT_LOWAT */ on_tcp(on!(target_os = "linux", TCP_NOTSENT_LOWAT), Number),
        /* SO_BUSY_POLL */ on_socket(on!(target_os = "linux", SO_BUSY_POLL), Number),
        /* TCP_FASTOPEN */ on_tcp(on!(target_os = "linux", TCP_FASTOPEN), Number),
        /* SO_INCOMING_CPU */ on_socket(on!(target_os = "linux", SO_INCOMING_CPU), Number),
    ]
};

/// Darwin's `SO_LINGER` counts ticks.
#[cfg(target_vendor = "apple")]
const LINGER_IN_SECONDS: c_int = libc::SO_LINGER_SEC;
#[cfg(not(target_vendor = "apple"))]
const LINGER_IN_SECONDS: c_int = libc::SO_LINGER;

/// OpenBSD sets the times of keep-alive for the whole system, by sysctl(2).
#[cfg(target_os = "openbsd")]
const KEEPALIVE_IDLE: Option<c_int> = None;
#[cfg(target_vendor = "apple")]
const KEEPALIVE_IDLE: Option<c_int> = Some(libc::TCP_KEEPALIVE);
#[cfg(not(any(target_os = "openbsd", target_vendor = "apple")))]
const KEEPALIVE_IDLE: Option<c_int> = Some(libc::TCP_KEEPIDLE);

#[cfg(target_os = "linux")]
const DONT_FRAGMENT: Definition = on_both_stacks(
    libc::IP_MTU_DISCOVER,
    libc::IPV6_MTU_DISCOVER,
    Form::PathMtu,
);
#[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
const DONT_FRAGMENT: Definition =
    on_both_stacks(libc::IP_DONTFRAG, libc::IPV6_DONTFRAG, Form::Flag);
#[cfg(not(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd")))]
const DONT_FRAGMENT: Definition = on_socket(None, Form::Flag);

const fn on_socket(option: Option<c_int>, form: Form) -> Definition {
    at(SOL_SOCKET, option, form)
}

const fn on_tcp(option: Option<c_int>, form: Form) -> Definition {
    at(IPPROTO_TCP, option, form)
}

const fn at(level: c_int, option: Option<c_int>, form: Form) -> Definition {
    let name = match option {
        Some(option) => Some(name(level, option)),
        None => None,
    };
    Definition {
        name,
        ipv6: None,
        form,
    }
}

const fn on_both_stacks(ipv4: c_int, ipv6: c_int, form: Form) -> Definition {
    Definition {
        name: Some(name(IPPROTO_IP, ipv4)),
        ipv6: Some(name(IPPROTO_IPV6, ipv6)),
        form,
    }
}

fn definition(option: jint) -> Result<&'static Definition> {
    let index = usize::try_from(option).map_err(|_| Errno(libc::EINVAL))?;
    DEFINITIONS.get(index).ok_or(Errno(libc::EINVAL))
}

/// `SocketOptionCalls.isAvailable`: the kernel may lack what its headers have.
pub(crate) fn is_available(option: jint) -> Result<jint> {
    let Some(name) = definition(option)?.name else {
        return Ok(0);
    };
    let kind = if name.level == IPPROTO_TCP {
        socket::STREAM
    } else {
        socket::DATAGRAM
    };
    let Ok(probe) = socket::open(IPV4, kind).map(Unfinished) else {
        return Ok(1);
    };
    match get(probe.0, IPV4, option) {
        Err(Errno(libc::ENOPROTOOPT | libc::EOPNOTSUPP)) => Ok(0),
        _ => Ok(1),
    }
}

/// `SocketOptionCalls.get`.
pub(crate) fn get(fd: jint, family: Family, option: jint) -> Result<jlong> {
    let definition = definition(option)?;
    let value = match definition.ipv6 {
        Some(name) if family == IPV6 => get_ipv6(fd, name, definition.form),
        _ => match definition.name {
            Some(name) => get_plain(fd, name, definition.form),
            None => Err(Errno(libc::ENOPROTOOPT)),
        },
    }?;
    Ok(value.cast_unsigned().into())
}

/// `SocketOptionCalls.set`.
pub(crate) fn set(fd: jint, family: Family, option: jint, value: jint) -> Result<jint> {
    let definition = definition(option)?;
    let name = definition.name.ok_or(Errno(libc::ENOPROTOOPT))?;
    match definition.ipv6 {
        Some(ipv6) if family == IPV6 => {
            set_ipv6(fd, ipv6, definition.form, value)?;
            let ipv4 = set_plain(fd, name, definition.form, value);
            // Elsewhere not every IPv6 socket has a say in IPv4.
            if cfg!(target_os = "linux") {
                ipv4
            } else {
                Ok(())
            }
        }
        _ => set_plain(fd, name, definition.form, value),
    }?;
    Ok(0)
}

fn get_plain(fd: c_int, name: Name, form: Form) -> Result<c_int> {
    let number = || sockopt::get::<c_int>(fd, name);
    match form {
        Form::Number => number(),
        Form::Flag => Ok((number()? != 0).into()),
        Form::BufferSize if cfg!(target_os = "linux") => Ok(number()? / 2),
        Form::BufferSize => number(),
        Form::Linger => {
            let linger: linger = sockopt::get(fd, name)?;
            Ok(if linger.l_onoff == 0 {
                -1
            } else {
                linger.l_linger
            })
        }
        Form::Byte => sockopt::get::<u8>(fd, name).map(c_int::from),
        Form::Interface => {
            let address: in_addr = sockopt::get(fd, name)?;
            let index = interface::with_ipv4(address)?;
            Ok(index.cast_signed())
        }
        #[cfg(target_os = "linux")]
        Form::PathMtu => Ok((number()? == libc::IP_PMTUDISC_DO).into()),
    }
}

fn get_ipv6(fd: c_int, name: Name, form: Form) -> Result<c_int> {
    match form {
        Form::Byte | Form::Interface => sockopt::get(fd, name),
        _ => get_plain(fd, name, form),
    }
}

fn set_plain(fd: c_int, name: Name, form: Form, value: c_int) -> Result<()> {
    match form {
        Form::Number | Form::Flag => sockopt::set(fd, name, value),
        Form::BufferSize => set_size(fd, name, value),
        Form::Linger => {
            let linger = linger {
                l_onoff: (value >= 0).into(),
                l_linger: value.max(0),
            };
            sockopt::set(fd, name, linger)
        }
        Form::Byte => {
            let byte = u8::try_from(value).map_err(|_| Errno(libc::EINVAL))?;
            sockopt::set(fd, name, byte)
        }
        Form::Interface => set_ipv4_interface(fd, name, value.cast_unsigned()),
        #[cfg(target_os = "linux")]
        Form::PathMtu => {
            let how = if value == 0 {
                libc::IP_PMTUDISC_DONT
            } else {
                libc::IP_PMTUDISC_DO
            };
            sockopt::set(fd, name, how)
        }
    }
}

fn set_ipv6(fd: c_int, name: Name, form: Form, value: c_int) -> Result<()> {
    match form {
        Form::Byte | Form::Interface => sockopt::set(fd, name, value),
        _ => set_plain(fd, name, form, value),
    }
}

/// Sizes are wishes: what is more than a system allows is cut, here where it would be refused.
fn set_size(fd: c_int, name: Name, mut size: c_int) -> Result<()> {
    loop {
        match sockopt::set(fd, name, size) {
            Err(Errno(libc::ENOBUFS)) if size > 1 => size -= size / 8 + 1,
            result => return result,
        }
    }
}

/// The index is enough for Linux, but all that it tells later is the address.
#[cfg(target_os = "linux")]
fn set_ipv4_interface(fd: c_int, name: Name, index: u32) -> Result<()> {
    let any = in_addr { s_addr: 0 };
    let address = match index {
        0 => None,
        index => interface::ipv4_of(index)?,
    };
    let request = libc::ip_mreqn {
        imr_multiaddr: any,
        imr_address: address.unwrap_or(any),
        imr_ifindex: index.cast_signed(),
    };
    sockopt::set(fd, name, request)
}

#[cfg(not(target_os = "linux"))]
fn set_ipv4_interface(fd: c_int, name: Name, index: u32) -> Result<()> {
    let address = match index {
        0 => in_addr { s_addr: 0 },
        index => interface::ipv4_of(index)?.ok_or(Errno(libc::EADDRNOTAVAIL))?,
    };
    sockopt::set(fd, name, address)
}
