//! The results as a file for programs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, doing};

/// Where the JSON goes, if it was asked for. The file is opened before anything is measured, so
/// that a long run is not lost to a wrong path.
pub(crate) struct Report(Option<File>);

impl Report {
    pub(crate) fn create(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        let file = File::create(path).map_err(doing(path.display()))?;
        Ok(Self(Some(file)))
    }

    pub(crate) fn write(self, result: &Value) -> Result<(), Error> {
        let Some(file) = self.0 else {
            return Ok(());
        };
        let mut file = BufWriter::new(file);
        writeln!(file, "{result:#}")?;
        file.flush()?;
        Ok(())
    }
}
