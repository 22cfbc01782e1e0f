//! Tables that commands write into pages.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell;

/// A table of a page that a command writes, between two lines.
pub struct Table<'p> {
    /// The page, from the root.
    pub page: &'p str,
    /// The line before.
    pub begin: &'p str,
    /// The line after the table.
    pub end: &'p str,
}

impl Table<'_> {
    /// Returns the path of the page, and its parts before, in and after the table.
    ///
    /// # Errors
    /// The table is missing.
    pub fn read(&self) -> Result<(PathBuf, [String; 3])> {
        let path = shell::root().join(self.page);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path, self.parts(&text)?.map(String::from)))
    }

    fn parts<'t>(&self, text: &'t str) -> Result<[&'t str; 3]> {
        let Table { page, begin, end } = self;
        let (before, rest) =
            text.split_once(begin).with_context(|| format!("{page} has no {begin}"))?;
        let (table, after) =
            rest.split_once(end).with_context(|| format!("{page} has no {end}"))?;
        Ok([before, table, after])
    }

    /// Replaces the table.
    ///
    /// # Errors
    /// The table is missing.
    pub fn write(&self, table: &str) -> Result<()> {
        let (path, [before, _, after]) = self.read()?;
        let text = [&before, self.begin, table, self.end, &after].concat();
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_the_lines_is_an_error() {
        let table = Table { page: "p.md", begin: "<a>\n", end: "</a>\n" };
        assert_eq!(table.parts("x\n<a>\n1\n</a>\ny").unwrap(), ["x\n", "1\n", "y"]);
        assert!(table.parts("no table").is_err());
        assert!(table.parts("<a>\n1").is_err());
    }
}
