//! Compares the frames that a board showed while playing a trace with the frames of the host.

use anyhow::{Context as _, Result, bail, ensure};
use pipe_core::wrap::record::play_frames;

use crate::replay::{Driver, Limits};

/// A frame, or a refused call, of a played trace.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Event {
    /// The number of the call that shows it, its size, and its rows.
    Frame { call: u32, width: u32, height: u32, bytes: Vec<u8> },
    /// The number of a call that the driver refused, and why.
    Refused { call: u32, why: String },
}

impl Event {
    const fn call(&self) -> u32 {
        match self {
            Event::Frame { call, .. } | Event::Refused { call, .. } => *call,
        }
    }
}

/// The records of [`play_frames`], read from the front.
struct Records<'a>(&'a [u8]);

impl<'a> Records<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count).context("frames end within a record")?;
        self.0 = rest;
        Ok(head)
    }

    fn words<const N: usize>(&mut self) -> Result<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = u32::from_le_bytes(self.take(4)?.try_into()?);
        }
        Ok(words)
    }
}

/// A frame that is still receiving tiles.
#[derive(Default)]
struct Open {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Open {
    /// Reads the rows of a tile.
    fn tile(&mut self, records: &mut Records<'_>) -> Result<()> {
        let [x, y, width, height, stride] = records.words()?;
        let fits = |at: u32, size: u32, of: u32| at.checked_add(size).is_some_and(|end| end <= of);
        let inside = fits(x, width, self.width) && fits(y, height, self.height);
        ensure!(inside && width > 0, "a tile outside of its frame");
        let (x, y, width, stride) = (x as usize, y as usize, width as usize, stride as usize);
        let texel = stride / width;
        let row = texel * self.width as usize;
        // 2³¹ bytes are more than any board has.
        let size = row.checked_mul(self.height as usize).filter(|size| *size < 1 << 31);
        let size = size.context("a frame of too many bytes")?;
        if self.bytes.len() != size {
            self.bytes = vec![0; size];
        }
        for line in 0..height as usize {
            let from = records.take(stride)?;
            let at = (y + line) * row + x * texel;
            self.bytes[at..at + width * texel].copy_from_slice(&from[..width * texel]);
        }
        Ok(())
    }
}

/// Reads the frames and refusals of a played trace.
fn events(bytes: &[u8]) -> Result<Vec<Event>> {
    let mut records = Records(bytes);
    let (mut events, mut open) = (Vec::new(), Open::default());
    loop {
        match records.take(1).context("the board did not play the trace to its end")?[0] {
            b'F' => {
                let [width, height] = records.words()?;
                open = Open { width, height, bytes: Vec::new() };
            }
            b'T' => open.tile(&mut records)?,
            b'E' => {
                let ([call], Open { width, height, bytes }) = (records.words()?, open);
                events.push(Event::Frame { call, width, height, bytes });
                open = Open::default();
            }
            b'X' => {
                let [call, length] = records.words()?;
                let why = String::from_utf8_lossy(records.take(length as usize)?).into_owned();
                events.push(Event::Refused { call, why });
            }
            b'Z' => {
                let [_calls] = records.words()?;
                return Ok(events);
            }
            letter => bail!("{letter:#04x} is no record of a frame"),
        }
    }
}

/// Plays a trace on a driver and returns its frames in the format that a board writes.
///
/// # Errors
/// The trace is damaged, or has shaders that were compiled into the traced program.
pub fn play(trace: &'static [u8], driver: Driver) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let stage = driver.stage(1, Limits { work: u64::MAX, ..Limits::DEFAULT });
    play_frames(&*stage.screen, trace, stage.memory, &mut |more| bytes.extend_from_slice(more))?;
    Ok(bytes)
}

/// Compares a board's frames with the host's frames. Returns the first difference, if there is one,
/// and the number of equal frames.
///
/// # Errors
/// The bytes are not frames, or are incomplete.
pub fn compare(board: &[u8], host: &[u8]) -> Result<(Option<String>, usize)> {
    let (board, host) = (events(board)?, events(host)?);
    let mut alike = 0;
    let mut pairs = board.iter().zip(&host);
    let Some((ours, theirs)) = pairs.find(|(ours, theirs)| {
        let same = ours == theirs;
        alike += usize::from(same && matches!(ours, Event::Frame { .. }));
        !same
    }) else {
        let more = match board.len().cmp(&host.len()) {
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Less => host.get(board.len()).map(|event| ("host", event)),
            core::cmp::Ordering::Greater => board.get(host.len()).map(|event| ("board", event)),
        };
        let what = more
            .map(|(who, event)| format!("call {}: the {who} alone {}", event.call(), does(event)));
        return Ok((what, alike));
    };
    let call = ours.call().min(theirs.call());
    Ok((
        Some(format!(
            "call {call}: the board {}, the host {}{}",
            does(ours),
            does(theirs),
            first(ours, theirs)
        )),
        alike,
    ))
}

/// Describes an event.
fn does(event: &Event) -> String {
    match event {
        Event::Frame { call, width, height, .. } => {
            format!("shows {width}×{height} by call {call}")
        }
        Event::Refused { call, why } => format!("refuses call {call}, {why}"),
    }
}

/// Describes the first pixel that differs in two frames of the same size.
fn first(ours: &Event, theirs: &Event) -> String {
    match (ours, theirs) {
        (Event::Frame { width, bytes, .. }, Event::Frame { bytes: other, .. })
            if bytes.len() == other.len() =>
        {
            let at = bytes.iter().zip(other).position(|(a, b)| a != b).unwrap_or(0);
            let height = match ours {
                Event::Frame { height, .. } => (*height).max(1) as usize,
                Event::Refused { .. } => 1,
            };
            let row = (bytes.len() / height).max(1);
            let texel = (row / (*width).max(1) as usize).max(1);
            format!("; they differ at ({}, {})", at % row / texel, at / row)
        }
        _ => String::new(),
    }
}
