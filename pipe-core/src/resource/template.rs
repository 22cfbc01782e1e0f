//! The template of a resource, and the sizes of its levels.

use formats::Format;

use super::target::{Bind, ResourceFlags, TextureTarget, Usage};
use crate::key::brief;
use crate::region::Region;

/// The description of a resource to create: the members of `pipe_resource` that a frontend fills
/// out.
///
/// ```
/// use gallium_pipe_core::{Bind, Format, ResourceError, ResourceTemplate};
///
/// let format = Format::R8G8B8A8Unorm;
/// let texture = ResourceTemplate::texture_2d(format, 20, 12, Bind::SAMPLER_VIEW).mipmapped();
/// assert_eq!(texture.level_size(2), Some([5, 3, 1]));
/// assert_eq!(texture.last_level, 4);
///
/// let flat = ResourceTemplate { height0: 0, ..texture };
/// assert_eq!(flat.validate(), Err(ResourceError::Zero("height0")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResourceTemplate {
    /// The shape.
    pub target: TextureTarget,
    /// The format; for buffers a format of one byte.
    pub format: Format,
    /// Width of level 0, in texels; the size of a buffer, in bytes.
    pub width0: u32,
    /// Height of level 0, in texels; 1 for buffers and 1D textures.
    pub height0: u32,
    /// Number of slices of level 0; 1 for all but 3D textures.
    pub depth0: u32,
    /// Number of layers: 6 for cube maps, a multiple of 6 for cube arrays, 1 for targets without
    /// layers.
    pub array_size: u32,
    /// Index of the last mipmap level; 0: level 0 only.
    pub last_level: u32,
    /// Number of samples of a pixel; 0 and 1 both mean one.
    pub nr_samples: u8,
    /// Number of samples with stored colour, at most `nr_samples`; 0 means all.
    pub nr_storage_samples: u8,
    /// The expected use; a hint.
    pub usage: Usage,
    /// Uses that the resource may be bound for.
    pub bind: Bind,
    /// Further properties.
    pub flags: ResourceFlags,
}

impl Default for ResourceTemplate {
    /// Returns a 2D texture of one texel without a format.
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
    /// Returns a buffer of `size` bytes.
    pub fn buffer(size: u32, bind: Bind) -> Self {
        Self {
            target: TextureTarget::Buffer,
            format: Format::R8Unorm,
            width0: size,
            bind,
            ..Self::default()
        }
    }

    /// Returns a 2D texture of one level, with sides in texels.
    pub fn texture_2d(format: Format, width: u32, height: u32, bind: Bind) -> Self {
        Self { format, width0: width, height0: height, bind, ..Self::default() }
    }

    /// Adds a full chain of mipmaps, down to one texel.
    #[must_use]
    pub fn mipmapped(mut self) -> Self {
        self.last_level = self.last_possible_level();
        self
    }

    /// Returns a display target without storage, which `present` draws tile by tile. Sides are in
    /// pixels.
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

    /// Returns a depth or depth-stencil buffer without storage. It belongs to the framebuffer of a
    /// [`streamed`](Self::streamed) target with the same sides, in pixels. Its values exist only
    /// during a tile.
    pub fn streamed_depth(format: Format, width: u32, height: u32) -> Self {
        let bind = Bind::DEPTH_STENCIL.union(Bind::DISPLAY_TARGET);
        let flags = ResourceFlags::STREAMED;
        Self { flags, ..Self::texture_2d(format, width, height, bind) }
    }

    /// Returns the number of samples of a pixel, at least 1.
    pub fn samples(&self) -> u8 {
        self.nr_samples.max(1)
    }

    /// Returns the number of stored samples of a pixel, at least 1.
    pub fn storage_samples(&self) -> u8 {
        if self.nr_storage_samples == 0 { self.samples() } else { self.nr_storage_samples }
    }

    /// Returns true if the resource is a buffer.
    pub fn is_buffer(&self) -> bool {
        self.target == TextureTarget::Buffer
    }

    /// Returns true if the resource has no storage; see [`ResourceFlags::STREAMED`].
    pub fn is_streamed(&self) -> bool {
        self.flags.contains(ResourceFlags::STREAMED)
    }

    /// Returns the index of the level at which the longest side is one texel; 0 for targets without
    /// mipmaps.
    pub fn last_possible_level(&self) -> u32 {
        if !self.target.has_mipmaps() {
            return 0;
        }
        let longest = self.width0.max(self.height0).max(self.depth0);
        longest.max(1).ilog2()
    }

    /// Returns the width and height of a level, in texels, and its number of slices (3D) or layers
    /// (other targets). Returns `None` if there is no such level.
    pub fn level_size(&self, level: u32) -> Option<[u32; 3]> {
        (level <= self.last_level).then(|| {
            let z = match self.target {
                TextureTarget::Texture3D => minify(self.depth0, level),
                _ => self.array_size,
            };
            [minify(self.width0, level), minify(self.height0, level), z]
        })
    }

    /// Returns the box that covers a level; `None` if there is no such level.
    pub fn level_region(&self, level: u32) -> Option<Region> {
        self.level_size(level).map(|[width, height, depth]| Region::whole(width, height, depth))
    }
}

/// Returns the size of a side of `size` texels at a level: halved once per level, rounded down, and
/// at least 1.
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
