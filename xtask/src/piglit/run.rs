//! Tests, several at a time, each worker with a server of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use super::outcome::Exit;
use super::{Outcome, Test};
use crate::mesa::{Server, ServerCommand, Virpipe};

/// How long a test may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came out.
pub struct Done {
    /// By the tests' places in the list.
    pub outcomes: BTreeMap<usize, Outcome>,
    /// How often a server ended without being asked.
    pub deaths: usize,
    /// How long it all took.
    pub seconds: f64,
}

/// Runs the chosen tests.
///
/// # Errors
/// No Mesa; a server that does not start; the file system's.
pub fn all(
    tests: &[Test],
    chosen: &[usize],
    piglit: &Path,
    server: &ServerCommand,
    jobs: usize,
    work: &Path,
) -> Result<Done> {
    fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let start = Instant::now();
    let (next, deaths) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes = Mutex::new(BTreeMap::new());
    let worker = |number: usize| -> Result<()> {
        let folder = work.join(format!("job-{number}"));
        fs::create_dir_all(&folder)?;
        let mut server = Server::new(server, work.join(format!("server-{number}.log")))?;
        while let Some(index) = chosen.get(next.fetch_add(1, Relaxed)) {
            let outcome = one(&tests[*index], piglit, &server.virpipe, &folder)?;
            if !server.is_alive() {
                deaths.fetch_add(1, Relaxed);
                eprintln!("the server died in {}", tests[*index].name);
                server.restart()?;
            } else if outcome.status == super::Status::Timeout {
                server.restart()?;
            }
            let mut outcomes = outcomes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            outcomes.insert(*index, outcome);
            if outcomes.len() % 100 == 0 {
                println!("{} of {}", outcomes.len(), chosen.len());
            }
        }
        Ok(())
    };
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..jobs.max(1)).map(|number| scope.spawn(move || worker(number))).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|result| result.unwrap_or_else(|_| bail!("a worker panicked"))).collect()
    });
    results.into_iter().collect::<Result<()>>()?;
    Ok(Done {
        outcomes: outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner),
        deaths: deaths.into_inner(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Runs one test.
fn one(test: &Test, piglit: &Path, virpipe: &Virpipe, folder: &Path) -> Result<Outcome> {
    let place = piglit.to_string_lossy();
    let mut words = test.command.iter().map(|word| word.replace("{}", &place)).peekable();
    let mut environment = Vec::new();
    while let Some(setting) = words.next_if(|word| !word.contains('/') && word.contains('=')) {
        environment.push(setting);
    }
    let mut command = Command::new(words.next().context("a test without a command")?);
    command.args(words).env_remove("DISPLAY");
    virpipe.apply(&mut command);
    command.envs(environment.iter().filter_map(|setting| setting.split_once('=')));
    command.env("PIGLIT_PLATFORM", "surfaceless_egl").env("PIGLIT_SOURCE_DIR", piglit);
    command.env("MESA_SHADER_CACHE_DISABLE", "true").env("MESA_DEBUG", "silent");
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    // Helpers of the test end with it.
    command.current_dir(folder).process_group(0);
    let exit = match command.spawn() {
        Ok(mut process) => wait(&mut process)?,
        Err(error) => {
            let log = format!("{}: {error}", command.get_program().to_string_lossy());
            return Ok(Outcome { status: super::Status::Skip, log });
        }
    };
    let text =
        |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Outcome::new(exit, &text(&out)?, &text(&err)?))
}

fn wait(process: &mut Child) -> Result<Exit> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        if let Some(status) = process.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            break None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    if let Some(group) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
        // Nobody may be left.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let Some(status) = ended else {
        process.wait()?;
        return Ok(Exit::Overdue);
    };
    Ok(match status.code() {
        Some(code) => Exit::Code(code),
        None => {
            debug_assert!(status.signal().is_some());
            Exit::Signal
        }
    })
}
