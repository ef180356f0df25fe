//! The double against what was measured, and against its own documentation.

mod call;
mod conformance;
mod races;
mod replay;
mod threads;
