//! Tests that caps are true: an announced feature works and gives the right result, and a feature
//! that is not announced is rejected. Each family of caps is a match without a wildcard, so that a
//! new cap does not compile until it has a judgement.
//!
//! The test runs with all features, and with the features of each kind of firmware. So `tgsi!`
//! compiles the programs, data is user memory, and pictures go to a panel.

#[macro_use]
mod bench;

mod compute;
mod floats;
mod screen;
mod shaders;
mod state;

use bench::Done;

/// The judgement of an answer.
pub(crate) enum Judge {
    /// A use of the announced feature: it returns true if the result is right, and fails if the
    /// answer is 0.
    Use(fn() -> Done<bool>),
    /// A use that a non-zero answer would forbid or make needless. The answer must be 0, and the
    /// use must return true.
    Without(fn() -> Done<bool>),
    /// A number: returns true if this many work and more are rejected.
    Number(fn(i64) -> Done<bool>),
    /// Always 0: neither this contract nor TGSI has the feature, for this reason.
    Absent(&'static str),
    /// A preference, a fact about the device or a hint to frontends' compilers: no call shows it.
    Hint(&'static str),
}

/// Checks an answer by its judgement; returns the contradiction as an error.
pub(crate) fn judged(name: &str, answer: i64, judge: &Judge) -> Result<(), String> {
    let holds = match judge {
        Judge::Use(use_it) => match use_it() {
            Ok(right) if answer != 0 => right,
            Err(_) if answer == 0 => true,
            result => return Err(format!("{name} is {answer}, and its use gives {result:?}")),
        },
        Judge::Without(use_it) => answer == 0 && use_it() == Ok(true),
        Judge::Number(holds) => match holds(answer) {
            Ok(holds) => holds,
            Err(error) => return Err(format!("{name} is {answer}, and its use gives {error}")),
        },
        Judge::Absent(reason) => answer == 0 && !reason.is_empty(),
        Judge::Hint(reason) => !reason.is_empty(),
    };
    if holds { Ok(()) } else { Err(format!("{name} is {answer}, which is not so")) }
}

/// Checks that every answer holds, and prints every answer that does not.
#[track_caller]
pub(crate) fn all_hold(answers: impl Iterator<Item = Result<(), String>>) {
    let wrong: Vec<_> = answers.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
