//! `cargo xtask size --features`: measures the flash that each driver feature adds to the smallest
//! firmware.

use anyhow::{Context, Result, ensure};

use crate::size;
use crate::table::Table;
use crate::test::feature_names;
use crate::{layers, shell};

/// The target to measure on.
const TARGET: &str = "thumbv7em-none-eabihf";

/// The driver's package.
const PACKAGE: &str = "gallium-raster";

/// Features that no board uses, sets of features, and features that change messages and checks.
const NOT_COUNTED: [&str; 11] = [
    "check",
    "any-profile",
    "std",
    "threads",
    "full",
    "log",
    "defmt",
    "desktop",
    "samples",
    "generated",
    "gouraud-alone",
];

const TABLE: Table<'_> = Table {
    page: "docs/features.md",
    begin: "<!-- features: cargo xtask size --features --accept -->\n",
    end: "<!-- /features -->\n",
};

/// The table cell for a feature that makes the firmware too large for the chip.
const TOO_LARGE: &str = "more than the starter's chip has (256)";

/// A feature and the first sentence of its comment.
struct Feature {
    name: String,
    says: String,
}

/// Returns the driver features that a board may use.
fn features() -> Result<Vec<Feature>> {
    let folder = layers::folder(PACKAGE).context("the driver has no folder")?;
    let path = shell::root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let counted = |name: &String| !NOT_COUNTED.contains(&name.as_str());
    let names = feature_names(folder)?.into_iter().filter(counted);
    Ok(names.map(|name| Feature { says: comment(&text, &name), name }).collect())
}

/// Returns the first sentence of the comment above a feature.
fn comment(manifest: &str, name: &str) -> String {
    let start = format!("{name} = ");
    let lines: Vec<&str> = manifest.lines().take_while(|line| !line.starts_with(&start)).collect();
    let first = lines.iter().rposition(|line| !line.starts_with('#')).map_or(0, |at| at + 1);
    let words = lines[first..].iter().map(|line| line.trim_start_matches(['#', ' ']));
    let text = words.collect::<Vec<_>>().join(" ");
    text.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Builds them all and prints the table; writes it into docs/features.md if asked to.
///
/// # Errors
/// A build that fails; a page without the table's place.
pub fn run(accept: bool) -> Result<()> {
    let features = features()?;
    let base = size::STARTER.measure(TARGET, "")?.size.flash;
    let mut text = String::from("| feature | what it is | KiB of flash |\n|---|---|---|\n");
    let mut row = |name: &str, says: &str, cell: &str| {
        let line = format!("| {name} | {says} | {cell} |\n");
        print!("{line}");
        text += &line;
    };
    let kib = |bytes: u64| format!("{:.1}", bytes as f64 / 1024.0);
    row("none", &format!("The starter's triangle, {TARGET}"), &kib(base));
    for Feature { name, says } in &features {
        let cell = match flash(&format!("raster/{name}"))? {
            Some(with) => format!("+{}", kib(with.saturating_sub(base))),
            None => String::from(TOO_LARGE),
        };
        row(&format!("`{name}`"), says, &cell);
    }
    let all: Vec<String> = features.iter().map(|it| format!("raster/{}", it.name)).collect();
    let cell = flash(&all.join(","))?.map_or_else(|| String::from(TOO_LARGE), kib);
    row("all of these", "", &cell);
    if accept { TABLE.write(&text) } else { Ok(()) }
}

/// Returns the flash of the starter with these features; `None` if its chip has less.
fn flash(names: &str) -> Result<Option<u64>> {
    match size::STARTER.measure(TARGET, names) {
        Ok(row) => Ok(Some(row.size.flash)),
        Err(error) if format!("{error:#}").contains("will not fit in region 'FLASH'") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that the table of docs/features.md has the features of the driver; an empty table passes. Its figures
/// are as old as the last `--accept`: building them all takes minutes.
///
/// # Errors
/// The table has other features; the page has no place for it.
pub fn check() -> Result<usize> {
    let (_, [_, table, _]) = TABLE.read()?;
    let features = features()?;
    let expected: Vec<&str> = features.iter().map(|it| it.name.as_str()).collect();
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    ensure!(
        names.is_empty() || names == expected,
        "docs/features.md has sizes of {names:?}, the features are {expected:?}\n\
         run `cargo xtask size --features --accept`"
    );
    Ok(names.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_s_comment_is_its_first_sentence() {
        let manifest =
            "[features]\n# Two\n# lines. And more.\na = []\nb = []\n# One.\nc = [\"a\"]\n";
        assert_eq!(comment(manifest, "a"), "Two lines");
        assert_eq!(comment(manifest, "b"), "");
        assert_eq!(comment(manifest, "c"), "One");
    }

    #[test]
    fn every_feature_of_the_driver_is_explained() {
        for feature in features().unwrap() {
            assert!(!feature.says.is_empty(), "{}", feature.name);
        }
    }
}
