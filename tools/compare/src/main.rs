//! Compares the drivers on random scenes. `cargo xtask compare` runs this program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use gallium_compare::judge::{Pixel, Verdict, judge, plain};
use gallium_compare::render::{render, trace};
use gallium_compare::scene::Scene;
use gallium_compare::shrink::shrink;
use gallium_compare::{driver, image};
use os_shim::Memory;
use os_shim::options::Environment;
use pipe_core::Screen;
use pipe_core::wrap::record::{RecordFile, RecordFiles, RecordScreen, recorded};

#[derive(Parser)]
#[command(about = "Compares the driver with the plain one on random scenes")]
struct Options {
    /// Number of scenes.
    #[arg(long, default_value_t = 300)]
    random: u64,
    /// Seed of the first scene; it increases by one per scene.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for pictures of scenes that differ.
    #[arg(long, default_value = "target/compare")]
    out: PathBuf,
    /// Lists the scenes that differ without shrinking them.
    #[arg(long)]
    brief: bool,
    /// Prints why scenes are refused.
    #[arg(long)]
    verbose: bool,
}

/// Maximum number of pixels to print.
const PRINTED: usize = 5;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let files = RecordFiles::of_options(&Environment);
    let files = files.context("GALLIUM_TRACE names a file that cannot be written")?;
    let (mut faults, mut nudged, mut refused) = (0, 0, 0);
    for seed in options.seed..options.seed + options.random {
        let screen = driver(seed);
        let scene = Scene::random(seed, &*screen);
        let memory = Memory::system();
        match recorded(&*screen, files.as_ref(), memory, |screen| judge(screen, &scene)) {
            Verdict::Same { nudged: 0 } => {}
            Verdict::Same { .. } => nudged += 1,
            Verdict::Refused(error) => {
                refused += 1;
                if options.verbose {
                    println!("seed {seed}: refused: {error}");
                    print!("{}", trace(&*screen, &scene));
                }
            }
            verdict => {
                faults += 1;
                println!("seed {seed} on {}: {}", screen.get_name(), summary(&verdict));
                if !options.brief {
                    report(&options, &*screen, seed, &scene)?;
                }
            }
        }
    }
    let count = options.random;
    println!("{count} scenes: {faults} differ, {nudged} depend on rounding, {refused} are refused");
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shrinks a scene that differs, prints it and saves its pictures.
fn report(options: &Options, screen: &dyn Screen<'static>, seed: u64, scene: &Scene) -> Result<()> {
    let smallest = shrink(scene, |candidate| judge(screen, candidate).is_fault());
    let verdict = judge(screen, &smallest);
    println!("shrunk: {}", summary(&verdict));
    print!("{}", trace(screen, &smallest));
    for draw in &smallest.draws {
        println!("vertices: {:?}", draw.vertices);
        println!("indices: {:?}", draw.indices);
        println!("texture: {:?}", draw.texture);
    }
    if let Verdict::Pixels(pixels) = &verdict {
        for pixel in pixels.iter().take(PRINTED) {
            let Pixel { plane, x, y, ours, plain } = pixel;
            println!("buffer {plane}, ({x}, {y}): {ours:?}, plain {plain:?}");
        }
        let pictures = (render(screen, &smallest), plain(&smallest, Default::default()));
        if let (Ok(ours), Ok(plain)) = pictures {
            let name = format!("seed-{seed}");
            image::save(&options.out, &name, &ours, &plain, pixels)?;
            let trace = options.out.join(format!("{name}.trace"));
            let file = RecordFile::create(&trace)?;
            let _ = render(&RecordScreen::new(screen, &file, Memory::system()), &smallest);
            println!("pictures: {}/{name}-*.png", options.out.display());
            println!("to play: cargo xtask replay {} --beside reference\n", trace.display());
        }
    }
    Ok(())
}

fn summary(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pixels(pixels) => format!("{} pixels differ", pixels.len()),
        Verdict::Refusals(errors) => format!("refused: {errors:?}"),
        Verdict::Samples(samples) => format!("samples that passed: {samples:?}"),
        Verdict::Same { .. } => "the same".into(),
        Verdict::Refused(error) => format!("refused: {error}"),
    }
}
