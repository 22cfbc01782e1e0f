//! `cargo xtask piglit`: runs the OpenGL tests of piglit against our server.
//!
//! `frontends/vtest/piglit/tests.tsv` lists the tests and their expected statuses. The tests
//! themselves are from the piglit installed on the machine.

mod judge;
mod list;
mod run;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::conformance::{self, Finding, MakeServer, Status, history, pattern, report, workers};
use crate::shell;

use list::Test;

/// Runs OpenGL tests against gallium-vtest, and compares with their expected statuses.
#[derive(Args)]
pub struct Options {
    /// Tiers, separated by commas: 1 needs OpenGL 2.1, 2 needs 3.x, 3 needs 4.x.
    #[arg(long, default_value = "1")]
    tier: String,
    /// Groups, separated by commas; `*` stands for anything. `list` names them.
    #[arg(long)]
    group: Option<String>,
    /// Only tests with this text in their name.
    #[arg(long)]
    name: Option<String>,
    /// Only this many tests, spread over the list.
    #[arg(long)]
    sample: Option<usize>,
    /// Number of tests that run at the same time, each with its own server.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The newest OpenGL version that the server announces.
    #[arg(long, default_value = conformance::MAX_GL)]
    max_gl: String,
    /// The driver of the server: `raster` or `reference`.
    #[arg(long, default_value = "raster")]
    driver: String,
    /// Folder of piglit, if it is not in one of the usual places.
    #[arg(long)]
    piglit: Option<PathBuf>,
    /// Write the outcomes to the list as the expected statuses.
    #[arg(long)]
    accept: bool,
    /// Print the output of tests that do not pass.
    #[arg(long, short)]
    verbose: bool,
}

/// The advice to a user without piglit.
const INSTALL: &str = "install it; on Debian: apt-get install piglit libegl1 libgl1-mesa-dri";

/// The usual folders of piglit.
const FOLDERS: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu/piglit",
    "/usr/lib/aarch64-linux-gnu/piglit",
    "/usr/lib/piglit",
    "/usr/lib64/piglit",
    "/usr/local/lib/piglit",
];

/// Returns the folder of an installed piglit.
///
/// # Errors
/// There is none; the message names the packages to install.
fn find_piglit(options: &Options) -> Result<PathBuf> {
    let usual = FOLDERS.iter().map(PathBuf::from);
    let mut folders: Vec<PathBuf> = options.piglit.clone().into_iter().collect();
    if folders.is_empty() {
        folders.extend(usual);
    }
    let complete = |folder: &&PathBuf| folder.join("bin").is_dir();
    folders.iter().find(complete).cloned().with_context(|| format!("no piglit: {INSTALL}"))
}

/// Returns true if piglit is in one of its usual places.
pub fn is_installed() -> bool {
    FOLDERS.iter().any(|folder| Path::new(folder).join("bin").is_dir())
}

/// Runs the first tier on the server that is built together with the tests. Without piglit on the
/// machine, returns a note.
///
/// # Errors
/// Like [`run`].
pub fn first_tier() -> Result<String> {
    if !is_installed() {
        return Ok(format!(": not run, there is no piglit ({INSTALL})"));
    }
    let options = Options {
        tier: "1".into(),
        group: None,
        name: None,
        sample: None,
        jobs: 2,
        max_gl: conformance::MAX_GL.into(),
        driver: "raster".into(),
        piglit: None,
        accept: false,
        verbose: false,
    };
    run_on(&options, conformance::checked_server)?;
    Ok(String::new())
}

/// Runs the command.
///
/// # Errors
/// A program is missing; a test ended worse than expected; the server died.
pub fn run(options: &Options) -> Result<()> {
    run_on(options, conformance::build_server)
}

/// Runs the command with this server.
fn run_on(options: &Options, make_server: MakeServer) -> Result<()> {
    let path = shell::root().join("frontends/vtest/piglit/tests.tsv");
    let mut tests = list::read(&path)?;
    if options.group.as_deref() == Some("list") {
        list::print_groups(&tests);
        return Ok(());
    }
    let chosen = choose(&tests, options);
    if chosen.is_empty() {
        bail!("no such tests");
    }
    let piglit = find_piglit(options)?;
    let server = make_server(&options.max_gl, &options.driver)?;
    let work = conformance::folder("piglit");
    // The plain driver is slow.
    let patience = run::PATIENCE * if options.driver == "reference" { 20 } else { 1 };
    let done = workers::share(&chosen, options.jobs, &server, &work, |worker, index| {
        let test = &tests[*index];
        let outcome = run::one(test, &piglit, worker, patience)?;
        worker.renew_server(&test.name, outcome.status)?;
        Ok(vec![(*index, outcome)])
    })?;
    let found: Vec<Finding<'_>> =
        done.outcomes.iter().map(|(index, outcome)| tests[*index].finding(outcome)).collect();
    let before = history::read(&work.join("last.tsv")).unwrap_or_default();
    report::table(&found);
    report::changes(&before, &found);
    let regressions = print_surprises(&found);
    if options.verbose {
        report::logs(&found);
    }
    history::write(&work.join("last.tsv"), before, &found)?;
    println!("{} tests in {:.0} s", found.len(), done.seconds);
    if options.accept {
        for (index, outcome) in &done.outcomes {
            tests[*index].expected = outcome.status;
        }
        list::write(&path, &tests)?;
        println!("{} holds what came out", path.display());
        return Ok(());
    }
    done.check_servers()?;
    if regressions > 0 {
        bail!("{regressions} tests ended worse than expected (--accept makes that expected)");
    }
    Ok(())
}

/// Prints the tests with an unexpected status. Returns the number of those that do not pass.
///
/// A test that passes unexpectedly does not fail the run: the machine's Mesa and piglit determine
/// whether a test for an extension is skipped.
fn print_surprises(findings: &[Finding<'_>]) -> usize {
    let mut regressions = 0;
    for Finding { name, expected, outcome, .. } in findings {
        if outcome.status == *expected {
            continue;
        }
        let pass = outcome.status == Status::Pass;
        regressions += usize::from(!pass);
        let what = if pass { "unexpected pass" } else { "regression" };
        println!("{what}: {expected} -> {:7} {name}", outcome.status);
    }
    regressions
}

/// Returns the indices of the tests that the options select.
fn choose(tests: &[Test], options: &Options) -> Vec<usize> {
    let named = |test: &Test| {
        options.tier.split(',').any(|tier| tier == test.tier)
            && options.group.as_deref().is_none_or(|groups| {
                groups.split(',').any(|pattern| pattern::matches(pattern, &test.group))
            })
            && options.name.as_deref().is_none_or(|name| test.name.contains(name))
    };
    let all: Vec<usize> = (0..tests.len()).filter(|index| named(&tests[*index])).collect();
    match options.sample {
        // Evenly spread, so that every group has its proportion.
        Some(count) if count > 0 && count < all.len() => {
            (0..count).map(|index| all[index * all.len() / count]).collect()
        }
        _ => all,
    }
}
