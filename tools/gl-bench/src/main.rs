//! `gallium-gl-bench`: measures one scene on the driver that Mesa's environment variables select.

mod compute;
mod mesh;
mod program;
mod scene;
mod storage;
mod surface;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use serde::Serialize;

use scene::Kind;
use surface::Surface;

/// Draws one scene off-screen and prints the time per frame.
///
/// Mesa selects the driver: GALLIUM_DRIVER=softpipe, =llvmpipe, or =virpipe with VTEST_SOCKET_NAME
/// naming the socket of a server. `cargo xtask gl-bench` compares them.
#[derive(Parser)]
#[command(name = "gallium-gl-bench", version)]
struct Cli {
    /// The scene.
    #[arg(long, value_enum, default_value = "lit")]
    scene: Kind,
    /// Stop after this many frames ...
    #[arg(long, default_value_t = 1000)]
    frames: u32,
    /// ... or after this many seconds, whichever comes first.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Width of the surface in pixels.
    #[arg(long, default_value_t = 640)]
    width: i32,
    /// Height of the surface in pixels.
    #[arg(long, default_value_t = 480)]
    height: i32,
    /// Write the first frame to this file.
    #[arg(long)]
    png: Option<PathBuf>,
    /// Also count the processor time of this process, a server that draws for us.
    #[arg(long)]
    server: Option<u32>,
    /// Print the names of the scenes and exit.
    #[arg(long)]
    list: bool,
    /// Run compute shaders from standard input, one job in JSON per line, and print the buffers.
    #[arg(long)]
    compute: bool,
}

/// The measurements, printed as one line of JSON.
#[derive(Serialize)]
struct Report {
    scene: String,
    renderer: String,
    frames: u32,
    /// Time until the first frame is complete, including the compilation of shaders.
    first_frame_ms: f64,
    /// Time per frame after the first.
    frame_ms: f64,
    /// Time of the fastest frame after the first, which other programs of the machine have disturbed least.
    fastest_ms: f64,
    /// Processor time per frame after the first, of all threads, in this process and the server.
    cpu_ms: f64,
}

fn run(cli: &Cli) -> Result<()> {
    if cli.list {
        for kind in Kind::value_variants() {
            println!("{}", name(*kind));
        }
        return Ok(());
    }
    if cli.compute {
        return compute::serve();
    }
    let buffers = (cli.scene.color_buffers(), cli.scene.samples());
    let surface = Surface::new(cli.width, cli.height, buffers, cli.scene.is_core())?;
    let start = Instant::now();
    let scene = cli.scene.scene(&surface)?;
    scene::frame(&*scene, &surface, 0)?;
    surface.finish();
    let first_frame_ms = start.elapsed().as_secs_f64() * 1e3;
    if let Some(path) = &cli.png {
        write_png(path, &surface)?;
    }
    let (start, cpu) = (Instant::now(), cpu_seconds(cli.server)?);
    let (mut frames, mut fastest) = (0, f64::MAX);
    while frames < cli.frames.max(1) && (frames == 0 || start.elapsed().as_secs_f64() < cli.seconds)
    {
        frames += 1;
        let start = Instant::now();
        scene::frame(&*scene, &surface, frames)?;
        surface.finish();
        fastest = start.elapsed().as_secs_f64().min(fastest);
    }
    let per_frame = |seconds: f64| seconds * 1e3 / f64::from(frames);
    let report = Report {
        scene: name(cli.scene),
        renderer: surface.renderer(),
        frames,
        first_frame_ms,
        fastest_ms: fastest * 1e3,
        frame_ms: per_frame(start.elapsed().as_secs_f64()),
        cpu_ms: per_frame(cpu_seconds(cli.server)? - cpu),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn name(kind: Kind) -> String {
    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Returns the processor time that this process and the server have used, in user and kernel code.
fn cpu_seconds(server: Option<u32>) -> Result<f64> {
    let server = server.map_or(Ok(0.0), |pid| process_seconds(&pid.to_string()))?;
    Ok(server + process_seconds("self")?)
}

fn process_seconds(process: &str) -> Result<f64> {
    let path = format!("/proc/{process}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("no {path}"))?;
    // The program's name, in brackets, may contain anything; the numbers follow it.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = rest
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap_or(0))
        .sum();
    // For every program, Linux counts in hundredths of a second (USER_HZ).
    Ok(ticks as f64 / 100.0)
}

fn write_png(path: &Path, surface: &Surface) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let (width, height) = (surface.width as u32, surface.height as u32);
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&surface.read())?;
    Ok(())
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
