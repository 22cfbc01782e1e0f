//! Textures with their views and samplers.

use pipe_core::context::{CsoState, SamplerViews};
use pipe_core::{
    Bind, Format, PipeError, ResourceHandle, ResourceTemplate, SamplerHandle, SamplerState,
    SamplerViewHandle, SamplerViewTemplate, Screen, ShaderType, TexFilter, TexMipFilter, TexWrap,
};

use crate::device::Device;

/// The bytes of a texture, as `gallium-assets` writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureData<'a> {
    /// The levels one after the other, rows without padding, top row first.
    pub texels: &'a [u8],
    /// The format of the texels.
    pub format: Format,
    /// Width of the first level, in texels.
    pub width: u32,
    /// Height of the first level, in texels.
    pub height: u32,
    /// Number of levels, at least 1.
    pub levels: u32,
}

/// Returns the sampler state that takes the nearest texel of the first level.
pub fn nearest(wrap: TexWrap) -> SamplerState {
    SamplerState::wrapping(wrap)
}

/// Returns the sampler state that takes the mean of four texels of the first level.
pub fn bilinear(wrap: TexWrap) -> SamplerState {
    SamplerState { min_mip_filter: TexMipFilter::None, ..SamplerState::trilinear(wrap) }
}

/// Returns the sampler state that also takes the mean of two levels.
pub fn trilinear(wrap: TexWrap) -> SamplerState {
    SamplerState::trilinear(wrap)
}

/// Returns the sampler state that takes the nearest texel of the nearest level.
pub fn nearest_level(wrap: TexWrap) -> SamplerState {
    SamplerState {
        min_mip_filter: TexMipFilter::Nearest,
        min_img_filter: TexFilter::Nearest,
        ..SamplerState::wrapping(wrap)
    }
}

/// A texture that fragment shaders sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    /// The texels.
    pub resource: ResourceHandle,
    /// The view of all levels.
    pub view: SamplerViewHandle,
    /// The sampler: filters and wrap modes.
    pub sampler: SamplerHandle,
}

impl Texture {
    /// Creates a texture over its bytes, which are not copied.
    ///
    /// # Errors
    /// Out of memory; too few bytes for the size; a format or a filter that the driver lacks.
    pub fn new<'m>(
        device: &mut impl Device<'m>,
        data: &TextureData<'m>,
        sampler: &SamplerState,
    ) -> Result<Self, PipeError> {
        let bind = Bind::SAMPLER_VIEW;
        let flat = ResourceTemplate::texture_2d(data.format, data.width, data.height, bind);
        let template = ResourceTemplate { last_level: data.levels.saturating_sub(1), ..flat };
        let resource = device.parts().0.resource_from_user_memory(&template, data.texels)?;
        Self::of(device, resource, &template, sampler)
    }

    /// Creates the view and the sampler of a resource that exists.
    pub(crate) fn of<'m>(
        device: &mut impl Device<'m>,
        resource: ResourceHandle,
        template: &ResourceTemplate,
        sampler: &SamplerState,
    ) -> Result<Self, PipeError> {
        let context = device.context();
        let view = context.create_sampler_view(resource, &SamplerViewTemplate::whole(template))?;
        Ok(Texture { resource, view, sampler: context.create_sampler_state(sampler)? })
    }

    /// Binds the texture to a slot of fragment shaders.
    ///
    /// # Errors
    /// An object was deleted, or there is no such slot.
    pub fn bind<'m>(&self, device: &mut impl Device<'m>, slot: usize) -> Result<(), PipeError> {
        let context = device.context();
        context.set_sampler_views(ShaderType::Fragment, slot, &[Some(self.view)])?;
        context.bind_sampler_states(ShaderType::Fragment, slot, &[Some(self.sampler)])
    }
}
