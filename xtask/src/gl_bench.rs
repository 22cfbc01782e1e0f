//! `cargo xtask gl-bench`: the same OpenGL program on softpipe, llvmpipe and our server.
//!
//! All run on one machine at one time, so only the ratios mean something. Processor time is the program's
//! and the server's together: Mesa's own drivers work within the program's process.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::mesa::{Server, ServerCommand};
use crate::picture::Picture;
use crate::shell;

/// Compares Mesa's softpipe and llvmpipe with gallium-vtest, on the scenes of boards/gl-bench.
#[derive(Args)]
pub struct Options {
    /// One scene instead of all (`--scene list` names them).
    #[arg(long)]
    scene: Option<String>,
    /// Threads that rasterize, for llvmpipe and for us.
    #[arg(long, default_value_t = 1)]
    threads: u32,
    /// Seconds a scene and driver.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
}

/// A line that `gallium-gl-bench` prints.
#[derive(Deserialize)]
struct Report {
    first_frame_ms: f64,
    frame_ms: f64,
    cpu_ms: f64,
}

const DRIVERS: [&str; 3] = ["softpipe", "llvmpipe", "gallium"];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let packages = ["gallium-gl-bench", "gallium-vtest"];
    let mut build = shell::cargo();
    build.args(["build", "--release"]);
    for package in packages {
        build.args(["--package", package]);
    }
    shell::output(&mut build)?;
    let release = shell::target_dir().join("release");
    let client = release.join(packages[0]);
    let list = shell::output(Command::new(&client).arg("--list"))?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let scenes: Vec<&str> = match options.scene.as_deref() {
        Some("list") => {
            print!("{list}");
            return Ok(());
        }
        Some(scene) => vec![scene],
        None => list.lines().collect(),
    };
    let folder = shell::target_dir().join("gl-bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let server = ServerCommand {
        program: release.join(packages[1]),
        arguments: vec!["--threads".into(), options.threads.to_string()],
    };
    let server = Server::new(&server, folder.join("server.log"))?;

    println!(
        "{} threads; milliseconds a frame (first frame), and how many times as long Mesa's take",
        options.threads
    );
    println!(
        "{:16} {:>18} {:>18} {:>18} | {:>22} | {:>22} | {:>22}",
        "scene",
        "softpipe",
        "llvmpipe",
        "gallium",
        "softpipe wall/cpu/1st",
        "llvmpipe wall/cpu/1st",
        "pixels not llvmpipe's"
    );
    // Logarithms of the ratios, wall clock.
    let mut sums = [0.0; 2];
    for scene in &scenes {
        let mut reports = Vec::new();
        for driver in DRIVERS {
            let picture = folder.join(format!("{scene}-{driver}.png"));
            reports.push(measure(&client, scene, driver, options, &server, &picture)?);
        }
        let [soft, llvm, ours] = &reports[..] else { bail!("a driver is missing") };
        let ratio = |theirs: &Report| {
            format!(
                "{:.2} / {:.2} / {:.2}",
                theirs.frame_ms / ours.frame_ms,
                theirs.cpu_ms / ours.cpu_ms.max(0.001),
                theirs.first_frame_ms / ours.first_frame_ms
            )
        };
        for (sum, theirs) in sums.iter_mut().zip([soft, llvm]) {
            *sum += (theirs.frame_ms / ours.frame_ms).ln();
        }
        let differing = differing(
            &folder.join(format!("{scene}-llvmpipe.png")),
            &folder.join(format!("{scene}-gallium.png")),
        )?;
        let cell =
            |report: &Report| format!("{:.2} ({:.0})", report.frame_ms, report.first_frame_ms);
        println!(
            "{scene:16} {:>18} {:>18} {:>18} | {:>22} | {:>22} | {differing:>20.3} %",
            cell(soft),
            cell(llvm),
            cell(ours),
            ratio(soft),
            ratio(llvm),
        );
    }
    let [soft, llvm] = sums.map(|sum| (sum / scenes.len() as f64).exp());
    println!("geometric mean: {soft:.2} times softpipe's speed, {llvm:.2} times llvmpipe's");
    println!("pictures: {}", folder.display());
    Ok(())
}

/// Share of pixels, in percent, that differ by more than one step in a channel.
fn differing(theirs: &Path, ours: &Path) -> Result<f64> {
    let (theirs, ours) = (Picture::read(theirs)?, Picture::read(ours)?);
    let pixels = f64::from(ours.width) * f64::from(ours.height);
    let wrong = ours.compare(&theirs, 1)?.map_or(0, |difference| difference.pixels);
    Ok(100.0 * wrong as f64 / pixels.max(1.0))
}

fn measure(
    client: &Path,
    scene: &str,
    driver: &str,
    options: &Options,
    server: &Server<'_>,
    picture: &Path,
) -> Result<Report> {
    let mut command = Command::new(client);
    command.args(["--scene", scene, "--seconds", &options.seconds.to_string(), "--png"]);
    command.arg(picture).env("LIBGL_ALWAYS_SOFTWARE", "1");
    if driver == "gallium" {
        command.args(["--server".into(), server.id().unwrap_or_default().to_string()]);
        server.virpipe.apply(&mut command);
    } else {
        command.env("GALLIUM_DRIVER", driver);
        // llvmpipe: 0 is the program's own thread alone.
        let workers = if options.threads < 2 { 0 } else { options.threads };
        command.env("LP_NUM_THREADS", workers.to_string());
    }
    let output = shell::output(&mut command).with_context(|| format!("{scene} on {driver}"))?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{scene} on {driver}"))
}
