//! Benchmarks of nioselect.
//!
//! | module | measures |
//! | --- | --- |
//! | [`harmony`] | `select_now` over many silent TCP connections, for each backend, also in JVMs |
//! | [`scaling`] | how `select_now` grows with the number of keys, for each backend |
//! | [`compare`] | nioselect beside raw epoll, mio and polling, in one run |
//! | `doorbell`, on Linux | what a doorbell saves, and what it costs |
//!
//! The Criterion benchmarks run the same [`engine`]s on the same [`channel`]s as [`compare`]. The Maven
//! project in `java/` has the Java side of [`harmony`], and JMH benchmarks that compare providers.

pub mod channel;
pub mod compare;
#[cfg(target_os = "linux")]
pub mod doorbell;
pub mod engine;
pub mod error;
pub mod harmony;
pub mod limit;
mod machine;
pub mod measure;
pub mod mechanism;
mod output;
mod progress;
mod report;
pub mod scaling;
mod table;
