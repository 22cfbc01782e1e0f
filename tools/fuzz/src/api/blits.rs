//! Clears, copies, blits, mipmaps.

use pipe_core::*;

use super::world::World;
use super::{Call, states};
use crate::Input;

pub(super) const CALLS: &[Call] =
    &[clear, clear, clear_render_target, clear_depth_stencil, copy, blit, blit, mipmaps];

fn clear(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let buffers = ClearFlags::from_bits_retain(input.word());
    let scissor = if input.once_in(3) { Some(states::scissor(input)) } else { None };
    let (color, depth, stencil) = (states::color(input), input.float(), input.byte());
    let context = world.context();
    let _ = context.clear(buffers, scissor.as_ref(), &color, f64::from(depth), stencil);
}

fn clear_render_target(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(surface) = world.surfaces.any(input) else { return };
    let (color, region) = (states::color(input), states::region(input));
    let _ = world.context().clear_render_target(surface, &color, &region, input.flag());
}

fn clear_depth_stencil(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(surface) = world.surfaces.any(input) else { return };
    let buffers = ClearFlags::from_bits_retain(input.word());
    let (depth, stencil) = (f64::from(input.float()), input.byte());
    let (region, conditional) = (states::region(input), input.flag());
    let context = world.context();
    let _ = context.clear_depth_stencil(surface, buffers, depth, stencil, &region, conditional);
}

fn copy(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let (Some(dst), Some(src)) = (world.resources.any(input), world.resources.any(input)) else {
        return;
    };
    let [dst_level, src_level] = input.array(|input| input.up_to(1));
    let [x, y, z] = input.array(|input| input.up_to(16));
    let region = states::region(input);
    let context = world.context();
    let _ = context.resource_copy_region(dst, dst_level, x, y, z, src, src_level, &region);
}

/// Returns one end of a blit, mostly in the format of its resource.
fn end(world: &World<'_, '_>, input: &mut Input<'_>) -> Option<BlitSurface> {
    let resource = world.resources.any(input)?;
    let own = world.screen.resource_template(resource).map_or(Format::None, |it| it.format);
    let format = if input.once_in(8) { states::format(input) } else { own };
    let level = if input.once_in(4) { input.up_to(3) } else { 0 };
    Some(BlitSurface { resource, level, region: states::region(input), format })
}

fn blit(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let (Some(dst), Some(src)) = (end(world, input), end(world, input)) else { return };
    let depth = src.format.is_depth_or_stencil();
    let usual = if depth { BlitMask::ZS } else { BlitMask::RGBA };
    let info = BlitInfo {
        dst,
        src,
        mask: if input.once_in(4) { BlitMask::from_bits_retain(input.byte()) } else { usual },
        filter: input.pick(TexFilter::ALL),
        scissor: if input.once_in(3) { Some(states::scissor(input)) } else { None },
        window_rectangles: WindowRectangles::default(),
        render_condition_enable: input.flag(),
        alpha_blend: input.once_in(6),
        sample0_only: input.once_in(24),
    };
    let _ = world.context().blit(&info);
}

fn mipmaps(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let own = world.screen.resource_template(resource).map_or(Format::None, |it| it.format);
    let format = if input.once_in(8) { states::format(input) } else { own };
    let [base, last] = input.array(|input| input.up_to(4));
    let [first_layer, last_layer] = input.array(|input| input.up_to(6));
    let context = world.context();
    let _ = context.generate_mipmap(resource, format, base, last, first_layer, last_layer);
}
