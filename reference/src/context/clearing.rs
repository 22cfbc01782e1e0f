//! Clears, texel by texel.

use pipe_core::context::Clearing;
use pipe_core::{
    ClearFlags, ColorUnion, PipeError, Region, ResourceHandle, ScissorState, SurfaceHandle,
};

use super::{Context, object};
use crate::output::DepthStencilFormat;
use crate::resource::{Resource, Rows};
use crate::target::{Target, Texel};

/// Clears depth, stencil or both of a rectangle of a target.
fn clear_depth_stencil(
    target: &Target<'_>,
    buffers: ClearFlags,
    depth: f64,
    stencil: u8,
    region: &Region,
) -> Result<(), PipeError> {
    let Some(format) = DepthStencilFormat::of(target.format) else { return Ok(()) };
    target.change(region, |texel| {
        if buffers.contains(ClearFlags::DEPTH) {
            format.set_depth(texel, format.encode(depth));
        }
        if buffers.contains(ClearFlags::STENCIL) {
            format.set_stencil(texel, stencil);
        }
    })
}

/// Clears a rectangle of a colour target.
fn clear_color(target: &Target<'_>, color: &ColorUnion, region: &Region) -> Result<(), PipeError> {
    target.change(region, |texel| target.format.store_rgba_bits(color.bits, texel))
}

/// Returns the texels of a surface that a clear covers: those within the scissor, or all texels,
/// whatever the framebuffer's size. Returns `None` if there are none.
fn cleared(target: &Target<'_>, scissor: Option<&ScissorState>) -> Option<Region> {
    let whole = Region::whole(target.width, target.height, 1);
    let Some(scissor) = scissor else { return Some(whole) };
    let (x, y) = (u32::from(scissor.minx), u32::from(scissor.miny));
    let right = u32::from(scissor.maxx).max(x);
    let bottom = u32::from(scissor.maxy).max(y);
    let region = whole.intersection(&Region::rect(x, y, right - x, bottom - y));
    (!region.is_empty()).then_some(region)
}

impl Clearing for Context<'_, '_> {
    fn clear(
        &mut self,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        if !self.queries.condition_holds() {
            return Ok(());
        }
        let framebuffer = &self.bound.framebuffer;
        for (index, target) in framebuffer.color.iter().enumerate() {
            if let Some(target) = target
                && buffers.contains(ClearFlags::color(index))
                && let Some(region) = cleared(target, scissor)
            {
                clear_color(target, color, &region)?;
            }
        }
        if let Some(target) = &framebuffer.depth
            && let Some(region) = cleared(target, scissor)
        {
            clear_depth_stencil(target, buffers, depth, stencil, &region)?;
        }
        Ok(())
    }

    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        let target = &object(&self.objects.surfaces, surface)?.target;
        if render_condition_enabled && !self.queries.condition_holds() {
            return Ok(());
        }
        clear_color(target, color, region)
    }

    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        let target = &object(&self.objects.surfaces, surface)?.target;
        if render_condition_enabled && !self.queries.condition_holds() {
            return Ok(());
        }
        clear_depth_stencil(target, buffers, depth, stencil, region)
    }

    fn clear_texture(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        let resource = self.device.resource(handle)?;
        let size = resource.template.format.block_bytes();
        let Some(value) = texel.get(..size).filter(|_| size <= size_of::<Texel>()) else {
            return Err(PipeError::Invalid("the clear value is shorter than a texel"));
        };
        fill(&resource, resource.rows(level, region)?, value)
    }

    fn clear_buffer(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        if value.is_empty() || !(size as usize).is_multiple_of(value.len()) {
            return Err(PipeError::Invalid("the clear's size is not a multiple of the value's"));
        }
        let resource = self.device.resource(handle)?;
        fill(&resource, resource.rows(0, &Region::bytes(offset, size))?, value)
    }
}

/// Fills rows with repetitions of `value`, which must not be empty.
fn fill(resource: &Resource<'_>, rows: Rows, value: &[u8]) -> Result<(), PipeError> {
    resource.write(|bytes| {
        for (.., range) in resource.planes(rows).flat_map(Rows::iter) {
            let row = bytes.get_mut(range).unwrap_or(&mut []);
            row.chunks_exact_mut(value.len()).for_each(|slot| slot.copy_from_slice(value));
        }
    })
}
