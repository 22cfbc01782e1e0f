//! The context: its state, and its renderer.

use pipe_core::{ContextFlags, PipeError};

use crate::device::{Device, release};
use crate::profile::Profile;
use crate::state::{ResetState, State};
use crate::submit::{Launch, Parts, Renderer};

/// A rendering context of a [`Screen`](crate::Screen).
pub struct Context<'s, 'm, P: Profile> {
    pub(crate) state: State<'m>,
    pub(crate) renderer: Renderer<'s, 'm, P>,
}

impl<P: Profile> core::fmt::Debug for Context<'_, '_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let framebuffer = &self.renderer.framebuffer;
        f.debug_struct("Context").field("framebuffer", framebuffer).finish_non_exhaustive()
    }
}

impl<'s, 'm, P: Profile> Context<'s, 'm, P> {
    pub(crate) fn new(device: &'s Device<'m>, parts: Parts<'m, P>, launch: Launch<'s, 'm>) -> Self {
        device.add_context();
        Context {
            state: State::new_in(device.os.memory),
            renderer: Renderer::new(device, parts, launch),
        }
    }

    /// Applies the flags of a new context.
    #[inline(always)]
    pub(crate) fn set_flags(&mut self, flags: ContextFlags) {
        self.state.reset = ResetState::of(flags);
        self.state.compute_only.set(flags.contains(ContextFlags::COMPUTE_ONLY));
    }

    /// Begins a graphics call.
    ///
    /// # Errors
    /// The context was made with `COMPUTE_ONLY`.
    #[inline(always)]
    pub(crate) fn graphics(&self) -> Result<(), PipeError> {
        if self.state.compute_only.get() == Some(&true) {
            return Err(PipeError::Unsupported("graphics in a context made with COMPUTE_ONLY"));
        }
        Ok(())
    }

    /// Begins a call that reads or writes resources: see [`Renderer::begin`].
    ///
    /// # Errors
    /// [`PipeError::DeviceLost`]; the errors of a flush.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> Result<(), PipeError> {
        self.renderer.begin(&mut self.state)
    }

    /// Notes a change of state: the next draw records it again.
    #[inline(always)]
    pub(crate) fn touch(&mut self) {
        self.renderer.touch();
    }

    /// Reports an error, and a reset if it says that a command was stopped.
    #[inline(always)]
    pub(crate) fn note_stop<T>(&mut self, result: Result<T, PipeError>) -> Result<T, PipeError> {
        self.renderer.note_stop(&mut self.state, result)
    }

    /// Returns true if the render condition allows draws, clears and blits.
    ///
    /// # Errors
    /// The errors of a flush in flight that writes the condition's word.
    #[inline(always)]
    pub(crate) fn condition_holds(&mut self) -> Result<bool, PipeError> {
        self.renderer.condition_holds(&mut self.state)
    }

    /// Rasterizes the draws so far as [`Renderer::flush_scene`] does, and records a stop. It is for
    /// calls that do no other long work.
    ///
    /// # Errors
    /// The errors of `flush_scene`.
    pub(crate) fn settle_scene(&mut self) -> Result<(), PipeError> {
        let flushed = self.renderer.flush_scene(&mut self.state);
        self.note_stop(flushed)
    }
}

impl<P: Profile> Drop for Context<'_, '_, P> {
    /// Signals the context's fences, and releases the resources of views, surfaces, bindings and
    /// open transfers.
    fn drop(&mut self) {
        let Context { state, renderer } = self;
        renderer.end_flights();
        let device = renderer.device;
        state.fences.signal(device);
        renderer.end_maps(state);
        let resources = &mut device.shared.lock().resources;
        state.held().for_each(|handle| release(resources, handle));
        device.times.print();
    }
}
