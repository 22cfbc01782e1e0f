//! The status of a test, and an outcome compared with the status in the list.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail};

/// The status of a test, ordered so that the worst of several parts is the maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// The driver does not announce a feature that the test needs.
    Skip,
    /// The result is right.
    Pass,
    /// The result is tolerated, but not right.
    Warn,
    /// The result is wrong.
    Fail,
    /// The test did not end in time.
    Timeout,
    /// The test ended by a signal.
    Crash,
}

impl Status {
    /// Every status, in the order of the report's columns.
    pub const ALL: [Status; 6] =
        [Status::Pass, Status::Fail, Status::Skip, Status::Crash, Status::Timeout, Status::Warn];

    /// Returns true if `self` is less conformant than `other`. The order is pass, warning, skip,
    /// failure, time-out, crash.
    pub fn is_worse_than(self, other: Status) -> bool {
        let rank = |status| match status {
            Status::Pass => 0,
            Status::Warn => 1,
            Status::Skip => 2,
            Status::Fail => 3,
            Status::Timeout => 4,
            Status::Crash => 5,
        };
        rank(self) > rank(other)
    }
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

/// The result of one test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The status.
    pub status: Status,
    /// The test's output, if it neither passed nor was skipped.
    pub log: String,
}

/// A test of a list, with its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'t> {
    /// The test's group, a row of the report's table.
    pub group: &'t str,
    /// The test's name.
    pub name: &'t str,
    /// The status recorded in the list.
    pub expected: Status,
    /// The outcome of this run.
    pub outcome: &'t Outcome,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_read_back() {
        for status in Status::ALL {
            assert_eq!(status.to_string().parse::<Status>().unwrap(), status);
        }
        assert!("splendid".parse::<Status>().is_err());
    }

    #[test]
    fn a_warning_is_worse_than_a_pass_and_better_than_a_skip() {
        assert!(Status::Warn.is_worse_than(Status::Pass));
        assert!(Status::Skip.is_worse_than(Status::Warn));
        assert!(Status::Fail.is_worse_than(Status::Skip));
        assert!(!Status::Pass.is_worse_than(Status::Skip));
        assert!(!Status::Fail.is_worse_than(Status::Fail));
    }
}
