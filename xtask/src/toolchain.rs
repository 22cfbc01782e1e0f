//! Finds compilers for bare metal: rustup's, or the distribution's together with library source.
//!
//! With the distribution's compiler, `core` is built from source. Debian 12 and its derivatives
//! have `rustc-web`, `cargo-web` and `rust-web-src` (1.96 in bookworm-security, 1.85 before that,
//! which is too old for this workspace's `rust-version`) and `lld`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{shell, wrapper};

/// The distribution's packages.
const PACKAGES: &[&str] = &["rustc-web", "rust-web-src", "cargo-web", "lld"];

/// The path of cargo in these packages.
const DISTRIBUTION_CARGO: &str = "/usr/bin/cargo";

/// The oldest compiler that this workspace supports (`rust-version` in Cargo.toml).
pub const OLDEST: (u32, u32) = (1, 89);

/// Returns `cargo VERB --target TARGET` of a toolchain that has the target.
///
/// # Errors
/// No toolchain has the target and none can be installed; the error names the commands to run.
pub fn cargo(verb: &str, target: &str) -> Result<Command> {
    if !has_target(target) && shell::has("rustup") {
        println!("rustup target add {target}");
        // An error of rustup matters only if the distribution's compiler fails, too.
        let _ = shell::output(shell::command("rustup").args(["target", "add", target]));
    }
    if has_target(target) {
        let mut cargo = shell::cargo();
        cargo.args([verb, "--target", target]);
        return Ok(cargo);
    }
    distribution_cargo(verb, target).with_context(|| {
        format!(
            "no Rust compiler for {target}. Either: rustup target add {target}\n\
             or: sudo apt-get install -y {} (must be {}.{} or newer)",
            PACKAGES.join(" "),
            OLDEST.0,
            OLDEST.1
        )
    })
}

/// The package to select with each package that is built for a board: then macros and build scripts of all boards have
/// one set of features, and their crates are compiled once.
pub const HOST_FEATURES: &str = "gallium-host-features";

/// The feature of [`HOST_FEATURES`] with which macros have the features of the host's tests.
pub const HOST_TESTS: &str = "gallium-host-features/tests";

/// Returns `cargo build --target TARGET --package PACKAGE` for firmware: its macros are not optimised.
///
/// # Errors
/// See [`cargo`]; the path of this program is unknown.
pub fn firmware(target: &str, package: &str) -> Result<Command> {
    let mut cargo = firmware_alone("build", target)?;
    cargo.args(["--package", package, "--package", HOST_FEATURES]);
    Ok(cargo)
}

/// Returns `cargo VERB --target TARGET` for firmware, without a package: its macros are not optimised.
///
/// # Errors
/// See [`firmware`].
pub fn firmware_alone(verb: &str, target: &str) -> Result<Command> {
    let mut cargo = cargo(verb, target)?;
    wrapper::set(&mut cargo)?;
    Ok(cargo)
}

/// Returns `cargo VERB` of one of rustup's toolchains, if it is installed.
pub fn installed(toolchain: &str, verb: &[&str]) -> Option<Command> {
    let cargo = || {
        let mut cargo = shell::command("cargo");
        // The toolchain that runs this program must not decide.
        cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo.arg(format!("+{toolchain}")).args(verb);
        cargo
    };
    shell::output(cargo().arg("--version")).is_ok().then(cargo)
}

/// Makes sure that `cargo <name>` (fmt, clippy) is available, if necessary as a rustup component.
pub fn component(name: &str, component: &str) -> Result<()> {
    let present = || shell::output(shell::cargo().args([name, "--version"])).is_ok();
    if !present() && shell::has("rustup") {
        println!("rustup component add {component}");
        let _ = shell::output(shell::command("rustup").args(["component", "add", component]));
    }
    ensure!(present(), "`cargo {name}` is missing; install it: rustup component add {component}");
    Ok(())
}

/// Returns true if the current compiler has `core` for the target.
fn has_target(target: &str) -> bool {
    library_files(target).is_ok_and(|files| files.iter().any(|file| file.starts_with("libcore-")))
}

/// Returns the names of the compiler's library files for a target.
///
/// # Errors
/// The compiler does not support the target.
pub fn library_files(target: &str) -> Result<Vec<String>> {
    let folder = printed(&["target-libdir", "--target", target])?;
    let files =
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    Ok(files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect())
}

/// Returns the folder with the programs that come with the current compiler, like `rust-lld`.
///
/// # Errors
/// The compiler cannot be started.
pub fn host_programs() -> Result<PathBuf> {
    let libraries = printed(&["target-libdir"])?;
    Ok(libraries.with_file_name("bin"))
}

/// Returns a command for the current compiler.
pub fn rustc() -> Command {
    shell::command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Returns the path that the current compiler prints for `--print ARGUMENTS`.
fn printed(arguments: &[&str]) -> Result<PathBuf> {
    let output = shell::output(rustc().arg("--print").args(arguments))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Makes sure that the library source of the current compiler is available, if necessary as a
/// rustup component.
///
/// # Errors
/// The source is missing and cannot be installed; the error names the command to install it.
pub fn library_source() -> Result<()> {
    let present = || {
        let sysroot = printed(&["sysroot"]);
        sysroot.is_ok_and(|folder| folder.join("lib/rustlib/src/rust/library/core").is_dir())
    };
    if !present() && shell::has("rustup") {
        println!("rustup component add rust-src");
        let _ = shell::output(shell::command("rustup").args(["component", "add", "rust-src"]));
    }
    ensure!(present(), "the library source is missing; install it: rustup component add rust-src");
    Ok(())
}

fn distribution_cargo(verb: &str, target: &str) -> Result<Command> {
    if distribution_version().is_err() || !has_library_source() || !shell::has("ld.lld") {
        shell::apt_install(PACKAGES)?;
    }
    let version = distribution_version()?;
    ensure!(
        version >= OLDEST,
        "{DISTRIBUTION_CARGO} is {}.{}, older than {}.{}",
        version.0,
        version.1,
        OLDEST.0,
        OLDEST.1
    );
    ensure!(has_library_source(), "the distribution's Rust has no library source");
    let path = std::env::var("PATH").unwrap_or_default();
    let linker = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
    let mut cargo = shell::command(DISTRIBUTION_CARGO);
    cargo
        .args([verb, "--target", target])
        .args(["-Zbuild-std=core,compiler_builtins"])
        .args(["-Zbuild-std-features=compiler-builtins-mem"])
        // Makes a stable compiler accept `-Zbuild-std`.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("PATH", format!("/usr/bin:{path}"))
        .env(linker, "ld.lld")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env_remove("RUSTC");
    Ok(cargo)
}

fn distribution_version() -> Result<(u32, u32)> {
    let mut command = shell::command(DISTRIBUTION_CARGO);
    command.arg("--version").env_remove("RUSTUP_TOOLCHAIN");
    let output = shell::output(&mut command)?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// Converts `cargo 1.96.0 (…)` to (1, 96).
fn parse_version(text: &str) -> Result<(u32, u32)> {
    let number = text.split_whitespace().nth(1).unwrap_or("");
    let mut parts = number.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => bail!("`{}`, expected `cargo <version>`", text.trim()),
    }
}

fn has_library_source() -> bool {
    let mut command = shell::command("/usr/bin/rustc");
    command.args(["--print", "sysroot"]).env_remove("RUSTUP_TOOLCHAIN");
    shell::output(&mut command).is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Path::new(&sysroot).join("lib/rustlib/src/rust/library/core").is_dir()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("cargo 1.96.0 (abc 2026-01-01)\n").unwrap(), (1, 96));
        assert!(parse_version("cargo").is_err());
        assert!(parse_version("").is_err());
    }

    #[test]
    fn the_oldest_is_the_workspace_s() {
        let manifest = std::fs::read_to_string(shell::root().join("Cargo.toml")).unwrap();
        let table: toml::Table = manifest.parse().unwrap();
        let version = table["workspace"]["package"]["rust-version"].as_str().unwrap();
        assert_eq!(version, format!("{}.{}", OLDEST.0, OLDEST.1));
    }
}
