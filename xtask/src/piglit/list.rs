//! The list of tests: one test per line, with columns separated by tabs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::conformance::{Finding, Outcome, Status};

/// A test and its expected status.
pub struct Test {
    /// Tier of the OpenGL version that it needs: 1, 2 or 3.
    pub tier: String,
    /// The feature it tests.
    pub group: String,
    /// The expected outcome.
    pub expected: Status,
    /// Its name.
    pub name: String,
    /// Environment, program and arguments; `{}` stands for piglit's folder.
    pub command: Vec<String>,
}

impl Test {
    /// Returns the test with its outcome.
    pub fn finding<'t>(&'t self, outcome: &'t Outcome) -> Finding<'t> {
        Finding { group: &self.group, name: &self.name, expected: self.expected, outcome }
    }
}

const HEADER: &str = "# Tests of piglit, and what they end with on gallium-vtest. `cargo xtask piglit --accept`\n\
                      # rewrites the third column. Tiers: 1 needs OpenGL 2.1, 2 needs 3.x, 3 needs 4.x.\n\
                      # tier\tgroup\texpected\tname\tcommand, tab by tab\n";

/// Reads a list.
///
/// # Errors
/// The file does not exist, or a line is malformed.
pub fn read(path: &Path) -> Result<Vec<Test>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            parse(line).with_context(|| format!("{}, line {}", path.display(), number + 1))
        })
        .collect()
}

fn parse(line: &str) -> Result<Test> {
    let mut columns = line.split('\t');
    let mut column = |what| columns.next().with_context(|| format!("no {what}"));
    let (tier, group) = (column("tier")?.to_owned(), column("group")?.to_owned());
    let expected = column("status")?.parse()?;
    let name = column("name")?.to_owned();
    let command: Vec<String> = columns.map(String::from).collect();
    anyhow::ensure!(!command.is_empty(), "no command");
    Ok(Test { tier, group, expected, name, command })
}

/// Writes a list.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, tests: &[Test]) -> Result<()> {
    let mut text = String::from(HEADER);
    for Test { tier, group, expected, name, command } in tests {
        let command = command.join("\t");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{tier}\t{group}\t{expected}\t{name}\t{command}");
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Prints the groups with the number of their tests per tier.
pub fn print_groups(tests: &[Test]) {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for test in tests {
        let tier = test.tier.parse::<usize>().unwrap_or(1).clamp(1, 3) - 1;
        counts.entry(&test.group).or_default()[tier] += 1;
    }
    println!("{:20} {:>6} {:>6} {:>6}", "group", "tier 1", "tier 2", "tier 3");
    for (group, [one, two, three]) in counts {
        println!("{group:20} {one:6} {two:6} {three:6}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_list_is_representative() {
        let path = crate::shell::root().join("frontends/vtest/piglit/tests.tsv");
        let tests = read(&path).unwrap();
        let first: Vec<&Test> = tests.iter().filter(|test| test.tier == "1").collect();
        assert!(first.len() >= 150, "{} tests of tier 1", first.len());
        let mut groups: Vec<&str> = first.iter().map(|test| test.group.as_str()).collect();
        groups.dedup();
        assert!(groups.len() >= 10, "{groups:?}");
    }

    #[test]
    fn a_line_reads_back() {
        let line = "1\tfbo\tfail\ta@b c\tX=1\t{}/bin/t\t-auto";
        let test = parse(line).unwrap();
        assert_eq!((test.expected, test.name.as_str()), (Status::Fail, "a@b c"));
        assert_eq!(test.command, ["X=1", "{}/bin/t", "-auto"]);
        assert!(parse("1\tfbo\tgood\ta\tb").is_err());
        assert!(parse("1\tfbo\tpass\ta").is_err());
    }
}
