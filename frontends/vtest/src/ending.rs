//! Messages for the end of a client's process: the cause, and a remedy.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The exit code of a client's process that disconnected its client and logged why.
pub const TOLD: u8 = 4;

/// The exit code of a program that could not start and printed the error.
const FAILED: i32 = 1;

/// The exit code of a Rust program that panicked.
const PANICKED: i32 = 101;

/// The advice for an end that no client should be able to cause.
const REPORT: &str = "this is our bug: please report it with the file that --trace writes \
                      without --isolate";

/// The unsuccessful end of a client's process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending(pub ExitStatus);

impl Ending {
    /// Returns true if the process has logged why it disconnected its client.
    pub fn is_told(self) -> bool {
        self.0.code() == Some(i32::from(TOLD))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its process ")?;
        if let Some(signal) = self.0.signal() {
            return ended_by(signal, f);
        }
        match self.0.code() {
            Some(code) if code == i32::from(TOLD) => f.write_str("disconnected it and said why"),
            Some(FAILED) => f.write_str(
                "could not begin, and said why; without --isolate clients are threads of the \
                 server, which confines none of them",
            ),
            Some(PANICKED) => write!(f, "panicked; {REPORT}"),
            _ => write!(f, "ended with {}; {REPORT}", self.0),
        }
    }
}

/// Writes the meaning of a signal that ended a process.
fn ended_by(signal: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match signal {
        libc::SIGABRT => write!(
            f,
            "gave up (SIGABRT), as a rule for want of memory: its address space is bounded by \
             --client-memory and --threads; if a larger --client-memory does not help, {REPORT}"
        ),
        libc::SIGSEGV => write!(f, "crashed (SIGSEGV); {REPORT}"),
        libc::SIGBUS => write!(f, "crashed (SIGBUS); {REPORT}"),
        libc::SIGILL => write!(f, "crashed (SIGILL); {REPORT}"),
        libc::SIGFPE => write!(f, "crashed (SIGFPE); {REPORT}"),
        libc::SIGKILL => f.write_str(
            "was killed from outside (SIGKILL): by the system if that ran out of memory, which a \
             smaller --server-memory or fewer --clients avoid",
        ),
        libc::SIGTERM | libc::SIGINT | libc::SIGHUP => {
            write!(f, "was ended from outside (signal {signal}); the client may connect again")
        }
        libc::SIGXCPU => f.write_str(
            "used up its processor time (SIGXCPU), which `ulimit -t` bounds where the server \
             was started",
        ),
        _ => write!(f, "was ended by signal {signal}; {REPORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: i32) -> String {
        Ending(ExitStatus::from_raw(status)).to_string()
    }

    /// Returns the status that `wait` reports for a process that exited with a code.
    const fn exited(code: i32) -> i32 {
        code << 8
    }

    #[test]
    fn signals_are_named_with_what_to_do() {
        assert!(told(libc::SIGABRT).contains("SIGABRT"));
        assert!(told(libc::SIGABRT).contains("--client-memory"));
        assert!(told(libc::SIGKILL).contains("--server-memory"));
        assert!(told(libc::SIGTERM).contains("connect again"));
        assert!(told(libc::SIGXCPU).contains("ulimit -t"));
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGUSR1] {
            assert!(told(signal).contains("--trace"), "{}", told(signal));
        }
    }

    #[test]
    fn codes_are_named_with_what_to_do() {
        assert!(told(exited(1)).contains("could not begin"));
        assert!(told(exited(101)).contains("panicked"));
        assert!(told(exited(7)).contains("exit status: 7"));
        assert!(told(exited(7)).contains("--trace"));
    }

    #[test]
    fn only_its_own_code_says_that_the_process_told_why() {
        assert!(Ending(ExitStatus::from_raw(exited(TOLD.into()))).is_told());
        // A signal with the same number.
        assert!(!Ending(ExitStatus::from_raw(TOLD.into())).is_told());
        assert!(!Ending(ExitStatus::from_raw(exited(1))).is_told());
    }
}
