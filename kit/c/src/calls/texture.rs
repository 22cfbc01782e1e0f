//! Textures.

use gallium::kit;

use super::{device, place, reference, texture_data};
use crate::data::{Filter, TextureData, Wrap};
use crate::error::Code;
use crate::object::{Gallium, Texture, answer, hand_over};

/// Creates a texture over its texels, which are not copied. `filter` is a constant of
/// `gallium_filter`, `wrap` one of `gallium_wrap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_texture_create(
    gallium: *mut Gallium,
    data: *const TextureData,
    filter: u32,
    wrap: u32,
    texture: *mut *mut Texture,
) -> Code {
    // SAFETY: null or valid, as the header demands; so are the texels.
    let (device, data, texture) = unsafe {
        let data = reference(data).and_then(|data| texture_data(data));
        (device(gallium), data, place(texture))
    };
    answer(device, |raster| {
        let (data, texture) = (data?, texture?);
        let sampler = Filter::of(filter)?(Wrap::of(wrap)?);
        let made = kit::Texture::new(raster, &data, &sampler)?;
        Ok(hand_over(raster.memory, made, texture)?)
    })
}
