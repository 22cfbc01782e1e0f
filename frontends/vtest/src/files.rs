//! The open files of the process, shared out among the programs that connect.
//!
//! Each resource with shared memory holds an open file. Two resources cannot share a file, because
//! the client maps each file from offset 0. The server cannot close its copy, because it reads and
//! writes the file whenever the client asks.
//!
//! A process has a limited number of open files (`RLIMIT_NOFILE`). Some of them are reserved for
//! connections. Of the rest, a program may hold [`SHARE`] times as many files as remain for other
//! programs. So the first program that takes as many files as it can leaves a quarter, and each
//! further program leaves a part of the remainder. Within a program, the same rule limits each
//! connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustix::process::{Resource, getrlimit, setrlimit};

/// The number of files that a program may hold for each file that remains for other programs.
const SHARE: usize = 3;

/// Open files of a connection: its socket, and the copies for the watch and for a client's separate
/// process.
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

/// The open files that one connection of a program holds.
#[derive(Debug)]
pub struct ClientFiles {
    share: Arc<FileShare>,
    held: AtomicUsize,
}

/// One open file of a connection, until it is dropped.
#[derive(Debug)]
pub struct OpenFile(Arc<ClientFiles>);

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

    /// Returns the files that remain within the limit of this process after the files of `clients`
    /// connections.
    pub fn of_process(clients: u64) -> Arc<Self> {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::from(u32::MAX));
        let reserve = clients.saturating_mul(FILES_OF_A_PLACE).saturating_add(OWN_FILES);
        // At least half of a tiny limit remains: connections that cannot draw are of no use.
        let left = limit.saturating_sub(reserve).max(limit / 2);
        Files::new(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Returns the share of one more program.
    pub fn share(self: &Arc<Self>) -> Arc<FileShare> {
        Arc::new(FileShare { files: Arc::clone(self), held: AtomicUsize::new(0) })
    }
}

impl FileShare {
    /// Returns the files of one more connection of the program.
    pub fn client(self: &Arc<Self>) -> Arc<ClientFiles> {
        Arc::new(ClientFiles { share: Arc::clone(self), held: AtomicUsize::new(0) })
    }
}

impl ClientFiles {
    /// Takes one more file for the connection.
    ///
    /// # Errors
    /// The program has used its share, or the connection its part of that share.
    pub fn take(self: &Arc<Self>) -> Result<OpenFile, NoFile> {
        let Files { limit, used } = &*self.share.files;
        let own = self.held.fetch_add(1, Relaxed);
        let held = self.share.held.fetch_add(1, Relaxed);
        // `rest` is the number of files that the program may still take. `allowed` is true if the
        // connection may take one of them.
        let rest =
            |used: usize| SHARE.saturating_mul(limit.saturating_sub(used)).saturating_sub(held);
        let allowed = |used: &usize| own < SHARE.saturating_mul(rest(*used));
        let more = |used: usize| Some(used).filter(allowed).and_then(|used| used.checked_add(1));
        if used.fetch_update(Relaxed, Relaxed, more).is_err() {
            self.held.fetch_sub(1, Relaxed);
            self.share.held.fetch_sub(1, Relaxed);
            return Err(NoFile { held, limit: *limit });
        }
        Ok(OpenFile(Arc::clone(self)))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Relaxed);
        self.0.share.held.fetch_sub(1, Relaxed);
        self.0.share.files.used.fetch_sub(1, Relaxed);
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

    /// Takes as many files as a connection gets.
    fn flood(client: &Arc<ClientFiles>) -> Vec<OpenFile> {
        std::iter::from_fn(|| client.take().ok()).collect()
    }

    #[test]
    fn a_program_ends_at_its_share_and_the_next_one_finds_files() {
        let files = Files::new(1600);
        let (one, other) = (files.share(), files.share());
        // h = 3 (3 (1600 - h) - h): 14,400 / 13.
        let held = flood(&one.client());
        assert_eq!(held.len(), 1108);
        // The program's other connections get files until the program holds three quarters.
        let more: Vec<_> = (0..40).map(|_| flood(&one.client())).collect();
        let all = held.len() + more.iter().map(Vec::len).sum::<usize>();
        assert!(more[0].len() > 50 && (1190..=1200).contains(&all), "{all}");
        assert!(one.client().take().is_err());
        // The next program: h = 3 (3 (400 - h) - h).
        let found = flood(&other.client()).len();
        assert!((270..290).contains(&found), "{found}");
        drop((held, more));
        assert_eq!(flood(&other.client()).len(), 1108, "files that go are there for others");
    }
}
