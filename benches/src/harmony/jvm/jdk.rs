//! Where the JDKs are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

const WHAT_TO_DO: &str = "install a JDK (17 or later), then set JAVA_HOME to its folder, put its \
                          java into PATH, or name it with --java PATH";

/// The java executables to run: that of `JAVA_HOME`, or else of `PATH`; then the others, each
/// once. If others are named, neither of the two must be there.
///
/// # Errors
///
/// [`Error::Request`] if there is none, or one of them is not where it is said to be.
pub(super) fn find(others: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found: Vec<PathBuf> = preferred()?.into_iter().collect();
    for other in others {
        found.push(executable(other, "--java")?);
    }
    if found.is_empty() {
        return Err(Error::Request(format!("no JDK was found: {WHAT_TO_DO}")));
    }
    Ok(without_repetitions(found))
}

fn preferred() -> Result<Option<PathBuf>, Error> {
    match env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => executable(Path::new(&home), "JAVA_HOME").map(Some),
        None => Ok(in_path()),
    }
}

fn in_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|folder| folder.join("java"));
    candidates.find(|java| java.is_file())
}

/// The executable at a path that names it or the folder of its JDK.
fn executable(path: &Path, named_by: &str) -> Result<PathBuf, Error> {
    let java = if path.is_dir() {
        path.join("bin/java")
    } else {
        path.to_owned()
    };
    if java.is_file() {
        return Ok(java);
    }
    Err(Error::Request(format!(
        "{named_by}: there is no {}: {WHAT_TO_DO}",
        java.display()
    )))
}

/// Several paths may lead to the same executable.
fn without_repetitions(all: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    let mut kept = all;
    kept.retain(|java| {
        let real = fs::canonicalize(java).unwrap_or_else(|_| java.clone());
        let is_new = !seen.contains(&real);
        seen.push(real);
        is_new
    });
    kept
}
