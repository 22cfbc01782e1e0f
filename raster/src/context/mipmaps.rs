//! Generation of mipmaps: each level is the mean of the texels of the level above.

use core::ops::{Range, RangeInclusive};

use formats::Format;
use pipe_core::state::TexFilter;
use pipe_core::{BlitInfo, BlitSurface, PipeError, Region, ResourceHandle, TextureTarget};

use super::Context;
use crate::device::resource;
use crate::profile::Profile;

impl<P: Profile> Context<'_, '_, P> {
    /// Fills the level below each of `levels` from it, in some layers, seen in `format`. Slices of 3D
    /// textures are filled all.
    ///
    /// # Errors
    /// No such level or layer. [`PipeError::Unsupported`]: targets without levels, several samples.
    /// [`PipeError::UnsupportedFormat`]: integers, depth, compressed blocks.
    pub(super) fn mipmaps(
        &mut self,
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
        self.begin()?;
        for level in levels {
            let end = |level: u32| -> Result<BlitSurface, PipeError> {
                let whole = template.level_region(level);
                let whole = whole.ok_or(PipeError::Invalid("a level that is not there"))?;
                let region = match template.target {
                    TextureTarget::Texture3D => whole,
                    _ => in_layers(whole, &layers)?,
                };
                Ok(BlitSurface { resource: handle, level, region, format })
            };
            let blit = BlitInfo::new(end(level + 1)?, end(level)?, TexFilter::Linear);
            let blitted = self.blit_now(&blit);
            self.note_stop(blitted)?;
        }
        Ok(())
    }
}

/// Confines the box of a whole level to layers.
fn in_layers(whole: Region, layers: &RangeInclusive<u32>) -> Result<Region, PipeError> {
    let last = whole.depth.saturating_sub(1).max(0) as u32;
    PipeError::at_most("last_layer", (*layers.end()).into(), last.into())?;
    PipeError::at_most("first_layer", (*layers.start()).into(), (*layers.end()).into())?;
    let (first, count) = (*layers.start() as i32, layers.end() - layers.start() + 1);
    Ok(Region { z: first, depth: count as i32, ..whole })
}
