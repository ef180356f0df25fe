//! Error numbers: of the last call, on their way to Java, by name and in words.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::io;

use jni::Env;
use jni::objects::JString;
use jni::sys::jint;

/// The error number of a system call that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) c_int);

pub(crate) type Result<T> = std::result::Result<T, Errno>;

impl Errno {
    /// The error of the last call of this thread.
    pub(crate) fn last() -> Self {
        io::Error::last_os_error().into()
    }
}

impl From<io::Error> for Errno {
    /// An error without a number, which no system call gives, counts as one of input or output.
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// The result of a call that answers -1 for failure.
#[inline]
pub(crate) fn check<T: PartialEq + From<i8>>(answer: T) -> Result<T> {
    if answer == T::from(-1) {
        Err(Errno::last())
    } else {
        Ok(answer)
    }
}

/// The result of a call that answers -1 for failure, made again as long as signals interrupt it.
#[inline]
pub(crate) fn retry<T: PartialEq + From<i8>>(mut call: impl FnMut() -> T) -> Result<T> {
    loop {
        match check(call()) {
            Err(Errno(libc::EINTR)) => {}
            result => return result,
        }
    }
}

/// What a native method answers: errors are negative.
#[inline]
pub(crate) fn answer<T: From<jint>>(result: Result<T>) -> T {
    result.unwrap_or_else(|Errno(number)| T::from(-number))
}

macro_rules! by_name {
    ($name:expr, $($known:ident)+) => {
        match $name {
            $(stringify!($known) => Some(libc::$known),)+
            _ => None,
        }
    };
}

pub(crate) fn by_name(name: &str) -> Option<c_int> {
    by_name!(name,
        ENOENT EINTR EBADF EAGAIN EACCES EINVAL EMFILE EPIPE ENOTSOCK EMSGSIZE EPROTO ENOPROTOOPT
        EOPNOTSUPP EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETUNREACH ECONNABORTED ECONNRESET
        EISCONN ENOTCONN ETIMEDOUT ECONNREFUSED EHOSTUNREACH EALREADY EINPROGRESS
    )
}

/// `Errno.number`: a name that is not known here is a mistake in that class.
#[expect(
    clippy::needless_pass_by_value,
    reason = "this is how the JVM passes objects"
)]
pub(crate) fn number(env: &mut Env<'_>, name: JString<'_>) -> jni::errors::Result<jint> {
    let name = name.try_to_string(env)?;
    Ok(by_name(&name).unwrap_or_else(|| panic!("no error number is named {name}")))
}

/// `Errno.text`.
pub(crate) fn text<'local>(
    env: &mut Env<'local>,
    errno: jint,
) -> jni::errors::Result<JString<'local>> {
    env.new_string(describe(errno))
}

pub(crate) fn describe(errno: c_int) -> String {
    let mut buffer = [0 as c_char; 256];
    // SAFETY: the length is the buffer's. Whatever the outcome, text of that length at most and a
    // NUL are in it: it was filled with them.
    let text = unsafe {
        libc::strerror_r(errno, buffer.as_mut_ptr(), buffer.len() - 1);
        CStr::from_ptr(buffer.as_ptr())
    };
    if text.is_empty() {
        return format!("Error {errno}");
    }
    text.to_string_lossy().into_owned()
}
