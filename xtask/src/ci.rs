//! `cargo xtask ci`: checks documentation and advisories, and runs the tests.

use anyhow::Result;

use crate::{deny, shell, test};

/// Runs the command.
///
/// # Errors
/// A part fails.
pub fn run() -> Result<()> {
    println!("── documentation");
    let mut doc = shell::cargo();
    shell::output(doc.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    println!("── advisories");
    advisories()?;
    test::run(&test::Options { filter: None, all: true })
}

/// Checks that our dependencies have no known vulnerabilities, if the list can be fetched.
fn advisories() -> Result<()> {
    let Some(deny) = deny::program() else {
        println!("   left out, without cargo-deny ({})", deny::HINT);
        return Ok(());
    };
    if let Err(error) = shell::output(shell::command(&deny).args(["fetch", "db"])) {
        println!("   left out, the list of advisories cannot be fetched: {error:#}");
        return Ok(());
    }
    shell::run(shell::command(&deny).args(["check", "--disable-fetch", "advisories"]))
}
