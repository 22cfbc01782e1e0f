//! Compares code in the READMEs with the tree: the block after a `<!-- code: path -->` line must
//! occur in that file or in its documentation comments, word for word.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// The files with such blocks.
const FILES: [&str; 5] = [
    "boards/direct/README.md",
    "boards/starter/README.md",
    "docs/direct.md",
    "docs/firmware.md",
    "kit/c/README.md",
];

const MARK: &str = "<!-- code: ";

/// Checks all files; returns the number of blocks.
///
/// # Errors
/// A block differs from its file, or a mark is malformed.
pub fn check() -> Result<usize> {
    let mut count = 0;
    for file in FILES {
        let path = shell::root().join(file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for (source, code) in pieces(&text).with_context(|| file.to_owned())? {
            let source_path = shell::root().join(&source);
            let found = fs::read_to_string(&source_path)
                .with_context(|| format!("{file}: cannot read {}", source_path.display()))?;
            let is_there = found.contains(&code) || documentation(&found).contains(&code);
            ensure!(is_there, "{file}: this is not in {source}:\n{code}");
            count += 1;
        }
    }
    ensure!(count > 0, "no `{MARK}` in {}", FILES.join(", "));
    Ok(count)
}

/// Returns the lines of a file's documentation comments.
fn documentation(file: &str) -> String {
    let lines = file.lines().filter_map(|line| line.trim_start().strip_prefix("///"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// Returns the path of each mark, and the lines of the code block below it.
fn pieces(text: &str) -> Result<Vec<(String, String)>> {
    let mut pieces = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix(MARK) else { continue };
        let path = rest.strip_suffix(" -->").with_context(|| format!("`{line}` does not end"))?;
        ensure!(Path::new(path).is_relative(), "`{path}` is not a path within the tree");
        match lines.next() {
            Some(fence) if fence.starts_with("```") => {}
            other => bail!("`{line}`: expected a code block, found {other:?}"),
        }
        let mut code = String::new();
        for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
            code.push_str(line);
            code.push('\n');
        }
        ensure!(!code.trim().is_empty(), "`{line}`: an empty code block");
        pieces.push((path.to_owned(), code));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_below_its_mark() {
        let text = "a\n<!-- code: b/c.rs -->\n```rust\none\n  two\n```\nx\n```\nnot this\n```\n";
        let expected = [("b/c.rs".to_owned(), "one\n  two\n".to_owned())];
        assert_eq!(pieces(text).unwrap(), expected);
        assert!(pieces("<!-- code: b\n```\nx\n```\n").is_err());
        assert!(pieces("<!-- code: b -->\nno code\n").is_err());
        assert!(pieces("<!-- code: /b -->\n```\nx\n```\n").is_err());
    }

    #[test]
    fn code_of_documentation_has_no_marks() {
        assert_eq!(documentation("a\n/// b\n  ///   c\n///\n// d\n"), "b\n  c\n\n");
    }

    #[test]
    fn the_starter_is_short() {
        let path = shell::root().join("boards/starter/src/main.rs");
        let lines = fs::read_to_string(path).unwrap().lines().count();
        assert!(lines <= 60, "{lines} lines");
    }

    #[test]
    fn a_composed_pipeline_takes_forty_lines() {
        let path = shell::root().join("boards/direct/src/main.rs");
        let text = fs::read_to_string(path).unwrap();
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        let lines = text.lines().filter(is_code).count();
        assert!(lines <= 40, "{lines} lines");
    }
}
