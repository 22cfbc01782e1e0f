//! Sampler views and surfaces: views of resources to sample and to draw to.

use formats::Format;
use pipe_core::context::{SamplerViews, Surfaces};
use pipe_core::limits::MAX_SHADER_SAMPLER_VIEWS;
use pipe_core::{
    PipeError, ResourceFlags, ResourceHandle, SamplerViewHandle, SamplerViewTemplate, ShaderType,
    SurfaceHandle, SurfaceRange, SurfaceTemplate, TextureTarget,
};

use super::binding::{set_range, stage_index};
use super::cso::{SurfaceObject, View};
use super::unsupported::refuse;
use super::{Context, check, object};
use crate::device::{hold, pool_error, release, resource};
use crate::features::{BUFFER_SURFACES, MEMORY_SURFACES, SAMPLES, STAGES, STATE_CHECKS, TEXTURES};
use crate::frame::NO_MEMORY_SURFACES;
use crate::profile::Profile;
use crate::resource::{NO_TEXTURES, ViewState, is_drawn_as};

impl<P: Profile> SamplerViews for Context<'_, '_, P> {
    fn create_sampler_view(
        &mut self,
        handle: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        if !TEXTURES {
            return Err(NO_TEXTURES);
        }
        let resources = &mut self.device.shared.lock().resources;
        let seen = resource(resources, handle)?;
        if seen.is_streamed() {
            return Err(PipeError::Unsupported("sampling a streamed surface"));
        }
        if !template.is_within(&seen.template) {
            return Err(PipeError::Invalid("a view of levels or layers that are not there"));
        }
        // A buffer's bytes can be read as texels of any size.
        let resized = template.format.block_bytes() != seen.template.format.block_bytes();
        if resized && seen.template.target != TextureTarget::Buffer {
            return Err(PipeError::UnsupportedFormat {
                format: template.format,
                usage: "a view of a texture with texels of another size",
            });
        }
        if !template.format.can_unpack() {
            return Err(PipeError::UnsupportedFormat { format: template.format, usage: "texture" });
        }
        let view = View { resource: handle.raw(), state: ViewState::new(template, seen) };
        let view = self.objects.views.insert(view).map_err(pool_error)?;
        hold(resources, handle.raw());
        Ok(SamplerViewHandle::new(view))
    }

    fn sampler_view_destroy(&mut self, handle: SamplerViewHandle) -> Result<(), PipeError> {
        if !TEXTURES {
            return Err(NO_TEXTURES);
        }
        let view = *object(&self.objects.views, handle)?;
        if self.scene.textures().iter().any(|binding| binding.resource == view.resource) {
            self.settle_scene()?;
        }
        for slot in self.bound.views.iter_mut().flat_map(|views| views.iter_mut()) {
            *slot = slot.filter(|bound| *bound != handle.raw());
        }
        self.objects.views.remove(handle.raw());
        release(&mut self.device.shared.lock().resources, view.resource);
        self.touch();
        Ok(())
    }

    #[expect(clippy::indexing_slicing, reason = "`stage_index` returns the arrays' indices")]
    fn set_sampler_views(
        &mut self,
        stage: ShaderType,
        start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        if !TEXTURES {
            return if views.iter().all(Option::is_none) { Ok(()) } else { Err(NO_TEXTURES) };
        }
        let end = start.saturating_add(views.len()) as u64;
        PipeError::at_most("sampler views", end, MAX_SHADER_SAMPLER_VIEWS as u64)?;
        for view in views {
            check(&self.objects.views, *view)?;
        }
        let Some(stage) = stage_index(stage) else {
            return if views.iter().all(Option::is_none) {
                Ok(())
            } else {
                Err(PipeError::Unsupported("textures of this stage"))
            };
        };
        let views = views.iter().map(|view| view.map(SamplerViewHandle::raw));
        set_range(&mut self.bound.views[stage], start, views)?;
        self.touch();
        Ok(())
    }

    #[cfg(feature = "es2")]
    fn generate_mipmap(
        &mut self,
        resource: ResourceHandle,
        format: formats::Format,
        base_level: u32,
        last_level: u32,
        first_layer: u32,
        last_layer: u32,
    ) -> Result<(), PipeError> {
        self.graphics()?;
        self.mipmaps(resource, format, base_level..last_level, first_layer..=last_layer)
    }
}

impl<P: Profile> Surfaces for Context<'_, '_, P> {
    fn create_surface(
        &mut self,
        handle: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let buffer = matches!(template.range, SurfaceRange::Buffer { .. });
        refuse(
            buffer && !BUFFER_SURFACES,
            "surfaces of buffers (the features `fragments`, `all-formats`, `memory-surfaces` and `es2` have them)",
        )?;
        let resources = &mut self.device.shared.lock().resources;
        let drawn = resource(resources, handle)?;
        if !drawn.is_writable() {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        if !MEMORY_SURFACES && !drawn.is_streamed() {
            return Err(NO_MEMORY_SURFACES);
        }
        let Some([width, .., layers]) = template.size(&drawn.template) else {
            return Err(PipeError::Invalid("a surface of a level or layers that are not there"));
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
            let limit = P::MAX_TEXTURE_SIZE.into();
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
        let surface = self.objects.surfaces.insert(surface).map_err(pool_error)?;
        hold(resources, handle.raw());
        Ok(SurfaceHandle::new(surface))
    }

    fn surface_destroy(&mut self, handle: SurfaceHandle) -> Result<(), PipeError> {
        let surface = *object(&self.objects.surfaces, handle)?;
        if self.bound.framebuffer.attachments().any(|bound| bound == handle) {
            return Err(PipeError::Busy("a surface of the framebuffer"));
        }
        if self.scene_uses(surface.resource) {
            self.settle_scene()?;
        }
        self.objects.surfaces.remove(handle.raw());
        release(&mut self.device.shared.lock().resources, surface.resource);
        Ok(())
    }
}
