//! Programs for Node.js with packages of npm, among the build products.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell;

/// The program, which may change without another installation.
pub const PROGRAM: &str = "run.mjs";

/// Writes a program's files, and installs its packages if they are missing or others; returns the
/// folder.
///
/// * `files`: names and texts: [`PROGRAM`], `package.json` and `package-lock.json`.
/// * `package`: the package that the program needs.
///
/// # Errors
/// Node.js or npm is missing and cannot be installed, or the package cannot be fetched.
pub fn install(name: &str, files: &[(&str, &str)], package: &str) -> Result<PathBuf> {
    let folder = shell::target_dir().join("tools").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut same = folder.join("node_modules").join(package).is_dir();
    for (name, text) in files {
        let path = folder.join(name);
        same &= fs::read_to_string(&path).is_ok_and(|there| there == *text) || *name == PROGRAM;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    shell::need("node", "nodejs")?;
    if !same {
        shell::need("npm", "npm")?;
        let mut npm = shell::command("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder);
        shell::output(&mut npm).with_context(|| format!("cannot install {package}"))?;
    }
    Ok(folder)
}
