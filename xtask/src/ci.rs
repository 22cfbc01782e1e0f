//! `cargo xtask ci`: the documentation, licences, and what the test command runs.

use anyhow::Result;

use crate::{shell, test};

/// Runs the command.
pub fn run() -> Result<()> {
    let mut doc = shell::cargo();
    doc.args(["doc", "--quiet", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    println!("── documentation");
    shell::run(&mut doc)?;
    if shell::has("cargo-deny") {
        println!("── licences and advisories");
        shell::run(shell::cargo().args(["deny", "check"]))?;
    } else {
        println!("── licences: cargo-deny is missing (cargo install cargo-deny), not checked");
    }
    test::run(&test::Options { filter: None })
}
