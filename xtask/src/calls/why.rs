//! `cargo xtask size --why`: shows the callers that keep a function in the flash.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use anyhow::{Result, ensure};

use super::Calls;

/// Maximum number of functions to print, the largest first.
const SHOWN: usize = 12;

/// The last step of the path to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// No function calls it: it is the entry of the image or of an interrupt.
    Root,
    /// This function calls it.
    Called(usize),
    /// Its address is in the image, for example in a method table, and a reached function calls
    /// through a pointer.
    ByPointer,
}

/// Describes the functions with `part` in their path: their bytes, the bytes that would leave the
/// image with them, and the shortest chain of callers of each of the largest functions.
///
/// A call through a pointer counts as a call of all functions with their address in the image, so a
/// method table keeps all of its methods.
///
/// # Errors
/// No function has `part` in its path.
pub fn tell(calls: &Calls, part: &str) -> Result<String> {
    let mut matching = calls.named(part);
    ensure!(!matching.is_empty(), "no function of the image has `{part}` in its path");
    let size = |at: usize| calls.functions[at].size;
    matching.sort_by_key(|at| std::cmp::Reverse(size(*at)));
    let ways = ways(calls, &BTreeSet::new());
    let without = self::ways(calls, &matching.iter().copied().collect());
    let bytes: u64 = matching.iter().map(|at| size(*at)).sum();
    let leaving: u64 =
        (0..ways.len()).filter(|at| ways[*at].is_some() && without[*at].is_none()).map(size).sum();
    let mut text = format!(
        "`{part}`: {} functions of {bytes} bytes; without them {leaving} bytes would leave\n",
        matching.len()
    );
    for at in matching.iter().take(SHOWN) {
        writeln!(text, "{:>7}  {}", size(*at), calls.functions[*at].name)?;
        let mut from = *at;
        loop {
            match ways[from] {
                Some(Way::Called(by)) => {
                    writeln!(text, "           called by {}", calls.functions[by].name)?;
                    from = by;
                    continue;
                }
                Some(Way::ByPointer) => writeln!(text, "           called through a pointer")?,
                Some(Way::Root) => {}
                None => writeln!(text, "           not reached")?,
            }
            break;
        }
    }
    if matching.len() > SHOWN {
        writeln!(text, "  and {} smaller ones", matching.len() - SHOWN)?;
    }
    Ok(text)
}

/// Returns the last step of the shortest path from the roots to each function, without the
/// functions in `removed`; `None` if the function is not reached.
fn ways(calls: &Calls, removed: &BTreeSet<usize>) -> Vec<Option<Way>> {
    let count = calls.functions.len();
    let empty = BTreeSet::new();
    let taken = calls.taken.as_ref().unwrap_or(&empty);
    let mut called = vec![false; count];
    for to in calls.functions.iter().flat_map(|function| &function.calls).chain(taken) {
        called[*to] = true;
    }
    let mut ways = vec![None; count];
    let mut waiting: VecDeque<usize> = VecDeque::new();
    for at in (0..count).filter(|at| !called[*at] && !removed.contains(at)) {
        ways[at] = Some(Way::Root);
        waiting.push_back(at);
    }
    while let Some(at) = waiting.pop_front() {
        let function = &calls.functions[at];
        let direct = function.calls.iter().map(|to| (*to, Way::Called(at)));
        let through = taken.iter().filter(|_| function.by_pointer);
        for (to, way) in direct.chain(through.map(|to| (*to, Way::ByPointer))) {
            if ways[to].is_none() && !removed.contains(&to) {
                ways[to] = Some(way);
                waiting.push_back(to);
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::Function;
    use super::*;

    fn calls() -> Calls {
        let function = |name: &str, calls: &[usize], by_pointer: bool| Function {
            name: name.into(),
            address: 0,
            size: 10,
            calls: calls.to_vec(),
            by_pointer,
        };
        Calls {
            functions: vec![
                function("Reset", &[1], false),
                function("main", &[2], true),
                function("a::draw", &[3], false),
                function("a::helper", &[], false),
                function("b::method", &[3, 5], false),
                function("b::deep", &[], false),
            ],
            taken: Some(BTreeSet::from([4])),
        }
    }

    #[test]
    fn the_shortest_way_is_told() {
        let calls = calls();
        let ways = ways(&calls, &BTreeSet::new());
        let expected = [
            Way::Root,
            Way::Called(0),
            Way::Called(1),
            Way::Called(2),
            Way::ByPointer,
            Way::Called(4),
        ];
        assert_eq!(ways, expected.map(Some));
        let text = tell(&calls, "b::deep").unwrap();
        assert!(
            text.contains("called by b::method\n           called through a pointer"),
            "{text}"
        );
        assert!(tell(&calls, "c::").is_err());
    }

    #[test]
    fn code_that_others_call_too_does_not_leave() {
        let text = tell(&calls(), "b::method").unwrap();
        // Without it, the functions that only it calls leave, too; the helper stays.
        assert!(
            text.starts_with("`b::method`: 1 functions of 10 bytes; without them 20 bytes"),
            "{text}"
        );
    }
}
