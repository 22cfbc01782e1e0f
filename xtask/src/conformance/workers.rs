//! Workers that share a queue of tests. Each worker has its own server.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{Outcome, Status};
use crate::mesa::{Server, ServerCommand, Virpipe};

/// The outcomes of a run.
pub struct Done {
    /// Outcomes by the index of the test in the list.
    pub outcomes: BTreeMap<usize, Outcome>,
    /// Number of servers that ended unexpectedly.
    pub deaths: usize,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

impl Done {
    /// Fails if a server died.
    ///
    /// # Errors
    /// A server died; the message contains the number of deaths.
    pub fn check_servers(&self) -> Result<()> {
        match self.deaths {
            0 => Ok(()),
            count => bail!("the server died {count} times"),
        }
    }
}

/// One worker of a run.
pub struct Worker<'c> {
    /// A folder for the worker's files.
    pub folder: PathBuf,
    server: Server,
    deaths: &'c AtomicUsize,
}

impl Worker<'_> {
    /// Returns the connection to the worker's server.
    pub fn virpipe(&self) -> &Virpipe {
        &self.server.virpipe
    }

    /// Starts a new server if the last test, `name`, ended the old one or timed out.
    ///
    /// # Errors
    /// The server does not start.
    pub fn renew_server(&mut self, name: &str, status: Status) -> Result<()> {
        if !self.server.is_alive() {
            self.deaths.fetch_add(1, Relaxed);
            eprintln!("the server died in {name}");
            self.server.restart()?;
        } else if status == Status::Timeout {
            self.server.restart()?;
        }
        Ok(())
    }
}

/// Passes every item of `queue` to `run` on one of `jobs` workers. `run` returns outcomes by the
/// index of the test. Files are written to the folder `work`.
///
/// # Errors
/// Mesa is missing; a server does not start; `run` fails; a file cannot be written.
pub fn share<T: Sync>(
    queue: &[T],
    jobs: usize,
    server: &ServerCommand,
    work: &Path,
    run: impl Fn(&mut Worker<'_>, &T) -> Result<Vec<(usize, Outcome)>> + Sync,
) -> Result<Done> {
    fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let start = Instant::now();
    let (next, deaths) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes = Mutex::new(BTreeMap::new());
    let worker = |number: usize| -> Result<()> {
        let folder = work.join(format!("job-{number}"));
        fs::create_dir_all(&folder)?;
        let server = Server::new(server.clone(), work.join(format!("server-{number}.log")))?;
        let mut worker = Worker { folder, server, deaths: &deaths };
        while let Some(item) = queue.get(next.fetch_add(1, Relaxed)) {
            let ended = run(&mut worker, item)?;
            let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            let before = outcomes.len();
            outcomes.extend(ended);
            if before / 100 != outcomes.len() / 100 {
                println!("{} tests done", outcomes.len());
            }
        }
        Ok(())
    };
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let worker = &worker;
        let workers: Vec<_> =
            (0..jobs.max(1)).map(|number| scope.spawn(move || worker(number))).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|result| result.unwrap_or_else(|_| bail!("a worker panicked"))).collect()
    });
    results.into_iter().collect::<Result<()>>()?;
    Ok(Done {
        outcomes: outcomes.into_inner().unwrap_or_else(PoisonError::into_inner),
        deaths: deaths.into_inner(),
        seconds: start.elapsed().as_secs_f64(),
    })
}
