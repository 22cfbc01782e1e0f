//! Clears: of the framebuffer, of surfaces, of texels and bytes.

use pipe_core::context::Clearing;
use pipe_core::{ClearFlags, ColorUnion, PipeError, ScissorState};
#[cfg(feature = "clears")]
use pipe_core::{Region, ResourceHandle, SurfaceHandle, SurfaceRange};

use super::Context;
use crate::profile::Profile;
use crate::scene::{Clear, ClearError};
#[cfg(feature = "clears")]
use crate::{
    budget::{PIECE, bands},
    clear,
    device::{is_idle, resource_mut},
    lanes::Target,
};

#[cfg(feature = "clears")]
impl<P: Profile> Context<'_, '_, P> {
    /// Runs `clear` on a rectangle of each layer of a surface's region.
    fn clear_surface(
        &mut self,
        surface: SurfaceHandle,
        region: &Region,
        mut clear: impl FnMut(&mut Target<'_>, [u32; 4]),
    ) -> Result<(), PipeError> {
        let surface = *super::object(&self.objects.surfaces, surface)?;
        self.flush_if_used(surface.resource)?;
        let SurfaceRange::Texture { level, first_layer, last_layer } = surface.template.range
        else {
            return Err(PipeError::Unsupported("clearing buffers as surfaces"));
        };
        let drawn = surface.resource;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, drawn))?;
        let Some(resource) = shared.resources.get_mut(drawn) else {
            return Err(PipeError::Invalid("a surface whose resource is gone"));
        };
        let Some(place) = resource.place(level).copied() else { return Ok(()) };
        let size = [place.width, place.height, 1];
        PipeError::within(region, size)?;
        let rect = [region.x, region.y, region.width, region.height].map(|value| value as u32);
        let samples = resource.samples();
        let bytes = resource.bytes_mut(level)?;
        let last_layer = if crate::features::STAGES { last_layer } else { first_layer };
        let mut clear_layers = || {
            for layer in first_layer..=last_layer {
                let start = layer as usize * place.layer_stride;
                let mut target = Target {
                    bytes: bytes.get_mut(start..).unwrap_or(&mut []),
                    stride: place.row_stride,
                    format: surface.template.format,
                    width: place.width,
                    height: place.height,
                };
                let [x, y, width, height] = rect;
                let mut planes = target.all_planes(samples);
                for [first, count] in bands(y * samples, height * samples, planes.stride) {
                    self.device.work.spend(count.into())?;
                    clear(&mut planes, [x, first, width, count]);
                }
            }
            Ok(())
        };
        let cleared = clear_layers();
        let first = first_layer as usize * place.layer_stride;
        let layers = last_layer.saturating_sub(first_layer) as usize + 1;
        resource.drop_absent(level, first..first + layers * place.layer_stride);
        cleared
    }
}

impl<P: Profile> Clearing for Context<'_, '_, P> {
    fn clear(
        &mut self,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        self.begin()?;
        if !self.condition_holds() {
            return Ok(());
        }
        let (width, height) = (self.framebuffer.width, self.framebuffer.height);
        let whole = scissor.is_none_or(|scissor| {
            scissor.minx == 0
                && scissor.miny == 0
                && u32::from(scissor.maxx) >= width
                && u32::from(scissor.maxy) >= height
        });
        #[cfg(feature = "clears")]
        if let (false, Some(scissor)) = (whole, scissor) {
            return self.clear_scissored(buffers, scissor, color, depth, stencil);
        }
        if !whole {
            return Err(PipeError::Unsupported("clears of parts of the framebuffer"));
        }
        let mut clear = Clear {
            depth: buffers.contains(ClearFlags::DEPTH).then_some(depth as f32),
            stencil: buffers.contains(ClearFlags::STENCIL).then_some(stencil),
            ..Clear::default()
        };
        for (index, value) in clear.color.iter_mut().enumerate() {
            if buffers.contains(ClearFlags::color(index)) {
                clear.color_buffers |= 1 << index;
                *value = color.bits;
            }
        }
        match self.scene.clear(&clear) {
            Ok(()) => Ok(()),
            Err(ClearError::Memory(error)) => Err(error.into()),
            Err(ClearError::Full) => {
                let flushed = self.flush_scene();
                self.note_stop(flushed)?;
                self.scene.initial = Some(clear);
                Ok(())
            }
        }
    }

    #[cfg(feature = "clears")]
    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.begin()?;
        if render_condition_enabled && !self.condition_holds() {
            return Ok(());
        }
        let bits = color.bits;
        let cleared =
            self.clear_surface(surface, region, |target, rect| clear::color(target, bits, rect));
        self.note_stop(cleared)
    }

    #[cfg(feature = "clears")]
    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.begin()?;
        if render_condition_enabled && !self.condition_holds() {
            return Ok(());
        }
        let depth = buffers.contains(ClearFlags::DEPTH).then_some(depth as f32);
        let stencil = buffers.contains(ClearFlags::STENCIL).then_some(stencil);
        let cleared = self.clear_surface(surface, region, |target, rect| {
            clear::depth_stencil(target, depth, stencil, rect);
        });
        self.note_stop(cleared)
    }

    #[cfg(feature = "clears")]
    fn clear_texture(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.begin()?;
        let cleared = self.fill_texture(handle, level, region, texel);
        self.note_stop(cleared)
    }

    #[cfg(feature = "clears")]
    fn clear_buffer(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        if value.is_empty() || !(size as usize).is_multiple_of(value.len()) {
            return Err(PipeError::Invalid("a clear of no whole number of values"));
        }
        self.begin()?;
        let cleared = self.fill_buffer(handle, offset, size, value);
        self.note_stop(cleared)
    }
}

#[cfg(feature = "clears")]
impl<P: Profile> Context<'_, '_, P> {
    /// Does the work of [`Clearing::clear_texture`].
    fn fill_texture(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.flush_if_used(handle.raw())?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let resource = resource_mut(&mut shared.resources, handle)?;
        let format = resource.template.format;
        if texel.len() < format.block_bytes() || format.block_bytes() > 16 {
            return Err(PipeError::Invalid("a clear value of less than a texel"));
        }
        let Some(place) = resource.place(level).copied() else {
            return Err(PipeError::Invalid("a level that is not there"));
        };
        let size = [place.width, place.height, place.layers];
        PipeError::within(region, size)?;
        let texel = clear::Texel::from_bytes(texel.get(..format.block_bytes()).unwrap_or(texel));
        let samples = resource.samples();
        let bytes = resource.bytes_mut(level)?;
        let mut fill = || {
            let layers = bytes.chunks_exact_mut(place.layer_stride.max(1));
            for layer in layers.skip(region.z as usize).take(region.depth as usize) {
                let mut target = Target {
                    bytes: layer,
                    stride: place.row_stride,
                    format,
                    width: place.width,
                    height: place.height,
                };
                let [x, y, width, height] =
                    [region.x, region.y, region.width, region.height].map(|value| value as u32);
                let mut planes = target.all_planes(samples);
                for [first, count] in bands(y * samples, height * samples, planes.stride) {
                    self.device.work.spend(count.into())?;
                    clear::rows(&mut planes, x, first, width, count)
                        .for_each(|row| texel.fill(row));
                }
            }
            Ok(())
        };
        let filled = fill();
        resource.drop_absent(level, 0..place.size);
        filled
    }

    /// Does the work of [`Clearing::clear_buffer`]; `value` is not empty.
    fn fill_buffer(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        self.flush_if_used(handle.raw())?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let resource = resource_mut(&mut shared.resources, handle)?;
        let limit = resource.template.width0;
        PipeError::within(&Region::bytes(offset, size), [limit, 1, 1])?;
        let start = offset as usize;
        let bytes = resource.bytes_mut(0)?.get_mut(start..start + size as usize);
        let values = (PIECE / value.len().max(1)).max(1);
        let mut filled = Ok(());
        for piece in bytes.unwrap_or(&mut []).chunks_mut(values.saturating_mul(value.len()).max(1))
        {
            filled = self.device.work.spend(1);
            if filled.is_err() {
                break;
            }
            for slot in piece.chunks_exact_mut(value.len()) {
                slot.copy_from_slice(value);
            }
        }
        resource.drop_absent(0, start..start + size as usize);
        drop(shared);
        self.touch();
        filled
    }

    /// Clears a part of the framebuffer, at once.
    fn clear_scissored(
        &mut self,
        buffers: ClearFlags,
        scissor: &ScissorState,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        let state = self.bound.framebuffer;
        let (width, height) = (self.framebuffer.width, self.framebuffer.height);
        let (x, y) = (u32::from(scissor.minx).min(width), u32::from(scissor.miny).min(height));
        let right = u32::from(scissor.maxx).clamp(x, width);
        let bottom = u32::from(scissor.maxy).clamp(y, height);
        let region = Region::rect(x, y, right - x, bottom - y);
        if region.is_empty() {
            return Ok(());
        }
        for (index, surface) in state.cbufs.iter().enumerate() {
            if let Some(surface) = surface
                && buffers.contains(ClearFlags::color(index))
            {
                self.clear_render_target(*surface, color, &region, true)?;
            }
        }
        if let Some(surface) = state.zsbuf
            && buffers.intersects(ClearFlags::DEPTH_STENCIL)
        {
            self.clear_depth_stencil(surface, buffers, depth, stencil, &region, true)?;
        }
        Ok(())
    }
}
