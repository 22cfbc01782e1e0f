//! The command line of the host's port. `cargo xtask demo` runs it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gallium_host::render::{DEMO, with_screen};
use gallium_host::{demo, window};
use os_shim::Os;

#[derive(Parser)]
#[command(about = "Gallium's scenes on a desktop")]
struct Cli {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Subcommand)]
enum Cmd {
    /// Writes pictures and a turntable animation of the demo's scenes, and prints their times.
    Demo {
        /// The folder to write to.
        #[arg(long, default_value = "target/demo")]
        out: PathBuf,
    },
    /// Opens a live window.
    Window,
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    let done = match Cli::parse().command {
        Cmd::Demo { out } => demo::run(&out),
        Cmd::Window => with_screen(Os::host(), &DEMO, |screen| window::run(screen)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
