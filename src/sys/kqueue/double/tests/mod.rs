//! The double against what was measured, and against its own documentation.

mod call;
mod conformance;
mod replay;
mod threads;
