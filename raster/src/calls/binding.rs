//! Bindings of buffers and of the framebuffer.

use pipe_core::context::{ConstantBuffer, ResourceBinding};
use pipe_core::limits::{MAX_ATTRIBS, MAX_CONSTANT_BUFFERS};
use pipe_core::{FramebufferState, PipeError, ShaderType, VertexBuffer};

use crate::context::Context;
use crate::features::DESKTOP;
use crate::lanes::COLOR_BUFFERS;
use crate::profile::Profile;
use crate::scene::MAX_CONSTANT_BLOCKS;
use crate::setup::has_sample_count;

impl<'m, P: Profile> ResourceBinding for Context<'_, 'm, P> {
    fn set_constant_buffer(
        &mut self,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        // Programs read the first `MAX_CONSTANT_BLOCKS` slots; any slot may be unbound.
        let slots = if buffer.is_some() { MAX_CONSTANT_BLOCKS } else { MAX_CONSTANT_BUFFERS };
        PipeError::at_most("constant buffer", index as u64, slots as u64 - 1)?;
        self.state.bound.set_constant_buffer(self.renderer.device, stage, index, buffer)?;
        self.touch();
        Ok(())
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        self.graphics()?;
        let count = state.nr_cbufs() as u64;
        if count > COLOR_BUFFERS as u64 {
            return Err(PipeError::Unsupported(
                "several colour buffers (the feature `fragments` draws to them)",
            ));
        }
        PipeError::at_most("colour buffers", count, P::MAX_COLOR_BUFFERS as u64)?;
        if !has_sample_count(state.samples.max(1).into()) {
            return Err(PipeError::Unsupported("framebuffers of this number of samples"));
        }
        let framebuffer = self.state.objects.resolve(self.renderer.device, state)?;
        if framebuffer == self.renderer.framebuffer {
            self.state.bound.framebuffer = *state;
            return Ok(());
        }
        let left = self.renderer.leave_scene(&mut self.state);
        if DESKTOP {
            self.note_stop(left)?;
        } else {
            left?;
        }
        self.renderer.set_framebuffer(&framebuffer)?;
        self.state.bound.framebuffer = *state;
        Ok(())
    }

    fn set_vertex_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        PipeError::at_most(
            "vertex buffers",
            start.saturating_add(buffers.len()) as u64,
            MAX_ATTRIBS as u64,
        )?;
        self.state.bound.set_vertex_buffers(self.renderer.device, start, buffers)
    }
}
