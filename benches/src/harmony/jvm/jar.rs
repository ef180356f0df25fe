//! Where the jars are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A JVM's class path.
#[derive(Debug)]
pub(super) struct ClassPath(pub(super) OsString);

/// The provider's jar and that of the benchmark's Java side, those named or those that `make jars`
/// builds.
///
/// # Errors
///
/// [`Error::Request`] if one of them is not there.
pub(super) fn class_path(
    provider: Option<&Path>,
    benchmark: Option<&Path>,
) -> Result<ClassPath, Error> {
    let version = env!("CARGO_PKG_VERSION");
    let provider = existing(
        provider,
        &format!("java/target/nioselect-{version}.jar"),
        "--jar",
    )?;
    let benchmark = existing(
        benchmark,
        &format!("benches/java/target/nioselect-bench-{version}.jar"),
        "--bench-jar",
    )?;
    let joined = env::join_paths([provider, benchmark]);
    joined
        .map(ClassPath)
        .map_err(|error| Error::Request(format!("the jars make no class path: {error}")))
}

/// The jar named by the option, or the one at its place under the repository.
fn existing(named: Option<&Path>, place: &str, option: &str) -> Result<PathBuf, Error> {
    let jar = named.map_or_else(|| root().join(place), Path::to_owned);
    if jar.is_file() {
        return Ok(jar);
    }
    Err(Error::Request(format!(
        "there is no {}: build the jars with `make jars`, or name one with {option} PATH",
        jar.display()
    )))
}

/// The repository: cargo tells where this package is; without it, the working directory must do.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = package.as_deref().and_then(Path::parent);
    root.map(Path::to_owned).unwrap_or_default()
}
