//! Membership in multicast groups, by the calls that are the same for IPv4 and IPv6 (RFC 3678).
#![allow(unsafe_code)]

use jni::sys::{jint, jlong};

use crate::errno::Result;

/// `MulticastCalls.change`.
///
/// # Safety
///
/// `group` and, if it is not 0, `source`: see [`Form::at`](crate::form::Form::at).
#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
pub(crate) unsafe fn change(
    fd: jint,
    action: jint,
    group: jlong,
    interface: jint,
    source: jlong,
) -> Result<jint> {
    use crate::form::Form;

    // SAFETY: as demanded.
    let group = unsafe { Form::at(group) };
    if source == 0 {
        request::of_group(fd, action, group, interface.cast_unsigned())?;
    } else {
        // SAFETY: as demanded.
        let source = unsafe { Form::at(source) };
        request::of_source(fd, action, group, interface.cast_unsigned(), source)?;
    }
    Ok(0)
}

/// `MulticastCalls.change`, where there are no such calls.
///
/// # Safety
///
/// There is nothing to heed.
#[cfg(not(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd")))]
pub(crate) unsafe fn change(_: jint, _: jint, _: jlong, _: jint, _: jlong) -> Result<jint> {
    Err(crate::errno::Errno(libc::EOPNOTSUPP))
}

#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
mod request {
    use std::ffi::c_int;

    use jni::sys::jint;
    use libc::{group_req, group_source_req};

    use crate::address::SocketAddress;
    use crate::errno::{Errno, Result};
    use crate::form::{Form, IPV6};
    use crate::sockopt::{self, Name, Value, name};

    /// The constants of the class `MulticastCalls`.
    const JOIN: jint = 0;
    const LEAVE: jint = 1;
    const BLOCK: jint = 2;
    const UNBLOCK: jint = 3;

    // SAFETY: integers.
    unsafe impl Value for group_req {}
    // SAFETY: integers.
    unsafe impl Value for group_source_req {}

    pub(super) fn of_group(fd: c_int, action: jint, group: &Form, interface: u32) -> Result<()> {
        let option = match action {
            JOIN => libc::MCAST_JOIN_GROUP,
            LEAVE => libc::MCAST_LEAVE_GROUP,
            _ => return Err(Errno(libc::EINVAL)),
        };
        let request = group_req {
            gr_interface: interface,
            gr_group: SocketAddress::new(group, group.family)?.storage(),
        };
        sockopt::set(fd, on_stack_of(group, option), request)
    }

    pub(super) fn of_source(
        fd: c_int,
        action: jint,
        group: &Form,
        interface: u32,
        source: &Form,
    ) -> Result<()> {
        let option = match action {
            JOIN => libc::MCAST_JOIN_SOURCE_GROUP,
            LEAVE => libc::MCAST_LEAVE_SOURCE_GROUP,
            BLOCK => libc::MCAST_BLOCK_SOURCE,
            UNBLOCK => libc::MCAST_UNBLOCK_SOURCE,
            _ => return Err(Errno(libc::EINVAL)),
        };
        let request = group_source_req {
            gsr_interface: interface,
            gsr_group: SocketAddress::new(group, group.family)?.storage(),
            gsr_source: SocketAddress::new(source, group.family)?.storage(),
        };
        sockopt::set(fd, on_stack_of(group, option), request)
    }

    fn on_stack_of(group: &Form, option: c_int) -> Name {
        let ipv6 = group.family == IPV6;
        name(
            if ipv6 {
                libc::IPPROTO_IPV6
            } else {
                libc::IPPROTO_IP
            },
            option,
        )
    }
}
