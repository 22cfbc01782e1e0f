//! `cargo xtask deqp`: runs Khronos' conformance programs for OpenGL ES against our server.
//!
//! The user provides the programs (`deqp-gles2`, `deqp-gles3`, …, from VK-GL-CTS, built for
//! surfaceless EGL) and the lists of cases. `frontends/vtest/deqp/exceptions.tsv` lists the cases that
//! are known to fail, with the reasons.

mod exceptions;
mod list;
mod output;
mod run;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::conformance::{self, Finding, Status, history, report, workers};
use crate::shell;

use list::Case;

/// The environment variable that names the folder with the programs.
const PROGRAMS: &str = "GALLIUM_DEQP";
/// The environment variable that names the lists, separated by colons.
const LISTS: &str = "GALLIUM_DEQP_LISTS";

/// Runs OpenGL ES conformance cases against gallium-vtest, and compares with another driver.
#[derive(Args)]
pub struct Options {
    /// The folder with deqp-gles2, deqp-gles3, deqp-gles31.
    #[arg(long, env = PROGRAMS)]
    programs: Option<PathBuf>,
    /// A list of cases, with statuses of other drivers after tabs; may be given several times.
    #[arg(long, env = LISTS, value_delimiter = ':')]
    list: Vec<PathBuf>,
    /// The driver of the list to compare with.
    #[arg(long, default_value = "llvmpipe")]
    baseline: String,
    /// Only cases with this text in their name.
    #[arg(long)]
    name: Option<String>,
    /// Number of programs that run at the same time, each with its own server.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The newest OpenGL version that the server announces.
    #[arg(long, default_value = conformance::MAX_GL)]
    max_gl: String,
    /// Print the output of cases that do not pass.
    #[arg(long, short)]
    verbose: bool,
}

/// Returns true if the environment variables name programs and lists.
pub fn is_given() -> bool {
    [PROGRAMS, LISTS].iter().all(|name| std::env::var_os(name).is_some())
}

/// Runs the lists that the environment variables name. Returns a note on the outcome or on unset
/// variables.
///
/// # Errors
/// Like [`run`].
pub fn from_environment() -> Result<String> {
    let (Some(programs), Some(lists)) = (std::env::var_os(PROGRAMS), std::env::var_os(LISTS))
    else {
        return Ok(format!(
            ": not run, {PROGRAMS} and {LISTS} name no programs and lists of cases"
        ));
    };
    run(&Options {
        programs: Some(programs.into()),
        list: std::env::split_paths(&lists).collect(),
        baseline: "llvmpipe".into(),
        name: None,
        jobs: 2,
        max_gl: conformance::MAX_GL.into(),
        verbose: false,
    })?;
    Ok(String::new())
}

/// Runs the command.
///
/// # Errors
/// Programs or lists are not given or do not exist; a case ended worse than recorded and no
/// exception covers it; an exception covers only cases that pass; the server died.
pub fn run(options: &Options) -> Result<()> {
    let cases = read_lists(options)?;
    let named = |case: &Case| options.name.as_deref().is_none_or(|name| case.name.contains(name));
    let chosen: Vec<usize> = (0..cases.len()).filter(|index| named(&cases[*index])).collect();
    ensure!(!chosen.is_empty(), "no such cases in the lists");
    let programs = find_programs(options.programs.as_deref(), &cases, &chosen)?;
    let exceptions = exceptions::read(&shell::root().join("frontends/vtest/deqp/exceptions.tsv"))?;
    let server = conformance::build_server(&options.max_gl, "raster")?;
    let work = conformance::folder("deqp");
    let batches = run::batches(&cases, &chosen, &programs);
    let done = workers::share(&batches, options.jobs, &server, &work, |worker, batch| {
        run::batch(&cases, batch, worker)
    })?;
    let found: Vec<Finding<'_>> =
        done.outcomes.iter().map(|(index, outcome)| cases[*index].finding(outcome)).collect();
    let before = history::read(&work.join("last.tsv")).unwrap_or_default();
    report::table(&found);
    report::changes(&before, &found);
    if options.verbose {
        report::logs(&found);
    }
    history::write(&work.join("last.tsv"), before, &found)?;
    let judged = exceptions::judge(&found, &exceptions);
    print_judged(&judged, &found, &options.baseline);
    println!("{} cases in {:.0} s", found.len(), done.seconds);
    done.check_servers()?;
    ensure!(
        judged.lost.is_empty(),
        "{} cases ended worse than on {}",
        judged.lost.len(),
        options.baseline
    );
    ensure!(judged.stale.is_empty(), "exceptions.tsv excuses cases that pass");
    Ok(())
}

/// Returns the cases of all lists.
fn read_lists(options: &Options) -> Result<Vec<Case>> {
    if options.list.is_empty() {
        bail!("no list of cases: give --list FILE, or set {LISTS} to files separated by colons");
    }
    let lists = options.list.iter().map(|path| list::read(path, &options.baseline));
    Ok(lists.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns the absolute path of the folder with the programs for the chosen cases.
fn find_programs(folder: Option<&Path>, cases: &[Case], chosen: &[usize]) -> Result<PathBuf> {
    let folder = folder.with_context(|| {
        format!(
            "no dEQP programs: build deqp-gles2 and deqp-gles3 of VK-GL-CTS for surfaceless EGL, \
             and give --programs FOLDER or set {PROGRAMS}"
        )
    })?;
    let folder = std::path::absolute(folder)?;
    for &index in chosen {
        let program = folder.join(cases[index].program());
        ensure!(
            program.is_file(),
            "there is no {}, which {} needs",
            program.display(),
            cases[index].name
        );
    }
    Ok(folder)
}

/// Prints how many of the cases that `baseline` passes also pass here, and each that does not.
fn print_judged(judged: &exceptions::Judged<'_>, found: &[Finding<'_>], baseline: &str) {
    let passed = |finding: &&Finding<'_>| finding.expected == Status::Pass;
    let total = found.iter().filter(passed).count();
    let kept = found.iter().filter(passed).filter(|f| f.outcome.status == Status::Pass).count();
    println!("{kept} of the {total} cases that {baseline} passes");
    for (Finding { name, outcome, .. }, reason) in &judged.excused {
        println!("known: {:7} {name}: {reason}", outcome.status);
    }
    for Finding { name, expected, outcome, .. } in &judged.lost {
        println!("worse than {baseline}: {expected} -> {:7} {name}", outcome.status);
    }
    for pattern in &judged.stale {
        println!("passes now, its exception can go: {pattern}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_named() {
        let cases = [Case { name: "dEQP-GLES3.info.vendor".into(), expected: Status::Pass }];
        let error = find_programs(None, &cases, &[0]).unwrap_err().to_string();
        assert!(error.contains("--programs") && error.contains(PROGRAMS), "{error}");
        let error = find_programs(Some(Path::new("/nowhere")), &cases, &[0]).unwrap_err();
        assert!(error.to_string().contains("/nowhere/deqp-gles3"), "{error}");
    }

    #[test]
    fn the_committed_exceptions_give_reasons() {
        let path = shell::root().join("frontends/vtest/deqp/exceptions.tsv");
        let exceptions = exceptions::read(&path).unwrap();
        assert!(exceptions.iter().all(|exception| !exception.reason.is_empty()));
    }
}
