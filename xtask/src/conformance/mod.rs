//! Conformance suites against `gallium-vtest`: code shared by piglit and dEQP.
//!
//! A suite provides a list of tests and a function that runs some of them on a [`workers::Worker`].
//! It receives an [`Outcome`] per test, and passes [`Finding`]s to [`report`].

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

/// The newest OpenGL version. The server announces as much of it as the driver supports.
pub const MAX_GL: &str = "4.6";

/// Makes a server's command line, given the maximum OpenGL version and the driver.
pub type MakeServer = fn(&str, &str) -> Result<ServerCommand>;

/// Builds `gallium-vtest` in release mode. Returns its command line for clients of OpenGL `max_gl`
/// at most, drawn by `driver` with one thread.
///
/// # Errors
/// The build fails.
pub fn build_server(max_gl: &str, driver: &str) -> Result<ServerCommand> {
    let mut build = shell::cargo();
    shell::output(build.args(["build", "--release", "--package", "gallium-vtest"]))?;
    Ok(server(shell::target_dir().join("release/gallium-vtest"), max_gl, driver))
}

/// Returns the command line of the server that is built together with the tests. It checks for
/// overflows. Otherwise like [`build_server`].
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
