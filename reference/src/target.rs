//! Targets: layers of one level of a resource, accessed texel by texel.

use std::sync::Arc;

use formats::Format;
use pipe_core::{BlitSurface, PipeError, Region, SurfaceRange, SurfaceTemplate};

use crate::resource::Resource;

/// The greatest size of a texel, in bytes.
const MAX_TEXEL: usize = 16;

/// A texel's bytes, followed by zeros.
pub(crate) type Texel = [u8; MAX_TEXEL];

/// Layers of a level that are drawn to, cleared or copied to, viewed as a format. Texels are taken
/// from the first layer.
#[derive(Clone, Debug)]
pub(crate) struct Target<'m> {
    resource: Arc<Resource<'m>>,
    level: u32,
    /// The first layer.
    layer: u32,
    /// The number of layers.
    pub(crate) layers: u32,
    /// The sample that texel accesses use.
    sample: u32,
    pub(crate) format: Format,
    /// In texels.
    pub(crate) width: u32,
    /// In texels.
    pub(crate) height: u32,
}

impl<'m> Target<'m> {
    /// Returns the layers that a surface covers; `None` for surfaces of buffers.
    pub(crate) fn of_surface(
        resource: &Arc<Resource<'m>>,
        template: &SurfaceTemplate,
    ) -> Option<Self> {
        let SurfaceRange::Texture { level, first_layer, last_layer } = template.range else {
            return None;
        };
        let first = Self::new(resource, level, first_layer, template.format)?;
        Some(Target { layers: last_layer - first_layer + 1, ..first })
    }

    /// Returns layer `layer` of the level at one end of a blit; `None` if there is no such layer.
    pub(crate) fn of_blit(
        resource: &Arc<Resource<'m>>,
        end: &BlitSurface,
        layer: u32,
    ) -> Option<Self> {
        Self::new(resource, end.level, layer, end.format)
    }

    /// Returns layer `layer` of level `level`; `None` if there is no such layer.
    pub(crate) fn new(
        resource: &Arc<Resource<'m>>,
        level: u32,
        layer: u32,
        format: Format,
    ) -> Option<Self> {
        let place = resource.layout.level(level).filter(|place| layer < place.layers)?;
        let (width, height) = (place.width, place.height);
        let (resource, layers, sample) = (resource.clone(), 1, 0);
        Some(Target { resource, level, layer, layers, sample, format, width, height })
    }

    /// Returns the resource.
    pub(crate) fn resource(&self) -> &Arc<Resource<'m>> {
        &self.resource
    }

    /// Returns the number of samples of a texel.
    pub(crate) fn samples(&self) -> u32 {
        self.resource.template.samples().into()
    }

    /// Returns the sample that texel accesses use.
    pub(crate) fn sample(&self) -> u32 {
        self.sample
    }

    /// Returns the same target for another sample.
    pub(crate) fn plane(&self, sample: u32) -> Target<'m> {
        Target { sample, ..self.clone() }
    }

    /// Returns one of the layers, counted from the first. Numbers beyond the last give the last.
    pub(crate) fn of_layer(&self, layer: u32) -> Target<'m> {
        let layer = self.layer + layer.min(self.layers - 1);
        Target { layer, layers: 1, ..self.clone() }
    }

    fn bytes_at(&self, x: u32, y: u32) -> core::ops::Range<usize> {
        let layout = &self.resource.layout;
        let plane = self.sample as usize * layout.sample_stride();
        let start = layout.offset(self.level, x, y, self.layer).map(|start| plane + start);
        start.map_or(0..0, |start| start..start + self.format.block_bytes().min(MAX_TEXEL))
    }

    /// Returns the texel at (`x`, `y`), or the block that contains it; zeros if it is outside.
    pub(crate) fn load(&self, x: u32, y: u32) -> Texel {
        let range = self.bytes_at(x, y);
        let mut texel = [0; MAX_TEXEL];
        self.resource.read(|bytes| {
            for (to, from) in texel.iter_mut().zip(bytes.get(range).unwrap_or(&[])) {
                *to = *from;
            }
        });
        texel
    }

    /// Replaces the texel at (`x`, `y`); does nothing if it is outside.
    ///
    /// # Errors
    /// The bytes are the frontend's.
    pub(crate) fn store(&self, x: u32, y: u32, texel: &Texel) -> Result<(), PipeError> {
        let range = self.bytes_at(x, y);
        self.resource.write(|bytes| {
            for (to, from) in bytes.get_mut(range).unwrap_or(&mut []).iter_mut().zip(texel) {
                *to = *from;
            }
        })
    }

    /// Applies `change` to each texel of a rectangle, in all layers and samples.
    ///
    /// # Errors
    /// [`PipeError::RegionOutOfRange`]: the rectangle leaves the level; the bytes are the
    /// frontend's.
    pub(crate) fn change(
        &self,
        region: &Region,
        mut change: impl FnMut(&mut Texel),
    ) -> Result<(), PipeError> {
        let size = [self.width, self.height, 1];
        if !(Region { z: 0, ..*region }).is_within(size) {
            return Err(PipeError::RegionOutOfRange { region: *region, size });
        }
        let planes = (0..self.layers)
            .flat_map(|layer| (0..self.samples()).map(move |sample| (layer, sample)));
        for (layer, sample) in planes {
            let plane = self.of_layer(layer).plane(sample);
            for y in region.y..region.y + region.height {
                for x in region.x..region.x + region.width {
                    let (x, y) = (x as u32, y as u32);
                    let mut texel = plane.load(x, y);
                    change(&mut texel);
                    plane.store(x, y, &texel)?;
                }
            }
        }
        Ok(())
    }
}
