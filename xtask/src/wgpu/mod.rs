//! `cargo xtask wgpu`: draws with published wgpu programs, and judges the pictures.
//!
//! The program in `tools/wgpu` draws with egui, glyphon, wgpu-profiler and vello. Its pictures are compared with
//! the pictures of lavapipe (Mesa's Vulkan driver) and, for vello, of vello_cpu.

mod packages;
mod processors;

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::conformance::process::{self, Exit};
use crate::display::Display;
use crate::mesa::{Server, ServerCommand};
use crate::shell;

/// Draws with published wgpu programs, and compares with lavapipe and vello_cpu; ends with one line
/// `N passed, M failed`.
///
/// Pictures, times and a report are written to target/wgpu.
#[derive(Args)]
pub struct Options {
    /// Only pictures with this in their name, such as `egui` or `vello/text`.
    filter: Option<String>,
    /// Draw through wgpu's GL backend, Mesa's virpipe and gallium-vtest, instead of gallium-wgpu.
    #[arg(long)]
    gl: bool,
    /// Draw vello's scenes with lavapipe, too, which compiles their shaders for minutes: to compare pixel by pixel
    /// with the same stages. Measure frames and the first triangle.
    #[arg(long)]
    thorough: bool,
    /// Instead, run the adapter's tests on this processor and, in qemu, on aarch64, and compare all bytes that they
    /// read.
    #[arg(long, conflicts_with_all = ["filter", "gl", "thorough"])]
    processors: bool,
    /// Number of threads that draw, for us and for lavapipe.
    #[arg(long, default_value_t = 2)]
    threads: u32,
}

/// The time limit of one adapter's pictures. Lavapipe compiles every shader with LLVM.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Runs the command.
///
/// # Errors
/// A package is missing and cannot be installed; a build fails; a picture is not as expected.
pub fn run(options: &Options) -> Result<()> {
    let folder = shell::target_dir().join("wgpu");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if options.processors {
        return processors::run(&folder);
    }
    packages::need(options.gl)?;
    let judge =
        Judge { program: build()?, folder, filter: options.filter.as_deref().unwrap_or("") };
    judge.run("draw", "reference", |_| {})?;
    let lavapipe = |command: &mut Command| {
        // Only lavapipe, even if the machine has drivers for a GPU. Its cache of shaders would hide the time
        // that the first run on a machine takes.
        command.env("VK_DRIVER_FILES", packages::LAVAPIPE_FILES.join(":"));
        command.env("VK_ICD_FILENAMES", packages::LAVAPIPE_FILES.join(":"));
        command.env("LP_NUM_THREADS", options.threads.to_string());
        command.env("MESA_SHADER_CACHE_DISABLE", "true");
    };
    judge.run("draw", if options.thorough { "lavapipe" } else { "expected" }, lavapipe)?;
    if options.thorough {
        judge.run("time", "lavapipe", lavapipe)?;
    }
    if !options.gl {
        let display = Display::new()?;
        return judge.judge("gallium", options.thorough, |command| {
            command.env("GALLIUM_NUM_THREADS", options.threads.to_string());
            command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
        });
    }
    let server = serve(&judge.folder, options.threads)?;
    judge.judge("gl", options.thorough, |command| {
        server.virpipe.apply(command);
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.env("MESA_SHADER_CACHE_DISABLE", "true");
    })
}

/// Builds the program that draws, in a separate workspace and a separate folder of build products.
fn build() -> Result<PathBuf> {
    println!("building tools/wgpu, if it is not built: {BUILD_TIME}");
    let target = shell::target_dir().join("wgpu/build");
    let mut cargo = shell::cargo();
    cargo.args(["build", "--release", "--locked", "--manifest-path"]);
    cargo.arg(shell::root().join("tools/wgpu/Cargo.toml")).arg("--target-dir").arg(&target);
    shell::output(&mut cargo)?;
    Ok(target.join("release/gallium-wgpu-judge"))
}

/// The time that a build of tools/wgpu takes.
const BUILD_TIME: &str = "10 minutes of processor time";

/// Builds and starts the server that draws for wgpu's GL backend.
fn serve(folder: &Path, threads: u32) -> Result<Server> {
    shell::output(shell::cargo().args(["build", "--release", "--package", "gallium-vtest"]))?;
    let program = shell::target_dir().join("release/gallium-vtest");
    // Mesa keeps the connection of a closed device until the program ends, and a program may have a quarter of
    // the places.
    let arguments = ["--threads", &threads.to_string(), "--clients", "1024"].map(String::from);
    Server::new(ServerCommand::vtest(program, arguments.into()), folder.join("vtest.log"))
}

/// The program that draws and compares.
struct Judge<'a> {
    program: PathBuf,
    /// The folder of pictures and reports.
    folder: PathBuf,
    filter: &'a str,
}

impl Judge<'_> {
    fn command(&self, verb: &str, adapter: &str) -> Command {
        let mut command = shell::command(&self.program);
        command.args([verb, adapter]).arg(&self.folder).arg(self.filter);
        command
    }

    /// Draws or measures on an adapter, in the environment that `prepare` sets.
    fn run(&self, verb: &str, adapter: &str, prepare: impl Fn(&mut Command)) -> Result<()> {
        let start = Instant::now();
        let mut command = self.command(verb, adapter);
        prepare(&mut command);
        command.process_group(0);
        let log = self.folder.join(format!("{adapter}.{verb}.log"));
        let file =
            fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        command.stdout(file.try_clone()?).stderr(file);
        let mut child =
            command.spawn().with_context(|| format!("cannot start `{}`", shell::line(&command)))?;
        let told = || fs::read_to_string(&log).unwrap_or_default();
        match process::wait(&mut child, PATIENCE)? {
            Exit::Code(0) => {
                println!("{verb} {adapter}: {:.1} s", start.elapsed().as_secs_f64());
                Ok(())
            }
            Exit::Code(_) => bail!("{adapter}: {}", told().trim()),
            Exit::Signal => bail!("{adapter}: a signal ended the program; see {}", log.display()),
            Exit::Overdue => {
                bail!("{adapter}: not done after {} s; see {}", PATIENCE.as_secs(), log.display())
            }
        }
    }

    /// Draws on an adapter of this project, compares with the expected pictures, and prints the outcome.
    fn judge(&self, adapter: &str, measures: bool, prepare: impl Fn(&mut Command)) -> Result<()> {
        self.run("draw", adapter, &prepare)?;
        if measures {
            self.run("time", adapter, &prepare)?;
        }
        shell::run(&mut self.command("compare", adapter))
    }
}
