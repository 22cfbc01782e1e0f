//! `cargo xtask bench --sweep`: compares single values of state with a baseline, one at a time.
//!
//! A [`Group`] is a baseline and its variations. Each variation is drawn alternately with the
//! baseline, on one thread with the host's profile. Its processor time per pixel or vertex is
//! divided by the baseline's. A ratio above the variation's limit is a cliff: state that costs a
//! frontend more than its work.

mod depth;
mod geometry;
mod output;
mod programs;
mod sampled;
mod setup;
mod stage;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use gallium_host::render::DEMO;
use os_shim::Os;
use pipe_core::Screen;
use raster::AnyProfile;
use serde::Serialize;

use self::setup::Setup;
use self::stage::Stage;
use crate::screens;

/// The ratio above which a variation is a cliff.
const LIMIT: f64 = 2.0;

/// The number of frames of the baseline and of each variation; the fastest frame counts.
const TURNS: usize = 5;

/// A baseline, and variations that differ from it in one member.
struct Group {
    /// The name of the member and of everything that the variations share.
    name: String,
    baseline: Setup,
    variations: Vec<Variation>,
}

/// One value of the member.
struct Variation {
    name: String,
    setup: Setup,
    /// The maximum ratio for this value.
    limit: f64,
}

impl Group {
    fn new(name: impl Into<String>, baseline: Setup) -> Group {
        Group { name: name.into(), baseline, variations: Vec::new() }
    }

    /// Adds a variation: the baseline with a change.
    fn vary(&mut self, name: impl Into<String>, change: impl FnOnce(&mut Setup)) {
        self.vary_within(LIMIT, name, change);
    }

    /// Adds a variation that may cost up to `limit` times as much as the baseline.
    fn vary_within(
        &mut self,
        limit: f64,
        name: impl Into<String>,
        change: impl FnOnce(&mut Setup),
    ) {
        let mut setup = self.baseline.clone();
        change(&mut setup);
        self.variations.push(Variation { name: name.into(), setup, limit });
    }
}

/// A measured variation.
#[derive(Serialize)]
struct Line {
    group: String,
    name: String,
    /// Nanoseconds per pixel or vertex.
    time: f64,
    /// The time divided by the baseline's.
    ratio: f64,
    /// The maximum ratio for the variation.
    limit: f64,
}

impl Line {
    fn is_cliff(&self) -> bool {
        self.ratio > self.limit
    }
}

/// Measures the variations with `only` in their name, "group: variation". Prints a line for each,
/// and the cliffs. Writes the measurements to `json`, as a list.
///
/// # Errors
/// An error of the driver, with the variation's name, or a file cannot be written.
pub fn run(only: &str, json: Option<&Path>) -> Result<()> {
    let os = Os { threads: &os_shim::threads::Inline, ..Os::host() };
    screens::with_screen(AnyProfile::Host, os, &DEMO, |screen| sweep(screen, only, json))
}

fn sweep<'m>(screen: &dyn Screen<'m>, only: &str, json: Option<&Path>) -> Result<()> {
    let mut groups = sampled::groups(screen);
    groups.extend(output::groups(screen));
    groups.extend(depth::groups(screen));
    groups.extend(geometry::groups(screen));
    groups.extend(programs::groups());
    for group in &mut groups {
        let Group { name, variations, .. } = group;
        variations.retain(|variation| format!("{name}: {}", variation.name).contains(only));
    }
    groups.retain(|group| !group.variations.is_empty());
    let mut lines = Vec::new();
    for group in &groups {
        measure(screen, group, &mut lines)?;
    }
    let cliffs = || lines.iter().filter(|line| line.is_cliff());
    println!("\n{} variations, {} cliffs", lines.len(), cliffs().count());
    for Line { group, name, ratio, .. } in cliffs() {
        println!("  {:<70} {ratio:>6.2} ×", format!("{group}: {name}"));
    }
    if let Some(path) = json {
        fs::write(path, serde_json::to_string_pretty(&lines)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Measures a group's variations and prints them; appends them to `lines`.
fn measure<'m>(screen: &dyn Screen<'m>, group: &Group, lines: &mut Vec<Line>) -> Result<()> {
    let mut baseline = Stage::new(screen, &group.baseline)
        .with_context(|| format!("the baseline of {}", group.name))?;
    for (index, variation) in group.variations.iter().enumerate() {
        let what = || format!("{}: {}", group.name, variation.name);
        let mut stage = Stage::new(screen, &variation.setup).with_context(what)?;
        let (mut base, mut time) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TURNS {
            base = base.min(baseline.frame()?);
            time = time.min(stage.frame().with_context(what)?);
        }
        if index == 0 {
            println!("{}: baseline {base:.2} ns", group.name);
        }
        let (ratio, limit) = (time / base, variation.limit);
        let line =
            Line { group: group.name.clone(), name: variation.name.clone(), time, ratio, limit };
        let mark = if line.is_cliff() { "cliff" } else { "" };
        println!("  {:<44} {time:>9.2} ns {ratio:>6.2} × {mark}", line.name);
        lines.push(line);
    }
    Ok(())
}
