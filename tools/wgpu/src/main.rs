//! Draws with published wgpu programs on several adapters, and compares the pictures.
//!
//! `draw ADAPTER FOLDER [FILTER]` writes `FOLDER/ADAPTER/NAME.png` for each case, or `NAME.error`, and the
//! times to `FOLDER/ADAPTER.times.tsv`. `ADAPTER` is one of `adapter::NAMES`, or `reference` for the pictures
//! that are drawn without wgpu, or `expected` for the pictures of lavapipe that nothing else judges.
//! `compare ADAPTER FOLDER [FILTER]` compares with the expected pictures. `time ADAPTER FOLDER` measures the first
//! triangle and frames, and writes the seconds to `FOLDER/ADAPTER.frames.tsv`. `cargo xtask wgpu` runs them.

mod adapter;
mod cases;
mod compare;
mod report;
mod target;
mod time;

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use image::RgbaImage;

use adapter::Door;

/// The name that stands for pictures without wgpu.
const REFERENCE: &str = "reference";

/// The name that stands for lavapipe's pictures without those that a reference judges.
const EXPECTED: &str = "expected";

/// Characters of an error that are kept.
const ERROR_LENGTH: usize = 2000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["draw", adapter, folder] => draw(adapter, Path::new(folder), ""),
        ["draw", adapter, folder, filter] => draw(adapter, Path::new(folder), filter),
        ["compare", adapter, folder] => report::compare(adapter, Path::new(folder), ""),
        ["compare", adapter, folder, filter] => report::compare(adapter, Path::new(folder), filter),
        ["time", adapter, folder] => measure(adapter, Path::new(folder), ""),
        ["time", adapter, folder, filter] => measure(adapter, Path::new(folder), filter),
        _ => Err(anyhow!(
            "expected `draw`, `compare` or `time`, an adapter, a folder, and perhaps a filter"
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Draws the cases on an adapter. A case that fails does not stop the others.
fn draw(adapter: &str, folder: &Path, filter: &str) -> Result<()> {
    let cases = cases::all(filter);
    ensure!(!cases.is_empty(), "no case's name contains `{filter}`");
    let (adapter, thorough) =
        if adapter == EXPECTED { (adapter::LAVAPIPE, false) } else { (adapter, true) };
    let door = if adapter == REFERENCE { None } else { Some(Door::named(adapter)?) };
    let pictures = folder.join(adapter);
    let mut times = time::Times::default();
    for case in cases {
        let picture = |ending: &str| pictures.join(format!("{}.{ending}", case.name));
        let path = picture("png");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create {}", parent.display()))?;
        }
        // What an earlier run left must not be taken for this one's.
        for old in ["png", "error"].map(picture) {
            if old.exists() {
                fs::remove_file(&old)
                    .with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        let draw: Box<dyn Fn() -> Result<RgbaImage> + '_> = match (door, &case.reference) {
            (Some(door), None) => Box::new(move || (case.draw)(door)),
            (Some(door), Some(_)) if thorough => Box::new(move || (case.draw)(door)),
            (None, Some((reference, _))) => Box::new(reference),
            _ => continue,
        };
        let drawn = times.measure(&case.name, || caught(draw.as_ref()));
        match drawn {
            Ok(image) => image.save(&path).with_context(|| path.display().to_string())?,
            Err(error) => {
                // A panic of kittest prints the whole tree of widgets.
                let text: String = format!("{error:#}").chars().take(ERROR_LENGTH).collect();
                fs::write(picture("error"), text + "\n")?;
            }
        }
    }
    times.write(&folder.join(format!("{adapter}.times.tsv")))
}

/// Measures the first triangle, from the instance to the pixels, and frames of programs.
fn measure(adapter: &str, folder: &Path, filter: &str) -> Result<()> {
    let door = Door::named(adapter)?;
    let mut times = time::Times::default();
    for name in ["first triangle", "second triangle"] {
        times.measure(name, || cases::window::drawn(door))?;
    }
    for (name, seconds) in cases::programs::times(door, filter)? {
        times.add(name, seconds);
    }
    times.write(&folder.join(format!("{adapter}.frames.tsv")))
}

/// Draws, and turns a panic into an error: wgpu panics at errors that nothing catches.
fn caught(draw: &dyn Fn() -> Result<RgbaImage>) -> Result<RgbaImage> {
    let text = |cause: Box<dyn Any + Send>| match cause.downcast::<String>() {
        Ok(text) => *text,
        Err(cause) => cause.downcast::<&str>().map_or("a panic", |text| *text).to_owned(),
    };
    match catch_unwind(AssertUnwindSafe(draw)) {
        Ok(result) => result,
        Err(cause) => bail!("panic: {}", text(cause)),
    }
}
