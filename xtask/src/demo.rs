//! `cargo xtask demo`: the host's pictures, animation and figures.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Returns a command for the cargo that started this program.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the workspace's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Returns the folder of cargo's build products.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into)
}

/// Builds the host's program and renders the demo scenes to target/demo, or opens a window.
///
/// # Errors
/// Cargo cannot be started.
pub fn run(window: bool) -> io::Result<ExitStatus> {
    // A page holds the window of the program that is built with the inspector.
    let is_held = window && env::var_os("GALLIUM_RBUG").is_some();
    let package = if is_held { "gallium-bench" } else { "gallium-host" };
    println!("building the demo, if it is not built: 3 minutes of processor time, 2 on two cores");
    let mut host = cargo();
    host.current_dir(root()).args(["run", "--release", "--package", package, "--"]);
    if window {
        host.arg("window");
    } else {
        host.args(["demo", "--out"]).arg(target().join("demo"));
    }
    host.status()
}
