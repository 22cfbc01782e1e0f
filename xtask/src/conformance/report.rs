//! Prints tables of outcomes.

use std::collections::BTreeMap;

use super::{Finding, Status};

/// Maximum number of lines to print from a failing test's log.
const LOG_LINES: usize = 12;

/// Prints the number of tests with each status, by group.
pub fn table(findings: &[Finding<'_>]) {
    let mut counts: BTreeMap<&str, BTreeMap<Status, usize>> = BTreeMap::new();
    let mut total: BTreeMap<Status, usize> = BTreeMap::new();
    for finding in findings {
        let group = counts.entry(finding.group).or_default();
        for counts in [group, &mut total] {
            *counts.entry(finding.outcome.status).or_default() += 1;
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

/// Prints the tests with a status that differs from `before`.
pub fn changes(before: &BTreeMap<String, Status>, findings: &[Finding<'_>]) {
    for Finding { name, outcome, .. } in findings {
        match before.get(*name) {
            Some(last) if *last != outcome.status => {
                println!("since the last run: {last} -> {:7} {name}", outcome.status);
            }
            _ => {}
        }
    }
}

/// Prints the first lines of each failing test's output.
pub fn logs(findings: &[Finding<'_>]) {
    for Finding { name, outcome, .. } in findings {
        if !outcome.log.is_empty() {
            println!("{}: {name}", outcome.status);
            outcome.log.lines().take(LOG_LINES).for_each(|line| println!("    {line}"));
        }
    }
}
