//! Compares the public API of the published crates with listings in the tree, so that reviews see
//! each change.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;

use crate::{layers, shell};

/// Compares the public API of the published crates with the listings in docs/api.
#[derive(Args)]
pub struct Options {
    /// Writes the listings.
    #[arg(long)]
    accept: bool,
}

/// The version of rustdoc's output format that the listings need.
const FORMAT: u64 = 57;

/// Maximum number of lines to print of a difference.
const SHOWN: usize = 30;

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if !options.accept {
        println!("public API{}", check()?);
        return Ok(());
    }
    for package in layers::device_packages() {
        let listing = listing(package)?.map_err(|reason| anyhow!(reason))?;
        let path = path(package);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, listing).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Compares the public API with the listings; returns a note about the outcome.
///
/// # Errors
/// An item is not listed, or a listed item no longer exists.
pub fn check() -> Result<String> {
    let (mut items, mut changes) = (0, Vec::new());
    for package in layers::device_packages() {
        let new = match listing(package)? {
            Ok(listing) => listing,
            Err(reason) => return Ok(format!(": left out: {reason}")),
        };
        let path = path(package);
        let old =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        items += new.lines().count();
        changes.extend(differences(&old, &new).map(|line| format!("{package}: {line}")));
    }
    let shown = changes.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    ensure!(
        changes.is_empty(),
        "{} changes of the public API:\n{shown}\nif they are meant, note them in the crate's \
         CHANGELOG.md and run `cargo xtask api --accept`",
        changes.len()
    );
    Ok(format!(": {items} items, as listed"))
}

/// Returns the lines that occur in only one of the listings.
fn differences<'l>(old: &'l str, new: &'l str) -> impl Iterator<Item = String> + use<'l> {
    let only = |lines: &'l str, others: &'l str, sign| {
        let others: HashSet<_> = others.lines().collect();
        let lines = lines.lines().filter(move |line| !others.contains(line));
        lines.map(move |line| format!("{sign} {line}"))
    };
    only(old, new, '-').chain(only(new, old, '+'))
}

/// Returns the path of a package's listing.
fn path(package: &str) -> PathBuf {
    shell::root().join("docs/api").join(format!("{package}.txt"))
}

/// Lists the public items of a package, one per line, with the features of its documentation. The
/// inner error is the reason why the output of this compiler's rustdoc cannot be read.
fn listing(package: &str) -> Result<Result<String, String>> {
    let folder = shell::target_dir().join("api");
    let mut cargo = shell::cargo();
    // With this variable, the stable compiler can write its unstable format. It changes the build,
    // so a separate folder avoids rebuilding the products of other commands.
    cargo.env("RUSTC_BOOTSTRAP", "1");
    cargo.args(["rustdoc", "--lib", "--package", package, "--target-dir"]).arg(&folder);
    cargo.args(documented_features(package)?);
    cargo.args(["--", "-Z", "unstable-options", "--output-format", "json", "--cap-lints", "allow"]);
    shell::output(&mut cargo)?;
    let json = folder.join(format!("doc/{}.json", package.replace('-', "_")));
    let bytes = fs::read(&json).with_context(|| format!("cannot read {}", json.display()))?;
    let value: serde_json::Value = serde_json::from_slice(&bytes)?;
    let format = value.get("format_version").and_then(serde_json::Value::as_u64);
    if format != Some(FORMAT) {
        let format = format.map_or("no format".to_owned(), |format| format!("format {format}"));
        return Ok(Err(format!("rustdoc writes {format}, and the listings need {FORMAT}")));
    }
    let api = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    Ok(Ok(lines(&api)))
}

/// Returns the items of an API, one per line. Methods of a trait are listed once with the trait,
/// not with each type that implements it.
fn lines(api: &public_api::PublicApi) -> String {
    let items = || api.items().map(|item| (item, item.to_string()));
    let is_of_trait = |line: &str| line.starts_with("impl") && line.contains(" for ");
    let of_traits: HashSet<_> =
        items().filter(|(_, line)| is_of_trait(line)).map(|(item, _)| item.id()).collect();
    let listed = items().filter(|(item, _)| {
        let parent = item.parent_id();
        parent.is_none_or(|parent| !of_traits.contains(&parent))
    });
    let mut lines: Vec<_> = listed.map(|(_, line)| line + "\n").collect();
    lines.dedup();
    lines.concat()
}

/// Returns the arguments for the features that docs.rs uses to document a package.
fn documented_features(package: &str) -> Result<Vec<String>> {
    let folder = layers::folder(package).with_context(|| format!("no package {package}"))?;
    let path = shell::root().join(folder).join("Cargo.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let metadata = ["package", "metadata", "docs", "rs"]
        .into_iter()
        .try_fold(&toml::Value::Table(manifest), |value, key| value.get(key))
        .cloned()
        .with_context(|| format!("{} has no [package.metadata.docs.rs]", path.display()))?;
    if metadata.get("all-features").and_then(toml::Value::as_bool) == Some(true) {
        return Ok(vec!["--all-features".into()]);
    }
    let features = metadata.get("features").and_then(toml::Value::as_array);
    let features = features.into_iter().flatten().filter_map(toml::Value::as_str);
    Ok(vec!["--features".into(), features.collect::<Vec<_>>().join(",")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_listing_are_found() {
        let changes: Vec<_> = differences("a\nb\nc", "a\nc\nd").collect();
        assert_eq!(changes, ["- b", "+ d"]);
    }

    #[test]
    fn features_are_those_of_the_documentation() {
        assert_eq!(documented_features("gallium-tgsi").unwrap(), ["--features", "full,std"]);
        assert_eq!(documented_features("gallium-tgsi-macros").unwrap(), ["--all-features"]);
    }
}
