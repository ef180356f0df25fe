//! Fields of `java.net.DatagramPacket`.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use jni::errors::{Error, Result};
use jni::ids::JFieldID;
use jni::objects::{JObject, JValue};
use jni::signature::{Primitive, ReturnType};
use jni::strings::JNIStr;
use jni::sys::jint;
use jni::{Env, jni_sig, jni_str};

/// How much of a packet's buffer is taken. The class is never unloaded.
static LENGTH: OnceLock<JFieldID> = OnceLock::new();
/// How much of a packet's buffer may be taken.
static CAPACITY: OnceLock<JFieldID> = OnceLock::new();

/// `Fields.setReceivedLength`.
pub(crate) fn set_received_length(
    env: &mut Env<'_>,
    packet: JObject<'_>,
    length: jint,
) -> Result<()> {
    let field = find(env, &packet, &LENGTH, jni_str!("length"))?;
    // SAFETY: the packet is one of that class, which Java has checked, and the field an int.
    unsafe { env.set_field_unchecked(packet, field, JValue::Int(length)) }
}

/// `Fields.capacity`.
pub(crate) fn capacity(env: &mut Env<'_>, packet: JObject<'_>) -> Result<jint> {
    let field = find(env, &packet, &CAPACITY, jni_str!("bufLength"))?;
    // SAFETY: the packet is one of that class, which Java has checked, and the field an int.
    unsafe { env.get_field_unchecked(packet, field, ReturnType::Primitive(Primitive::Int)) }?.i()
}

/// A field of the class of packets, which is an int.
fn find(
    env: &mut Env<'_>,
    packet: &JObject<'_>,
    known: &OnceLock<JFieldID>,
    name: &JNIStr,
) -> Result<JFieldID> {
    if packet.is_null() {
        return Err(Error::NullPtr("packet"));
    }
    if let Some(&field) = known.get() {
        return Ok(field);
    }
    let field = env.get_field_id(jni_str!("java/net/DatagramPacket"), name, jni_sig!("I"))?;
    Ok(*known.get_or_init(|| field))
}
