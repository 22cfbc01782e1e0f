//! The benchmarks of glmark2 on every driver, in a window on a virtual display.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::Options;
use super::drivers::{Driver, Drivers};
use super::ratio::{Ratio, print_means};
use super::results;
use super::scenes::comparisons;
use crate::display::Display;
use crate::shell;

/// The default benchmarks of glmark2.
const BENCHMARKS: [&str; 33] = [
    "build:use-vbo=false",
    "build:use-vbo=true",
    "texture:texture-filter=nearest",
    "texture:texture-filter=linear",
    "texture:texture-filter=mipmap",
    "shading:shading=gouraud",
    "shading:shading=blinn-phong-inf",
    "shading:shading=phong",
    "shading:shading=cel",
    "bump:bump-render=high-poly",
    "bump:bump-render=normals",
    "bump:bump-render=height",
    "effect2d:kernel=0,1,0;1,-4,1;0,1,0;",
    "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
    "pulsar:light=false:quads=5:texture=false",
    "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4",
    "desktop:effect=shadow:windows=4",
    "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=subdata",
    "buffer:columns=200:interleave=true:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "ideas:speed=10000",
    "jellyfish",
    "terrain",
    "shadow",
    "refract",
    "conditionals:fragment-steps=0:vertex-steps=0",
    "conditionals:fragment-steps=5:vertex-steps=0",
    "conditionals:fragment-steps=0:vertex-steps=5",
    "function:fragment-complexity=low:fragment-steps=5",
    "function:fragment-complexity=medium:fragment-steps=5",
    "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5",
    "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5",
    "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5",
];

/// The file of the results.
pub(super) const RESULTS: &str = "glmark2.json";

/// The measurements of a benchmark.
#[derive(Serialize, Deserialize)]
pub(super) struct BenchmarkResult {
    /// The benchmark as glmark2 spells it.
    pub(super) benchmark: String,
    /// Frames per second, one number per turn, by the driver's name.
    pub(super) rates: BTreeMap<String, Vec<f64>>,
}

impl BenchmarkResult {
    /// Returns the ratio of the times of `ours` and `theirs`, from their rates.
    pub(super) fn ratio(&self, ours: &str, theirs: &str) -> Option<Ratio> {
        Ratio::of(self.rates.get(theirs)?, self.rates.get(ours)?)
    }
}

/// Measures the benchmarks, prints one line for each, and writes [`RESULTS`].
pub(super) fn run(options: &Options, folder: &Path) -> Result<()> {
    if options.scene.as_deref() == Some("list") {
        for benchmark in BENCHMARKS {
            println!("{benchmark}");
        }
        return Ok(());
    }
    for (program, package) in [("glmark2", "glmark2-x11"), ("Xvfb", "xvfb")] {
        if !shell::on_path(program) {
            shell::apt_install(&[package])
                .with_context(|| format!("{program} is missing (Debian: {package})"))?;
        }
    }
    shell::output(shell::cargo().args(["build", "--release", "--package", "gallium-vtest"]))?;
    let vtest = shell::target_dir().join("release/gallium-vtest");
    let threads = options.threads.last().copied().context("--threads names no number")?;
    let drivers = Drivers::new(&[threads], &vtest, folder)?;
    let display = Display::new()?;
    let only = options.scene.as_deref().unwrap_or_default();
    let benchmarks: Vec<&str> =
        BENCHMARKS.into_iter().filter(|benchmark| benchmark.contains(only)).collect();
    ensure!(!benchmarks.is_empty(), "no benchmark's name contains {only}");

    let columns = comparisons(&[threads]);
    println!("{threads} threads; frames a second, and times of ours over theirs (least-most)");
    let mut results = Vec::new();
    for benchmark in benchmarks {
        let result = measure(benchmark, options, &drivers, &display)?;
        let ours = Driver::Gallium(threads).name();
        let rate = result.rates.get(&ours).and_then(|rates| rates.iter().copied().reduce(f64::max));
        print!("{:50.50} {:>6.0}", benchmark, rate.unwrap_or_default());
        for (ours, theirs) in &columns {
            let ratio = result.ratio(ours, theirs).map(|ratio| ratio.to_string());
            let theirs = theirs.split('-').next().unwrap_or_default();
            print!("  {theirs} {}", ratio.unwrap_or_else(|| "-".into()));
        }
        println!();
        results.push(result);
    }
    print_means(&columns, |ours, theirs| {
        results.iter().filter_map(|result| result.ratio(ours, theirs)).collect()
    });
    results::update(&folder.join(RESULTS), results, |result| &result.benchmark)?;
    println!("results: {}", folder.display());
    Ok(())
}

/// Runs a benchmark on every driver, turn by turn.
fn measure(
    benchmark: &str,
    options: &Options,
    drivers: &Drivers,
    display: &Display,
) -> Result<BenchmarkResult> {
    let mut rates = BTreeMap::new();
    for _ in 0..options.turns.max(1) {
        for &driver in &drivers.list {
            let mut command = Command::new("timeout");
            command.args(["60", "glmark2", "--size", "640x480", "--benchmark"]);
            command.arg(format!("{benchmark}:duration={:.1}", options.seconds));
            command.env("DISPLAY", &display.name);
            drivers.apply(driver, &mut command);
            let what = || format!("{benchmark} on {}", driver.name());
            let output = shell::output(&mut command).with_context(what)?;
            let text = String::from_utf8_lossy(&output.stdout);
            let rate = rate(&text).with_context(what)?;
            rates.entry(driver.name()).or_insert_with(Vec::new).push(rate);
        }
    }
    Ok(BenchmarkResult { benchmark: benchmark.into(), rates })
}

/// Returns the frames per second that glmark2 prints for a benchmark. If the time per frame has
/// more digits, the rate is computed from it.
fn rate(text: &str) -> Result<f64> {
    let number = |label: &str| -> Option<f64> {
        text.rsplit_once(label)?.1.split_whitespace().next()?.parse().ok()
    };
    let rate = number("FPS:").context("glmark2 prints no frames a second: not supported?")?;
    match number("FrameTime:") {
        Some(time) if rate < 50.0 && time > 0.0 => Ok(1e3 / time),
        _ if rate > 0.0 => Ok(rate),
        _ => bail!("glmark2 drew no frame"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_slow_frames_have_digits() {
        let text = |line: &str| format!("=====\n[build] use-vbo=false: {line}\n=====\n");
        assert_eq!(rate(&text("FPS: 3 FrameTime: 400.000 ms")).unwrap(), 2.5);
        assert_eq!(rate(&text("FPS: 500 FrameTime: 2.002 ms")).unwrap(), 500.0);
        assert!(rate(&text("Unsupported")).is_err());
    }
}
