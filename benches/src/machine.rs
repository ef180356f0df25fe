//! What the numbers were measured on.

use std::ffi::CStr;
use std::fmt::Write;
use std::fs;
use std::thread;

use rustix::system::uname;

use crate::limit;

/// Kernel, processor, cores and descriptor limit in one line.
pub(crate) fn describe() -> String {
    let system = uname();
    let text = |name: &CStr| name.to_string_lossy().into_owned();
    let mut line = format!("{} {}", text(system.sysname()), text(system.release()));
    let processor = processor().unwrap_or_else(|| text(system.machine()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let descriptors = limit::raise();
    // Writing to a string cannot fail.
    let _ = write!(
        line,
        ", {processor}, {cores} cores, {descriptors} descriptors"
    );
    line
}

/// The processor's name, where the system has a file that tells it.
fn processor() -> Option<String> {
    let information = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = information
        .lines()
        .find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().to_owned())
}
