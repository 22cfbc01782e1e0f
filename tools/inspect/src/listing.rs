//! The calls of a recording: found by number, grouped by frame, described by name.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use os_shim::Memory;
use pipe_core::wrap::record::{Call, Calls, Effect, TraceError};
use serde::Serialize;

/// Number of calls between two places where reading can start.
const STRIDE: u64 = 256;

/// The most calls that a recording may have.
const MAX_CALLS: u64 = u32::MAX as u64;

/// The most bytes of one argument in a description.
const MAX_VALUE: usize = 600;

/// An index of a recording's calls.
pub struct Listing {
    driver: String,
    /// The readers before the calls 1, 257, 513, …
    places: Vec<Calls<'static>>,
    /// The places with calls behind them that may create, destroy or change objects.
    with_objects: Vec<u32>,
    count: u64,
    /// The last call of each frame, in order.
    frames: Vec<u32>,
    /// The calls that may change a picture, in order.
    works: Vec<u32>,
    end: Option<String>,
}

/// A call with its arguments as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Described {
    /// The call's number, from 1.
    pub call: u64,
    /// The call's name.
    pub name: &'static str,
    /// The number of the context, from 1; 0 for calls of the screen.
    pub context: u64,
    /// The number of the frame, from 1.
    pub frame: usize,
    /// True if the call may change a picture.
    pub works: bool,
    /// Names and values of the arguments; results have the name `result`.
    pub arguments: Vec<(&'static str, String)>,
}

impl Described {
    /// Returns the instructions that the recorded board took, if it counted them.
    pub fn instructions(&self) -> Option<&str> {
        let found = self.arguments.iter().find(|(name, _)| *name == "instructions");
        found.map(|(_, count)| count.as_str())
    }
}

impl Listing {
    /// Reads all calls of a recording once, without playing them.
    ///
    /// # Errors
    /// The bytes are no recording, or have another version of the format. A recording that is
    /// damaged later has the calls before the damage; see [`end`](Self::end).
    pub fn new(trace: &'static [u8]) -> Result<Self> {
        let mut calls = Calls::new(trace)?;
        let mut listing = Self {
            driver: calls.driver().to_owned(),
            places: Vec::new(),
            with_objects: Vec::new(),
            count: 0,
            frames: Vec::new(),
            works: Vec::new(),
            end: None,
        };
        loop {
            if listing.count.is_multiple_of(STRIDE) {
                listing.places.push(calls.clone());
            }
            let call = match calls.read() {
                Ok(Some(call)) if listing.count < MAX_CALLS => call,
                Ok(None) => break,
                Ok(Some(_)) => {
                    listing.end = Some(format!("only the first {MAX_CALLS} calls are listed"));
                    break;
                }
                Err(error) => {
                    listing.end = Some(end(error, &listing, calls.left()));
                    break;
                }
            };
            listing.count = call.index;
            listing.note_objects(&call);
            let number = u32::try_from(call.index).unwrap_or(u32::MAX);
            if call.works() {
                listing.works.push(number);
            }
            if shows(&call) {
                listing.frames.push(number);
            }
        }
        Ok(listing)
    }

    fn note_objects(&mut self, call: &Call<'_>) {
        let place = u32::try_from((call.index - 1) / STRIDE).unwrap_or(u32::MAX);
        if call.effect() == Effect::Objects && self.with_objects.last() != Some(&place) {
            self.with_objects.push(place);
        }
    }

    /// Returns the last place from which call `to` is read, if no call between the place after call `from`
    /// and that place creates, destroys or changes objects.
    pub(crate) fn place_after(&self, from: u64, to: u64) -> Option<&Calls<'static>> {
        let (first, last) = (from / STRIDE, to.checked_sub(1)? / STRIDE);
        let next = self.with_objects.partition_point(|place| u64::from(*place) < first);
        let last = self.with_objects.get(next).map_or(last, |place| last.min((*place).into()));
        let place = (from.is_multiple_of(STRIDE) && last > first).then_some(last)?;
        self.places.get(usize::try_from(place).ok()?)
    }

    /// Returns the name of the recorded driver.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Returns the number of calls.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the reason why the recording ends before its last byte, if it does.
    pub fn end(&self) -> Option<&str> {
        self.end.as_deref()
    }

    /// Returns the last call of each frame.
    pub fn frames(&self) -> &[u32] {
        &self.frames
    }

    /// Returns the calls that may change a picture, in order.
    pub fn works(&self) -> &[u32] {
        &self.works
    }

    /// Returns the number of the frame that contains a call, from 1.
    pub fn frame_of(&self, call: u64) -> usize {
        self.frames.partition_point(|last| u64::from(*last) < call) + 1
    }

    /// Returns the first call of the frame that contains a call.
    pub fn frame_start(&self, call: u64) -> u64 {
        let before = self.frame_of(call).checked_sub(2).and_then(|at| self.frames.get(at));
        before.map_or(1, |last| u64::from(*last) + 1)
    }

    /// Reads a call.
    ///
    /// # Errors
    /// The recording has no such call.
    pub fn call(&self, number: u64) -> Result<Call<'static>> {
        let mut found = None;
        self.each(number, number, &mut |call| found = Some(*call))?;
        found.with_context(|| self.no_call(number))
    }

    fn no_call(&self, number: u64) -> String {
        format!("the recording has no call {number}: its calls are 1 to {}", self.count)
    }

    /// Passes the calls `first` to `last` to `take`.
    ///
    /// # Errors
    /// The recording has no call `first`.
    pub fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&Call<'static>)) -> Result<()> {
        if first == 0 || first > self.count {
            bail!(self.no_call(first));
        }
        let place = usize::try_from((first - 1) / STRIDE)?;
        let mut calls = self.places.get(place).with_context(|| self.no_call(first))?.clone();
        while calls.index() < last.min(self.count) {
            let Some(call) = calls.read()? else { break };
            if call.index >= first {
                take(&call);
            }
        }
        Ok(())
    }

    /// Describes the calls `first` to `last`.
    ///
    /// # Errors
    /// The recording has no call `first`.
    pub fn describe(&self, first: u64, last: u64) -> Result<Vec<Described>> {
        let mut list = Vec::new();
        self.each(first, last, &mut |call| list.push(self.described(call)))?;
        Ok(list)
    }

    fn described(&self, call: &Call<'_>) -> Described {
        let mut arguments = Vec::new();
        let whole = call.describe(Memory::system(), &mut |name, value| {
            let mut text = Limited(String::new());
            // A value that is longer than the limit ends there.
            let _ = write!(text, "{value:?}");
            arguments.push((name, text.0));
        });
        if let Err(error) = whole {
            arguments.push(("damaged", error.to_string()));
        }
        Described {
            call: call.index,
            name: call.name,
            context: call.context,
            frame: self.frame_of(call.index),
            works: call.works(),
            arguments,
        }
    }
}

/// Explains the end of a recording that is not whole.
fn end(error: TraceError, listing: &Listing, left: usize) -> String {
    let after = listing.count;
    match error {
        TraceError::Truncated => {
            format!("the recording ends within call {}: {left} bytes are left over", after + 1)
        }
        error => format!("the recording is damaged after call {after}: {error}"),
    }
}

/// Returns true if a call shows a picture: a present, or a flush after draws.
fn shows(call: &Call<'_>) -> bool {
    if call.name.starts_with("present") {
        return true;
    }
    let mut has_picture = false;
    if call.name == "flush" {
        let _ = call.describe(Memory::system(), &mut |name, _| has_picture |= name == "picture");
    }
    has_picture
}

/// A text that takes no more than [`MAX_VALUE`] bytes.
struct Limited(String);

impl std::fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() + text.len() > MAX_VALUE {
            self.0.push('…');
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl std::fmt::Display for Described {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>7} ", self.call)?;
        if self.context > 0 {
            write!(f, "{}:", self.context)?;
        }
        write!(f, "{}(", self.name)?;
        let is_argument = |name| !["result", "instructions"].contains(&name);
        let arguments = self.arguments.iter().filter(|(name, _)| is_argument(*name));
        for (at, (name, value)) in arguments.enumerate() {
            write!(f, "{}{name}: {value}", if at > 0 { ", " } else { "" })?;
        }
        f.write_str(")")?;
        for (_, value) in self.arguments.iter().filter(|(name, _)| *name == "result") {
            write!(f, " = {value}")?;
        }
        if let Some(count) = self.instructions() {
            write!(f, "  [{count} instructions]")?;
        }
        Ok(())
    }
}
