//! Vertex states: vertex buffers and elements that the screen keeps for display lists.

use pipe_core::limits::MAX_ATTRIBS;
use pipe_core::{
    PipeError, ResourceHandle, VertexBuffer, VertexElement, VertexStateHandle, VertexStateTemplate,
};

use super::{Device, hold, pool_error, release, resource};

/// A vertex state. It holds references to its buffers.
#[derive(Clone, Debug)]
pub(crate) struct VertexState {
    buffer: VertexBuffer,
    elements: heapless::Vec<VertexElement, MAX_ATTRIBS>,
    indices: Option<ResourceHandle>,
    full_velem_mask: u32,
}

impl VertexState {
    /// Returns the contents of the state.
    pub(crate) fn template(&self) -> VertexStateTemplate<'_> {
        VertexStateTemplate {
            buffer: self.buffer,
            elements: &self.elements,
            indices: self.indices,
            full_velem_mask: self.full_velem_mask,
        }
    }

    fn buffers(&self) -> impl Iterator<Item = ResourceHandle> + use<> {
        [Some(self.buffer.resource), self.indices].into_iter().flatten()
    }
}

impl<'m> Device<'m> {
    /// Makes a vertex state.
    ///
    /// # Errors
    /// A buffer's handle is stale; an invalid template; out of memory.
    pub(crate) fn insert_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        template.fault().map_or(Ok(()), |fault| Err(PipeError::Invalid(fault)))?;
        let elements = heapless::Vec::from_slice(template.elements)
            .map_err(|_| PipeError::Invalid("there are more vertex elements than attributes"))?;
        let VertexStateTemplate { buffer, indices, full_velem_mask, .. } = *template;
        let state = VertexState { buffer, elements, indices, full_velem_mask };
        let shared = &mut *self.shared.lock();
        state.buffers().try_for_each(|held| resource(&shared.resources, held).map(drop))?;
        let made = shared.desktop.vertex_states.insert(state.clone()).map_err(pool_error)?;
        state.buffers().for_each(|held| hold(&mut shared.resources, held.raw()));
        Ok(VertexStateHandle::new(made))
    }

    /// Destroys a vertex state.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn remove_vertex_state(&self, handle: VertexStateHandle) -> Result<(), PipeError> {
        let shared = &mut *self.shared.lock();
        let removed =
            shared.desktop.vertex_states.remove(handle.raw()).ok_or(PipeError::stale(handle))?;
        removed.buffers().for_each(|held| release(&mut shared.resources, held.raw()));
        Ok(())
    }

    /// Returns a vertex state.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn vertex_state(&self, handle: VertexStateHandle) -> Result<VertexState, PipeError> {
        let shared = self.shared.lock();
        shared.desktop.vertex_states.get(handle.raw()).cloned().ok_or(PipeError::stale(handle))
    }
}
