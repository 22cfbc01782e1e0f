//! The map of a crate's rooms in its README: the order of [`rooms`](super::rooms), and the first
//! sentence of each room's documentation.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::rooms;
use crate::shell;

const BEGIN: &str = "<!-- rooms: cargo xtask layers --write -->\n";
const END: &str = "<!-- /rooms -->\n";

const HEAD: &str = "\n| rank | module | contents |\n|---|---|---|\n";

/// Writes the map of every crate that has ranks into its README.
///
/// # Errors
/// A README has no place for the map, a room has no documentation, or a file cannot be written.
pub fn write() -> Result<()> {
    for (folder, ranks) in rooms::ranked() {
        let page = Page::read(folder)?;
        let text = [&page.before, BEGIN, &map(folder, ranks)?, "\n", END, &page.after].concat();
        let path = shell::root().join(folder).join("README.md");
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Returns one line for each README with a map that differs from the rooms.
///
/// # Errors
/// A README has no place for the map, or a room has no documentation.
pub fn check() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (folder, ranks) in rooms::ranked() {
        if Page::read(folder)?.map.trim() != map(folder, ranks)?.trim() {
            wrong.push(format!(
                "{folder}/README.md: the map differs from the rooms; run `cargo xtask layers --write`"
            ));
        }
    }
    Ok(wrong)
}

/// A README: its map, and the text around it.
struct Page {
    before: String,
    map: String,
    after: String,
}

impl Page {
    fn read(folder: &str) -> Result<Page> {
        let path = shell::root().join(folder).join("README.md");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let missing = |mark: &str| format!("{folder}/README.md has no line {}", mark.trim());
        let (before, rest) = text.split_once(BEGIN).with_context(|| missing(BEGIN))?;
        let (map, after) = rest.split_once(END).with_context(|| missing(END))?;
        Ok(Page { before: before.into(), map: map.into(), after: after.into() })
    }
}

/// Returns the table: a row for each room, from the top.
fn map(folder: &str, ranks: &[&[&str]]) -> Result<String> {
    let mut table = HEAD.to_owned();
    for (rank, names) in (1..).zip(ranks) {
        for room in *names {
            let contents = contents(&shell::root().join(folder).join("src"), room)?;
            writeln!(table, "| {rank} | `{room}` | {contents} |")?;
        }
    }
    Ok(table)
}

/// Returns the first sentence of a room's documentation.
fn contents(source: &Path, room: &str) -> Result<String> {
    let files = [source.join(format!("{room}.rs")), source.join(room).join("mod.rs")];
    let text = files
        .iter()
        .find_map(|file| fs::read_to_string(file).ok())
        .with_context(|| format!("no file of the room {room} in {}", source.display()))?;
    let sentence = first_sentence(&text);
    ensure!(!sentence.is_empty(), "{}: no documentation (//!)", files[0].display());
    Ok(sentence)
}

/// Returns the first sentence of the documentation in a file, on one line and without links.
fn first_sentence(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<&str> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ").replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    match paragraph.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_described_by_its_first_sentence() {
        for (text, sentence) in [
            ("//! Tiles.\n\nuse a;", "Tiles."),
            (
                "//! Tiles: 1.5 of\n//! them, [`A`]. More.\n//!\n//! Else.\n",
                "Tiles: 1.5 of them, `A`.",
            ),
            ("//! `a | b`\n", "`a \\| b`"),
            ("use a;\n", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
