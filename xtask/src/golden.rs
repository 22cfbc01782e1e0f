//! `cargo xtask golden`: compares every profile's picture of every scene with `golden/`.
//!
//! The tolerance is 0: all profiles, streamed or in memory, threaded or not, draw the same bits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::firmware::{self, BY_FEATURE, MEASURED};
use crate::picture::Picture;
use crate::shell;

/// Compares renders with the golden images.
#[derive(Args)]
pub struct Options {
    /// Write the current images as the golden ones. Look at them before you commit them.
    #[arg(long)]
    pub accept: bool,
    /// Instead, compare the golden images of the measuring scenes with the pictures of an exact
    /// renderer in this folder, `S1.png` to `S5.png`.
    #[arg(long)]
    pub reference: Option<PathBuf>,
}

/// Returns every scene with a golden image.
fn scenes() -> impl Iterator<Item = &'static str> {
    firmware::scenes().chain(BY_FEATURE)
}

/// The variants of drawing a scene on the host; `--accept` takes the first variant's image.
const WAYS: [&str; 4] = ["host", "small", "tiny", "small-streamed"];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if let Some(reference) = &options.reference {
        return compare_reference(reference);
    }
    let host = shell::bench()?;
    if options.accept {
        let folder = render(host)?;
        let golden = shell::root().join("golden");
        for scene in scenes() {
            let to = golden.join(format!("{scene}.png"));
            Picture::read(&picture(&folder, WAYS[0], scene))?.write(&to)?;
            println!("accepted {}", to.display());
        }
        return Ok(());
    }
    check(host)
}

/// Compares the pictures that the host's program draws with the golden images.
///
/// # Errors
/// A scene cannot be drawn, or a picture differs.
pub fn check(host: Command) -> Result<()> {
    let folder = render(host)?;
    let mut wrong = Vec::new();
    for scene in scenes() {
        for way in WAYS {
            let drawn = Picture::read(&picture(&folder, way, scene))?;
            if let Err(error) = compare(&drawn, scene, way) {
                wrong.push(format!("{error:#}"));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} scenes, {} ways each, every pixel as in golden/", scenes().count(), WAYS.len());
    Ok(())
}

/// A pixel is wrong if a channel differs by more than this, of 255.
const WRONG: u8 = 24;

/// The maximum percentage of wrong pixels in a measuring scene, among the covered pixels.
const WRONG_PERCENT: f64 = 0.5;

/// Counts wrong pixels against pictures drawn in double precision.
fn compare_reference(reference: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for scene in MEASURED {
        let ours = Picture::read(&shell::root().join("golden").join(format!("{scene}.png")))?;
        let exact = Picture::read(&reference.join(format!("{scene}.png")))?;
        ensure!(
            (ours.width, ours.height) == (exact.width, exact.height),
            "{scene}: {}×{} pixels, expected {}×{}",
            exact.width,
            exact.height,
            ours.width,
            ours.height
        );
        let (wrong, covered) = wrong_pixels(&ours, &exact);
        let percent = 100.0 * wrong as f64 / covered.max(1) as f64;
        println!("{scene}: {wrong} of {covered} covered pixels wrong, {percent:.3} %");
        if percent > WRONG_PERCENT {
            failed.push(scene);
        }
    }
    ensure!(failed.is_empty(), "more than {WRONG_PERCENT} % wrong: {}", failed.join(", "));
    Ok(())
}

/// Returns the number of wrong and of covered pixels. A pixel is covered if it is not black in both
/// pictures.
fn wrong_pixels(ours: &Picture, exact: &Picture) -> (usize, usize) {
    let (mut wrong, mut covered) = (0, 0);
    for (a, b) in ours.pixels.iter().zip(&exact.pixels) {
        let channels = || a.iter().zip(b).take(3);
        covered += usize::from(channels().any(|(a, b)| a | b != 0));
        wrong += usize::from(channels().any(|(a, b)| a.abs_diff(*b) > WRONG));
    }
    (wrong, covered)
}

fn picture(folder: &Path, way: &str, scene: &str) -> PathBuf {
    folder.join(way).join(format!("{scene}.png"))
}

/// Draws every scene in every variant with the host's program; returns the folder with the
/// pictures.
fn render(mut host: Command) -> Result<PathBuf> {
    let folder = shell::target_dir().join("golden");
    shell::run(host.args(["render", "--out"]).arg(&folder))?;
    Ok(folder)
}

/// Fails if `drawn` is not the golden image. Then writes actual, expected and difference to files.
pub fn compare(drawn: &Picture, scene: &str, way: &str) -> Result<()> {
    let path = shell::root().join("golden").join(format!("{scene}.png"));
    if !path.is_file() {
        bail!("{scene}: no {}; `cargo xtask golden --accept` makes it", path.display());
    }
    compare_with(drawn, &Picture::read(&path)?, scene, way)
}

/// Fails if `drawn` is not `expected`. Then writes actual, expected and difference to files.
pub fn compare_with(drawn: &Picture, expected: &Picture, scene: &str, way: &str) -> Result<()> {
    let what = || format!("{scene}, {way}");
    let Some(difference) = drawn.compare(expected, 0).with_context(what)? else { return Ok(()) };
    let folder = shell::target_dir().join("golden-failed").join(way);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    drawn.write(&folder.join(format!("{scene}.actual.png")))?;
    expected.write(&folder.join(format!("{scene}.expected.png")))?;
    difference.picture.write(&folder.join(format!("{scene}.difference.png")))?;
    bail!(
        "{scene}, {way}: {} pixels differ, by up to {}; see {}\n  {}",
        difference.pixels,
        difference.largest,
        folder.display(),
        difference.rows.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_is_not_covered_and_a_step_of_565_is_not_wrong() {
        let picture = |pixels| Picture { width: 4, height: 1, pixels };
        let ours = picture(vec![[0, 0, 0, 255], [8, 0, 0, 255], [0, 25, 0, 255], [9; 4]]);
        let exact = picture(vec![[0, 0, 0, 255], [0, 0, 0, 255], [0; 4], [9, 9, 33, 255]]);
        assert_eq!(wrong_pixels(&ours, &exact), (1, 3));
    }
}
