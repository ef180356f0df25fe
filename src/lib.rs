//! `java.nio`'s selector for Rust.
//!
//! A [`Selector`] waits for many [channels](channel) at once, over whichever mechanism the
//! system has: epoll(7), kqueue(2), `/dev/poll`, io_uring(7), poll(2), select(2) or real-time
//! signals, chosen at run time ([`Backend`]). Its registrations are [keys](SelectionKey) with an
//! interest set, a ready set and a typed attachment; what is ready is collected in a selected-key
//! set, level-triggered, until it is removed. On Linux, who looks again and again need not ask the
//! kernel each time: there is a [doorbell].
//!
//! # The layers
//!
//! Each knows only those below it.
//!
//! | module | knows |
//! | --- | --- |
//! | [`Monitor`] | watchers that are called when their channel is ready |
//! | `selector`, `key`, [`channel`] | the rules of `java.nio` |
//! | [`poller`] | tokens, interest, what is ready for which operation |
//! | `backend` | descriptors and readiness, one mechanism a file |
//! | `sys` | the system calls |
//!
//! # Features
//!
//! `doubles` is for this crate's own tests on Linux: kqueue and `/dev/poll` are imitated there, so
//! that [`Backend::available`] has them. Do not enable it: they are slower than poll(2).
//!
//! # Example
//!
//! ```
//! use std::io::{Read, Write};
//! use nioselect::{Ops, Pipe, Selector};
//!
//! let Pipe { mut source, mut sink } = Pipe::open()?;
//! source.configure_blocking(false)?;
//! let mut selector = Selector::open()?;
//! source.register(&selector, Ops::READ, "greetings")?;
//!
//! sink.write_all(b"hello")?;
//! selector.select()?;
//! for key in selector.selected_keys().drain() {
//!     let mut buffer = [0; 16];
//!     let count = source.read(&mut buffer)?;
//!     println!("{}: {} bytes", key.attachment(), count);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(not(unix))]
compile_error!("nioselect needs a UNIX-like system");

mod backend;
pub mod channel;
pub mod doorbell;
#[cfg(all(target_os = "linux", feature = "doubles"))]
#[doc(hidden)]
pub mod doubles;
mod error;
mod key;
mod mode;
mod monitor;
mod notices;
mod ops;
pub mod poller;
mod selector;
mod sys;
mod token;
mod wish;

pub use backend::Backend;
pub use channel::{
    DatagramChannel, Pipe, PipeSink, PipeSource, ProtocolFamily, SelectableChannel,
    ServerSocketChannel, SocketChannel, UnixDatagramChannel, UnixServerSocketChannel,
    UnixSocketChannel,
};
pub use error::{Error, Result};
pub use key::SelectionKey;
pub use mode::Mode;
pub use monitor::{Monitor, Stopper};
pub use ops::Ops;
pub use poller::{Kind, Statistics, Token, Waker};
pub use selector::{
    Drain, SelectedKey, SelectedKeyMut, SelectedKeys, Selector, SelectorBuilder, SelectorHandle,
};

/// The example in the README must compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
