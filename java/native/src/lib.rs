//! The native methods of `org.nioselect.internal.sys`.
//!
//! # Conventions
//!
//! Java passes descriptors, numbers, and addresses of native memory; it gets numbers back. What is
//! not negative is the result, what is negative an error number negated: Java knows which of its
//! exceptions that is. Few functions deal with Java objects, and none throws, but for an
//! `InternalError` in place of a panic (`guard`).
//!
//! Every descriptor that is opened here is non-blocking and closed on exec. Calls that a signal
//! interrupts are made again. Nothing is remembered between calls but field identifiers of classes
//! that are never unloaded.
//!
//! `exports` lists all native methods; the modules beneath are plain functions on descriptors,
//! one subject each.

mod address;
mod bell;
mod buffer;
mod bulletin;
mod credentials;
mod datagram;
mod descriptor;
mod errno;
mod exports;
mod fields;
mod form;
mod guard;
mod interface;
mod multicast;
mod option;
mod poller;
mod socket;
mod sockopt;
#[cfg(test)]
mod tests;
mod wait;
