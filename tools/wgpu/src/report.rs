//! Compares the pictures of an adapter with the expected ones, and reports.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use image::RgbaImage;

use crate::adapter::LAVAPIPE;
use crate::cases::{self, Case};
use crate::compare::{self, Bounds};
use crate::{REFERENCE, time};

/// Pictures of an adapter, and those that they are compared with.
struct Pictures<'a> {
    folder: &'a Path,
    adapter: &'a str,
}

/// Compares, prints a line for each case, and writes `FOLDER/ADAPTER.report.md`.
///
/// # Errors
/// A picture is missing or too far from the expected one.
pub fn compare(adapter: &str, folder: &Path, filter: &str) -> Result<()> {
    let pictures = Pictures { folder, adapter };
    let times = |drawn_by: &str| time::read(&folder.join(format!("{drawn_by}.times.tsv")));
    let (ours, theirs) = (times(adapter), times(LAVAPIPE));
    let mut table = String::from(
        "| picture | compared with | verdict | seconds | of lavapipe |\n|---|---|---|---|---|\n",
    );
    let (mut passed, mut failed) = (0, 0);
    for case in cases::all(filter) {
        for (expected, bounds) in pictures.judges(&case) {
            let (word, text) = match pictures.judge(&case, expected, bounds) {
                Ok(text) => ("ok", text),
                Err(error) => ("FAILED", format!("{error:#}").replace('\n', " ")),
            };
            *if word == "ok" { &mut passed } else { &mut failed } += 1;
            println!("{word:6} {} against {expected}: {text}", case.name);
            let seconds = |times: &BTreeMap<String, f64>| {
                times.get(&case.name).map_or("–".into(), |seconds| format!("{seconds:.2}"))
            };
            let text = text.replace('|', "/");
            writeln!(
                table,
                "| {} | {expected} | {word}: {text} | {} | {} |",
                case.name,
                seconds(&ours),
                seconds(&theirs)
            )?;
        }
    }
    speed(folder, adapter, &ours, &theirs);
    let report = folder.join(format!("{adapter}.report.md"));
    fs::write(&report, table).with_context(|| format!("cannot write {}", report.display()))?;
    println!("pictures and the report: {}", report.display());
    println!("{passed} passed, {failed} failed");
    ensure!(failed == 0, "{failed} pictures are not as expected");
    ensure!(passed > 0, "no case's name contains `{filter}`");
    Ok(())
}

/// Prints the times of families of pictures and of frames, with those of lavapipe.
fn speed(
    folder: &Path,
    adapter: &str,
    ours: &BTreeMap<String, f64>,
    theirs: &BTreeMap<String, f64>,
) {
    let mut families: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (name, time) in ours {
        let (Some((family, _)), Some(other)) = (name.split_once('/'), theirs.get(name)) else {
            continue;
        };
        let (our, their) = families.entry(family).or_default();
        *our += time;
        *their += other;
    }
    for (family, (our, their)) in families {
        println!("{family}: {our:.2} s, {:.2} of lavapipe's", our / their);
    }
    let frames = |drawn_by: &str| time::read(&folder.join(format!("{drawn_by}.frames.tsv")));
    let others = frames(LAVAPIPE);
    for (name, time) in frames(adapter) {
        let Some(other) = others.get(&name).filter(|_| name != "total") else { continue };
        println!("{name}: {:.2} ms, {:.2} of lavapipe's", time * 1e3, time / other);
    }
}

impl Pictures<'_> {
    fn path(&self, drawn_by: &str, case: &Case, ending: &str) -> PathBuf {
        self.folder.join(drawn_by).join(format!("{}.{ending}", case.name))
    }

    /// Returns who drew the pictures that judge a case, with their bounds. Lavapipe's pictures of cases with
    /// another reference are compared if they were drawn.
    fn judges(&self, case: &Case) -> Vec<(&'static str, Bounds)> {
        let Some((_, bounds)) = case.reference else { return vec![(LAVAPIPE, case.bounds)] };
        let mut judges = vec![(REFERENCE, bounds)];
        if self.path(LAVAPIPE, case, "png").exists() {
            judges.push((LAVAPIPE, case.bounds));
        }
        judges
    }

    /// Compares a picture. Returns the difference as text.
    ///
    /// # Errors
    /// A picture is missing, or the difference is beyond the bounds.
    fn judge(&self, case: &Case, expected_by: &str, bounds: Bounds) -> Result<String> {
        let (expected, actual) = (self.read(expected_by, case)?, self.read(self.adapter, case)?);
        let found = compare::compare(&expected, &actual, bounds);
        let text = format!(
            "{} of {} pixels differ, at most by {}, {:.3} on average; {} beyond the bound",
            found.pixels,
            expected.pixels().len(),
            found.largest,
            found.mean,
            found.beyond
        );
        if found.passed {
            return Ok(text);
        }
        let shown = self.path(self.adapter, case, "difference.png");
        compare::picture(&expected, &actual).save(&shown)?;
        bail!("{text}; see {}", shown.display())
    }

    fn read(&self, drawn_by: &str, case: &Case) -> Result<RgbaImage> {
        if let Ok(text) = fs::read_to_string(self.path(drawn_by, case, "error")) {
            bail!("{drawn_by}: {}", text.trim());
        }
        let path = self.path(drawn_by, case, "png");
        let picture = image::open(&path).with_context(|| format!("{drawn_by} has no picture"))?;
        Ok(picture.into_rgba8())
    }
}
