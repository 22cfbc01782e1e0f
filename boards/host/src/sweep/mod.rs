//! `cargo xtask bench --sweep`: one value of one member of state at a time, against its baseline.
//!
//! A [`Group`] is a baseline and its variations. Each variation is drawn in turns with the baseline, on one
//! thread of the host's profile, and its processor time a pixel or vertex is divided by the baseline's. A
//! ratio above the variation's limit is a cliff: state for which a frontend pays more than its work.

mod depth;
mod geometry;
mod output;
mod programs;
mod sampled;
mod setup;
mod stage;

use anyhow::{Context as _, Result};
use os_shim::Os;

use self::setup::Setup;
use self::stage::Stage;

/// The ratio above which a variation is a cliff.
const LIMIT: f64 = 2.0;

/// The number of frames of the baseline and of the variation; the fastest of each counts.
const TURNS: usize = 5;

/// A baseline, and what differs from it in one member.
struct Group {
    /// The name of the member and of what the variations share.
    name: String,
    baseline: Setup,
    variations: Vec<Variation>,
}

/// One value of the member.
struct Variation {
    name: String,
    setup: Setup,
    /// The ratio that the value may cost.
    limit: f64,
}

impl Group {
    fn new(name: impl Into<String>, baseline: Setup) -> Group {
        Group { name: name.into(), baseline, variations: Vec::new() }
    }

    /// Adds the baseline with a change.
    fn vary(&mut self, name: impl Into<String>, change: impl FnOnce(&mut Setup)) {
        self.vary_within(LIMIT, name, change);
    }

    /// Adds the baseline with a change that may cost `limit` times as much.
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

/// Measures the variations whose names, "group: variation", contain `only`; prints a line for each, and
/// the cliffs.
///
/// # Errors
/// The driver's, with the variation's name.
pub fn run(only: &str) -> Result<()> {
    let os = Os { threads: &os_shim::threads::Inline, ..Os::host() };
    let screen = raster::Screen::<raster::Host>::new(os, raster::Config::default());
    let mut groups = sampled::groups(&screen);
    groups.extend(output::groups(&screen));
    groups.extend(depth::groups(&screen));
    groups.extend(geometry::groups(&screen));
    groups.extend(programs::groups());
    for group in &mut groups {
        let Group { name, variations, .. } = group;
        variations.retain(|variation| format!("{name}: {}", variation.name).contains(only));
    }
    groups.retain(|group| !group.variations.is_empty());
    let mut cliffs = Vec::new();
    let mut count = 0;
    for group in &groups {
        count += group.variations.len();
        measure(&screen, group, &mut cliffs)?;
    }
    println!("\n{count} variations, {} cliffs", cliffs.len());
    for cliff in cliffs {
        println!("  {cliff}");
    }
    Ok(())
}

/// Measures a group's variations and prints them; appends those above their limit to `cliffs`.
fn measure<'m>(
    screen: &raster::Screen<'m, raster::Host>,
    group: &Group,
    cliffs: &mut Vec<String>,
) -> Result<()> {
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
        let ratio = time / base;
        let mark = if ratio > variation.limit { "cliff" } else { "" };
        println!("  {:<44} {time:>9.2} ns {ratio:>6.2} × {mark}", variation.name);
        if ratio > variation.limit {
            cliffs.push(format!("{:<70} {ratio:>6.2} ×", what()));
        }
    }
    Ok(())
}
