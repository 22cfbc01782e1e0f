//! Errors that disconnect a client.

use pipe_core::PipeError;

use crate::ending::Ending;
use crate::files::NoFile;
use crate::wire::{Command, Message};

/// The name of a message, or of a command inside a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandName {
    /// A message.
    Message(Message),
    /// A command of a stream.
    Stream(Command),
    /// The end of a stream, where the driver executes the draws of the stream.
    Flush,
}

impl From<Message> for CommandName {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl core::fmt::Display for CommandName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Message(message) => write!(f, "{message:?}"),
            Self::Stream(command) => write!(f, "{command:?}"),
            Self::Flush => f.write_str("drawing of a stream's commands"),
        }
    }
}

/// An error that ends a connection. Other errors of a client are logged, and the command is
/// skipped.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The socket, or a file shared with the client.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A message that the protocol does not have, or of the wrong size.
    #[error("protocol: {0}")]
    Protocol(&'static str),
    /// A truncated command of the stream.
    #[error("command {command} of the stream is cut off")]
    Truncated {
        /// The command's number.
        command: u8,
    },
    /// A message names a resource that does not exist.
    #[error("no resource {0}")]
    NoResource(u32),
    /// More of something than one client may have.
    #[error("{what}: {value}, the limit is {limit}")]
    Limit {
        /// The limited resource.
        what: &'static str,
        /// The amount asked for.
        value: u64,
        /// The largest amount allowed.
        limit: u64,
    },
    /// More memory than one client, or all clients together, may have.
    #[error(
        "{what}: {requested} bytes more, {used} are used and the limit is {limit} bytes ({option})"
    )]
    Memory {
        /// The use of the memory.
        what: &'static str,
        /// Bytes that were asked for.
        requested: usize,
        /// Bytes in use.
        used: usize,
        /// The limit in bytes.
        limit: usize,
        /// The command line's option that sets the limit.
        option: &'static str,
    },
    /// More open files than the client's program may have.
    #[error(transparent)]
    Files(#[from] NoFile),
    /// A command that was stopped. The surfaces of its context hold an undefined part of its
    /// drawing.
    #[error(
        "{command} was stopped: it takes more than {limit} {what}; if the client should have more, \
         start the server with a larger {option} (0: any)"
    )]
    Stopped {
        /// The command.
        command: CommandName,
        /// The limited quantity.
        what: &'static str,
        /// The largest amount allowed.
        limit: u64,
        /// The command line's option that sets the limit.
        option: &'static str,
    },
    /// The client hung up while its commands were executed.
    #[error("the client has gone")]
    Gone,
    /// The client's process ended without success.
    #[error("{0}")]
    Process(Ending),
    /// The driver cannot go on.
    #[error("driver: {0}")]
    Driver(#[from] PipeError),
}

impl From<rustix::io::Errno> for ClientError {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}

impl ClientError {
    /// `Ok` when `value` is at most `limit`.
    ///
    /// # Errors
    /// [`ClientError::Limit`].
    pub fn at_most(what: &'static str, value: u64, limit: u64) -> Result<(), Self> {
        if value <= limit { Ok(()) } else { Err(Self::Limit { what, value, limit }) }
    }

    /// Returns true if the client closed its end of the connection.
    pub fn is_hangup(&self) -> bool {
        use std::io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        let kinds = [UnexpectedEof, BrokenPipe, ConnectionReset];
        matches!(self, Self::Io(error) if kinds.contains(&error.kind()))
    }
}
