//! The connection to a client: a socket that times out if the other end is slow or silent.

use std::io::{BufRead, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// The connection to a client.
pub trait Link {
    /// Waits for the next message, and returns false if the other end is gone instead.
    ///
    /// # Errors
    /// The system's; the client sends nothing for too long.
    fn begin(&mut self) -> std::io::Result<bool>;

    /// Fills `bytes`, a part of a message.
    ///
    /// # Errors
    /// The other end is gone, or sends nothing for too long.
    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()>;

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// The other end is gone.
    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()>;

    /// Sends a file, with one byte of value 0.
    ///
    /// # Errors
    /// The other end is gone, or files cannot be sent.
    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()>;
}

/// The longest times that a client's socket waits; `None` is any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// For the first message, for the rest of each megabyte of a message that has begun, and for
    /// the client to take an answer.
    pub message: Option<Duration>,
    /// Between two messages.
    pub idle: Option<Duration>,
}

/// A client's socket.
#[derive(Debug)]
pub struct Socket<'s> {
    stream: &'s UnixStream,
    /// Buffers reads: clients write headers and payloads separately.
    reader: std::io::BufReader<&'s UnixStream>,
    times: Times,
    /// A message has begun already.
    greeted: bool,
}

/// Returns true if a socket's time-out caused the error.
fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Returns the error of a client that keeps the server waiting.
fn timed_out(what: &str) -> std::io::Error {
    std::io::Error::new(ErrorKind::TimedOut, what)
}

/// Returns true if more than `longest` has passed since `start`.
fn is_over(start: Instant, longest: Option<Duration>) -> bool {
    longest.is_some_and(|longest| start.elapsed() >= longest)
}

impl<'s> Socket<'s> {
    /// Returns a link over a connected socket that waits for the client as long as `times` allows.
    ///
    /// # Errors
    /// The system's; a time of 0.
    pub fn new(stream: &'s UnixStream, times: Times) -> std::io::Result<Self> {
        // The socket waits for the shorter time. If the longer time applies, the read is repeated.
        stream.set_read_timeout([times.message, times.idle].into_iter().flatten().min())?;
        stream.set_write_timeout(times.message)?;
        let reader = std::io::BufReader::with_capacity(1 << 16, stream);
        Ok(Socket { stream, reader, times, greeted: false })
    }

    fn sent<T>(result: std::io::Result<T>) -> std::io::Result<T> {
        result.map_err(|error| match is_timeout(&error) {
            true => timed_out("the client did not take its answer within the time-out (--timeout)"),
            false => error,
        })
    }
}

impl Link for Socket<'_> {
    fn begin(&mut self) -> std::io::Result<bool> {
        let (longest, late) = match self.greeted {
            false => {
                (self.times.message, "the client said nothing within the time-out (--timeout)")
            }
            true => {
                (self.times.idle, "the client rested for longer than the idle time (--idle-time)")
            }
        };
        let start = Instant::now();
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => {
                    self.greeted = true;
                    return Ok(!bytes.is_empty());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) && !is_over(start, longest) => {}
                Err(error) if is_timeout(&error) => return Err(timed_out(late)),
                Err(error) => return Err(error),
            }
        }
    }

    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        let mut rest = bytes;
        let start = Instant::now();
        loop {
            match self.reader.read(rest) {
                Ok(count) if count == rest.len() => return Ok(()),
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => rest = rest.split_at_mut(count).1,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
            // A client that sends byte by byte resets the socket's timeout with every byte.
            if is_over(start, self.times.message) {
                return Err(timed_out(
                    "the client did not send the rest of a message within the time-out (--timeout)",
                ));
            }
        }
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        Self::sent(self.stream.write_all(bytes))
    }

    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()> {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files = [file];
        if !control.push(SendAncillaryMessage::ScmRights(&files)) {
            return Err(std::io::Error::other("no room for a file in a message"));
        }
        let data = [std::io::IoSlice::new(&[0])];
        let sent = sendmsg(self.stream.as_fd(), &data, &mut control, SendFlags::NOSIGNAL);
        Self::sent(sent.map_err(Into::into)).map(|_| ())
    }
}
