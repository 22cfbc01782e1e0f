//! Conformance suites against `gallium-vtest`: the parts that piglit and dEQP share.
//!
//! A suite gives a list of tests and a function that runs some of them on a [`workers::Worker`];
//! it gets back an [`Outcome`] a test, and hands [`Finding`]s to [`report`].

pub mod history;
pub mod outcome;
pub mod pattern;
pub mod process;
pub mod report;
pub mod workers;

pub use outcome::{Finding, Outcome, Status};

use std::path::PathBuf;

use anyhow::Result;

use crate::mesa::ServerCommand;
use crate::shell;

/// The newest OpenGL: the server announces as much of it as the driver has.
pub const MAX_GL: &str = "4.6";

/// Makes a server's command line for clients of this OpenGL at most, drawn by this driver.
pub type MakeServer = fn(&str, &str) -> Result<ServerCommand>;

/// Builds `gallium-vtest` in release mode; returns its command line for clients of OpenGL
/// `max_gl` at most, which `driver` draws with one thread.
///
/// # Errors
/// The build fails.
pub fn build_server(max_gl: &str, driver: &str) -> Result<ServerCommand> {
    let mut build = shell::cargo();
    shell::output(build.args(["build", "--release", "--package", "gallium-vtest"]))?;
    Ok(server(shell::target_dir().join("release/gallium-vtest"), max_gl, driver))
}

/// Returns [`build_server`]'s command line for the server that is built beside the tests, which
/// checks for overflows.
///
/// # Errors
/// The tests do not build.
pub fn checked_server(max_gl: &str, driver: &str) -> Result<ServerCommand> {
    Ok(server(shell::test_program("gallium-vtest")?.get_program().into(), max_gl, driver))
}

fn server(program: PathBuf, max_gl: &str, driver: &str) -> ServerCommand {
    let arguments = ["--threads", "1", "--max-gl", max_gl, "--driver", driver].map(String::from);
    ServerCommand::vtest(program, arguments.into())
}

/// Returns the folder under `target` for the results and server logs of `suite`.
pub fn folder(suite: &str) -> PathBuf {
    shell::target_dir().join(suite)
}
