//! Checks the crates with the oldest compiler that the workspace supports.

use std::process::Command;

use anyhow::Result;

use crate::{shell, toolchain};

/// The packages that are checked; the driver brings along the crates below it.
const PACKAGES: [&str; 10] = [
    "gallium",
    "gallium-assets",
    "gallium-c",
    "gallium-codegen",
    "gallium-cso-cache",
    "gallium-naga",
    "gallium-raster",
    "gallium-reference",
    "gallium-tgsi-macros",
    "gallium-wgsl",
];

/// Returns rustup's name of the oldest compiler.
pub fn toolchain() -> String {
    let (major, minor) = toolchain::OLDEST;
    format!("{major}.{minor}.0")
}

/// Returns cargo of the oldest compiler, if it is installed.
pub fn cargo() -> Option<Command> {
    toolchain::installed(&toolchain(), &[])
}

/// Checks the crates with all features for hosts.
///
/// # Errors
/// A crate needs a newer compiler.
pub fn check(mut cargo: Command) -> Result<()> {
    cargo.args(["check", "--lib", "--features", "gallium-raster/full,gallium-raster/std"]);
    cargo.arg("--target-dir").arg(shell::target_dir().join("oldest"));
    for package in PACKAGES {
        cargo.args(["--package", package]);
    }
    shell::output(&mut cargo).map(drop)
}
