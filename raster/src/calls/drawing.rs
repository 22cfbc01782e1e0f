//! Draws.

use pipe_core::context::Drawing;
use pipe_core::{DrawIndirect, DrawInfo, DrawStartCount, PipeError};
#[cfg(feature = "desktop")]
use pipe_core::{
    DrawVertexStateInfo, IndexBuffer, VertexElement, VertexStateHandle, context::CsoState,
    limits::MAX_ATTRIBS,
};

use crate::context::Context;
use crate::profile::Profile;
use crate::state::unsupported::refuse;

impl<'m, P: Profile> Drawing for Context<'_, 'm, P> {
    #[cfg(feature = "check")]
    fn primitives_drawn(&self) -> Option<u64> {
        self.state.queries.primitives_drawn()
    }

    #[cfg(feature = "check")]
    fn primitives_culled(&self) -> Option<u64> {
        self.state.queries.primitives_culled()
    }

    // Kept out of line, so that `cargo xtask size` finds it in an image.
    #[inline(never)]
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        refuse(info.view_mask != 0, "view_mask")?;
        self.graphics()?;
        self.begin()?;
        if !self.condition_holds()? {
            return Ok(());
        }
        let Context { state, renderer } = self;
        let result = match indirect {
            None => renderer.draw_parts(state, info, draws),
            Some(DrawIndirect::StreamOutput(target)) => {
                let count = state.streams.vertices(*target)?;
                renderer.draw_parts(state, info, &[DrawStartCount::count(count)])
            }
            Some(indirect) => renderer.draw_indirect(state, info, indirect),
        };
        let result = self.renderer.device.note_refusal(result);
        self.note_stop(result)
    }

    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: VertexStateHandle,
        info: &DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.draw_state(state, info, draws)
    }
}

#[cfg(feature = "desktop")]
impl<P: Profile> Context<'_, '_, P> {
    /// Draws a vertex state.
    ///
    /// # Errors
    /// The handle is stale; attributes that the state lacks; the errors of a draw.
    fn draw_state(
        &mut self,
        handle: VertexStateHandle,
        info: &DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let state = self.renderer.device.vertex_state(handle)?;
        let template = state.template();
        let chosen = template
            .elements_of(info.partial_velem_mask)
            .ok_or(PipeError::Invalid("the vertex state lacks the attributes"))?;
        let chosen: heapless::Vec<VertexElement, MAX_ATTRIBS> = chosen.collect();
        if self.state.bound.vertex_buffers.is_empty() {
            self.state.bound.vertex_buffers.try_resize(1, None)?;
        }
        let elements = self.create_vertex_elements_state(&chosen)?;
        // The vertex state holds its buffers, and the previous bindings stay held meanwhile.
        let bound = &mut self.state.bound;
        let old_elements = bound.elements.replace(elements.raw());
        let old_buffer =
            bound.vertex_buffers.first_mut().and_then(|slot| slot.replace(template.buffer));
        let draw = DrawInfo {
            index: template.indices.map(|indices| IndexBuffer::resource(indices, 4)),
            ..DrawInfo::new(info.mode)
        };
        self.state.holds_indices.set(true);
        let drawn = self.draw_vbo(&draw, None, draws);
        self.state.holds_indices.set(false);
        if let Some(slot) = self.state.bound.vertex_buffers.first_mut() {
            *slot = old_buffer;
        }
        self.state.bound.elements = old_elements;
        let deleted = self.delete_vertex_elements_state(elements);
        drawn.and(deleted)
    }
}
