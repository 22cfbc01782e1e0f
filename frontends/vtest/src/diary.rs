//! The amount of state that a client holds, and the diary of a process that serves one client. The
//! server reads from the diary how much state the client holds and since when it has rested.
//!
//! The diary is a small file in memory that the server and the process have open. The process
//! writes only when the value changes, so a client that holds much costs nothing.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use os_shim::clock::Clock;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::clock::MonotonicClock;

/// The amount of state that a client loses with its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Nothing: the client has sent nothing yet.
    Nothing,
    /// A few small resources, and no context.
    Little,
    /// Contexts or more resources, or a message in progress.
    Much,
}

impl Holds {
    /// Returns the value of a number.
    pub fn from_number(number: u8) -> Self {
        [Holds::Nothing, Holds::Little].into_iter().nth(number.into()).unwrap_or(Holds::Much)
    }
}

/// A diary that one process writes and another process reads.
#[derive(Debug)]
pub struct Diary(File);

impl Diary {
    /// Returns the diary of a client that has sent nothing yet.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> std::io::Result<Self> {
        let diary = Diary(memfd_create("diary", MemfdFlags::CLOEXEC)?.into());
        diary.write(Holds::Nothing);
        Ok(diary)
    }

    /// Returns the diary in an open file.
    pub fn from_file(file: OwnedFd) -> Self {
        Diary(file.into())
    }

    /// Returns a second handle of the same diary.
    ///
    /// # Errors
    /// The system has no more open files.
    pub fn try_clone(&self) -> std::io::Result<Self> {
        self.0.try_clone().map(Diary)
    }

    /// Writes the amount that the client holds from now on.
    pub fn write(&self, holds: Holds) {
        let mut entry = [holds as u8; 9];
        let (time, _) = entry.split_at_mut(8);
        time.copy_from_slice(&MonotonicClock.now_ns().to_le_bytes());
        // Without an entry the client makes room too early, or not at all.
        let _ = self.0.write_all_at(&entry, 0);
    }

    /// Returns the amount that the client holds and the time since the last change, or `None`
    /// without an entry.
    pub fn read(&self) -> Option<(Holds, Duration)> {
        let mut entry = [0; 9];
        self.0.read_exact_at(&mut entry, 0).ok()?;
        let [time @ .., holds] = entry;
        let rested = MonotonicClock.now_ns().saturating_sub(u64::from_le_bytes(time));
        Some((Holds::from_number(holds), Duration::from_nanos(rested)))
    }
}

impl AsFd for Diary {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_writes_the_other_reads() {
        let diary = Diary::new().expect("a file");
        let other = diary.try_clone().expect("a copy");
        for holds in [Holds::Much, Holds::Little, Holds::Nothing] {
            diary.write(holds);
            std::thread::sleep(Duration::from_millis(2));
            let (read, rested) = other.read().expect("an entry");
            assert_eq!(read, holds);
            assert!(rested >= Duration::from_millis(2), "{rested:?}");
        }
    }

    #[test]
    fn an_empty_file_says_nothing() {
        let file = memfd_create("empty", MemfdFlags::CLOEXEC).expect("a file");
        assert_eq!(Diary::from_file(file).read(), None);
    }
}
