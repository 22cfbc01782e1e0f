//! Waits for a test's process, and kills the helpers that it leaves behind.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process_group};

/// The end of a test's process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal.
    Signal,
    /// It was killed after a time-out.
    Overdue,
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        match status.code() {
            Some(code) => Exit::Code(code),
            None => {
                debug_assert!(status.signal().is_some());
                Exit::Signal
            }
        }
    }
}

/// Waits at most `patience` for `process`, the leader of a process group, and kills the group.
///
/// # Errors
/// The process cannot be waited for.
pub fn wait(process: &mut Child, patience: Duration) -> Result<Exit> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        if let Some(status) = process.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > patience {
            break None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    kill_group(process);
    match ended {
        Some(status) => Ok(status.into()),
        None => {
            process.wait()?;
            Ok(Exit::Overdue)
        }
    }
}

/// Kills the process group that `process` leads.
pub fn kill_group(process: &Child) {
    if let Some(group) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
        // An error means that no process is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
