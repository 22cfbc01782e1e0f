//! The error of a conversion.

use std::path::{Path, PathBuf};

/// The reason why a file was not converted: the file, the fault with its numbers, and the remedy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub what: String,
}

/// The result of a conversion.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns the error of a file.
    pub fn new(path: &Path, what: impl ToString) -> Self {
        Error { path: path.to_owned(), what: what.to_string() }
    }
}
