//! Tables of what came out.

use std::collections::BTreeMap;

use super::{Outcome, Status, Test};

/// How much of a failing test's words is shown.
const LOG_LINES: usize = 12;

/// The groups, and how many tests each has in each tier.
pub fn groups(tests: &[Test]) {
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

/// How many tests of each group ended how.
pub fn table(tests: &[Test], outcomes: &BTreeMap<usize, Outcome>) {
    let mut counts: BTreeMap<&str, BTreeMap<Status, usize>> = BTreeMap::new();
    let mut total: BTreeMap<Status, usize> = BTreeMap::new();
    for (index, outcome) in outcomes {
        let group = counts.entry(&tests[*index].group).or_default();
        for counts in [group, &mut total] {
            *counts.entry(outcome.status).or_default() += 1;
        }
    }
    let columns: String = Status::ALL.iter().map(|status| format!(" {status:>7}")).collect();
    println!("{:20} {:>5}{columns}", "group", "tests");
    for (group, counts) in counts.iter().chain([(&"all", &total)]) {
        let sum: usize = counts.values().sum();
        let columns: String = Status::ALL
            .iter()
            .map(|status| match counts.get(status) {
                Some(count) => format!(" {count:7}"),
                None => format!(" {:>7}", "."),
            })
            .collect();
        println!("{group:20} {sum:5}{columns}");
    }
}

/// What ended otherwise than in the last run.
pub fn changes(
    before: &BTreeMap<String, Status>,
    tests: &[Test],
    outcomes: &BTreeMap<usize, Outcome>,
) {
    for (index, outcome) in outcomes {
        let name = &tests[*index].name;
        match before.get(name) {
            Some(last) if *last != outcome.status => {
                println!("since the last run: {last} -> {:7} {name}", outcome.status);
            }
            _ => {}
        }
    }
}

/// What ended otherwise than expected; how many.
pub fn surprises(tests: &[Test], outcomes: &BTreeMap<usize, Outcome>, verbose: bool) -> usize {
    let mut count = 0;
    for (index, outcome) in outcomes {
        let test = &tests[*index];
        if outcome.status != test.expected {
            count += 1;
            let what =
                if outcome.status == Status::Pass { "unexpected pass" } else { "regression" };
            println!("{what}: {} -> {:7} {}", test.expected, outcome.status, test.name);
        }
        if verbose && !outcome.log.is_empty() {
            println!("{}: {}", outcome.status, test.name);
            outcome.log.lines().take(LOG_LINES).for_each(|line| println!("    {line}"));
        }
    }
    count
}
