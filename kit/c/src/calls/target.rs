//! Pictures that draws go to.

use gallium::kit;

use super::panel::Callbacks;
use super::{device, object, place, reference};
use crate::data::{Color, Depth, Filter, Format, Panel, Wrap};
use crate::error::Code;
use crate::object::{Gallium, Target, Texture, answer, hand_over};

/// Creates a target of `width` times `height` pixels that has no memory: `gallium_present` draws it
/// tile by tile. `format` is a constant of `gallium_format`, `depth` one of `gallium_depth`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_target_create(
    gallium: *mut Gallium,
    format: u32,
    depth: u32,
    width: u32,
    height: u32,
    target: *mut *mut Target,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, target) = unsafe { (device(gallium), place(target)) };
    answer(device, |raster| {
        let (target, format, depth) = (target?, Format::of(format)?, Depth::of(depth)?);
        let made = kit::Target::panel(raster, format, depth, [width, height])?;
        Ok(hand_over(raster.memory, made, target)?)
    })
}

/// Creates a target in memory of the `gallium`, and the texture that shows it. `filter` is a
/// constant of `gallium_filter`, `wrap` one of `gallium_wrap`.
///
/// Needs an archive with the feature `textured` or `any`.
#[allow(clippy::too_many_arguments, reason = "C has no type for pairs")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_target_create_texture(
    gallium: *mut Gallium,
    format: u32,
    depth: u32,
    width: u32,
    height: u32,
    filter: u32,
    wrap: u32,
    target: *mut *mut Target,
    texture: *mut *mut Texture,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, target, texture) = unsafe { (device(gallium), place(target), place(texture)) };
    answer(device, |raster| {
        let (target, texture) = (target?, texture?);
        let (format, depth) = (Format::of(format)?, Depth::of(depth)?);
        let sampler = Filter::of(filter)?(Wrap::of(wrap)?);
        let (made, shown) = kit::Target::texture(raster, format, depth, [width, height], &sampler)?;
        hand_over(raster.memory, made, target)?;
        Ok(hand_over(raster.memory, shown, texture)?)
    })
}

/// Begins a picture: the next draws go to the target, which is filled with a colour; depth is the
/// farthest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_begin(
    gallium: *mut Gallium,
    target: *const Target,
    color: Color,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, target) = unsafe {
        let device = device(gallium);
        (device, object(device, target))
    };
    answer(device, |raster| {
        Ok(target?.begin(raster, [color.red, color.green, color.blue, color.alpha])?)
    })
}

/// Continues a picture: the next draws go to the target, on top of its pixels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_continue(gallium: *mut Gallium, target: *const Target) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, target) = unsafe {
        let device = device(gallium);
        (device, object(device, target))
    };
    answer(device, |raster| Ok(target?.bind(raster)?))
}

/// Draws the picture and sends it to a display, tile by tile. Every pixel was sent when it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_present(
    gallium: *mut Gallium,
    target: *const Target,
    panel: *const Panel,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, target, panel) = unsafe {
        let device = device(gallium);
        let panel = reference(panel).map(|panel| Callbacks::new(panel));
        (device, object(device, target), panel)
    };
    answer(device, |raster| {
        let mut panel = panel?.ok_or(Code::NullPointer)?;
        Ok(target?.present(raster, &mut panel)?)
    })
}
