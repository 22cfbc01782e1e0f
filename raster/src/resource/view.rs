//! Sampler views without their resources.

use formats::Format;
use os_shim::pool::RawHandle;
use pipe_core::{SamplerState, SamplerViewRange, SamplerViewTemplate, Swizzle, TextureTarget};

use super::Resource;
use crate::features::{ES2, Only, PALETTES, SPANS};
use crate::lanes::Level;
use crate::texture::TextureView;

/// A sampler view without its resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ViewState {
    pub(crate) format: Format,
    pub(crate) target: TextureTarget,
    pub(crate) swizzle: [Swizzle; 4],
    pub(crate) range: SamplerViewRange,
    /// The width and height of the first level, if it has one layer and one sample per texel;
    /// otherwise zeros.
    pub(crate) sides: [u32; 2],
    /// True if the rows of all levels follow each other without gaps, aligned to 16 bits.
    pub(crate) packed: bool,
    /// The bits of a texel that is an index into a palette.
    pub(crate) index_bits: Only<Option<u32>, { PALETTES as usize }>,
}

impl ViewState {
    /// Returns the state of a view of a resource.
    pub(crate) fn new(template: &SamplerViewTemplate, resource: &Resource<'_>) -> ViewState {
        let mut view = ViewState {
            format: template.format,
            target: template.target,
            swizzle: template.swizzle,
            range: template.range,
            sides: [0; 2],
            packed: true,
            index_bits: Only::new(super::index_bits(&resource.template)),
        };
        if SPANS && let SamplerViewRange::Texture { first_level, last_level, .. } = template.range {
            let bytes = template.format.block_bytes();
            for level in first_level..=last_level {
                let Some(place) = resource.place(level) else { break };
                let plain = place.layers == 1 && resource.samples() == 1;
                if level == first_level && plain {
                    view.sides = [place.width, place.height];
                }
                let row = place.width as usize * bytes;
                let address = resource.bytes(level).as_ptr().addr();
                // Rows of indices are shorter than rows of colours.
                view.packed &= place.row_stride == row
                    && place.size == row * place.height as usize
                    && (address.is_multiple_of(2) || resource.bytes(level).is_empty());
            }
        }
        view
    }

    /// Returns the largest number of mip levels that the view shows.
    pub(crate) fn levels(&self) -> usize {
        match self.range {
            SamplerViewRange::Texture { first_level, last_level, .. } => {
                (last_level.saturating_sub(first_level) + 1) as usize
            }
            SamplerViewRange::Buffer { .. } => 1,
        }
    }

    /// Returns the first and the last mip level that the view shows; 0 and 0 for buffers.
    pub(crate) fn first_and_last_level(&self) -> (u32, u32) {
        match self.range {
            SamplerViewRange::Texture { first_level, last_level, .. } => (first_level, last_level),
            SamplerViewRange::Buffer { .. } => (0, 0),
        }
    }

    /// Returns the view over these levels.
    pub(crate) fn of<'a>(&self, levels: &'a [Level<'a>]) -> TextureView<'a> {
        let (first_layer, last_layer) = match self.range {
            SamplerViewRange::Texture { first_layer, last_layer, .. } => (first_layer, last_layer),
            SamplerViewRange::Buffer { .. } => (0, 0),
        };
        let (format, target, swizzle) = (self.format, self.target, self.swizzle);
        TextureView { format, target, swizzle, levels, first_layer, last_layer }
    }
}

/// The view and the sampler state that are bound to a texture unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureBinding {
    /// The number of the view's unit, or the handle that names view and sampler.
    pub(crate) unit: u32,
    /// The number of the sampler's unit, or the handle again.
    pub(crate) sampler_unit: Only<u32, { ES2 as usize }>,
    pub(crate) resource: RawHandle,
    pub(crate) view: ViewState,
    pub(crate) sampler: SamplerState,
}

impl TextureBinding {
    /// Returns true if a lookup with these numbers of view and sampler reads this binding.
    #[inline(always)]
    pub(crate) fn is_at(&self, view: u32, sampler: u32) -> bool {
        // Without sampler units, programs use the same number for both.
        self.unit == view && self.sampler_unit.get().is_none_or(|unit| *unit == sampler)
    }
}
