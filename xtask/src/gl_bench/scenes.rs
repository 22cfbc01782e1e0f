//! The scenes of tools/gl-bench on every driver.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Options;
use super::drivers::{Driver, Drivers};
use super::ratio::{Ratio, print_means};
use super::results;
use crate::picture::Picture;
use crate::shell;

/// The line that `gallium-gl-bench` prints.
#[derive(Deserialize)]
pub(super) struct Line {
    first_frame_ms: f64,
    pub(super) frame_ms: f64,
}

/// The measurements of a scene.
#[derive(Serialize, Deserialize)]
pub(super) struct SceneResult {
    /// The scene's name.
    pub(super) scene: String,
    /// Milliseconds per frame, one number per turn, by the driver's name.
    pub(super) frames: BTreeMap<String, Vec<f64>>,
    /// Milliseconds to the first frame, likewise.
    pub(super) first_frames: BTreeMap<String, Vec<f64>>,
    /// Percentage of pixels of the first frame that differ from llvmpipe's by more than one step.
    pub(super) differing: f64,
}

impl SceneResult {
    /// Returns the ratio of the times of `ours` and `theirs`.
    pub(super) fn ratio(&self, ours: &str, theirs: &str) -> Option<Ratio> {
        Ratio::of(self.frames.get(ours)?, self.frames.get(theirs)?)
    }
}

/// The file with the results, in the folder of the pictures.
pub(super) const RESULTS: &str = "scenes.json";

/// Measures the scenes, prints one line for each, and writes [`RESULTS`].
pub(super) fn run(options: &Options, folder: &Path) -> Result<()> {
    let [client, vtest] = build()?;
    let list = shell::output(Command::new(&client).arg("--list"))?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let names: Vec<&str> = match options.scene.as_deref() {
        Some("list") => {
            print!("{list}");
            return Ok(());
        }
        Some(scene) => vec![scene],
        None => list.lines().collect(),
    };
    ensure!(!options.threads.is_empty(), "--threads names no number");
    let drivers = Drivers::new(&options.threads, &vtest, folder)?;
    header(&options.threads);
    let mut results = Vec::new();
    for scene in names {
        let result = measure(scene, options, &drivers, &client, folder)?;
        line(&result, &options.threads);
        results.push(result);
    }
    let columns = comparisons(&options.threads);
    print_means(&columns, |ours, theirs| {
        results.iter().filter_map(|result| result.ratio(ours, theirs)).collect()
    });
    results::update(&folder.join(RESULTS), results, |result| &result.scene)?;
    println!("results and pictures: {}", folder.display());
    Ok(())
}

/// Builds the client and our server; returns their programs.
pub(super) fn build() -> Result<[PathBuf; 2]> {
    let packages = ["gallium-gl-bench", "gallium-vtest"];
    let mut build = shell::cargo();
    build.args(["build", "--release"]);
    for package in packages {
        build.args(["--package", package]);
    }
    shell::output(&mut build)?;
    Ok(packages.map(|package| shell::target_dir().join("release").join(package)))
}

/// Returns the pairs of drivers to print a ratio for: ours and the other.
pub(super) fn comparisons(threads: &[u32]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for &threads in threads {
        let ours = Driver::Gallium(threads).name();
        for theirs in [Driver::Llvmpipe(threads), Driver::Virgl(threads)] {
            pairs.push((ours.clone(), theirs.name()));
        }
    }
    if let Some(&threads) = threads.first() {
        pairs.push((Driver::Gallium(threads).name(), Driver::Softpipe.name()));
    }
    pairs
}

fn header(threads: &[u32]) {
    println!("times of ours over theirs, the middle of the turns (least-most); less is faster");
    print!("{:19} {:>9}", "scene", "ours, ms");
    for (ours, theirs) in comparisons(threads) {
        let threads = ours.rsplit('-').next().unwrap_or_default();
        let theirs = theirs.split('-').next().unwrap_or_default();
        print!(" {:>18}", format!("{theirs}, {threads}"));
    }
    println!(" {:>8}", "pixels");
}

fn line(result: &SceneResult, threads: &[u32]) {
    let ours = threads.first().map(|&threads| Driver::Gallium(threads).name());
    let time = ours.and_then(|ours| result.frames.get(&ours)?.iter().copied().reduce(f64::min));
    print!("{:19} {:>9.2}", result.scene, time.unwrap_or_default());
    for (ours, theirs) in comparisons(threads) {
        let ratio = result.ratio(&ours, &theirs).map(|ratio| ratio.to_string());
        print!(" {:>18}", ratio.unwrap_or_else(|| "-".into()));
    }
    println!(" {:>6.3} %", result.differing);
}

/// Runs a scene on every driver, turn by turn.
fn measure(
    scene: &str,
    options: &Options,
    drivers: &Drivers,
    client: &Path,
    folder: &Path,
) -> Result<SceneResult> {
    let picture = |driver: Driver| folder.join(format!("{scene}-{}.png", driver.name()));
    let (mut frames, mut first_frames) = (BTreeMap::new(), BTreeMap::new());
    for turn in 0..options.turns.max(1) {
        for &driver in &drivers.list {
            let mut command = Command::new(client);
            command.args(["--scene", scene, "--seconds", &options.seconds.to_string()]);
            if turn == 0 {
                command.arg("--png").arg(picture(driver));
            }
            if let Some(server) = drivers.apply(driver, &mut command) {
                command.args(["--server", &server.to_string()]);
            }
            let name = driver.name();
            let what = || format!("{scene} on {name}");
            let output = match shell::output(&mut command) {
                // softpipe has no tessellation and one sample per pixel, so its column stays empty.
                Err(_) if matches!(driver, Driver::Softpipe) => continue,
                output => output.with_context(what)?,
            };
            let line: Line = serde_json::from_slice(&output.stdout).with_context(what)?;
            frames.entry(name.clone()).or_insert_with(Vec::new).push(line.frame_ms);
            first_frames.entry(name).or_insert_with(Vec::new).push(line.first_frame_ms);
        }
    }
    let threads = options.threads.first().copied().unwrap_or(1);
    let [theirs, ours] = [Driver::Llvmpipe(threads), Driver::Gallium(threads)].map(picture);
    let differing = differing(&theirs, &ours)?;
    Ok(SceneResult { scene: scene.into(), frames, first_frames, differing })
}

/// Returns the percentage of pixels that differ by more than one step in a channel.
fn differing(theirs: &Path, ours: &Path) -> Result<f64> {
    let (theirs, ours) = (Picture::read(theirs)?, Picture::read(ours)?);
    let pixels = f64::from(ours.width) * f64::from(ours.height);
    let wrong = ours.compare(&theirs, 1)?.map_or(0, |difference| difference.pixels);
    Ok(100.0 * wrong as f64 / pixels.max(1.0))
}
