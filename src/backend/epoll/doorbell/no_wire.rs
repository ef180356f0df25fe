//! What stands for a wire where there is no io_uring(7).

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU32;

use crate::error::{Error, Result};
use crate::sys::thread::ThreadNumber;

#[derive(Debug)]
pub(super) enum Wire {}

impl Wire {
    pub(super) fn spare() -> Option<Self> {
        None
    }

    pub(super) fn open() -> Result<Self> {
        Err(Error::Unsupported(
            "there is no io_uring for this system".into(),
        ))
    }

    pub(super) fn owner(&self) -> ThreadNumber {
        match *self {}
    }

    pub(super) fn is_silent(&self) -> bool {
        match *self {}
    }

    pub(super) fn is_settled(&self) -> bool {
        match *self {}
    }

    pub(super) fn word(&self) -> &AtomicU32 {
        match *self {}
    }

    pub(super) fn settle(&mut self, _epoll: RawFd) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn retire(self) {
        match self {}
    }
}

pub(super) fn explain(error: &Error) -> String {
    error.to_string()
}
