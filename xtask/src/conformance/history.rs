//! Results on disk: one line per test, with status and name separated by a tab.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Finding, Status};

/// Reads the statuses of earlier runs, by the tests' names.
///
/// # Errors
/// The file cannot be read, or a line has no status or no name.
pub fn read(path: &Path) -> Result<BTreeMap<String, Status>> {
    let line = |line: &str| -> Result<(String, Status)> {
        let (status, name) = line.split_once('\t').context("no results")?;
        Ok((name.to_owned(), status.parse()?))
    };
    fs::read_to_string(path)?.lines().map(line).collect()
}

/// Writes the statuses of `findings`, and keeps the statuses of `earlier` runs for other tests.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    path: &Path,
    mut earlier: BTreeMap<String, Status>,
    findings: &[Finding<'_>],
) -> Result<()> {
    for finding in findings {
        earlier.insert(finding.name.to_owned(), finding.outcome.status);
    }
    let mut text = String::new();
    for (name, status) in earlier {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{status}\t{name}");
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
