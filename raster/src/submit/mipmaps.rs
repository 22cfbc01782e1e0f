//! Mipmap generation. Each texel is the mean of the area that it covers in the next larger level:
//! four texels if sizes are even, parts of up to nine if they are odd. Volumes shrink in depth too.
//! sRGB colours are averaged in linear light.

use core::ops::{Range, RangeInclusive};

use formats::Format;
use pipe_core::state::TexFilter;
use pipe_core::{BlitInfo, BlitSurface, PipeError, Region, ResourceHandle, TextureTarget};

use super::Renderer;
use crate::blit::average_level;
use crate::device::resource;
use crate::lanes::Target;
use crate::profile::Profile;
use crate::state::State;

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Fills the next smaller level of each of `levels`, in some layers and in the format `format`.
    /// Fills all slices of 3D textures.
    ///
    /// # Errors
    /// No such level or layer. [`PipeError::Unsupported`]: targets without levels, several samples.
    /// [`PipeError::UnsupportedFormat`]: integers, depth, compressed blocks.
    pub(crate) fn mipmaps(
        &mut self,
        state: &mut State<'m>,
        handle: ResourceHandle,
        format: Format,
        levels: Range<u32>,
        layers: RangeInclusive<u32>,
    ) -> Result<(), PipeError> {
        let template = resource(&self.device.shared.lock().resources, handle)?.template;
        if matches!(template.target, TextureTarget::Buffer | TextureTarget::Rect) {
            return Err(PipeError::Unsupported("mipmaps of this target"));
        }
        if template.samples() > 1 {
            return Err(PipeError::Unsupported("mipmaps of several samples"));
        }
        if !format.is_texel() || format.is_pure_integer() || format.is_depth_or_stencil() {
            return Err(PipeError::UnsupportedFormat { format, usage: "a source of mipmaps" });
        }
        PipeError::at_most("last_level", levels.end.into(), template.last_level.into())?;
        self.begin(state)?;
        for level in levels {
            let end = |level: u32| -> Result<BlitSurface, PipeError> {
                let whole = template.level_region(level);
                let whole = whole.ok_or(PipeError::Invalid("the level does not exist"))?;
                let region = match template.target {
                    TextureTarget::Texture3D => whole,
                    _ => in_layers(whole, &layers)?,
                };
                Ok(BlitSurface { resource: handle, level, region, format })
            };
            let (from, to) = (end(level)?, end(level + 1)?);
            let is_volume = template.target == TextureTarget::Texture3D;
            let Region { width, height, depth, .. } = from.region;
            let sizes = [width, height, if is_volume { depth } else { 1 }];
            let filled = match sizes.into_iter().all(|size| size == 1 || size % 2 == 0) {
                // Each texel is the mean of pairs: a linear filter computes it.
                true => self.blit_now(state, &BlitInfo::new(to, from, TexFilter::Linear)),
                false => {
                    let info = BlitInfo::new(to, from, TexFilter::Linear);
                    self.average_below(state, &info, is_volume)
                }
            };
            self.note_stop(state, filled)?;
        }
        Ok(())
    }

    /// Fills the destination's layers or slices from the next larger level, which is the source.
    ///
    /// # Errors
    /// The errors of a blit.
    fn average_below(
        &mut self,
        state: &mut State<'m>,
        info: &BlitInfo,
        is_volume: bool,
    ) -> Result<(), PipeError> {
        self.check_blit(info)?;
        let BlitInfo { src: from, dst: to, .. } = info;
        let (above, below) = ((from.resource, from.level), (to.resource, to.level));
        self.between_levels(state, above, below, |renderer, (_, above), place, bytes| {
            let layers = bytes.chunks_exact_mut(place.layer_stride.max(1)).zip(0..);
            let first = to.region.z.max(0) as usize;
            for (bytes, layer) in layers.skip(first).take(to.region.depth.max(0) as usize) {
                let mut target = Target {
                    bytes,
                    stride: place.row_stride,
                    format: to.format,
                    width: place.width,
                    height: place.height,
                };
                let work = renderer.device.work;
                average_level(&above, from.format, layer, is_volume, &mut target, work);
            }
            Ok(())
        })
    }
}

/// Restricts the box of a whole level to layers.
fn in_layers(whole: Region, layers: &RangeInclusive<u32>) -> Result<Region, PipeError> {
    let last = whole.depth.saturating_sub(1).max(0) as u32;
    PipeError::at_most("last_layer", (*layers.end()).into(), last.into())?;
    PipeError::at_most("first_layer", (*layers.start()).into(), (*layers.end()).into())?;
    let (first, count) = (*layers.start() as i32, layers.end() - layers.start() + 1);
    Ok(Region { z: first, depth: count as i32, ..whole })
}
