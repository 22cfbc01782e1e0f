//! Lists of dEQP cases: one case per line, followed by tabs and the statuses with other drivers.
//! The first line, `# case`, names the drivers.
//!
//! ```text
//! # case    softpipe    llvmpipe
//! dEQP-GLES2.functional.clipping.point    Fail    Pass
//! ```

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::conformance::{Finding, Outcome, Status};

/// A case in a list.
#[derive(PartialEq, Eq, Debug)]
pub struct Case {
    /// The full name, `dEQP-GLES3.functional.…`.
    pub name: String,
    /// The recorded status for the baseline driver. Without a record it is [`Status::Skip`]: the
    /// case may be unsupported but may not fail.
    pub expected: Status,
}

impl Case {
    /// Returns the group, which is the third part of the name: `texture` in
    /// `dEQP-GLES3.functional.texture.…`.
    pub fn group(&self) -> &str {
        self.name.split('.').nth(2).unwrap_or(&self.name)
    }

    /// Returns the name of the program that contains the case: `deqp-gles3` for `dEQP-GLES3.…`.
    pub fn program(&self) -> String {
        self.name.split('.').next().unwrap_or_default().to_lowercase()
    }

    /// Returns the case with its outcome.
    pub fn finding<'c>(&'c self, outcome: &'c Outcome) -> Finding<'c> {
        Finding { group: self.group(), name: &self.name, expected: self.expected, outcome }
    }
}

/// Returns the status for dEQP's `word`.
pub fn status(word: &str) -> Status {
    match word {
        "Pass" | "Waiver" => Status::Pass,
        "NotSupported" => Status::Skip,
        "QualityWarning" | "CompatibilityWarning" => Status::Warn,
        "Crash" => Status::Crash,
        "Timeout" => Status::Timeout,
        _ => Status::Fail,
    }
}

/// Reads a list. Expected statuses are taken from the column of the driver `baseline`.
///
/// # Errors
/// The file cannot be read, or a line has no case.
pub fn read(path: &Path, baseline: &str) -> Result<Vec<Case>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text, baseline).with_context(|| path.display().to_string())
}

fn parse(text: &str, baseline: &str) -> Result<Vec<Case>> {
    let header = text.lines().next().filter(|line| line.starts_with('#')).unwrap_or_default();
    let column = header.split('\t').position(|driver| driver == baseline);
    let lines = text.lines().enumerate();
    let cases = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    cases
        .map(|(number, line)| {
            let columns: Vec<&str> = line.split('\t').collect();
            let name = columns[0].trim().to_owned();
            ensure!(
                name.starts_with("dEQP-") && name.contains('.'),
                "line {}: `{name}` names no dEQP case",
                number + 1
            );
            let recorded = column.and_then(|column| columns.get(column));
            Ok(Case { name, expected: recorded.map_or(Status::Skip, |word| status(word)) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# case\tsoftpipe\tllvmpipe\n\
                        dEQP-GLES2.functional.clipping.point\tFail\tPass\n\
                        dEQP-GLES3.functional.fbo.msaa.r8\tPass\tQualityWarning\n";

    #[test]
    fn a_list_records_several_drivers() {
        let cases = parse(LIST, "llvmpipe").unwrap();
        let expected: Vec<Status> = cases.iter().map(|case| case.expected).collect();
        assert_eq!(expected, [Status::Pass, Status::Warn]);
        assert_eq!(parse(LIST, "softpipe").unwrap()[0].expected, Status::Fail);
        assert_eq!(parse(LIST, "nobody").unwrap()[0].expected, Status::Skip);
        assert_eq!((cases[1].group(), cases[1].program().as_str()), ("fbo", "deqp-gles3"));
    }

    #[test]
    fn a_list_of_names_alone_records_nothing() {
        let cases =
            parse("dEQP-GLES2.info.vendor\n\ndEQP-GLES2.info.version\n", "llvmpipe").unwrap();
        assert_eq!(cases.len(), 2);
        assert!(cases.iter().all(|case| case.expected == Status::Skip));
        let error = parse("dEQP-GLES2.info.vendor\nhello\n", "llvmpipe").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
