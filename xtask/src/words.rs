//! `cargo xtask words`: habits of comments and guides that make sentences hard to read.
//!
//! Each habit has a repair and a ceiling: the maximum number of occurrences in 1,000 comment lines
//! of a crate, or in 1,000 lines of the guides. `words.toml` lists the crates above a ceiling;
//! their numbers may only fall.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{layers, shell};

/// Measures habits of comments and guides that make sentences hard to read, and prints the repairs.
#[derive(Args, Default)]
pub struct Options {
    /// Prints every place of these crates or of `guides`, with its repair.
    #[arg(long)]
    list: Vec<String>,
    /// Prints the table of all crates.
    #[arg(long)]
    table: bool,
    /// Writes numbers that have fallen to words.toml.
    #[arg(long)]
    accept: bool,
}

/// A habit: its name, the word sequences that show it, the maximum number in 1,000 lines, and the
/// repair. `*` stands for any word, `a/b` for either word, `^` for the beginning of a comment line.
struct Habit {
    name: &'static str,
    patterns: &'static [&'static str],
    ceiling: usize,
    repair: &'static str,
}

/// The habits. The ceilings are close to the numbers of smoltcp, vello and embedded-graphics.
const HABITS: &[Habit] = &[
    Habit {
        name: "tails",
        patterns: &["whose", "of which", "in which", "by which"],
        ceiling: 6,
        repair: "begin a second sentence that names the thing",
    },
    Habit {
        name: "agents",
        patterns: &["nobody", "somebody", "whoever", "others"],
        ceiling: 1,
        repair: "name the caller, client, driver, thread or value",
    },
    Habit {
        name: "nouns",
        patterns: &[
            "* what is",
            "* what a",
            "* what they",
            "^ what",
            "^ whether",
            "^ how",
            "^ where",
        ],
        ceiling: 10,
        repair: "name the thing, or begin with the verb",
    },
    Habit {
        name: "own",
        patterns: &["of its own", "of their own"],
        ceiling: 1,
        repair: "say what the thing does or has",
    },
    Habit {
        name: "each",
        patterns: &[
            "one a/an",
            "a bit/byte/word/row/plane/file each",
            "a lane/pixel/vertex/sample each",
        ],
        ceiling: 1,
        repair: "write `one per lane`",
    },
    Habit {
        name: "tells",
        patterns: &["tells/tell if/of/whether/how", "says how/what/which/whether"],
        ceiling: 1,
        repair: "write `documents`, `reports` or `returns`",
    },
    Habit {
        name: "beside",
        patterns: &["beside"],
        ceiling: 1,
        repair: "write `next to`, `in addition to` or `except`",
    },
    Habit {
        name: "those",
        patterns: &["those that/of", "all that/else"],
        ceiling: 3,
        repair: "repeat the noun",
    },
    Habit {
        name: "old",
        patterns: &["but for", "for ever", "anew", "in vain", "mend/mends/mended", "wherever"],
        ceiling: 1,
        repair: "write `except`, `forever`, `again`, `fix`, `where`",
    },
    Habit {
        name: "way",
        patterns: &["way of its own", "the/a way of", "leave/leaves the way"],
        ceiling: 0,
        repair: "write `code path`, or name the function",
    },
];

/// The file with the numbers of the crates above a ceiling.
const EXCEPTIONS: &str = "xtask/words.toml";

/// The folders of a crate that contain source.
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// The occurrences of each habit in 1,000 lines, by the habit's name.
type Shares = BTreeMap<String, usize>;

/// A place with a habit.
#[derive(PartialEq, Eq, Debug)]
struct Place {
    file: String,
    line: usize,
    habit: usize,
    words: String,
}

/// The lines and places of a crate or of the guides.
#[derive(Default)]
struct Count {
    lines: usize,
    places: Vec<Place>,
}

impl Count {
    /// Returns the occurrences of a habit in 1,000 lines; a single place in a small crate counts as
    /// 0.
    fn share(&self, habit: usize) -> usize {
        match self.places.iter().filter(|place| place.habit == habit).count() {
            0 | 1 => 0,
            count => (count * 1000).div_ceil(self.lines.max(1)),
        }
    }

    /// Adds the places of one comment or paragraph, given as lines with number and text.
    fn add(&mut self, file: &str, lines: &[(usize, &str)]) {
        let mut words: Vec<(usize, String)> = Vec::new();
        for (number, line) in lines {
            self.lines += 1;
            words.push((*number, "^".to_owned()));
            let parts = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '\''));
            let parts = parts.filter(|word| !word.is_empty());
            words.extend(parts.map(|word| (*number, word.to_lowercase())));
        }
        for (habit, Habit { patterns, .. }) in HABITS.iter().enumerate() {
            for pattern in *patterns {
                let pattern: Vec<&str> = pattern.split(' ').collect();
                for start in 0..words.len() {
                    if let Some(found) = found(&pattern, &words[start..]) {
                        let line = words[start].0;
                        self.places.push(Place {
                            file: file.to_owned(),
                            line,
                            habit,
                            words: found,
                        });
                    }
                }
            }
        }
    }
}

/// Returns the words that a pattern matches at the beginning of `words`.
fn found(pattern: &[&str], words: &[(usize, String)]) -> Option<String> {
    let mut found = String::new();
    let mut words = words.iter().map(|(_, word)| word.as_str());
    for part in pattern {
        let mut word = words.next()?;
        if *part != "^" && word == "^" {
            // Skips a line break within the pattern. A match does not begin with one.
            if found.is_empty() {
                return None;
            }
            word = words.next()?;
        }
        if *part != "*" && !part.split('/').any(|choice| choice == word)
            || *part == "*" && word == "^"
        {
            return None;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found += word;
    }
    Some(found)
}

/// Measures each crate of the workspace and the guides.
///
/// # Errors
/// A crate is above a ceiling and above its number in `words.toml`; a number there could be lower;
/// or a file cannot be read or written.
pub fn run(options: &Options) -> Result<()> {
    let counts = counts()?;
    if options.table {
        println!("{}", table(&counts));
    }
    for name in &options.list {
        let count = counts.get(name).with_context(|| format!("no crate {name}"))?;
        for Place { file, line, habit, words } in &count.places {
            let repair = HABITS[*habit].repair;
            println!("{file}:{line}: {}: {repair}", words.trim_start_matches("^ "));
        }
    }
    let path = shell::root().join(EXCEPTIONS);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let allowed: BTreeMap<String, Shares> =
        toml::from_str(&text).with_context(|| format!("{EXCEPTIONS} is no table of numbers"))?;
    if options.accept {
        return fs::write(&path, lowered(&counts, &allowed))
            .with_context(|| format!("cannot write {EXCEPTIONS}"));
    }
    let mut wrong = String::new();
    for (name, count) in &counts {
        for (index, habit) in HABITS.iter().enumerate() {
            let share = count.share(index);
            let exception = allowed.get(name).and_then(|of| of.get(habit.name)).copied();
            let limit = exception.unwrap_or(0).max(habit.ceiling);
            if share > limit {
                let _ = write!(
                    wrong,
                    "\n{name}: {} in 1,000 lines of `{}`, and {limit} are allowed: {}",
                    share, habit.name, habit.repair
                );
                for place in count.places.iter().filter(|place| place.habit == index) {
                    let _ = write!(wrong, "\n  {}:{}: {}", place.file, place.line, place.words);
                }
            }
        }
    }
    if !wrong.is_empty() {
        bail!("comments are above the ceilings of `cargo xtask words`:{wrong}");
    }
    let total: usize = counts.values().map(|count| count.lines).sum();
    println!("comments: {total} lines of {} crates and guides within their ceilings", counts.len());
    Ok(())
}

/// Counts every crate of the workspace, and `guides`: the Markdown pages.
fn counts() -> Result<BTreeMap<String, Count>> {
    let mut counts = BTreeMap::new();
    let root = shell::root();
    let named = |file: &Path| file.strip_prefix(&root).unwrap_or(file).display().to_string();
    let read = |file: &Path| {
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
    };
    let mut guides = Count::default();
    let mut pages = vec![root.clone(), root.join("docs")];
    for member in layers::members()? {
        let folder = root.join(&member);
        let mut count = Count::default();
        for file in sources(&folder)? {
            let text = read(&file)?;
            for block in comments(&text) {
                count.add(&named(&file), &block);
            }
        }
        counts.insert(member, count);
        pages.push(folder);
    }
    pages.sort();
    for folder in pages {
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", named(&folder)))?
        {
            let path = entry?.path();
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            if is_page && path.file_name().is_none_or(|name| name != "CHANGELOG.md") {
                let text = read(&path)?;
                for block in paragraphs(&text) {
                    guides.add(&named(&path), &block);
                }
            }
        }
    }
    counts.insert("guides".to_owned(), guides);
    Ok(counts)
}

/// Returns the numbers of the crates above a ceiling. A number never rises above the allowed one.
fn lowered(counts: &BTreeMap<String, Count>, allowed: &BTreeMap<String, Shares>) -> String {
    let mut text =
        "# Habits in 1,000 lines of the crates that are above a ceiling of `cargo xtask words`.\n\
                    # The numbers may only fall; `cargo xtask words --accept` lowers them.\n"
            .to_owned();
    for (name, count) in counts {
        let mut lines = String::new();
        for (index, habit) in HABITS.iter().enumerate() {
            let share = count.share(index);
            let before = allowed.get(name).and_then(|of| of.get(habit.name)).copied();
            let kept = if allowed.is_empty() { share } else { share.min(before.unwrap_or(0)) };
            if kept > habit.ceiling {
                let _ = writeln!(lines, "{} = {kept}", habit.name);
            }
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n[\"{name}\"]\n{lines}");
        }
    }
    text
}

/// Returns the table of crates and habits, per 1,000 lines.
fn table(counts: &BTreeMap<String, Count>) -> String {
    let mut text = format!("{:<24} {:>6}", "in 1,000 lines", "lines");
    for habit in HABITS {
        let _ = write!(text, " {:>7}", habit.name);
    }
    for (name, count) in counts {
        let _ = write!(text, "\n{name:<24} {:>6}", count.lines);
        for index in 0..HABITS.len() {
            let _ = write!(text, " {:>7}", count.share(index));
        }
    }
    text
}

/// Returns the Rust files of a crate.
fn sources(member: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| member.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the comments: runs of comment lines, by number and text. Empty lines do not count.
fn comments(text: &str) -> Vec<Vec<(usize, &str)>> {
    blocks(text, |line| {
        let comment = line.trim_start().strip_prefix("//")?;
        let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment).trim();
        (!comment.is_empty()).then_some(comment)
    })
}

/// Returns the paragraphs of a page without code, by number and text of their lines.
fn paragraphs(text: &str) -> Vec<Vec<(usize, &str)>> {
    let mut is_code = false;
    blocks(text, |line| {
        let fence = line.trim_start().starts_with("```");
        is_code ^= fence;
        (!fence && !is_code && !line.trim().is_empty()).then_some(line)
    })
}

/// Returns the runs of lines for which `part` returns a text, by number.
fn blocks<'t>(
    text: &'t str,
    mut part: impl FnMut(&'t str) -> Option<&'t str>,
) -> Vec<Vec<(usize, &'t str)>> {
    let mut blocks = vec![Vec::new()];
    for (index, line) in text.lines().enumerate() {
        match (part(line), blocks.last_mut()) {
            (Some(line), Some(block)) => block.push((index + 1, line)),
            (None, Some(block)) if block.is_empty() => {}
            (_, _) => blocks.push(Vec::new()),
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns lines and names of the habits in a source text.
    fn habits(text: &str) -> Vec<(usize, &'static str)> {
        let mut count = Count::default();
        for block in comments(text) {
            count.add("a.rs", &block);
        }
        count.places.iter().map(|place| (place.line, HABITS[place.habit].name)).collect()
    }

    #[test]
    fn habits_are_found_within_lines_and_over_their_ends() {
        assert_eq!(
            habits("/// A row, whose end is\n/// of its\n/// own.\n"),
            [(1, "tails"), (2, "own")]
        );
        assert_eq!(habits("// What it draws.\n// Whatever.\n"), [(1, "nouns")]);
        assert_eq!(habits("let of_which = 1;\n// Other, or one\n\n// a lane.\n"), []);
        assert_eq!(
            habits("//! The lanes, one a lane; but for the last.\n"),
            [(1, "each"), (1, "old")]
        );
    }

    #[test]
    fn code_of_pages_is_no_prose() {
        let blocks = paragraphs("One.\n\n```sh\nanew\n```\nTwo\nthree.\n");
        assert_eq!(blocks, [vec![(1, "One.")], vec![(6, "Two"), (7, "three.")]]);
    }

    #[test]
    fn numbers_only_fall() {
        let place = || Place { file: String::new(), line: 1, habit: 0, words: String::new() };
        let count =
            |places: usize| Count { lines: 100, places: (0..places).map(|_| place()).collect() };
        let counts = BTreeMap::from([("a".to_owned(), count(2)), ("b".to_owned(), count(5))]);
        let allowed = |share| BTreeMap::from([("tails".to_owned(), share)]);
        let allowed =
            BTreeMap::from([("a".to_owned(), allowed(30)), ("b".to_owned(), allowed(40))]);
        let text = lowered(&counts, &allowed);
        assert!(text.ends_with("\n[\"a\"]\ntails = 20\n\n[\"b\"]\ntails = 40\n"), "{text}");
    }
}
