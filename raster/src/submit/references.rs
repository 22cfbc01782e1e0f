//! Queries of references: how pending work uses a resource.

use pipe_core::{PipeError, Referenced, ResourceHandle, SamplerViewRange, TextureTarget};

use super::Renderer;
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

impl<P: Profile> Renderer<'_, '_, P> {
    /// Returns how a layer of a resource is used by the pending scene and by the scene in flight.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn references(
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
}
