//! The command stream inside a `SUBMIT_CMD` message.

use rustc_hash::FxHashMap;

use pipe_core::PipeError;

use crate::context::{CommandError, Shared, SubContext};
use crate::error::{ClientError, CommandName};
use crate::reader::Reader;
use crate::resource::Device;
use crate::wire::{Command, LAST_COMMAND};

/// OpenGL contexts one client may have: each has buffers of megabytes.
pub const MAX_CONTEXTS: usize = 64;

/// All contexts of a client.
pub struct Contexts<'s> {
    device: Device<'s>,
    contexts: FxHashMap<u32, SubContext<'s>>,
    current: u32,
}

/// The work of one command stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Draws.
    pub draws: u64,
}

impl<'s> Contexts<'s> {
    /// Returns an empty set of contexts. Context 0 is created at its first use.
    pub fn new(device: Device<'s>) -> Self {
        Contexts { device, contexts: FxHashMap::default(), current: 0 }
    }

    /// Returns the number of sub-contexts.
    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// The context that commands go to now.
    ///
    /// # Errors
    /// The driver's, when it is made.
    pub fn current(&mut self) -> Result<&mut SubContext<'s>, PipeError> {
        use std::collections::hash_map::Entry;
        match self.contexts.entry(self.current) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(SubContext::new(self.device)?)),
        }
    }

    /// Executes a stream.
    ///
    /// # Errors
    /// The stream is malformed, or exceeds the client's limits; [`ClientError::Gone`] if the client
    /// has gone. Commands that the driver refuses are logged and skipped.
    pub fn run(&mut self, bytes: &[u8], shared: &mut Shared<'s>) -> Result<Work, ClientError> {
        let mut work = Work::default();
        let mut reader = Reader::new(bytes);
        while let Ok(header) = reader.word() {
            let [number, object, ..] = header.to_le_bytes();
            let truncated = ClientError::Truncated { command: number };
            let Ok(payload) = reader.take((header >> 16) as usize) else { return Err(truncated) };
            let Some(command) = Command::from_number(number) else {
                if number > LAST_COMMAND {
                    return Err(ClientError::Protocol("unknown command"));
                }
                shared.notes.refused("video", &"no codec");
                continue;
            };
            log::trace!("{command:?} {}", payload.len() / 4);
            shared.work.begin(self.put_off().saturating_add(1));
            match self.command(command, object, Reader::new(payload), shared, &mut work) {
                Ok(()) => {}
                Err(CommandError::Truncated) => return Err(truncated),
                Err(CommandError::Refused(why)) => {
                    shared.refused(&format!("{command:?}"), &why);
                }
                Err(CommandError::InvalidEnum { name, value }) => {
                    let why = format_args!("invalid enum value {value} for {name}");
                    shared.notes.refused(&format!("{command:?}"), &why);
                }
                Err(CommandError::Fatal(error)) => return Err(error),
            }
            shared.check(CommandName::Stream(command))?;
        }
        // A stream is a flush.
        shared.work.begin(self.put_off());
        self.flush(shared, &mut work);
        shared.check(CommandName::Flush)?;
        Ok(work)
    }

    fn command(
        &mut self,
        command: Command,
        object: u8,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
        work: &mut Work,
    ) -> Result<(), CommandError> {
        match command {
            Command::Nop | Command::EndTransfers => Ok(()),
            Command::CreateSubCtx => {
                let number = reader.word()?;
                let count = self.contexts.len() as u64 + 1;
                ClientError::at_most("contexts", count, MAX_CONTEXTS as u64)?;
                self.contexts.insert(number, SubContext::new(self.device)?);
                Ok(())
            }
            Command::SetSubCtx => {
                let number = reader.word()?;
                if !self.contexts.contains_key(&number) && number != 0 {
                    return Err(PipeError::Invalid("no context has this number").into());
                }
                // A context sees the earlier draws of other contexts.
                self.flush(shared, work);
                self.current = number;
                Ok(())
            }
            Command::DestroySubCtx => {
                let number = reader.word()?;
                self.flush(shared, work);
                self.contexts.remove(&number);
                if self.current == number {
                    self.current = 0;
                }
                Ok(())
            }
            command => self.current()?.command(command, object, reader, shared),
        }
    }

    /// Returns the number of draws that the current context may have put off.
    fn put_off(&self) -> u64 {
        self.contexts.get(&self.current).map_or(0, SubContext::put_off)
    }

    fn flush(&mut self, shared: &mut Shared<'s>, work: &mut Work) {
        if let Some(context) = self.contexts.get_mut(&self.current) {
            work.draws += shared.done("drawing", context.flush()).unwrap_or(0);
        }
    }
}
