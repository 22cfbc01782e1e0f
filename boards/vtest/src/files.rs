//! The open files of the process, shared out among the programs that connect.
//!
//! Each resource with shared memory holds an open file: its client maps the file from offset 0, so
//! that two resources cannot share one, and the server reads and writes it whenever the client asks,
//! so that it cannot close its own copy. A process has a limited number of open files
//! (`RLIMIT_NOFILE`). Connections keep a reserve of them. A program may hold [`SHARE`] times as
//! many of the rest as are left for others: the first program that takes all it can get leaves a
//! quarter, and each further one leaves a part of what it finds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::process::{Resource, getrlimit, setrlimit};

/// A program may hold this many files for each file that is left for others.
const SHARE: usize = 3;

/// Open files of a connection: its socket, and the copies that the watch and a client's own process
/// have of it.
const FILES_OF_A_PLACE: u64 = 3;

/// Open files of the server itself.
const OWN_FILES: u64 = 64;

/// The open files that all clients of a process may hold.
#[derive(Debug)]
pub struct Files {
    limit: usize,
    used: AtomicUsize,
}

/// The open files that one program holds, by all its connections.
#[derive(Debug)]
pub struct FileShare {
    files: Arc<Files>,
    held: AtomicUsize,
}

/// One open file of a program, until it is dropped.
#[derive(Debug)]
pub struct OpenFile(Arc<FileShare>);

/// A refusal: the program holds its share already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "no open file is left for shared memory: the client's program holds {held} of the {limit} that \
     all programs share (`ulimit -n` where the server is started)"
)]
pub struct NoFile {
    /// Files that the program holds.
    pub held: usize,
    /// Files that all programs together may hold.
    pub limit: usize,
}

impl Files {
    /// Returns `limit` files for all clients together.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Files { limit, used: AtomicUsize::new(0) })
    }

    /// Returns the files that the limit of this process leaves beside `clients` connections.
    pub fn of_process(clients: u64) -> Arc<Self> {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::from(u32::MAX));
        let reserve = clients.saturating_mul(FILES_OF_A_PLACE).saturating_add(OWN_FILES);
        // A tiny limit is halved: connections that cannot draw are of no use either.
        let left = limit.saturating_sub(reserve).max(limit / 2);
        Files::new(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Returns the share of one more program.
    pub fn share(self: &Arc<Self>) -> Arc<FileShare> {
        Arc::new(FileShare { files: Arc::clone(self), held: AtomicUsize::new(0) })
    }
}

impl FileShare {
    /// Takes one more file for the program.
    ///
    /// # Errors
    /// Its share is used up.
    pub fn take(self: &Arc<Self>) -> Result<OpenFile, NoFile> {
        let held = self.held.fetch_add(1, Relaxed);
        let limit = self.files.limit;
        let allowed = |used: &usize| held < SHARE.saturating_mul(limit.saturating_sub(*used));
        let more = |used: usize| Some(used).filter(allowed).and_then(|used| used.checked_add(1));
        if self.files.used.fetch_update(Relaxed, Relaxed, more).is_err() {
            self.held.fetch_sub(1, Relaxed);
            return Err(NoFile { held, limit });
        }
        Ok(OpenFile(Arc::clone(self)))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Relaxed);
        self.0.files.used.fetch_sub(1, Relaxed);
    }
}

/// Raises the limit of open files as far as the system allows.
///
/// # Errors
/// The system's.
pub fn raise_limit() -> std::io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes as many files as a program gets.
    fn flood(share: &Arc<FileShare>) -> Vec<OpenFile> {
        std::iter::from_fn(|| share.take().ok()).collect()
    }

    #[test]
    fn a_program_ends_at_its_share_and_the_next_one_finds_files() {
        let files = Files::new(1600);
        // h = 3 (1600 - h), then 3 (400 - h), then 3 (100 - h).
        let shares = [files.share(), files.share(), files.share()];
        let held: Vec<_> = shares.iter().map(flood).collect();
        assert_eq!(held.iter().map(Vec::len).collect::<Vec<_>>(), [1200, 300, 75]);
        assert_eq!(shares[0].take().err(), Some(NoFile { held: 1200, limit: 1600 }));
        drop(held);
        assert_eq!(flood(&shares[2]).len(), 1200, "files that go are there for others");
    }
}
