//! A wrapper of rustc that compiles macros and build scripts without optimisation.
//!
//! The firmware profiles set levels for packages (`[profile.firmware.package.gallium-tgsi]`). Cargo uses these levels also
//! where a macro needs the package, and has no setting for that alone. gallium-tgsi takes 130 s of processor time at level
//! 3, for each set of features, and 15 s without optimisation.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::{env, io};

/// The environment variable that makes this program the wrapper.
const VARIABLE: &str = "GALLIUM_RUSTC_WRAPPER";

/// Makes a build use the wrapper, unless the environment names another.
///
/// # Errors
/// The path of this program is unknown.
pub fn set(cargo: &mut Command) -> io::Result<()> {
    if env::var_os("RUSTC_WRAPPER").is_none() {
        cargo.env("RUSTC_WRAPPER", env::current_exe()?).env(VARIABLE, "1");
    }
    Ok(())
}

/// Runs rustc, if cargo started this program as its wrapper; returns rustc's exit code.
pub fn run() -> Option<ExitCode> {
    env::var_os(VARIABLE)?;
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if arguments.is_empty() {
        return None;
    }
    let rustc = arguments.remove(0);
    let code = match Command::new(&rustc).args(with_level(arguments)).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()),
        Err(error) => {
            eprintln!("error: {} cannot be started: {error}", rustc.display());
            None
        }
    };
    Some(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Adds the level 0 to the arguments of a crate that is compiled for this machine.
fn with_level(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--crate-name") && !has("--target") {
        arguments.push("-Copt-level=0".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::with_level;

    #[test]
    fn only_crates_for_this_machine_have_another_level() {
        let levels = |line: &str| {
            let arguments = line.split(' ').map(Into::into).collect();
            with_level(arguments).iter().filter(|it| *it == "-Copt-level=0").count()
        };
        assert_eq!(levels("--crate-name tgsi -C opt-level=3"), 1);
        assert_eq!(levels("--crate-name tgsi -C opt-level=3 --target thumbv6m-none-eabi"), 0);
        assert_eq!(levels("-vV"), 0);
    }
}
