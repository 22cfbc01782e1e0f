//! The result of a search, read from libFuzzer's log.

use std::fmt;
use std::path::PathBuf;

/// The result of a search.
pub struct Outcome {
    /// Number of inputs run.
    executions: u64,
    /// Number of edges of the program that some input reached.
    edges: u64,
    /// Files with inputs that broke a promise.
    pub findings: Vec<PathBuf>,
    /// The lines of the log that describe the failures.
    reasons: Vec<String>,
}

impl Outcome {
    /// Reads a log.
    pub fn new(log: &str, findings: Vec<PathBuf>) -> Outcome {
        let telling = |line: &&str| {
            line.contains("panicked at") || line.contains("ERROR: ") || line.starts_with("SUMMARY")
        };
        // The message of a panic is on the line after its location.
        let mut reasons: Vec<String> = Vec::new();
        let mut lines = log.lines().peekable();
        while let Some(line) = lines.next() {
            if telling(&line) {
                reasons.push(line.to_owned());
                if line.contains("panicked at") {
                    reasons.extend(lines.peek().map(|message| format!("  {message}")));
                }
            }
        }
        Outcome { executions: executions(log), edges: edges(log), findings, reasons }
    }
}

/// Returns the number of inputs run: from the statistics, or from the last progress line.
fn executions(log: &str) -> u64 {
    let stated = log
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok());
    let begun = |line: &str| line.strip_prefix('#')?.split('\t').next()?.parse().ok();
    stated.or_else(|| log.lines().rev().find_map(begun)).unwrap_or(0)
}

/// Returns the last `cov:` of the log.
fn edges(log: &str) -> u64 {
    let number = |line: &str| line.split("cov: ").nth(1)?.split(' ').next()?.parse().ok();
    log.lines().rev().find_map(number).unwrap_or(0)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.findings.len();
        write!(f, "{} executions, {} edges, {count} findings", self.executions, self.edges)?;
        for reason in &self.reasons {
            write!(f, "\n   {reason}")?;
        }
        for path in &self.findings {
            write!(f, "\n   {}", path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_findings() {
        let log = "#2\tINITED cov: 17 ft: 18 corp: 1/1b exec/s: 0 rss: 41Mb\n\
                   #1024\tpulse  cov: 99 ft: 181 corp: 12/96b lim: 11 exec/s: 512 rss: 42Mb\n\
                   stat::number_of_executed_units: 1999\n";
        let outcome = Outcome::new(log, Vec::new());
        assert_eq!(outcome.to_string(), "1999 executions, 99 edges, 0 findings");
    }

    #[test]
    fn a_panic_is_named_by_its_place_and_message() {
        let log = "#512\tNEW    cov: 7 ft: 8 corp: 2/2b\n\
                   thread '<unnamed>' (1) panicked at src/lib.rs:3:5:\n\
                   index out of bounds\n==1== ERROR: libFuzzer: deadly signal\n";
        let outcome = Outcome::new(log, vec![PathBuf::from("crash-1")]);
        assert_eq!(
            outcome.to_string(),
            "512 executions, 7 edges, 1 findings\n   \
             thread '<unnamed>' (1) panicked at src/lib.rs:3:5:\n     index out of bounds\n   \
             ==1== ERROR: libFuzzer: deadly signal\n   crash-1"
        );
    }
}
