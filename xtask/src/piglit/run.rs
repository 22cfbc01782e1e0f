//! Runs one piglit test.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use super::Test;
use super::judge;
use crate::conformance::process;
use crate::conformance::workers::Worker;
use crate::conformance::{Outcome, Status};

/// The time limit of a test on the driver `raster`.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `test` of the suite in the folder `piglit` on the worker's server, at most for `patience`.
///
/// # Errors
/// The test has no command; a file of the worker cannot be written or read.
pub fn one(test: &Test, piglit: &Path, worker: &Worker<'_>, patience: Duration) -> Result<Outcome> {
    let place = piglit.to_string_lossy();
    let mut words = test.command.iter().map(|word| word.replace("{}", &place)).peekable();
    let mut environment = Vec::new();
    while let Some(setting) = words.next_if(|word| !word.contains('/') && word.contains('=')) {
        environment.push(setting);
    }
    let mut command = Command::new(words.next().context("a test without a command")?);
    command.args(words).env_remove("DISPLAY");
    worker.virpipe().apply(&mut command);
    command.envs(environment.iter().filter_map(|setting| setting.split_once('=')));
    command.env("PIGLIT_PLATFORM", "surfaceless_egl").env("PIGLIT_SOURCE_DIR", piglit);
    command.env("MESA_SHADER_CACHE_DISABLE", "true").env("MESA_DEBUG", "silent");
    let (out, err) = (worker.folder.join("stdout"), worker.folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    // Helper processes of the test end with it.
    command.current_dir(&worker.folder).process_group(0);
    let exit = match command.spawn() {
        Ok(mut process) => process::wait(&mut process, patience)?,
        Err(error) => {
            let log = format!("{}: {error}", command.get_program().to_string_lossy());
            return Ok(Outcome { status: Status::Skip, log });
        }
    };
    let text =
        |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(judge::outcome(exit, &text(&out)?, &text(&err)?))
}
