//! Measures the time of each case: on the wall, and of the processor in this process.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};

/// Times of cases, in seconds.
#[derive(Default)]
pub struct Times {
    rows: Vec<(String, f64, f64)>,
}

impl Times {
    /// Runs a case, and adds its times.
    pub fn measure<T>(&mut self, name: &str, run: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), processor());
        let result = run();
        self.rows.push((name.to_owned(), start.elapsed().as_secs_f64(), processor() - before));
        result
    }

    /// Adds a wall time in seconds.
    pub fn add(&mut self, name: &str, on_wall: f64) {
        self.rows.push((name.to_owned(), on_wall, 0.0));
    }

    /// Writes a line for each case, and their sum.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from("case\twall s\tprocessor s\n");
        let (mut wall, mut processor) = (0.0, 0.0);
        for (name, on_wall, in_processor) in &self.rows {
            writeln!(text, "{name}\t{on_wall:.5}\t{in_processor:.2}")?;
            wall += on_wall;
            processor += in_processor;
        }
        writeln!(text, "total\t{wall:.3}\t{processor:.2}")?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Returns the processor time of this process in seconds; 0 where `/proc` is missing.
fn processor() -> f64 {
    // Linux counts in hundredths of a second for user programs. Fields 14 and 15 are user and system time;
    // field 2, in parentheses, may have spaces.
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// Reads the wall times of a file that [`Times::write`] wrote, in seconds; none if it is missing.
pub fn read(path: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let mut fields = line.split('\t');
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}
