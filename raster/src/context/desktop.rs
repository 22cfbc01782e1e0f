//! Calls for desktop frontends: draws of vertex states, and queries of references.

use pipe_core::context::{CsoState, Drawing};
use pipe_core::limits::MAX_ATTRIBS;
use pipe_core::{
    DrawInfo, DrawStartCount, DrawVertexStateInfo, IndexBuffer, PipeError, Referenced,
    ResourceHandle, SamplerViewRange, TextureTarget, VertexElement, VertexStateHandle,
};
#[cfg(feature = "shader-memory")]
use pipe_core::{ImageAccess, ImageRange, ImageView, SurfaceHandle, SurfaceRange};

use super::Context;
#[cfg(feature = "shader-memory")]
use super::object;
use crate::device::resource;
use crate::frame::{Attachment, Framebuffer};
use crate::profile::Profile;
use crate::resource::TextureBinding;

/// Returns true if an attachment contains a layer of a level.
fn has_layer(attachment: &Attachment, level: u32, layer: u32) -> bool {
    let stride = attachment.layer_stride.max(1);
    let first = attachment.offset / stride;
    let count = (attachment.bytes / stride).max(1);
    attachment.level == level && (first..first + count).contains(&(layer as usize))
}

/// Returns true if a view shows a layer of a level. A view of a volume shows all its slices.
fn shows_layer(binding: &TextureBinding, level: u32, layer: u32, is_volume: bool) -> bool {
    match binding.view.range {
        SamplerViewRange::Buffer { .. } => true,
        SamplerViewRange::Texture { first_level, last_level, first_layer, last_layer } => {
            (first_level..=last_level).contains(&level)
                && (is_volume || (first_layer..=last_layer).contains(&layer))
        }
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Draws a vertex state.
    ///
    /// # Errors
    /// The handle is stale; attributes that the state lacks; the errors of a draw.
    pub(super) fn draw_state(
        &mut self,
        handle: VertexStateHandle,
        info: &DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let state = self.device.vertex_state(handle)?;
        let template = state.template();
        let chosen = template
            .elements_of(info.partial_velem_mask)
            .ok_or(PipeError::Invalid("attributes that the vertex state lacks"))?;
        let chosen: heapless::Vec<VertexElement, MAX_ATTRIBS> = chosen.collect();
        if self.bound.vertex_buffers.is_empty() {
            self.bound.vertex_buffers.try_resize(1, None)?;
        }
        let elements = self.create_vertex_elements_state(&chosen)?;
        // The vertex state holds its buffers, and the previous bindings stay held meanwhile.
        let bound = &mut self.bound;
        let old_elements = bound.elements.replace(elements.raw());
        let old_buffer =
            bound.vertex_buffers.first_mut().and_then(|slot| slot.replace(template.buffer));
        let draw = DrawInfo {
            index: template.indices.map(|indices| IndexBuffer::resource(indices, 4)),
            ..DrawInfo::new(info.mode)
        };
        self.holds_indices = true;
        let drawn = self.draw_vbo(&draw, None, draws);
        self.holds_indices = false;
        if let Some(slot) = self.bound.vertex_buffers.first_mut() {
            *slot = old_buffer;
        }
        self.bound.elements = old_elements;
        let deleted = self.delete_vertex_elements_state(elements);
        drawn.and(deleted)
    }

    /// Returns how a layer of a resource is used by the pending scene and by the scene in flight.
    ///
    /// # Errors
    /// The handle is stale.
    pub(super) fn scene_references(
        &self,
        handle: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<Referenced, PipeError> {
        let target = resource(&self.device.shared.lock().resources, handle)?.template.target;
        let is_volume = target == TextureTarget::Texture3D;
        let is_buffer = target == TextureTarget::Buffer;
        let mut referenced = Referenced::empty();
        let raw = handle.raw();
        let draws_to = |framebuffer: &Framebuffer| {
            let mut surfaces = framebuffer.attachments.iter().flatten();
            surfaces.any(|it| it.resource == raw && (is_buffer || has_layer(it, level, layer)))
        };
        let under_way = self.flights.under_way();
        // Of a scene in flight, only the resources that it reads are known.
        if under_way.is_some() && self.flights.uses(raw) {
            referenced |= Referenced::FOR_READ;
        }
        let pending = (!self.scene.is_empty()).then_some(&self.framebuffer);
        if pending.into_iter().chain(under_way).any(draws_to) {
            // Blending and depth tests also read.
            referenced = Referenced::all();
        }
        let mut views = self.scene.textures().iter().filter(|_| !self.scene.is_empty());
        if views.any(|it| it.resource == raw && shows_layer(it, level, layer, is_volume)) {
            referenced |= Referenced::FOR_READ;
        }
        Ok(referenced)
    }

    /// Returns a surface as an image for compute programs.
    ///
    /// # Errors
    /// The handle is stale.
    #[cfg(feature = "shader-memory")]
    pub(super) fn image_of(&self, handle: SurfaceHandle) -> Result<ImageView, PipeError> {
        let surface = object(&self.objects.surfaces, handle)?;
        let range = match surface.template.range {
            SurfaceRange::Texture { level, first_layer, last_layer } => {
                ImageRange::Texture { level, first_layer, last_layer, single_layer_view: false }
            }
            SurfaceRange::Buffer { first_element, last_element } => {
                let texel = u32::from(surface.template.format.block().bytes);
                let count = last_element.saturating_sub(first_element).saturating_add(1);
                ImageRange::Buffer {
                    offset: first_element.saturating_mul(texel),
                    size: count.saturating_mul(texel),
                }
            }
        };
        Ok(ImageView {
            resource: ResourceHandle::new(surface.resource),
            format: surface.template.format,
            access: ImageAccess::READ_WRITE,
            range,
        })
    }
}
