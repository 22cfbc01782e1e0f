//! The command line of the host's port; `cargo xtask demo`, `golden` and `bench` run it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gallium_host::{bench, demo, grey, sweep, window};

#[derive(Parser)]
#[command(about = "Gallium's scenes on a desktop")]
struct Cli {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Subcommand)]
enum Cmd {
    /// Pictures and a turntable animation of the demo's scenes, and how long they take.
    Demo {
        /// The folder to write to.
        #[arg(long, default_value = "target/demo")]
        out: PathBuf,
    },
    /// Every scene, 320×240 RGB565, by every profile, in memory and streamed.
    Render {
        /// The folder to write to, one folder a way within.
        #[arg(long)]
        out: PathBuf,
    },
    /// Writes the picture of a display of 128×64 pixels and 16 greys.
    Grey {
        /// The scene.
        #[arg(long)]
        scene: String,
        /// Which frame of a turntable of 36.
        #[arg(long, default_value_t = 0)]
        frame: u32,
        /// The number of instructions that is written over it.
        #[arg(long)]
        count: u32,
        /// The PNG file.
        #[arg(long)]
        out: PathBuf,
    },
    /// A live window.
    Window,
    /// Measures the speed of the parts.
    Bench,
    /// Measures one value of one member of state at a time against its baseline.
    Sweep {
        /// Only variations whose names, "group: variation", contain this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Write the measurements to this file, too.
        #[arg(long)]
        json: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    let done = match Cli::parse().command {
        Cmd::Demo { out } => demo::run(&out),
        Cmd::Render { out } => demo::render_all(&out),
        Cmd::Grey { scene, frame, count, out } => grey::run(&scene, frame, count, &out),
        Cmd::Window => window::run(),
        Cmd::Bench => bench::run(),
        Cmd::Sweep { only, json } => sweep::run(&only, json.as_deref()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
