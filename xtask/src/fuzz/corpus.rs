//! Inputs of fuzz targets: committed inputs, and inputs that searches keep.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// The maximum size of an input that [`keep`] commits, in bytes.
const LARGEST: usize = 2048;

/// Returns a folder next to the build products of fuzz targets.
pub fn folder(name: &str) -> PathBuf {
    shell::target_dir().join("fuzz").join(name)
}

/// Returns the folder of a target's committed inputs.
pub fn committed(target: &str) -> PathBuf {
    shell::root().join("tools/fuzz/corpus").join(target)
}

/// Returns the names of all targets.
///
/// # Errors
/// The corpus cannot be listed.
pub fn targets() -> Result<Vec<String>> {
    let names = inputs(&committed(""))?.into_iter();
    Ok(names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
}

/// Returns the paths in a folder, sorted.
///
/// # Errors
/// The folder cannot be listed.
pub fn inputs(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Adds inputs that searches kept to a target's committed inputs, if they reach code that the
/// committed inputs do not reach.
///
/// # Errors
/// libFuzzer fails.
pub fn keep(program: &Path, target: &str) -> Result<()> {
    let committed = committed(target);
    let before = inputs(&committed)?.len();
    let mut command = shell::command(program);
    command
        .env(super::VARIABLE, target)
        .args(["-merge=1", &format!("-max_len={LARGEST}")])
        .args([&committed, &folder("corpus").join(target)]);
    shell::output(&mut command)?;
    println!("{target}: {} inputs, {before} before", inputs(&committed)?.len());
    Ok(())
}
