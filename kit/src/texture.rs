//! Textures with their views and samplers.

use pipe_core::context::{CsoState, SamplerViews};
use pipe_core::{
    Bind, Format, PipeError, ResourceFlags, ResourceHandle, ResourceTemplate, SamplerHandle,
    SamplerState, SamplerViewHandle, SamplerViewTemplate, Screen, ShaderType, TexFilter,
    TexMipFilter, TexWrap,
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
    /// The format of the colours if the texels are indices into a palette. The format of the texels
    /// is then `L1_UNORM`, `L2_UNORM`, `L4_UNORM` or `L8_UNORM`, there is one level, and 2, 4, 16 or
    /// 256 colours follow it.
    pub palette: Option<Format>,
}

impl<'a> TextureData<'a> {
    /// Returns a texture of one level of texels without a palette.
    pub const fn of(texels: &'a [u8], format: Format, [width, height]: [u32; 2]) -> Self {
        TextureData { texels, format, width, height, levels: 1, palette: None }
    }
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
        let flags = match data.palette {
            Some(_) => ResourceFlags::PALETTE,
            None => ResourceFlags::empty(),
        };
        let last_level = data.levels.saturating_sub(1);
        let template = ResourceTemplate { last_level, flags, ..flat };
        let resource = device.parts().0.resource_from_user_memory(&template, data.texels)?;
        let mut view = SamplerViewTemplate::whole(&template);
        view.format = data.palette.unwrap_or(data.format);
        Self::of(device, resource, &view, sampler)
    }

    /// Creates the view and the sampler of a resource that exists.
    pub(crate) fn of<'m>(
        device: &mut impl Device<'m>,
        resource: ResourceHandle,
        view: &SamplerViewTemplate,
        sampler: &SamplerState,
    ) -> Result<Self, PipeError> {
        let context = device.context();
        let view = context.create_sampler_view(resource, view)?;
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
