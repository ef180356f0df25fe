//! What keeps a panic out of the JVM, and the macros that export functions to it.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use jni::errors::{Error, Result};
use jni::strings::JNIString;
use jni::{Env, EnvUnowned, Outcome, jni_str};

/// Runs the body of a native method that has no business with the JVM. If it panics the caller
/// gets an `InternalError`, and zero as an answer that nobody sees.
#[inline]
pub(crate) fn guard<T: Default>(env: EnvUnowned<'_>, body: impl FnOnce() -> T) -> T {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer,
        Err(payload) => {
            throw_panic(env, &*payload);
            T::default()
        }
    }
}

/// Runs the body of a native method that asks something of the JVM. If it panics, or the JVM
/// refuses, the caller gets an `InternalError`, or the exception that is on its way already.
pub(crate) fn guard_with_env<'local, T: Default>(
    mut env: EnvUnowned<'local>,
    body: impl FnOnce(&mut Env<'local>) -> Result<T>,
) -> T {
    match env.with_env(body).into_outcome() {
        Outcome::Ok(answer) => return answer,
        Outcome::Err(Error::JavaException) => {}
        Outcome::Err(error) => throw(env, &error.to_string()),
        Outcome::Panic(payload) => throw_panic(env, &*payload),
    }
    T::default()
}

#[cold]
#[inline(never)]
fn throw_panic(env: EnvUnowned<'_>, payload: &(dyn Any + Send)) {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    throw(env, text.unwrap_or("panic"));
}

#[cold]
fn throw(mut env: EnvUnowned<'_>, message: &str) {
    let message = JNIString::from(message);
    // That an exception is on its way is what this call answers when it has thrown one. Should it
    // fail otherwise, the JVM has thrown what kept it from obeying.
    let _: Outcome<(), Error> = env
        .with_env(|env| env.throw_new(jni_str!("java/lang/InternalError"), message))
        .into_outcome();
}

/// Exports functions as native methods of a class in `org.nioselect.internal.sys`. The functions
/// take the arguments of the Java declaration and return its type in a [`Result`], whose error
/// number Java gets negated.
///
/// [`Result`]: crate::errno::Result
macro_rules! export {
    ($class:ident {
        $($method:ident($($argument:ident: $type:ty),*) -> $answer:ty = $function:path;)+
    }) => {
        $(
            #[allow(unsafe_code)]
            const _: () = {
                #[unsafe(export_name = concat!(
                    "Java_org_nioselect_internal_sys_", stringify!($class), "_", stringify!($method)
                ))]
                unsafe extern "system" fn exported(
                    env: jni::EnvUnowned<'_>,
                    _class: jni::objects::JClass<'_>,
                    $($argument: $type),*
                ) -> $answer {
                    $crate::guard::guard(env, || {
                        #[allow(unused_unsafe, reason = "not every function is unsafe")]
                        let result: $crate::errno::Result<$answer> =
                            // SAFETY: descriptors, addresses and handles are what the declaration
                            // in Java demands; only its package calls, and vouches for them.
                            unsafe { $function($($argument),*) };
                        $crate::errno::answer(result)
                    })
                }
            };
        )+
    };
}

/// Exports functions that need the JVM as native methods of a class in
/// `org.nioselect.internal.sys`. They take an [`Env`] and then the arguments of the Java
/// declaration.
macro_rules! export_with_env {
    ($class:ident<$local:lifetime> {
        $($method:ident($($argument:ident: $type:ty),*) -> $answer:ty = $function:path;)+
    }) => {
        $(
            #[allow(unsafe_code)]
            const _: () = {
                #[unsafe(export_name = concat!(
                    "Java_org_nioselect_internal_sys_", stringify!($class), "_", stringify!($method)
                ))]
                extern "system" fn exported<$local>(
                    env: jni::EnvUnowned<$local>,
                    _class: jni::objects::JClass<$local>,
                    $($argument: $type),*
                ) -> $answer {
                    $crate::guard::guard_with_env(env, |env| $function(env, $($argument),*))
                }
            };
        )+
    };
}

pub(crate) use {export, export_with_env};
