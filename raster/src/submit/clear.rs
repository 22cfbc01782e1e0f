//! Clears of the framebuffer, surfaces, texels and bytes.

use pipe_core::{PipeError, Region, ResourceHandle, ScissorState, SurfaceHandle};

use super::Renderer;
use crate::budget::{PIECE, bands};
use crate::clear;
use crate::device::{is_idle, resource_mut};
use crate::features::{ES2, STAGES, STATE_CHECKS};
use crate::frame::Framebuffer;
use crate::lanes::{COLOR_BUFFERS, Target};
use crate::profile::Profile;
use crate::report::Features;
use crate::resource::SurfacePlace;
use crate::scene::{Clear, ClearError};
use crate::setup::Bounds;
use crate::state::unsupported::refuse;
use crate::state::{State, SurfaceObject, object};

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Clears the framebuffer, or the part of it within a scissor: adds the clear to the scene.
    ///
    /// # Errors
    /// Clears that this build lacks; out of memory; the errors of a flush.
    #[inline(always)]
    pub(crate) fn clear(
        &mut self,
        state: &mut State<'m>,
        clear: Clear,
        scissor: Option<&ScissorState>,
    ) -> Result<(), PipeError> {
        let (width, height) = (self.framebuffer.width, self.framebuffer.height);
        let whole = scissor.is_none_or(|scissor| {
            scissor.minx == 0
                && scissor.miny == 0
                && u32::from(scissor.maxx) >= width
                && u32::from(scissor.maxy) >= height
        });
        if !ES2 && !whole {
            return Err(PipeError::Unsupported("clears of parts of the framebuffer"));
        }
        let framebuffer = &self.framebuffer;
        self.device.note_used(|| match whole && !framebuffer.is_exceeded() {
            true => Features::empty(),
            false => Features::ES2,
        });
        let exceeded = STATE_CHECKS && !ES2 && framebuffer.is_exceeded();
        refuse(exceeded, "clears of attachments of mixed sizes (the feature `es2` has them)")?;
        let mut clear = clear;
        if ES2 {
            let part = scissor.map(|scissor| Bounds {
                x0: scissor.minx.into(),
                y0: scissor.miny.into(),
                x1: scissor.maxx.into(),
                y1: scissor.maxy.into(),
            });
            let cleared = self.clear_beyond(state, &clear, part.as_ref());
            self.note_stop(state, cleared)?;
            if let (Some(part), false) = (part, whole) {
                let all = Bounds { x0: 0, y0: 0, x1: width as i32, y1: height as i32 };
                let part = part.intersect(&all);
                if part.is_empty() {
                    return Ok(());
                }
                clear.part.set(Some(part));
            }
        }
        match self.scene.clear(&clear) {
            Ok(()) => Ok(()),
            Err(ClearError::Memory(error)) => Err(error.into()),
            Err(ClearError::Full) => self.clear_again(state, &clear),
        }
    }

    /// Clears after a flush, because the scene has no room for the clear.
    ///
    /// # Errors
    /// The errors of a flush; the scene's memory has no room for one clear.
    #[inline(always)]
    fn clear_again(&mut self, state: &mut State<'m>, clear: &Clear) -> Result<(), PipeError> {
        if ES2 && self.framebuffer.is_streamed() {
            let error = self.scene.too_small();
            self.scene.spill(u32::MAX);
            self.touch();
            return Err(error);
        }
        let flushed = self.leave_scene(state);
        self.note_stop(state, flushed)?;
        if !ES2 {
            self.scene.initial = Some(*clear);
            return Ok(());
        }
        self.scene.clear(clear).map_err(|error| match error {
            ClearError::Memory(error) => error.into(),
            ClearError::Full => self.scene.too_small(),
        })
    }
}

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Runs `clear` on a rectangle of each layer of a surface.
    ///
    /// # Errors
    /// A stale handle; a rectangle beyond the surface; the errors of a flush.
    pub(crate) fn clear_surface(
        &mut self,
        state: &mut State<'m>,
        surface: SurfaceHandle,
        region: &Region,
        clear: impl FnMut(&mut Target<'_>, [u32; 4]),
    ) -> Result<(), PipeError> {
        let surface = *object(&state.objects.surfaces, surface)?;
        self.flush_if_used(state, surface.resource)?;
        let rect = [region.x, region.y, region.width, region.height];
        self.fill_surface(&surface, [0; 3], clear, |place| {
            PipeError::within(region, [place.width, place.height, 1])?;
            Ok(rect.map(|value| value as u32))
        })
    }

    /// Runs `clear` on a rectangle of each layer of a surface, except on the first `kept` columns,
    /// rows and layers. `rect` returns the rectangle.
    fn fill_surface(
        &self,
        surface: &SurfaceObject,
        kept: [u32; 3],
        mut clear: impl FnMut(&mut Target<'_>, [u32; 4]),
        rect: impl FnOnce(&SurfacePlace) -> Result<[u32; 4], PipeError>,
    ) -> Result<(), PipeError> {
        let drawn = surface.resource;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, drawn))?;
        let Some(resource) = shared.resources.get_mut(drawn) else {
            return Err(PipeError::Invalid("the surface's resource was destroyed"));
        };
        let Some(place) = resource.surface(&surface.template) else { return Ok(()) };
        let rect = rect(&place)?;
        let samples = resource.samples();
        let bytes = resource.bytes_mut(place.level)?;
        let layers = if STAGES { place.layers } else { 1 };
        let mut clear_layers = || {
            for layer in 0..layers {
                let start = place.offset + layer as usize * place.layer_stride;
                let mut target = Target {
                    bytes: bytes.get_mut(start..).unwrap_or(&mut []),
                    stride: place.row_stride,
                    format: surface.template.format,
                    width: place.width,
                    height: place.height,
                };
                let mut planes = target.all_planes(samples);
                let [columns, rows, kept_layers] = kept;
                let kept = if layer < kept_layers { [columns, rows] } else { [0; 2] };
                for [x, y, width, height] in outside(rect, kept) {
                    for [first, count] in bands(y * samples, height * samples, planes.stride) {
                        self.device.work.spend(count.into())?;
                        clear(&mut planes, [x, first, width, count]);
                    }
                }
            }
            Ok(())
        };
        let cleared = clear_layers();
        let end = place.offset + layers as usize * place.layer_stride;
        resource.drop_absent(place.level, place.offset..end);
        cleared
    }

    /// Clears the pixels of the attachments beyond the framebuffer's area: the pixels in `part`, or
    /// all. It clears at once, because draws do not reach these pixels.
    ///
    /// # Errors
    /// The errors of a flush.
    fn clear_beyond(
        &mut self,
        state: &mut State<'m>,
        clear: &Clear,
        part: Option<&Bounds>,
    ) -> Result<(), PipeError> {
        let Framebuffer { width, height, attachments, .. } = self.framebuffer;
        let kept = [width, height, self.framebuffer.layers()];
        let samples = self.framebuffer.samples();
        let surfaces = state.bound.framebuffer;
        let handles = surfaces.cbufs.iter().take(COLOR_BUFFERS).chain([&surfaces.zsbuf]);
        for (index, (attachment, handle)) in attachments.iter().zip(handles).enumerate() {
            let (Some(attachment), Some(handle)) = (attachment, handle) else { continue };
            let wanted = match index < COLOR_BUFFERS {
                true => clear.color_buffers >> index & 1 != 0,
                false => clear.depth.is_some() || clear.stencil.is_some(),
            };
            if !wanted || attachment.is_streamed() || !attachment.exceeds(kept, samples) {
                continue;
            }
            self.finish_if_used(state, attachment.resource)?;
            let surface = *object(&state.objects.surfaces, *handle)?;
            let bits = clear.color.get(index).copied().unwrap_or_default();
            let fill = |target: &mut Target<'_>, rect| match index < COLOR_BUFFERS {
                true => clear::color(target, bits, rect),
                false => clear::depth_stencil(target, clear.depth, clear.stencil, rect),
            };
            self.fill_surface(&surface, kept, fill, |place| {
                let (width, height) = (place.width as i32, place.height as i32);
                let whole = Bounds { x0: 0, y0: 0, x1: width, y1: height };
                let part = part.map_or(whole, |part| part.intersect(&whole));
                if part.is_empty() {
                    return Ok([0; 4]);
                }
                let Bounds { x0, y0, x1, y1 } = part;
                Ok([x0, y0, x1 - x0, y1 - y0].map(|value| value as u32))
            })?;
        }
        Ok(())
    }
}

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Fills a region of a level with a texel.
    ///
    /// # Errors
    /// A stale handle; a region beyond the level; a value of less than a texel; the errors of a
    /// flush.
    pub(crate) fn fill_texture(
        &mut self,
        state: &mut State<'m>,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.flush_if_used(state, handle.raw())?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let resource = resource_mut(&mut shared.resources, handle)?;
        let format = resource.template.format;
        if texel.len() < format.block_bytes() || format.block_bytes() > 16 {
            return Err(PipeError::Invalid("the clear value is shorter than a texel"));
        }
        let Some(place) = resource.place(level).copied() else {
            return Err(PipeError::Invalid("the level does not exist"));
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

    /// Fills a part of a buffer with a value, which is not empty.
    ///
    /// # Errors
    /// A stale handle; a part beyond the buffer; the errors of a flush.
    pub(crate) fn fill_buffer(
        &mut self,
        state: &mut State<'m>,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        self.flush_if_used(state, handle.raw())?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let resource = resource_mut(&mut shared.resources, handle)?;
        let limit = resource.template.width0;
        PipeError::within(&Region::bytes(offset, size), [limit, 1, 1])?;
        let start = offset as usize;
        let bytes = resource.bytes_mut(0)?.get_mut(start..start + size as usize);
        let values = (PIECE / value.len().max(1)).max(1);
        let texel = clear::Texel::from_bytes(value);
        let mut filled = Ok(());
        for piece in bytes.unwrap_or(&mut []).chunks_mut(values.saturating_mul(value.len()).max(1))
        {
            filled = self.device.work.spend(1);
            if filled.is_err() {
                break;
            }
            if texel.size() == value.len() {
                texel.fill(piece);
                continue;
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
}

/// Returns the pixels of a rectangle outside of the first `columns` and `rows`: the pixels to the
/// right, and the pixels below.
fn outside([x, y, width, height]: [u32; 4], [columns, rows]: [u32; 2]) -> [[u32; 4]; 2] {
    let (right, bottom) = (x + width, y + height);
    let (left, top) = (columns.clamp(x, right), rows.clamp(y, bottom));
    [[left, y, right - left, height], [x, top, left - x, bottom - top]]
}
