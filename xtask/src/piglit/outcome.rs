//! What a test ends with, and how that is told from what it prints.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Test;

/// How a test may end, better ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// The driver does not announce what it needs.
    Skip,
    /// As it should.
    Pass,
    /// Not quite as it should.
    Warn,
    /// Not as it should.
    Fail,
    /// Not in time.
    Timeout,
    /// By a signal.
    Crash,
}

impl Status {
    /// All of them, in the order of the report's columns.
    pub const ALL: [Status; 6] =
        [Status::Pass, Status::Fail, Status::Skip, Status::Crash, Status::Timeout, Status::Warn];
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Skip => "skip",
            Status::Pass => "pass",
            Status::Warn => "warn",
            Status::Fail => "fail",
            Status::Timeout => "timeout",
            Status::Crash => "crash",
        })
    }
}

impl FromStr for Status {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match Status::ALL.into_iter().find(|status| status.to_string() == text) {
            Some(status) => Ok(status),
            None => bail!("`{text}` is no status"),
        }
    }
}

/// How a test's process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal,
    /// It was ended, after too long a time.
    Overdue,
}

/// What a test ended with.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In a word.
    pub status: Status,
    /// What it said, if it did not pass.
    pub log: String,
}

fn status(word: &str) -> Status {
    match word {
        "pass" => Status::Pass,
        "skip" | "notrun" => Status::Skip,
        "warn" | "dmesg-warn" => Status::Warn,
        "timeout" => Status::Timeout,
        "crash" => Status::Crash,
        _ => Status::Fail,
    }
}

impl Outcome {
    /// Judges a test by its end and what it printed: lines that begin with `PIGLIT:` hold results
    /// of the test and of its parts, of which the worst counts.
    pub fn new(exit: Exit, stdout: &str, stderr: &str) -> Self {
        let mut result = None;
        let mut parts = BTreeMap::new();
        let mut said = String::new();
        for line in stdout.lines() {
            let Some(json) = line.strip_prefix("PIGLIT:") else {
                let _ = writeln!(said, "{line}");
                continue;
            };
            let Ok(Value::Object(fields)) = serde_json::from_str(json.trim()) else { continue };
            if let Some(Value::Array(names)) = fields.get("enumerate subtests") {
                let names = names.iter().filter_map(Value::as_str);
                parts.extend(names.map(|name| (name.to_owned(), Status::Skip)));
            }
            if let Some(word) = fields.get("result").and_then(Value::as_str) {
                result = Some(status(word));
            }
            if let Some(Value::Object(subtests)) = fields.get("subtest") {
                for (name, word) in subtests {
                    parts.insert(name.clone(), status(word.as_str().unwrap_or("fail")));
                }
            }
        }
        let status = match exit {
            Exit::Overdue => Status::Timeout,
            Exit::Signal => Status::Crash,
            Exit::Code(0) => parts.values().max().copied().or(result).unwrap_or(Status::Fail),
            Exit::Code(_) if result == Some(Status::Pass) => Status::Warn,
            Exit::Code(_) => Status::Fail,
        };
        let log = match status {
            Status::Pass | Status::Skip => String::new(),
            _ => said + stderr,
        };
        Outcome { status, log }
    }
}

/// Reads results of an earlier run: a line a test, status and name.
///
/// # Errors
/// There is no such file, or it holds something else.
pub fn read(path: &Path) -> Result<BTreeMap<String, Status>> {
    let line = |line: &str| -> Result<(String, Status)> {
        let (status, name) = line.split_once('\t').context("no results")?;
        Ok((name.to_owned(), status.parse()?))
    };
    fs::read_to_string(path)?.lines().map(line).collect()
}

/// Writes results, those of this run over those of earlier ones.
///
/// # Errors
/// The file system's.
pub fn write(
    path: &Path,
    mut results: BTreeMap<String, Status>,
    tests: &[Test],
    outcomes: &BTreeMap<usize, Outcome>,
) -> Result<()> {
    for (index, outcome) in outcomes {
        results.insert(tests[*index].name.clone(), outcome.status);
    }
    let mut text = String::new();
    for (name, status) in results {
        let _ = writeln!(text, "{status}\t{name}");
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exit: Exit, stdout: &str) -> Status {
        Outcome::new(exit, stdout, "").status
    }

    #[test]
    fn the_worst_part_counts() {
        let pass = "PIGLIT: {\"result\": \"pass\" }\n";
        assert_eq!(judged(Exit::Code(0), pass), Status::Pass);
        assert_eq!(judged(Exit::Code(1), pass), Status::Warn);
        assert_eq!(judged(Exit::Signal, pass), Status::Crash);
        assert_eq!(judged(Exit::Overdue, pass), Status::Timeout);
        assert_eq!(judged(Exit::Code(0), ""), Status::Fail);
        let parts = "noise\nPIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\n\
                     PIGLIT: {\"subtest\": {\"b\" : \"fail\"}}\nPIGLIT: {\"result\": \"pass\" }\n";
        assert_eq!(judged(Exit::Code(0), parts), Status::Fail);
        let skipped = "PIGLIT: {\"enumerate subtests\": [\"a\", \"b\"]}\n\
                       PIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\n";
        assert_eq!(judged(Exit::Code(0), skipped), Status::Pass);
        assert_eq!(Outcome::new(Exit::Code(0), "said\n", "cried").log, "said\ncried");
    }

    #[test]
    fn statuses_read_back() {
        for status in Status::ALL {
            assert_eq!(status.to_string().parse::<Status>().unwrap(), status);
        }
        assert!("splendid".parse::<Status>().is_err());
    }
}
