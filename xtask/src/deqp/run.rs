//! Runs batches of cases: one process for many cases, and a new process after a crash or a hang.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::list::Case;
use super::output::Output;
use crate::conformance::process::{self, Exit};
use crate::conformance::workers::Worker;
use crate::conformance::{Outcome, Status};

/// Time without output after which a program counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of cases per process.
const BATCH: usize = 100;
/// Bytes to keep from a crashed program's standard error.
const LOG_BYTES: usize = 600;

/// A batch of cases of one program.
pub struct Batch {
    /// The program.
    program: PathBuf,
    /// Indices of the cases in the list.
    cases: Vec<usize>,
}

/// Splits the `chosen` cases into batches; the programs are in the folder `programs`.
pub fn batches(cases: &[Case], chosen: &[usize], programs: &Path) -> Vec<Batch> {
    let mut of_programs: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &index in chosen {
        of_programs.entry(cases[index].program()).or_default().push(index);
    }
    let split = |(program, indices): (String, Vec<usize>)| {
        let program = programs.join(program);
        let batch =
            move |cases: &[usize]| Batch { program: program.clone(), cases: cases.to_vec() };
        indices.chunks(BATCH).map(batch).collect::<Vec<_>>()
    };
    of_programs.into_iter().flat_map(split).collect()
}

/// Runs a batch to its end; returns an outcome for each of its cases.
///
/// # Errors
/// The program cannot be started; a file of the worker cannot be written; the server does not
/// restart.
pub fn batch(
    cases: &[Case],
    batch: &Batch,
    worker: &mut Worker<'_>,
) -> Result<Vec<(usize, Outcome)>> {
    let mut left = batch.cases.clone();
    let mut outcomes = Vec::new();
    while let Some(&first) = left.first() {
        let names: Vec<&str> = left.iter().map(|&index| cases[index].name.as_str()).collect();
        let process = once(&batch.program, &names, worker)?;
        let ended = attribute(process, &names);
        left.retain(|&index| match ended.get(&cases[index].name) {
            Some(outcome) => {
                outcomes.push((index, outcome.clone()));
                false
            }
            None => true,
        });
        let hung = ended.values().any(|outcome| outcome.status == Status::Timeout);
        let status = if hung { Status::Timeout } else { Status::Pass };
        worker.renew_server(&cases[first].name, status)?;
    }
    Ok(outcomes)
}

/// The results of one process.
struct Process {
    /// Outcomes of the cases that ended, by name.
    ended: BTreeMap<String, Outcome>,
    /// The case that was running when the process ended.
    running: Option<String>,
    exit: Exit,
    /// The end of the standard error.
    stderr: String,
}

/// Returns outcomes for at least one of the cases given to the process. They include the cases that
/// ended. If the process crashed or hung, they include the running case, or the first case if none
/// had begun. If the process ended by itself, the remaining cases do not exist in the program.
fn attribute(process: Process, names: &[&str]) -> BTreeMap<String, Outcome> {
    let Process { mut ended, running, exit, stderr } = process;
    let status = if exit == Exit::Overdue { Status::Timeout } else { Status::Crash };
    let outcome = Outcome { status, log: format!("{exit:?}: {stderr}") };
    if let Some(name) = running {
        ended.insert(name, outcome);
    } else if exit == Exit::Code(0) && !ended.is_empty() {
        for name in names {
            let log = String::from("the program has no such case");
            let missing = Outcome { status: Status::Fail, log };
            ended.entry((*name).to_owned()).or_insert(missing);
        }
    } else if let (true, Some(first)) = (ended.is_empty(), names.first()) {
        ended.insert((*first).to_owned(), outcome);
    }
    ended
}

/// Starts the program with the cases `names` and follows its output until it ends, or is silent for
/// [`PATIENCE`].
fn once(program: &Path, names: &[&str], worker: &Worker<'_>) -> Result<Process> {
    let list = worker.folder.join("cases");
    fs::write(&list, names.join("\n") + "\n")?;
    let stderr = worker.folder.join("stderr");
    let mut child = command(program, &list, worker)
        .stdout(Stdio::piped())
        .stderr(File::create(&stderr)?)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let stdout = child.stdout.take().context("the program has no standard output")?;
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    let mut output = Output::default();
    let mut ended = BTreeMap::new();
    let hung = loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => ended.extend(output.line(&line)),
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    let exit = if hung {
        process::kill_group(&child);
        child.wait()?;
        Exit::Overdue
    } else {
        process::wait(&mut child, PATIENCE)?
    };
    let _ = reader.join();
    let bytes = fs::read(&stderr)?;
    let tail = &bytes[bytes.len().saturating_sub(LOG_BYTES)..];
    let stderr = String::from_utf8_lossy(tail).into_owned();
    Ok(Process { ended, running: output.running, exit, stderr })
}

/// Returns the command line of `program` for the cases in the file `list`.
fn command(program: &Path, list: &Path, worker: &Worker<'_>) -> Command {
    let mut caselist = std::ffi::OsString::from("--deqp-caselist-file=");
    caselist.push(list);
    let mut command = Command::new(program);
    command.arg(caselist).args([
        "--deqp-surface-type=pbuffer",
        "--deqp-surface-width=256",
        "--deqp-surface-height=256",
        "--deqp-gl-config-name=rgba8888d24s8ms0",
        "--deqp-log-filename=/dev/null",
        "--deqp-log-images=disable",
        "--deqp-watchdog=disable",
    ]);
    worker.virpipe().apply(&mut command);
    command.env("EGL_PLATFORM", "surfaceless").env("MESA_SHADER_CACHE_DISABLE", "true");
    // The programs look for their data in their own folder.
    command.current_dir(program.parent().unwrap_or(Path::new("."))).stdin(Stdio::null());
    command.process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str) -> Case {
        Case { name: name.into(), expected: Status::Pass }
    }

    #[test]
    fn batches_hold_cases_of_one_program() {
        let mut cases: Vec<Case> = (0..150).map(|n| case(&format!("dEQP-GLES2.a.{n}"))).collect();
        cases.insert(3, case("dEQP-GLES3.a"));
        let chosen: Vec<usize> = (0..cases.len()).collect();
        let batches = batches(&cases, &chosen, Path::new("/d"));
        let sizes: Vec<(&str, usize)> = batches
            .iter()
            .map(|batch| (batch.program.to_str().unwrap(), batch.cases.len()))
            .collect();
        assert_eq!(sizes, [("/d/deqp-gles2", 100), ("/d/deqp-gles2", 50), ("/d/deqp-gles3", 1)]);
    }

    fn statuses(ended: &[&str], running: Option<&str>, exit: Exit) -> Vec<(String, Status)> {
        let pass = Outcome { status: Status::Pass, log: String::new() };
        let ended = ended.iter().map(|name| ((*name).to_owned(), pass.clone())).collect();
        let running = running.map(String::from);
        let process = Process { ended, running, exit, stderr: String::new() };
        let outcomes = attribute(process, &["a", "b", "c"]);
        outcomes.into_iter().map(|(name, outcome)| (name, outcome.status)).collect()
    }

    #[test]
    fn a_crash_belongs_to_the_case_that_ran() {
        let named = |pairs: &[(&str, Status)]| -> Vec<(String, Status)> {
            pairs.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect()
        };
        use Status::{Crash, Fail, Pass, Timeout};
        let crashed = statuses(&["a"], Some("b"), Exit::Signal);
        assert_eq!(crashed, named(&[("a", Pass), ("b", Crash)]), "c runs in the next process");
        let hung = statuses(&[], Some("a"), Exit::Overdue);
        assert_eq!(hung, named(&[("a", Timeout)]));
        let never_began = statuses(&[], None, Exit::Code(1));
        assert_eq!(never_began, named(&[("a", Crash)]));
        let missing = statuses(&["a", "b"], None, Exit::Code(0));
        assert_eq!(missing, named(&[("a", Pass), ("b", Pass), ("c", Fail)]));
    }
}
