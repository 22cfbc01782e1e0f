//! Sprites: textured rectangles, 16 per draw.

use gallium::kit::{self, SPRITES_PER_DRAW};
use gallium::pipe_core::PipeError;

use super::{device, object, place, slice};
use crate::data::{Sprite, Surface, Vec2};
use crate::error::Code;
use crate::object::{Gallium, Raster, Sprites, Texture, answer, hand_over};

/// True if the archive draws sprites. Other archives drop the code, as they drop the code of pipelines.
/// cbindgen:ignore
const SPRITES: bool = cfg!(any(feature = "textured", feature = "grey", feature = "any"));

/// Creates sprites with a function of the kit.
///
/// # Safety
/// See the module [`calls`](super).
unsafe fn create(
    gallium: *mut Gallium,
    surface: u32,
    sprites: *mut *mut Sprites,
    make: fn(&mut Raster, &kit::Surface) -> Result<kit::Sprites<'static>, PipeError>,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, sprites) = unsafe { (device(gallium), place(sprites)) };
    answer(device, |raster| {
        if !SPRITES {
            return Err(Code::Unsupported.into());
        }
        let sprites = sprites?;
        let made = make(raster, &Surface::of(surface)?)?;
        Ok(hand_over(raster.memory, made, sprites)?)
    })
}

/// Creates a pipeline that shows rectangles of texels. `surface` is a constant of
/// `gallium_surface`; for alpha use `GALLIUM_SURFACE_OVERLAY`.
///
/// Needs an archive with the feature `textured`, `grey` or `any`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_sprites_create(
    gallium: *mut Gallium,
    surface: u32,
    sprites: *mut *mut Sprites,
) -> Code {
    // SAFETY: the caller keeps the contract.
    unsafe { create(gallium, surface, sprites, kit::Sprites::new) }
}

/// Creates a pipeline that shows rectangles of texels times the colour of the sprite.
///
/// Needs an archive with the feature `textured`, `grey` or `any`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_sprites_create_tinted(
    gallium: *mut Gallium,
    surface: u32,
    sprites: *mut *mut Sprites,
) -> Code {
    // SAFETY: the caller keeps the contract.
    unsafe { create(gallium, surface, sprites, kit::Sprites::tinted) }
}

/// Draws `count` sprites of a texture, the first one first. They are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_sprites_draw(
    gallium: *mut Gallium,
    sprites: *const Sprites,
    texture: *const Texture,
    list: *const Sprite,
    count: usize,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, sprites, texture, list) = unsafe {
        let device = device(gallium);
        (device, object(device, sprites), object(device, texture), slice(list, count))
    };
    answer(device, |raster| {
        if !SPRITES {
            return Err(Code::Unsupported.into());
        }
        let (sprites, texture) = (sprites?, texture?);
        for part in list?.chunks(SPRITES_PER_DRAW) {
            let mut room = [kit::Sprite::default(); SPRITES_PER_DRAW];
            for (to, from) in room.iter_mut().zip(part) {
                *to = from.into();
            }
            sprites.draw(raster, texture, room.get(..part.len()).unwrap_or(&[]))?;
        }
        Ok(())
    })
}

/// Returns an upright sprite of the whole texture, by its centre and by half its width and half its
/// height in clip space, where the picture is from -1 to 1, y up. A negative half width mirrors it.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_sprite_of(center: Vec2, half: Vec2) -> Sprite {
    kit::Sprite::new(center.into(), half.into()).into()
}

/// Returns a sprite turned about its centre, counter-clockwise by an angle in radians, as it appears
/// on a square picture.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_sprite_turned(center: Vec2, half: Vec2, angle: f32) -> Sprite {
    kit::Sprite::turned(center.into(), half.into(), angle).into()
}

/// Returns the upright sprite of a rectangle in pixels, x right and y down, on a picture of `size`
/// pixels.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_sprite_pixels(corner: Vec2, sides: Vec2, size: Vec2) -> Sprite {
    kit::Sprite::pixels(corner.into(), sides.into(), size.into()).into()
}
