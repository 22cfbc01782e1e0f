//! The calls of a trace, read without playing them.

use super::calls::{Effect, effect, name, works};
use super::{MAGIC, VERSION};
use crate::wire::{TraceError, number};

/// A call in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<'m> {
    /// The number of the call in the trace, from 1.
    pub index: u64,
    /// The number of the kind of call; see [`Call::name`].
    pub number: u64,
    /// The call's name.
    pub name: &'static str,
    /// The number of its context in the trace, from 1; 0 for calls of the screen.
    pub context: u64,
    /// The encoded arguments and result.
    pub body: &'m [u8],
}

impl Call<'_> {
    /// Returns true if the call may change a picture: a draw, a clear, a copy or a launch.
    pub const fn works(&self) -> bool {
        works(self.number)
    }

    /// Returns what the call leaves behind, in addition to the contents of resources.
    pub fn effect(&self) -> Effect {
        effect(self.number, self.body)
    }
}

/// Reads the calls of a trace one by one.
///
/// ```
/// use gallium_pipe_core::wrap::record::{Calls, TraceError};
///
/// let trace = b"GALTRACE\x01\x04null\x82\x01\x01\x00";
/// let mut calls = Calls::new(trace)?;
/// assert_eq!(calls.driver(), "null");
/// let call = calls.read()?.expect("one call");
/// assert_eq!((call.index, call.name, call.context), (1, "flush_resource", 1));
/// assert_eq!(calls.read(), Ok(None));
/// assert_eq!(Calls::new(b"GALTRACE\x63").err(), Some(TraceError::Version(99)));
/// # Ok::<(), TraceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Calls<'m> {
    rest: &'m [u8],
    driver: &'m str,
    index: u64,
}

impl<'m> Calls<'m> {
    /// Starts to read a trace.
    ///
    /// # Errors
    /// The bytes are not a trace, or have another version of the format.
    pub fn new(trace: &'m [u8]) -> Result<Self, TraceError> {
        let rest = trace.strip_prefix(MAGIC).ok_or(TraceError::NoTrace)?;
        let (version, rest) = number(rest)?;
        if version != u64::from(VERSION) {
            return Err(TraceError::Version(u32::try_from(version).unwrap_or(u32::MAX)));
        }
        let (length, rest) = number(rest)?;
        let length = usize::try_from(length).map_err(|_| TraceError::Truncated)?;
        let (driver, rest) = rest.split_at_checked(length).ok_or(TraceError::Truncated)?;
        let driver = core::str::from_utf8(driver).map_err(|_| TraceError::Value("text"))?;
        Ok(Self { rest, driver, index: 0 })
    }

    /// Returns the name of the recorded driver.
    pub const fn driver(&self) -> &'m str {
        self.driver
    }

    /// Returns the number of the last call that was read; 0 before the first.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Returns the number of bytes that were not read yet.
    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads the next call; `None` at the trace's end.
    ///
    /// # Errors
    /// The trace is damaged. The next call of `read` returns the same error.
    pub fn read(&mut self) -> Result<Option<Call<'m>>, TraceError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (kind, rest) = number(self.rest)?;
        let (context, rest) = number(rest)?;
        let (length, rest) = number(rest)?;
        let length = usize::try_from(length).map_err(|_| TraceError::Truncated)?;
        let (body, rest) = rest.split_at_checked(length).ok_or(TraceError::Truncated)?;
        let name = name(kind).ok_or(TraceError::Call(kind))?;
        self.rest = rest;
        self.index = self.index.saturating_add(1);
        Ok(Some(Call { index: self.index, number: kind, name, context, body }))
    }
}
