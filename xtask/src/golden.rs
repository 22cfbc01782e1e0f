//! `cargo xtask golden`: every profile's picture of every scene against `golden/`.
//!
//! The tolerance is 0: profiles, streamed or in memory, threaded or not, draw the same bits.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::firmware::{DEMOS, MEASURES};
use crate::picture::Picture;
use crate::shell;

/// Compares renders with the golden images.
#[derive(Args)]
pub struct Options {
    /// Take what is drawn now as right. Look at the images before you commit them.
    #[arg(long)]
    pub accept: bool,
}

/// Ways the host draws a scene; the first one is what `--accept` takes.
const WAYS: [&str; 4] = ["host", "small", "tiny", "small-streamed"];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let folder = shell::target_dir().join("golden");
    render(&folder)?;
    let golden = shell::root().join("golden");
    if options.accept {
        for scene in scenes() {
            let to = golden.join(format!("{scene}.png"));
            Picture::read(&picture(&folder, WAYS[0], scene))?.write(&to)?;
            println!("accepted {}", to.display());
        }
    }
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

fn scenes() -> impl Iterator<Item = &'static str> {
    DEMOS.into_iter().chain(MEASURES)
}

fn picture(folder: &Path, way: &str, scene: &str) -> PathBuf {
    folder.join(way).join(format!("{scene}.png"))
}

/// Has the host draw every scene every way.
fn render(folder: &Path) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "gallium-host", "--", "render"]);
    cargo.arg("--out").arg(folder);
    shell::run(&mut cargo)
}

/// Fails when `drawn` is not the golden image; leaves actual, expected and difference to look at.
pub fn compare(drawn: &Picture, scene: &str, way: &str) -> Result<()> {
    let path = shell::root().join("golden").join(format!("{scene}.png"));
    if !path.is_file() {
        bail!("{scene}: no {}; `cargo xtask golden --accept` makes it", path.display());
    }
    let expected = Picture::read(&path)?;
    let what = || format!("{scene}, {way}");
    let Some(difference) = drawn.compare(&expected, 0).with_context(what)? else { return Ok(()) };
    let folder = shell::target_dir().join("golden-failed").join(way);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    drawn.write(&folder.join(format!("{scene}.actual.png")))?;
    expected.write(&folder.join(format!("{scene}.expected.png")))?;
    difference.picture.write(&folder.join(format!("{scene}.difference.png")))?;
    bail!(
        "{scene}, {way}: {} pixels differ, by up to {}, the first at {},{}; see {}",
        difference.pixels,
        difference.largest,
        difference.first.0,
        difference.first.1,
        folder.display()
    )
}
