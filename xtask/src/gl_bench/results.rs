//! Result files: lists of measurements, each with a name.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads results; `None` if there is no such file.
///
/// # Errors
/// The file has another content.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path)?;
    let what = || format!("{} is of another version; delete it and measure again", path.display());
    serde_json::from_str(&text).map(Some).with_context(what)
}

/// Writes results. Results of an earlier run are kept, unless a new result has the same name.
///
/// # Errors
/// Like [`read`], or the file cannot be written.
pub(super) fn update<T: Serialize + DeserializeOwned>(
    path: &Path,
    new: Vec<T>,
    name: impl Fn(&T) -> &str,
) -> Result<()> {
    let mut results: Vec<T> = read(path)?.unwrap_or_default();
    for result in new {
        match results.iter_mut().find(|old| name(old) == name(&result)) {
            Some(old) => *old = result,
            None => results.push(result),
        }
    }
    fs::write(path, serde_json::to_string_pretty(&results)?)
        .with_context(|| format!("cannot write {}", path.display()))
}
