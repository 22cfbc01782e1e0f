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
const NOT_COUNTED: [&str; 9] = [
    "check",
    "any-profile",
    "std",
    "threads",
    "full",
    "defmt",
    "desktop",
    "samples",
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
    for (name, parts) in bundles()? {
        let cell = flash(&parts.join(","))?.map_or_else(|| String::from(TOO_LARGE), kib);
        let parts = parts.iter().map(|part| format!("`{}`", part.trim_start_matches("raster/")));
        let says = parts.collect::<Vec<_>>().join(", ");
        row(&format!("the starter with `{name}` of `gallium`"), &says, &cell);
    }
    if accept { TABLE.write(&text) } else { Ok(()) }
}

/// Returns the bundles of the facade `gallium` by name, each with the driver's features in it.
///
/// # Errors
/// The facade's manifest cannot be read, or has another form.
fn bundles() -> Result<Vec<(String, Vec<String>)>> {
    let path = shell::root().join("kit/gallium/Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table =
        toml::from_str(&text).with_context(|| format!("{}: not a manifest", path.display()))?;
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let features = features.with_context(|| format!("{}: no features", path.display()))?;
    let mut bundles = Vec::new();
    for name in features.keys() {
        let mut parts = driver_features(features, name);
        parts.sort();
        parts.dedup();
        // `std` is not for boards.
        if !parts.is_empty() && name != "std" {
            bundles.push((name.clone(), parts));
        }
    }
    Ok(bundles)
}

/// Returns the features of the driver in a feature, as `raster/NAME`, directly or by other features.
fn driver_features(features: &toml::Table, name: &str) -> Vec<String> {
    let parts = features.get(name).and_then(toml::Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(toml::Value::as_str);
    parts
        .flat_map(|part| match part.split_once('/') {
            Some(("raster", _)) => vec![part.to_owned()],
            Some(_) => Vec::new(),
            None => driver_features(features, part),
        })
        .collect()
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
    fn bundles_have_the_features_of_the_bundles_in_them() {
        let bundles = bundles().unwrap();
        let names: Vec<&str> = bundles.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["tiny", "mesh", "textured", "grey", "any"] {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        let of = |name: &str| &bundles.iter().find(|(it, _)| it == name).unwrap().1;
        assert_eq!(of("tiny"), &["raster/spans-565"]);
        assert_eq!(of("mesh"), &["raster/spans-565", "raster/spans-small", "raster/textures"]);
        assert!(of("mesh").iter().all(|part| of("textured").contains(part)));
    }

    #[test]
    fn every_feature_of_the_driver_is_explained() {
        for feature in features().unwrap() {
            assert!(!feature.says.is_empty(), "{}", feature.name);
        }
    }
}
