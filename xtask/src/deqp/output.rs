//! Reads the output of a dEQP program: the running case, and the outcomes of cases.

use super::list;
use crate::conformance::{Outcome, Status};

/// Follows a program's standard output line by line:
///
/// ```text
/// Test case 'dEQP-GLES2.info.vendor'..
///   Pass (Mesa/X.org)
/// ```
#[derive(Default)]
pub struct Output {
    /// The case that has begun and not ended.
    pub running: Option<String>,
}

impl Output {
    /// Reads the next line. If it ends a case, returns the case's name and outcome.
    pub fn line(&mut self, line: &str) -> Option<(String, Outcome)> {
        if let Some(rest) = line.strip_prefix("Test case '") {
            self.running = rest.rsplit_once("'..").map(|(name, _)| name.to_owned());
            return None;
        }
        let (word, details) = line.strip_prefix("  ")?.split_once(" (")?;
        if !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let details = details.strip_suffix(')')?;
        let name = self.running.take()?;
        let status = list::status(word);
        let log = match status {
            Status::Pass | Status::Skip => String::new(),
            _ => format!("{word}: {details}"),
        };
        Some((name, Outcome { status, log }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_begin_and_end() {
        let mut output = Output::default();
        let mut ended = Vec::new();
        for line in [
            "dEQP Core 2014.x (0xcafebabe) starting..",
            "Test case 'dEQP-GLES2.info.vendor'..",
            "  Pass (Mesa (X.org))",
            "",
            "Test case 'dEQP-GLES2.a.b'..",
            "  driver noise (not a status)",
            "  QualityWarning (14 bits)",
            "Test case 'dEQP-GLES2.a.c'..",
        ] {
            ended.extend(
                output.line(line).map(|(name, outcome)| (name, outcome.status, outcome.log)),
            );
        }
        assert_eq!(ended[0], ("dEQP-GLES2.info.vendor".into(), Status::Pass, String::new()));
        assert_eq!(
            ended[1],
            ("dEQP-GLES2.a.b".into(), Status::Warn, "QualityWarning: 14 bits".into())
        );
        assert_eq!(ended.len(), 2);
        assert_eq!(output.running.as_deref(), Some("dEQP-GLES2.a.c"), "it crashed");
    }

    #[test]
    fn a_status_without_a_case_is_noise() {
        assert!(Output::default().line("  Pass (of nothing)").is_none());
    }
}
