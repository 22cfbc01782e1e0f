//! Running other programs, and saying so.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A program to run in the workspace's folder.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The command line, to print.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Runs, its output going where ours goes.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}`: {status}", line(command));
    }
    Ok(())
}

/// Runs and keeps the output; on failure the error holds it.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start `{}`", line(command)))?;
    if !output.status.success() {
        bail!(
            "`{}`: {}\n{}{}",
            line(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}

/// Whether a program of this name can be started.
pub fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Makes `program` available: present, or installed with apt-get as root, or an error that says
/// what to run.
pub fn need(program: &str, package: &str) -> Result<()> {
    if has(program) {
        return Ok(());
    }
    let hint = format!("`{program}` is missing; install it: sudo apt-get install -y {package}");
    apt_install(&[package]).with_context(|| hint.clone())?;
    if has(program) { Ok(()) } else { bail!(hint) }
}

/// Installs Debian packages when we may.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !root || !has("apt-get") {
        bail!("not root, or no apt-get");
    }
    println!("installing {} with apt-get", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut apt = command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        output(&mut apt).map(drop)
    };
    // Nothing may be removed for it: Debian's rustc-web conflicts with Debian's rustup.
    let mut install = vec!["install", "-y", "--no-install-recommends", "--no-remove"];
    install.extend(packages);
    // A package list may be there already; if not, or if it is old, fetch it and try again.
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}
