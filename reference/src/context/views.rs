//! Sampler views and surfaces.

use std::sync::Arc;

use pipe_core::context::{SamplerViews, Surfaces};
use pipe_core::{
    ImageAccess, ImageRange, ImageView, PipeError, ResourceHandle, SamplerViewHandle,
    SamplerViewTemplate, ShaderType, SurfaceHandle, SurfaceRange, SurfaceTemplate, TextureTarget,
};

use super::{Context, bind_range, object};
use crate::resource::Resource;
use crate::target::Target;

/// A surface.
#[derive(Clone, Debug)]
pub(super) struct Surface<'m> {
    pub(super) target: Target<'m>,
    /// The same texels as a shader image.
    pub(super) image: ImageView,
}

/// A sampler view.
#[derive(Clone, Debug)]
pub(super) struct View<'m> {
    pub(super) resource: Arc<Resource<'m>>,
    pub(super) template: SamplerViewTemplate,
}

impl SamplerViews for Context<'_, '_> {
    fn create_sampler_view(
        &mut self,
        handle: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        let resource = self.device.resource(handle)?;
        if !template.is_within(&resource.template) {
            return Err(PipeError::Invalid("the view exceeds its resource"));
        }
        let format = template.format;
        let seen = &resource.template;
        // A buffer can be viewed as texels of any size.
        let resized = format.block_bytes() != seen.format.block_bytes();
        if resized && seen.target != TextureTarget::Buffer || !format.can_unpack() {
            return Err(PipeError::UnsupportedFormat { format, usage: "a sampler view" });
        }
        let view = View { resource, template: *template };
        Ok(SamplerViewHandle::new(self.objects.views.insert(view)?))
    }

    fn sampler_view_destroy(&mut self, handle: SamplerViewHandle) -> Result<(), PipeError> {
        object(&self.objects.views, handle)?;
        for stage in &mut self.bound.stages.0 {
            for slot in &mut stage.views {
                *slot = slot.filter(|bound| *bound != handle.raw());
            }
        }
        self.objects.views.remove(handle.raw());
        Ok(())
    }

    fn set_sampler_views(
        &mut self,
        stage: ShaderType,
        start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        let slots = &mut self.bound.stages[stage].views;
        bind_range("sampler views", &self.objects.views, slots, start, views)
    }
}

impl Surfaces for Context<'_, '_> {
    fn create_surface(
        &mut self,
        handle: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let resource = self.device.resource(handle)?;
        if !resource.is_writable() {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        if template.size(&resource.template).is_none() {
            return Err(PipeError::Invalid("the surface exceeds its resource"));
        }
        let format = template.format;
        if format.block_bytes() != resource.template.format.block_bytes() || !format.is_texel() {
            return Err(PipeError::UnsupportedFormat { format, usage: "a surface" });
        }
        let target = Target::of_surface(&resource, template)
            .ok_or(PipeError::Unsupported("surfaces of buffers"))?;
        let SurfaceRange::Texture { level, first_layer, last_layer } = template.range else {
            return Err(PipeError::Unsupported("surfaces of buffers"));
        };
        let single_layer_view = false;
        let range = ImageRange::Texture { level, first_layer, last_layer, single_layer_view };
        let image = ImageView { resource: handle, format, access: ImageAccess::READ_WRITE, range };
        Ok(SurfaceHandle::new(self.objects.surfaces.insert(Surface { target, image })?))
    }

    /// Destroys a surface. If it is bound in the framebuffer, the attachment becomes missing.
    fn surface_destroy(&mut self, handle: SurfaceHandle) -> Result<(), PipeError> {
        object(&self.objects.surfaces, handle)?;
        let framebuffer = &mut self.bound.framebuffer;
        let bound = framebuffer.state.cbufs.iter().chain([&framebuffer.state.zsbuf]);
        let slots = framebuffer.color.iter_mut().chain([&mut framebuffer.depth]);
        for (slot, bound) in slots.zip(bound) {
            if *bound == Some(handle) {
                *slot = None;
            }
        }
        self.objects.surfaces.remove(handle.raw());
        Ok(())
    }
}
