//! The list of cases that the baseline driver passes and `gallium-vtest` does not: a pattern, a tab
//! and the reason.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::conformance::{Finding, pattern};

/// A line of the list.
pub struct Exception {
    /// A pattern for names of cases; `*` stands for any characters.
    pattern: String,
    /// The reason why these cases do not pass.
    pub reason: String,
}

impl Exception {
    /// Returns true if the exception covers the case with this name.
    pub fn covers(&self, name: &str) -> bool {
        pattern::matches(&self.pattern, name)
    }
}

/// Reads the list.
///
/// # Errors
/// The file cannot be read, or a line has no reason.
pub fn read(path: &Path) -> Result<Vec<Exception>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> Result<Vec<Exception>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (pattern, reason) =
                line.split_once('\t').with_context(|| format!("`{line}` gives no reason"))?;
            Ok(Exception { pattern: pattern.to_owned(), reason: reason.to_owned() })
        })
        .collect()
}

/// The cases of a run that ended worse than recorded, divided by the exceptions.
#[derive(Default)]
pub struct Judged<'t> {
    /// Cases that no exception covers.
    pub lost: Vec<Finding<'t>>,
    /// Cases that an exception covers, with its reason.
    pub excused: Vec<(Finding<'t>, &'t str)>,
    /// Patterns of exceptions that are no longer needed: all their cases in this run ended as
    /// recorded.
    pub stale: Vec<&'t str>,
}

/// Compares `findings` with the statuses in their list.
pub fn judge<'t>(findings: &[Finding<'t>], exceptions: &'t [Exception]) -> Judged<'t> {
    let mut judged = Judged::default();
    for finding in findings.iter().filter(|f| f.outcome.status.is_worse_than(f.expected)) {
        match exceptions.iter().find(|exception| exception.covers(finding.name)) {
            Some(exception) => judged.excused.push((*finding, &exception.reason)),
            None => judged.lost.push(*finding),
        }
    }
    for exception in exceptions {
        let in_run = findings.iter().any(|finding| exception.covers(finding.name));
        let in_use = judged.excused.iter().any(|(finding, _)| exception.covers(finding.name));
        if in_run && !in_use {
            judged.stale.push(&exception.pattern);
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Outcome, Status};

    #[test]
    fn lost_cases_are_told_from_excused_ones() {
        let exceptions = parse("# why\nd.msaa.*\tno samples\nd.point\tsquare points\n").unwrap();
        let outcomes = [Status::Pass, Status::Skip, Status::Fail, Status::Pass]
            .map(|status| Outcome { status, log: String::new() });
        let names = ["d.a", "d.msaa.x", "d.b", "d.point"];
        let findings: Vec<Finding<'_>> = names
            .iter()
            .zip(&outcomes)
            .map(|(&name, outcome)| Finding { group: "d", name, expected: Status::Pass, outcome })
            .collect();
        let judged = judge(&findings, &exceptions);
        assert_eq!(judged.lost.iter().map(|finding| finding.name).collect::<Vec<_>>(), ["d.b"]);
        assert_eq!((judged.excused[0].0.name, judged.excused[0].1), ("d.msaa.x", "no samples"));
        assert_eq!(judged.stale, ["d.point"]);
        // Exceptions for cases of another list are not stale.
        assert!(judge_nothing(&exceptions));
        assert!(parse("d.msaa.*\n").is_err());
    }

    fn judge_nothing(exceptions: &[Exception]) -> bool {
        judge(&[], exceptions).stale.is_empty()
    }
}
