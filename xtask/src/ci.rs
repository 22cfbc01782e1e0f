//! `cargo xtask ci`: documentation, advisories, and the tests.

use anyhow::Result;

use crate::{shell, test};

/// Runs the command.
///
/// # Errors
/// A part fails.
pub fn run() -> Result<()> {
    println!("── documentation");
    let mut doc = shell::cargo();
    shell::output(doc.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    if shell::has("cargo-deny") {
        println!("── advisories");
        shell::run(shell::cargo().args(["deny", "check", "advisories"]))?;
    }
    test::run(&test::Options { filter: None })
}
