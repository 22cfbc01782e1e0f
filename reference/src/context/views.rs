//! Sampler views and surfaces.

use std::sync::Arc;

use pipe_core::context::{SamplerViews, Surfaces};
use pipe_core::limits::MAX_SHADER_SAMPLER_VIEWS;
use pipe_core::{
    PipeError, ResourceHandle, SamplerViewHandle, SamplerViewTemplate, ShaderType, SurfaceHandle,
    SurfaceTemplate, TextureTarget,
};

use super::binding::stage_index;
use super::{Context, bind_range, object};
use crate::resource::Resource;
use crate::target::Target;

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
            return Err(PipeError::Invalid("a view of levels or layers that are not there"));
        }
        let format = template.format;
        let seen = &resource.template;
        // Bytes of a buffer are texels of any size.
        let resized = format.block_bytes() != seen.format.block_bytes();
        if resized && seen.target != TextureTarget::Buffer || !format.can_unpack() {
            return Err(PipeError::UnsupportedFormat { format, usage: "a sampler view" });
        }
        let view = View { resource, template: *template };
        Ok(SamplerViewHandle::new(self.objects.views.insert(view)?))
    }

    fn sampler_view_destroy(&mut self, handle: SamplerViewHandle) -> Result<(), PipeError> {
        object(&self.objects.views, handle)?;
        for stage in &mut self.bound.stages {
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
        let Context { objects, bound, .. } = self;
        let mut nothing = [None; MAX_SHADER_SAMPLER_VIEWS];
        let slots = match stage_index(stage, "textures of this stage") {
            Ok(stage) => &mut bound.stages[stage].views,
            Err(_) if views.iter().all(Option::is_none) => &mut nothing,
            Err(error) => return Err(error),
        };
        bind_range("sampler views", &objects.views, slots, start, views)
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
        let Some([.., layers]) = template.size(&resource.template) else {
            return Err(PipeError::Invalid("a surface of a level or layers that are not there"));
        };
        if layers > 1 {
            return Err(PipeError::Unsupported("layered surfaces"));
        }
        let format = template.format;
        if format.block_bytes() != resource.template.format.block_bytes() || !format.is_texel() {
            return Err(PipeError::UnsupportedFormat { format, usage: "a surface" });
        }
        let target = Target::of_surface(&resource, template)
            .ok_or(PipeError::Unsupported("surfaces of buffers"))?;
        Ok(SurfaceHandle::new(self.objects.surfaces.insert(target)?))
    }

    /// Destroys a surface. An attachment of the bound framebuffer becomes a missing one.
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
