//! The player: makes the calls of a trace on a driver.

use os_shim::{Box, Memory, Vec};

use super::answer::{Answer, Verdict};
use super::calls::*;
use super::ids::{Ids, Scope};
use super::picture::{Attachments, PictureDigest, Rows};
use super::reading::{Call, Calls};
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::{BarrierFlags, ClearFlags, ContextFlags, TextureBarrierFlags};
use crate::handle::*;
use crate::panel::{PanelError, TilePanel};
use crate::query::{QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::resource::{Bind, ResourceTemplate};
use crate::screen::Screen;
use crate::shader::{GridInfo, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};
use crate::transfer::MapFlags;
use crate::wire::{Reader, TraceError, Wire};
use crate::wrap::calls::*;
use formats::Format;

/// An open transfer.
pub(super) struct Mapped {
    pub(super) transfer: TransferHandle,
    pub(super) rows: Option<Rows>,
}

/// A context of the trace.
pub(super) struct Stage<'c, 'm> {
    pub(super) context: Box<'c, dyn Context<'m> + 'c>,
    ids: Ids<'c>,
    pub(super) attachments: Attachments<'c>,
    pub(super) mapped: Vec<'c, Mapped>,
}

/// A played call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The number of the call in the trace, from 1.
    pub index: u64,
    /// The call's name.
    pub name: &'static str,
    /// The number of its context in the trace, from 1; 0 for calls of the screen.
    pub context: u64,
    /// True if the result equals the traced one: both succeeded or both failed, and they show equal
    /// pictures.
    pub is_same: bool,
    /// The driver's error.
    pub error: Option<PipeError>,
    /// The digests of the picture that the call shows: traced and played.
    pub picture: Option<[Option<PictureDigest>; 2]>,
    /// True if the picture is a frame, from a flush or a present; otherwise a map reads it.
    pub is_frame: bool,
    /// True if the call may have changed a picture: a draw, a clear, a copy or a launch.
    pub works: bool,
}

/// Makes the calls of a trace on a screen, one by one, and compares the results.
pub struct Player<'c, 'm> {
    screen: &'c dyn Screen<'m>,
    calls: Calls<'m>,
    /// The place before the last call that was read.
    before: Calls<'m>,
    memory: Memory<'c>,
    ids: Ids<'c>,
    contexts: Vec<'c, Option<Stage<'c, 'm>>>,
}

/// A display that shows nothing.
struct Dark;

impl TilePanel for Dark {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        Ok(())
    }
}

impl<'c, 'm> Player<'c, 'm> {
    /// Starts to play `trace` on a screen; `memory` is for the player's lists.
    ///
    /// # Errors
    /// The bytes are not a trace, or have another version of the format.
    pub fn new(
        screen: &'c dyn Screen<'m>,
        trace: &'m [u8],
        memory: Memory<'c>,
    ) -> Result<Self, TraceError> {
        let calls = Calls::new(trace)?;
        let (before, ids) = (calls.clone(), Ids::new(memory));
        Ok(Self { screen, calls, before, memory, ids, contexts: Vec::new_in(memory) })
    }

    /// Returns the name of the recorded driver.
    pub const fn driver(&self) -> &'m str {
        self.calls.driver()
    }

    /// Makes the next call without showing what it presents; `None` at the trace's end.
    ///
    /// # Errors
    /// The trace is damaged. A call that the driver refuses is not an error here: [`Played::error`]
    /// has the reason.
    pub fn step(&mut self) -> Result<Option<Played>, TraceError> {
        self.step_on(&mut Dark)
    }

    /// Makes the next call; presents on `panel` if the call presents.
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    pub fn step_on(&mut self, panel: &mut dyn TilePanel) -> Result<Option<Played>, TraceError> {
        let Some(call) = self.read()? else { return Ok(None) };
        self.play(call, panel).map(Some)
    }

    /// Reads the next call without making it; `None` at the trace's end.
    ///
    /// A caller that has a copy of all contents at some call gets there quickly: it reads the calls
    /// up to it, [makes](Self::make) those with a lasting [`Effect`](super::Effect), and writes the
    /// contents.
    ///
    /// # Errors
    /// The trace is damaged.
    pub fn read(&mut self) -> Result<Option<Call<'m>>, TraceError> {
        self.before = self.calls.clone();
        self.calls.read()
    }

    /// Goes on at another place of the same trace, for a caller that knows which calls it may leave out.
    pub fn skip_to(&mut self, place: &Calls<'m>) {
        self.calls = place.clone();
        self.before = place.clone();
    }

    /// Makes the call that [`read`](Self::read) returned last.
    ///
    /// # Errors
    /// As for [`step`](Self::step). The call is then read again.
    pub fn make(&mut self, call: Call<'m>) -> Result<Played, TraceError> {
        self.play(call, &mut Dark)
    }

    /// Returns the number of the last call that was made or read; 0 before the first.
    pub const fn index(&self) -> u64 {
        self.calls.index()
    }

    /// Makes a call.
    fn play(&mut self, call: Call<'m>, panel: &mut dyn TilePanel) -> Result<Played, TraceError> {
        let verdict = match call.context {
            0 => self.of_screen(call.number, call.body),
            _ => self.of_context(call.number, call.context, call.body, panel),
        };
        let verdict = verdict.inspect_err(|_| self.calls = self.before.clone());
        let Verdict { is_same, error, picture, .. } = verdict?;
        let is_frame = picture.is_some() && call.number != number::TRANSFER_MAP;
        let Call { index, name, context, .. } = call;
        let works = call.works();
        Ok(Played { index, name, context, is_same, error, picture, is_frame, works })
    }

    /// Returns a context by number, to read pictures with [`read_surface`](super::read_surface).
    pub fn context(&mut self, number: u64) -> Option<&mut (dyn Context<'m> + 'c)> {
        Some(&mut *stage(&mut self.contexts, number).ok()?.context)
    }

    /// Returns the first colour buffer of a context: a resource of the player's screen, and the template
    /// of its surface.
    pub fn color_buffer(&mut self, context: u64) -> Option<(ResourceHandle, SurfaceTemplate)> {
        stage(&mut self.contexts, context).ok()?.attachments.color()
    }

    /// Makes a call of the screen.
    fn of_screen(&mut self, call: u64, body: &'m [u8]) -> Result<Verdict, TraceError> {
        let scope = Scope { screen: &self.ids, context: None };
        let input = &mut Reader::new(body, &scope, self.memory);
        let screen = self.screen;
        let verdict = match call {
            number::RESOURCE_CREATE => {
                created(screen, &ResourceTemplate::read(input)?).settle(input)
            }
            number::RESOURCE_FROM_USER_MEMORY => {
                let template = ResourceTemplate::read(input)?;
                let bytes = input.bytes()?;
                screen.resource_from_user_memory(&template, bytes).settle(input)
            }
            number::RESOURCE_DESTROY => screen.resource_destroy(Wire::read(input)?).settle(input),
            number::RESOURCE_CHANGED => screen.resource_changed(Wire::read(input)?).settle(input),
            number::FENCE_FINISH => {
                let (fence, timeout) = (Wire::read(input)?, Wire::read(input)?);
                // A fence may be ready in time in the trace and late here, or the reverse.
                let answer = screen.fence_finish(None, fence, timeout).map(|_| true);
                let verdict = answer.settle(input)?;
                Ok(Verdict { is_same: verdict.error.is_none() || verdict.is_same, ..verdict })
            }
            number::FENCE_DESTROY => screen.fence_destroy(Wire::read(input)?).settle(input),
            number::CONTEXT_CREATE => {
                let flags = ContextFlags::read(input)?;
                let made = screen.context_create(flags);
                let index = (self.contexts.len() as u64).saturating_add(1);
                let (answer, made) = match made {
                    Ok(context) => (Ok(index), Some(context)),
                    Err(error) => (Err(error), None),
                };
                let verdict = answer.settle(input)?;
                let memory = self.memory;
                let stage = made.map(|context| Stage {
                    context,
                    ids: Ids::new(memory),
                    attachments: Attachments::new(memory),
                    mapped: Vec::new_in(memory),
                });
                // A context that could not be created in the trace has no number there.
                if stage.is_some() || !verdict.is_same {
                    self.contexts.try_push(stage).map_err(|_| TraceError::OutOfMemory)?;
                }
                Ok(verdict)
            }
            number::LOST => return Err(TraceError::Lost),
            _ => return Err(TraceError::Call(call)),
        }?;
        if let Some(made) = verdict.made {
            self.ids.note(made)?;
        }
        Ok(verdict)
    }

    /// Makes a call of a context.
    fn of_context(
        &mut self,
        call: u64,
        number: u64,
        body: &'m [u8],
        panel: &mut dyn TilePanel,
    ) -> Result<Verdict, TraceError> {
        if call == number::CONTEXT_DESTROY {
            stage(&mut self.contexts, number)?;
            if let Some(gone) = place(number).and_then(|at| self.contexts.get_mut(at)) {
                *gone = None;
            }
            return Ok(Verdict::SAME);
        }
        let stage = stage(&mut self.contexts, number)?;
        let Stage { context, ids, attachments, mapped } = stage;
        attachments.is_drawn_to |= works(call);
        let scope = Scope { screen: &self.ids, context: Some(ids) };
        let input = &mut Reader::new(body, &scope, self.memory);
        let mut special =
            super::replay::Special { screen: self.screen, attachments, mapped, panel };
        let verdict = match special.call(call, &mut **context, input)? {
            Some(verdict) => verdict,
            None => listed(call, &mut **context, input)?.ok_or(TraceError::Call(call))?,
        };
        if let Some(made) = verdict.made {
            let ids = if made.0 == <kinds::Fence as Kind>::NAME { &mut self.ids } else { ids };
            ids.note(made)?;
        }
        Ok(verdict)
    }
}

/// Creates a resource. If a driver does not support all bind flags of the template, creates it with
/// the supported ones. The driver then refuses calls that need the missing flags.
fn created<'m>(
    screen: &dyn Screen<'m>,
    template: &ResourceTemplate,
) -> Result<ResourceHandle, PipeError> {
    let answer = screen.resource_create(template);
    let Err(PipeError::UnsupportedFormat { .. }) = answer else { return answer };
    let ResourceTemplate { format, target, nr_samples, nr_storage_samples, .. } = *template;
    let mut bind = Bind::empty();
    for one in template.bind {
        if screen.is_format_supported(format, target, nr_samples, nr_storage_samples, one) {
            bind |= one;
        }
    }
    screen.resource_create(&ResourceTemplate { bind, ..*template }).or(answer)
}

/// Returns the index of the context with this number, from 1 on.
fn place(number: u64) -> Option<usize> {
    usize::try_from(number.checked_sub(1)?).ok()
}

/// Returns the context with a number.
fn stage<'a, 'c, 'm>(
    contexts: &'a mut Vec<'c, Option<Stage<'c, 'm>>>,
    number: u64,
) -> Result<&'a mut Stage<'c, 'm>, TraceError> {
    let found = place(number).and_then(|index| contexts.get_mut(index)?.as_mut());
    found.ok_or(TraceError::Context(number))
}

/// Reads an argument.
macro_rules! take {
    (val $ty:ty, $input:ident) => {
        <$ty as Wire>::read($input)?
    };
    (refs $ty:ty, $input:ident) => {
        <$ty as Wire>::read($input)?
    };
    (brief $ty:ty, $input:ident) => {
        <$ty as Wire>::read($input)?
    };
    (opt $ty:ty, $input:ident) => {
        <Option<$ty> as Wire>::read($input)?
    };
    (list $ty:ty, $input:ident) => {
        $input.list::<$ty>()?
    };
    (each $ty:ty, $input:ident) => {
        $input.list::<$ty>()?
    };
    (bytes $ty:ty, $input:ident) => {
        $input.bytes()?
    };
    (data $ty:ty, $input:ident) => {
        $input.bytes()?
    };
}

/// Passes an argument in the form that the method takes.
macro_rules! give {
    (val $argument:ident) => {
        $argument
    };
    (refs $argument:ident) => {
        &$argument
    };
    (brief $argument:ident) => {
        &$argument
    };
    (opt $argument:ident) => {
        $argument.as_ref()
    };
    (list $argument:ident) => {
        &$argument
    };
    (each $argument:ident) => {
        &$argument
    };
    (bytes $argument:ident) => {
        $argument
    };
    (data $argument:ident) => {
        $argument
    };
}

/// Defines a function that plays the calls of one list.
macro_rules! played {
    ([$function:ident] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => {
        fn $function<'m>(
            number: u64,
            context: &mut (dyn Context<'m> + '_),
            input: &mut Reader<'m, '_>,
        ) -> Result<Option<Verdict>, TraceError> {
            match number {
                $( $number => {
                    $( let $argument = take!($how $ty, input); )*
                    #[allow(clippy::let_unit_value, reason = "some calls answer nothing")]
                    let answer = context.$method($( give!($how $argument) ),*);
                    Answer::settle(&answer, input).map(Some)
                } )*
                _ => Ok(None),
            }
        }
    };
}
all_calls!(played);

/// Plays a call from one of the lists; `None` if no list has its number.
fn listed<'m>(
    number: u64,
    context: &mut (dyn Context<'m> + '_),
    input: &mut Reader<'m, '_>,
) -> Result<Option<Verdict>, TraceError> {
    for list in all_chapters!() {
        if let Some(verdict) = list(number, context, input)? {
            return Ok(Some(verdict));
        }
    }
    Ok(None)
}
