//! Direct buffers, and their addresses.
//!
//! JNI's own `GetDirectBufferAddress` takes longer than to read the field, and does not tell
//! buffers over memory segments from others.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::OnceLock;

use jni::errors::{Error, Result};
use jni::ids::JFieldID;
use jni::objects::{JByteBuffer, JClass, JObject};
use jni::signature::FieldSignature;
use jni::strings::JNIStr;
use jni::sys::{self, jlong};
use jni::{Env, EnvUnowned, jni_sig, jni_str};

use crate::guard::guard_with_env;

/// Fields of `java.nio.Buffer`.
struct Fields {
    address: JFieldID,
    segment: JFieldID,
}

/// Nothing if the buffers of this JDK have other fields. The class is never unloaded.
static FIELDS: OnceLock<Option<Fields>> = OnceLock::new();

/// `Memory.addressOf`. Where it knows nothing about buffers the answer is 0, and bytes are copied.
#[unsafe(export_name = "Java_org_nioselect_internal_sys_Memory_addressOf")]
extern "system" fn address_of(
    env: EnvUnowned<'_>,
    _class: JClass<'_>,
    buffer: JObject<'_>,
) -> jlong {
    let raw = env.as_raw();
    if FIELDS.get().is_none() {
        guard_with_env(env, |env| {
            let found = find_fields(env)?;
            FIELDS.get_or_init(|| found);
            Ok(())
        });
    }
    match FIELDS.get() {
        // SAFETY: the JVM passes its environment and an object of that class or null.
        Some(Some(fields)) if !buffer.is_null() => unsafe { read(raw, buffer.as_raw(), fields) },
        _ => 0,
    }
}

/// `Memory.addressOfOwn`.
#[expect(
    clippy::needless_pass_by_value,
    reason = "this is how the JVM passes objects"
)]
pub(crate) fn address_of_own(env: &mut Env<'_>, buffer: JByteBuffer<'_>) -> Result<jlong> {
    Ok(env.get_direct_buffer_address(&buffer)? as jlong)
}

/// A direct buffer over memory that is not the JVM's.
///
/// `Env::new_direct_byte_buffer` looks up classes of exceptions if it fails. Where it fails for want
/// of stack or heap that fails as well, and is an occasion to look up others, without an end.
///
/// # Safety
///
/// The memory is there for as long as the buffer is used.
pub(crate) unsafe fn over<'local, T>(
    env: &mut Env<'local>,
    memory: NonNull<T>,
) -> Result<JByteBuffer<'local>> {
    let raw = env.get_raw();
    let length = jlong::try_from(size_of::<T>()).expect("types are smaller");
    // SAFETY: the function has been there from 1.4 on, which the jni crate demands. The caller
    // vouches for the memory.
    let buffer = unsafe { ((**raw).v1_4.NewDirectByteBuffer)(raw, memory.as_ptr().cast(), length) };
    if !buffer.is_null() {
        // SAFETY: it is a new local reference, to a direct buffer.
        return Ok(unsafe { JByteBuffer::from_raw(env, buffer) });
    }
    Err(if env.exception_check() {
        Error::JavaException
    } else {
        Error::NullPtr("NewDirectByteBuffer")
    })
}

/// # Safety
///
/// The environment is this thread's, the object a buffer.
unsafe fn read(env: *mut sys::JNIEnv, buffer: sys::jobject, fields: &Fields) -> jlong {
    // SAFETY: these functions have been there from the first version on, and the fields are that
    // object's and of these types.
    unsafe {
        let functions = &(**env).v1_1;
        let segment = (functions.GetObjectField)(env, buffer, fields.segment.into_raw());
        if segment.is_null() {
            (functions.GetLongField)(env, buffer, fields.address.into_raw())
        } else {
            0
        }
    }
}

fn find_fields(env: &mut Env<'_>) -> Result<Option<Fields>> {
    let class = env.find_class(jni_str!("java/nio/Buffer"))?;
    let address = find(env, &class, jni_str!("address"), &jni_sig!("J"))?;
    let segment = jni_str!("segment");
    let segment = match find(
        env,
        &class,
        segment,
        &jni_sig!("Ljava/lang/foreign/MemorySegment;"),
    )? {
        None => {
            // What JDK 17 and 18 have.
            let proxy = jni_sig!("Ljdk/internal/access/foreign/MemorySegmentProxy;");
            find(env, &class, segment, &proxy)?
        }
        found => found,
    };
    let fields = address.zip(segment);
    Ok(fields.map(|(address, segment)| Fields { address, segment }))
}

fn find(
    env: &mut Env<'_>,
    class: &JClass<'_>,
    name: &JNIStr,
    signature: &FieldSignature<'_>,
) -> Result<Option<JFieldID>> {
    match env.get_field_id(class, name, signature) {
        Ok(field) => Ok(Some(field)),
        Err(Error::FieldNotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
