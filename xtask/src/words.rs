//! `cargo xtask words`: comments that begin with What, Whether, Where or How.
//!
//! Such a comment is half a sentence ("What is drawn."): a noun, or a verb with its object, says more
//! in fewer words ("The mesh.", "Returns the mesh."). A few are the best way to say it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{layers, shell};

/// The words that comment lines should not begin with.
const BEGINNINGS: [&str; 4] = ["What", "Whether", "Where", "How"];

/// Lines of a crate that may begin so, in 1,000 lines of comment.
const ALLOWED: usize = 20;

/// Folders of a crate that hold source.
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// Counts the lines in each crate of the workspace.
///
/// # Errors
/// A crate has more than are allowed: the error lists them. A file cannot be read.
pub fn run() -> Result<()> {
    let mut over = String::new();
    for member in layers::members()? {
        let mut comments = 0;
        let mut found = String::new();
        let mut count = 0;
        for file in sources(&shell::root().join(&member))? {
            let text = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let name = file.strip_prefix(shell::root()).unwrap_or(&file).display().to_string();
            for (number, comment) in comment_lines(&text) {
                comments += 1;
                if begins(comment) {
                    count += 1;
                    found += &format!("\n{name}:{number}: {comment}");
                }
            }
        }
        // At least one, so that a crate of ten comments may have it.
        if count > (comments * ALLOWED / 1000).max(1) {
            let share = count * 1000 / comments;
            over += &format!(
                "\n{member}: {count} of {comments} comment lines, {share} in 1,000{found}"
            );
        }
    }
    if !over.is_empty() {
        bail!(
            "more than {ALLOWED} in 1,000 comment lines begin with {}:{over}",
            BEGINNINGS.join(", ")
        );
    }
    println!("comments: at most {ALLOWED} in 1,000 begin with {}", BEGINNINGS.join(", "));
    Ok(())
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

/// Returns the lines that are comments, by number and text; empty ones do not count.
fn comment_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let comment = line.trim_start().strip_prefix("//")?;
        let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment).trim();
        (!comment.is_empty()).then_some((index + 1, comment))
    })
}

fn begins(comment: &str) -> bool {
    let word = comment.split(|letter: char| !letter.is_alphanumeric()).next();
    word.is_some_and(|word| BEGINNINGS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_lines_of_every_kind_are_found() {
        let text = "//! What a.\n//!\nlet x = 1; // How b.\n    /// Whether c.\n// Whatever.\n";
        let lines: Vec<(usize, bool)> =
            comment_lines(text).map(|(line, comment)| (line, begins(comment))).collect();
        assert_eq!(lines, [(1, true), (4, true), (5, false)]);
        assert!(begins("Where's it") && !begins("The what") && !begins(""));
    }
}
