//! The template of a resource: its sizes, level by level.

use formats::Format;

use super::target::{Bind, ResourceFlags, TextureTarget, Usage};
use crate::key::brief;
use crate::region::Region;

/// What a resource is to be. The members of `pipe_resource` that a frontend fills out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResourceTemplate {
    /// Its shape.
    pub target: TextureTarget,
    /// Its format.
    pub format: Format,
    /// Width of level 0 in texels; the size of a buffer in bytes.
    pub width0: u32,
    /// Height of level 0; 1 for buffers and 1D textures.
    pub height0: u32,
    /// Slices of level 0; 1 for all but 3D textures.
    pub depth0: u32,
    /// Layers; 6 for cube maps, 6n for cube arrays, 1 for what has none.
    pub array_size: u32,
    /// The last mipmap level.
    pub last_level: u32,
    /// Samples of a pixel; 0 and 1 are not multisampled.
    pub nr_samples: u8,
    /// Colours stored for a pixel's samples, at most `nr_samples`; 0 is the same number.
    pub nr_storage_samples: u8,
    /// How it will be used.
    pub usage: Usage,
    /// What it will be bound as.
    pub bind: Bind,
    /// Its properties.
    pub flags: ResourceFlags,
}

impl Default for ResourceTemplate {
    /// A 2D texture of one texel and no format.
    fn default() -> Self {
        Self {
            target: TextureTarget::Texture2D,
            format: Format::None,
            width0: 1,
            height0: 1,
            depth0: 1,
            array_size: 1,
            last_level: 0,
            nr_samples: 0,
            nr_storage_samples: 0,
            usage: Usage::Default,
            bind: Bind::empty(),
            flags: ResourceFlags::empty(),
        }
    }
}

brief!(ResourceTemplate {
    target,
    format,
    width0,
    height0,
    depth0,
    array_size,
    last_level,
    nr_samples,
    nr_storage_samples,
    usage,
    bind,
    flags,
});

impl ResourceTemplate {
    /// A buffer of `size` bytes.
    pub fn buffer(size: u32, bind: Bind) -> Self {
        Self {
            target: TextureTarget::Buffer,
            format: Format::R8Unorm,
            width0: size,
            bind,
            ..Self::default()
        }
    }

    /// A 2D texture of one level.
    pub fn texture_2d(format: Format, width: u32, height: u32, bind: Bind) -> Self {
        Self { format, width0: width, height0: height, bind, ..Self::default() }
    }

    /// The same with a full chain of mipmaps.
    #[must_use]
    pub fn mipmapped(mut self) -> Self {
        self.last_level = self.last_possible_level();
        self
    }

    /// A display target without storage, streamed tile by tile.
    pub fn streamed(format: Format, width: u32, height: u32) -> Self {
        Self {
            flags: ResourceFlags::STREAMED,
            ..Self::texture_2d(
                format,
                width,
                height,
                Bind::RENDER_TARGET.union(Bind::DISPLAY_TARGET),
            )
        }
    }

    /// Samples of a pixel, at least 1.
    pub fn samples(&self) -> u8 {
        self.nr_samples.max(1)
    }

    /// Samples stored of a pixel, at least 1.
    pub fn storage_samples(&self) -> u8 {
        if self.nr_storage_samples == 0 { self.samples() } else { self.nr_storage_samples }
    }

    /// Whether it is a buffer.
    pub fn is_buffer(&self) -> bool {
        self.target == TextureTarget::Buffer
    }

    /// Whether it has no storage.
    pub fn is_streamed(&self) -> bool {
        self.flags.contains(ResourceFlags::STREAMED)
    }

    /// The level at which the longest side is one texel; 0 without mipmaps.
    pub fn last_possible_level(&self) -> u32 {
        if !self.target.has_mipmaps() {
            return 0;
        }
        let longest = self.width0.max(self.height0).max(self.depth0);
        longest.max(1).ilog2()
    }

    /// Width, height, and slices (3D) or layers (everything else) of a level.
    ///
    /// `None` when there is no such level.
    pub fn level_size(&self, level: u32) -> Option<[u32; 3]> {
        (level <= self.last_level).then(|| {
            let z = match self.target {
                TextureTarget::Texture3D => minify(self.depth0, level),
                _ => self.array_size,
            };
            [minify(self.width0, level), minify(self.height0, level), z]
        })
    }

    /// The box that covers a level. `None` when there is no such level.
    pub fn level_region(&self, level: u32) -> Option<Region> {
        self.level_size(level).map(|[width, height, depth]| Region::whole(width, height, depth))
    }
}

/// The size of a side at a level: halved each time, rounded down, at least 1.
pub const fn minify(size: u32, level: u32) -> u32 {
    let size = if level < 32 { size >> level } else { 0 };
    if size == 0 { 1 } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_shrink_to_one_texel() {
        let volume = ResourceTemplate {
            target: TextureTarget::Texture3D,
            depth0: 3,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 20, 5, Bind::SAMPLER_VIEW)
        };
        let template = volume.mipmapped();
        assert_eq!(template.last_level, 4);
        let sizes = [[20, 5, 3], [10, 2, 1], [5, 1, 1], [2, 1, 1], [1, 1, 1]];
        for (level, size) in sizes.into_iter().enumerate() {
            assert_eq!(template.level_size(level as u32), Some(size));
        }
        assert_eq!(template.level_size(5), None);
        assert_eq!(minify(1, 40), 1);
        let cube = ResourceTemplate {
            target: TextureTarget::Cube,
            array_size: 6,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 8, 8, Bind::SAMPLER_VIEW)
        };
        let cube = cube.mipmapped();
        assert_eq!(cube.level_size(2), Some([2, 2, 6]));
        assert_eq!(cube.level_region(3), Some(Region::whole(1, 1, 6)));
    }
}
