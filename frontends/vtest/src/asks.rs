//! Asks of processes for turns. The process that serves one client asks the server for each
//! slice of drawing, over a socket. The server gives turns to processes as it gives
//! turns to threads.
//!
//! A process may draw for one slice without a turn, so that short messages cost no ask. After that
//! it asks and waits. It gives its turn back when its message ends. The server takes the turn of a
//! process that neither asks again nor gives its turn back. The server charges the time
//! between its answer and the next ask, because a client that has taken over its process could
//! report any time.

use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The message of a process that gives its turn back. Other messages are the steps that the
/// client's message has taken.
const LEAVE: u8 = u8::MAX;

/// The end of the socket in a process that serves one client.
#[derive(Debug)]
pub struct Asks(UnixStream);

impl Asks {
    /// Returns the end of the socket in an open file.
    pub fn from_file(file: OwnedFd) -> Self {
        Asks(file.into())
    }

    /// Waits for a turn. `steps` is the number of steps that the client's message has taken.
    /// Returns true if other clients wait.
    ///
    /// # Errors
    /// The system's, if the server has ended.
    pub fn ask(&self, steps: u64) -> std::io::Result<bool> {
        let mut answer = [u8::try_from(steps).unwrap_or(LEAVE).min(LEAVE - 1)];
        (&self.0).write_all(&answer)?;
        (&self.0).read_exact(&mut answer)?;
        Ok(answer != [0])
    }

    /// Gives the turn back.
    ///
    /// # Errors
    /// The system's, if the server has ended.
    pub fn leave(&self) -> std::io::Result<()> {
        (&self.0).write_all(&[LEAVE])
    }
}

/// A message of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// It asks for a turn, for a message of its client that has taken this number of steps.
    Ask(u64),
    /// It gives its turn back.
    Leave,
    /// It has sent nothing for the longest time.
    Silence,
}

/// Waits for the next message of a process, for at most `longest`; `None` once the process has ended.
pub fn next(mut process: &UnixStream, longest: Option<Duration>) -> Option<Message> {
    process.set_read_timeout(longest).ok()?;
    let mut message = [0];
    match process.read_exact(&mut message) {
        Ok(()) => {}
        Err(error) if is_timeout(&error) => return Some(Message::Silence),
        Err(_) => return None,
    }
    let [steps] = message;
    Some(if steps == LEAVE { Message::Leave } else { Message::Ask(steps.into()) })
}

fn is_timeout(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Gives a turn to the process that asked. Set `is_awaited` if other clients wait.
///
/// # Errors
/// The system's, if the process has ended.
pub fn give(mut process: &UnixStream, is_awaited: bool) -> std::io::Result<()> {
    process.write_all(&[is_awaited.into()])
}
