//! kqueue(2).

pub(crate) mod types;
