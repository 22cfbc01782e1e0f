//! Sampler views and surfaces: views of resources to sample and to draw to.

use pipe_core::context::{SamplerViews, Surfaces};
use pipe_core::limits::MAX_SHADER_SAMPLER_VIEWS;
use pipe_core::{
    PipeError, ResourceHandle, SamplerViewHandle, SamplerViewTemplate, ShaderType, SurfaceHandle,
    SurfaceTemplate,
};

use crate::context::Context;
use crate::features::TEXTURES;
use crate::profile::Profile;
#[cfg(feature = "es2")]
use crate::report::Features;
use crate::resource::NO_TEXTURES;
use crate::state::{check, object, set_range};

impl<P: Profile> SamplerViews for Context<'_, '_, P> {
    fn create_sampler_view(
        &mut self,
        handle: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        if !TEXTURES {
            return Err(NO_TEXTURES);
        }
        self.state.objects.add_view(self.renderer.device, handle, template)
    }

    fn sampler_view_destroy(&mut self, handle: SamplerViewHandle) -> Result<(), PipeError> {
        if !TEXTURES {
            return Err(NO_TEXTURES);
        }
        let view = *object(&self.state.objects.views, handle)?;
        if self.renderer.scene.textures().iter().any(|binding| binding.resource == view.resource) {
            self.settle_scene()?;
        }
        for slot in self.state.bound.views.iter_mut().flat_map(|views| views.iter_mut()) {
            *slot = slot.filter(|bound| *bound != handle.raw());
        }
        self.state.objects.remove_view(self.renderer.device, handle, view.resource);
        self.touch();
        Ok(())
    }

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
            check(&self.state.objects.views, *view)?;
        }
        let Some(slots) = self.state.bound.views.get_mut(stage) else {
            return if views.iter().all(Option::is_none) {
                Ok(())
            } else {
                Err(PipeError::Unsupported("textures of this stage"))
            };
        };
        let views = views.iter().map(|view| view.map(SamplerViewHandle::raw));
        set_range(slots, start, views)?;
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
        self.renderer.device.note_used(|| Features::ES2);
        self.graphics()?;
        let (levels, layers) = (base_level..last_level, first_layer..=last_layer);
        self.renderer.mipmaps(&mut self.state, resource, format, levels, layers)
    }
}

impl<P: Profile> Surfaces for Context<'_, '_, P> {
    fn create_surface(
        &mut self,
        handle: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let (device, most) = (self.renderer.device, P::MAX_TEXTURE_SIZE);
        self.state.objects.add_surface(device, handle, template, most)
    }

    fn surface_destroy(&mut self, handle: SurfaceHandle) -> Result<(), PipeError> {
        let surface = *object(&self.state.objects.surfaces, handle)?;
        if self.state.bound.framebuffer.attachments().any(|bound| bound == handle) {
            return Err(PipeError::Busy("a surface of the framebuffer"));
        }
        if self.renderer.scene_uses(surface.resource) {
            self.settle_scene()?;
        }
        self.state.objects.remove_surface(self.renderer.device, handle, surface.resource);
        Ok(())
    }
}
