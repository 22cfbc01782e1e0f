//! Sampler views and surfaces: views of resources to sample and to draw to.

use formats::Format;
use os_shim::pool::RawHandle;
#[cfg(feature = "desktop")]
use pipe_core::{ImageAccess, ImageRange, ImageView};
use pipe_core::{
    PipeError, ResourceFlags, ResourceHandle, SamplerViewHandle, SamplerViewTemplate,
    SurfaceHandle, SurfaceRange, SurfaceTemplate, TextureTarget,
};

#[cfg(feature = "desktop")]
use super::object;
use super::objects::{Objects, SurfaceObject, View};
use super::unsupported::refuse;
use crate::device::{Device, hold, pool_error, release, resource};
use crate::features::{BUFFER_SURFACES, MEMORY_SURFACES, SAMPLES, STAGES, STATE_CHECKS};
use crate::frame::NO_MEMORY_SURFACES;
use crate::lanes::UnormLayout;
use crate::resource::{ViewState, index_bits, is_drawn_as};

impl<'m> Objects<'m> {
    /// Makes a view of a resource to sample from.
    ///
    /// # Errors
    /// A stale handle; a view that does not fit its resource; out of memory.
    #[inline(always)]
    pub(crate) fn add_view(
        &mut self,
        device: &Device<'m>,
        handle: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        let resources = &mut device.shared.lock().resources;
        let seen = resource(resources, handle)?;
        if seen.is_streamed() {
            return Err(PipeError::Unsupported("sampling a streamed surface"));
        }
        if !template.is_within(&seen.template) {
            return Err(PipeError::Invalid("the view exceeds its resource"));
        }
        // A buffer's bytes can be read as texels of any size.
        let resized = template.format.block_bytes() != seen.template.format.block_bytes();
        if let Some(bits) = index_bits(&seen.template) {
            let colors = UnormLayout::of(template.format);
            let Some(UnormLayout { bytes, .. }) = colors else {
                return Err(PipeError::UnsupportedFormat {
                    format: template.format,
                    usage: "the colours of a palette (channels of up to 16 bits in 1, 2 or 4 bytes)",
                });
            };
            let rows = seen.place(0).map_or(0, |place| place.size);
            let (needed, there) =
                ((bytes as usize) << bits, seen.bytes(0).len().saturating_sub(rows));
            if there < needed {
                return Err(PipeError::OutOfRange {
                    what: "the palette's size in bytes",
                    value: needed as u64,
                    limit: there as u64,
                });
            }
        } else if resized && seen.template.target != TextureTarget::Buffer {
            return Err(PipeError::UnsupportedFormat {
                format: template.format,
                usage: "a view of a texture with texels of another size",
            });
        }
        if !template.format.can_unpack() {
            return Err(PipeError::UnsupportedFormat { format: template.format, usage: "texture" });
        }
        let view = View { resource: handle.raw(), state: ViewState::new(template, seen) };
        let view = self.views.insert(view).map_err(pool_error)?;
        hold(resources, handle.raw());
        Ok(SamplerViewHandle::new(view))
    }

    /// Removes a view of this resource.
    #[inline(always)]
    pub(crate) fn remove_view(
        &mut self,
        device: &Device<'m>,
        handle: SamplerViewHandle,
        resource: RawHandle,
    ) {
        self.views.remove(handle.raw());
        release(&mut device.shared.lock().resources, resource);
    }

    /// Makes a view of a resource to draw to. Surfaces of buffers have at most `most_elements`.
    ///
    /// # Errors
    /// A stale handle; a surface that cannot be drawn to; out of memory.
    #[inline(always)]
    pub(crate) fn add_surface(
        &mut self,
        device: &Device<'m>,
        handle: ResourceHandle,
        template: &SurfaceTemplate,
        most_elements: u32,
    ) -> Result<SurfaceHandle, PipeError> {
        let buffer = matches!(template.range, SurfaceRange::Buffer { .. });
        refuse(
            buffer && !BUFFER_SURFACES,
            "surfaces of buffers (the features `fragments`, `all-formats`, `memory-surfaces` and `es2` have them)",
        )?;
        let resources = &mut device.shared.lock().resources;
        let drawn = resource(resources, handle)?;
        if !drawn.is_writable() {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        if !MEMORY_SURFACES && !drawn.is_streamed() {
            return Err(NO_MEMORY_SURFACES);
        }
        let Some([width, .., layers]) = template.size(&drawn.template) else {
            return Err(PipeError::Invalid("the surface exceeds its resource"));
        };
        if layers > 1 && (!STAGES || drawn.is_streamed()) {
            return Err(PipeError::Unsupported("layered surfaces without memory or stages"));
        }
        let samples = u32::from(template.nr_samples);
        if SAMPLES && samples > 1 && samples != drawn.samples() {
            return Err(PipeError::Unsupported("surfaces of other sample counts"));
        }
        let format = template.format;
        let side = |of: Format| (of.block().width, of.block().height);
        let stored = drawn.template.format;
        // Firmware has no block formats.
        let other = STATE_CHECKS && !drawn.template.is_buffer() && side(stored) != side(format);
        refuse(other, "surfaces of another block size")?;
        if BUFFER_SURFACES && buffer {
            let limit = most_elements.into();
            PipeError::at_most("the elements of a surface of a buffer", width.into(), limit)?;
            let color = format.is_texel() && format.block_bytes() <= 16;
            if !color || format.is_depth_or_stencil() {
                let usage = "a surface of a buffer (colours alone)";
                return Err(PipeError::UnsupportedFormat { format, usage });
            }
            let sparse = drawn.template.flags.contains(ResourceFlags::SPARSE);
            refuse(sparse, "surfaces of sparse buffers")?;
        } else if !is_drawn_as(drawn.template.format, format) {
            return Err(PipeError::UnsupportedFormat { format, usage: "surface" });
        }
        let surface = SurfaceObject { resource: handle.raw(), template: *template };
        let surface = self.surfaces.insert(surface).map_err(pool_error)?;
        hold(resources, handle.raw());
        Ok(SurfaceHandle::new(surface))
    }

    /// Removes a surface of this resource.
    #[inline(always)]
    pub(crate) fn remove_surface(
        &mut self,
        device: &Device<'m>,
        handle: SurfaceHandle,
        resource: RawHandle,
    ) {
        self.surfaces.remove(handle.raw());
        release(&mut device.shared.lock().resources, resource);
    }
}

#[cfg(feature = "desktop")]
impl Objects<'_> {
    /// Returns a surface as an image for compute programs.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn image_of(&self, handle: SurfaceHandle) -> Result<ImageView, PipeError> {
        let surface = object(&self.surfaces, handle)?;
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
