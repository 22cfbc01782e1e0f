//! The truth of caps: what the screen announces is used and gives the right result, and what it does
//! not announce is refused. Each family of questions is a match without a wildcard, so that a new
//! question does not compile until it is judged.
//!
//! It runs with all features and with those of each kind of firmware, so programs are compiled by
//! `tgsi!`, data is user memory, and pictures go to a panel.

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
    /// A use of what the answer announces: it returns true where the result is right, and fails
    /// where the answer is 0.
    Use(fn() -> Done<bool>),
    /// A use that the answer forbids or makes needless: it returns true where the answer is 0.
    Without(fn() -> Done<bool>),
    /// A number: returns true if as much works and more is refused.
    Number(fn(i64) -> Done<bool>),
    /// Always 0: neither this contract nor TGSI has what it announces, for this reason.
    Absent(&'static str),
    /// A preference, a fact about the device or a matter of frontends' compilers: no call shows it.
    Hint(&'static str),
}

/// Holds an answer against its judgement; returns what is false.
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

/// Checks that every answer holds, and prints all that do not.
#[track_caller]
pub(crate) fn all_hold(answers: impl Iterator<Item = Result<(), String>>) {
    let wrong: Vec<_> = answers.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
