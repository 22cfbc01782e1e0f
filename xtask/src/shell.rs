//! Runs other programs: cargo, the host's program, QEMU, apt-get.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::{demo, progress, selection};

/// Returns the workspace's folder.
pub fn root() -> PathBuf {
    demo::root().to_owned()
}

/// Returns the folder of cargo's build products.
pub fn target_dir() -> PathBuf {
    demo::target()
}

/// Returns a command that runs `program` in the workspace's folder.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Returns a command for the cargo that started this program.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Makes cargo compile this workspace's crates without optimisation: for crates that one step alone needs, with features
/// that no other step has. To optimise them would take longer than the step's tests do.
pub fn quickly(command: &mut Command) -> &mut Command {
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
}

/// Builds the program that draws the scenes with every profile, and returns a command for it.
///
/// # Errors
/// The build fails.
pub fn bench() -> Result<Command> {
    output(cargo().args(["build", "--release", "--package", "gallium-bench"]))?;
    Ok(command(target_dir().join("release/gallium-bench")))
}

static SELECTION: OnceLock<Vec<&str>> = OnceLock::new();

/// Returns cargo's arguments that select what tests and lints of the host build: see [`selection::arguments`].
pub fn selection() -> &'static [&'static str] {
    SELECTION.get_or_init(|| selection::arguments(false))
}

/// Adds the wgpu adapter to [`selection`], before its first use: in one build with the other crates, it shares the
/// driver.
pub fn select_wgpu() {
    SELECTION.get_or_init(|| selection::arguments(true));
}

/// Builds the host's tests, and with them the programs for [`test_program`]; once per run.
///
/// # Errors
/// The build fails.
pub fn build_tests() -> Result<()> {
    static BUILT: OnceLock<()> = OnceLock::new();
    if BUILT.get().is_none() {
        let kinds = ["test", "--no-run", "--lib", "--bins", "--tests"];
        output(cargo().args(kinds).args(selection()))?;
        let _ = BUILT.set(());
    }
    Ok(())
}

/// Returns a command for a program of a package with integration tests, as it is built for them.
/// Pictures do not depend on optimisation, and another build of the driver would take minutes.
///
/// # Errors
/// The tests cannot be built.
pub fn test_program(name: &str) -> Result<Command> {
    build_tests()?;
    Ok(command(target_dir().join("debug").join(name)))
}

/// Returns the command line as text.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Runs a program; its output goes to the terminal.
///
/// # Errors
/// The program cannot be started, or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}`: {status}", line(command));
    }
    Ok(())
}

/// Runs a program and captures its output. Meanwhile the last line of its standard error, which is
/// cargo's progress, is shown.
///
/// # Errors
/// The program cannot be started, or fails; a failure includes the output.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", line(command)))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    thread::scope(|scope| -> Result<()> {
        let pipe = child.stdout.take();
        let reader = scope.spawn(|| pipe.map(|mut pipe| pipe.read_to_end(&mut stdout)));
        if let Some(pipe) = child.stderr.take() {
            stderr = progress::follow(pipe)?;
        }
        // The output of a reader that panicked cannot be trusted.
        reader.join().ok().flatten().transpose()?;
        Ok(())
    })?;
    let output = Output { status: child.wait()?, stdout, stderr };
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

/// Returns true if a program with this name can be started.
pub fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns true if a folder of `PATH` has a file with this name. For programs without `--version`;
/// [`has`] starts the program.
pub fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Makes sure that `program` can be started. If it is missing and this user is root, installs its
/// Debian package.
///
/// # Errors
/// The program is missing and cannot be installed; the error names the command to install it.
pub fn need(program: &str, package: &str) -> Result<()> {
    if has(program) {
        return Ok(());
    }
    let hint = format!("`{program}` is missing; install it: sudo apt-get install -y {package}");
    apt_install(&[package]).with_context(|| hint.clone())?;
    if has(program) { Ok(()) } else { bail!(hint) }
}

/// Installs Debian packages with apt-get.
///
/// # Errors
/// This user is not root, there is no apt-get, or it fails.
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
    // Installation must not remove packages: Debian's rustc-web conflicts with Debian's rustup.
    let mut install = vec!["install", "-y", "--no-install-recommends", "--no-remove"];
    install.extend(packages);
    // There may be a package list already. If there is none, or it is old, fetch it and try again.
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}
