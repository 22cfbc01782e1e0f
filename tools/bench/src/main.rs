//! The command line of this package. `cargo xtask golden` and `bench` run it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gallium_bench::{bench, golden, grey, screens, sweep};
use gallium_host::render::DEMO;
use gallium_host::window;
use os_shim::Os;
use raster::AnyProfile;

#[derive(Parser)]
#[command(about = "Gallium's scenes with every profile")]
struct Cli {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Subcommand)]
enum Cmd {
    /// Draws every scene, 320×240 RGB565, with every profile, in memory and streamed.
    Render {
        /// The folder to write to, with one subfolder per variant.
        #[arg(long)]
        out: PathBuf,
    },
    /// Writes the picture of a display of 128×64 pixels and 16 greys.
    Grey {
        /// The scene.
        #[arg(long)]
        scene: String,
        /// The frame of a turntable of 36 frames.
        #[arg(long, default_value_t = 0)]
        frame: u32,
        /// The instruction count to write over it.
        #[arg(long)]
        count: u32,
        /// The PNG file.
        #[arg(long)]
        out: PathBuf,
    },
    /// Opens the demo's window, which a page can hold (GALLIUM_RBUG=true).
    Window,
    /// Measures the speed of the parts.
    Bench,
    /// Compares single values of state with a baseline, one at a time.
    Sweep {
        /// Only variations with this text in their name, "group: variation".
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
        Cmd::Render { out } => golden::run(&out),
        Cmd::Grey { scene, frame, count, out } => grey::run(&scene, frame, count, &out),
        Cmd::Window => {
            screens::with_screen(AnyProfile::Host, Os::host(), &DEMO, |screen| window::run(screen))
        }
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
