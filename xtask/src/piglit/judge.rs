//! Determines the status of a piglit test from the exit of its process and its output.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::conformance::process::Exit;
use crate::conformance::{Outcome, Status};

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

/// Returns the outcome of a test. Lines of `stdout` that begin with `PIGLIT:` contain JSON results
/// of the test and of its parts. The worst result of the parts counts.
pub fn outcome(exit: Exit, stdout: &str, stderr: &str) -> Outcome {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exit: Exit, stdout: &str) -> Status {
        outcome(exit, stdout, "").status
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
        assert_eq!(outcome(Exit::Code(0), "said\n", "cried").log, "said\ncried");
    }
}
