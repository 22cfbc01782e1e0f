//! Resources: what a screen stores, and the templates they are made from.

use formats::Format;

use crate::key::brief;
use crate::layout::Layout;
use crate::limits::{MAX_SAMPLES, MAX_TEXTURE_LAYERS, MAX_TEXTURE_LEVELS, MAX_TEXTURE_SIZE};
use crate::numbered::numbered;
use crate::region::Region;

numbered! {
    /// The shape of a resource. `PIPE_BUFFER`, `PIPE_TEXTURE_*`.
    #[derive(Default)]
    pub enum TextureTarget {
        /// Bytes. Format `R8Unorm` or `R8Uint`, `width0` its size; all other sizes 1.
        Buffer = 0,
        /// One row.
        Texture1D = 1,
        /// Rows and columns.
        #[default]
        Texture2D = 2,
        /// Slices, too. Mipmaps shrink in all three directions.
        Texture3D = 3,
        /// Six square faces: +x, -x, +y, -y, +z, -z.
        Cube = 4,
        /// OpenGL's rectangle texture: no mipmaps, unnormalized coordinates, clamping.
        Rect = 5,
        /// Layers of one row.
        Texture1DArray = 6,
        /// Layers of rows and columns.
        Texture2DArray = 7,
        /// Layers of cubes; `array_size` counts faces.
        CubeArray = 8,
    }

    /// How a resource will be used; a hint. `PIPE_USAGE_*`.
    #[derive(Default)]
    pub enum Usage {
        /// Drawn with, mostly.
        #[default]
        Default = 0,
        /// Not changed after the first upload, not even by drawing.
        Immutable = 1,
        /// Written often by the CPU, used several times each time.
        Dynamic = 2,
        /// Written often by the CPU, used once each time.
        Stream = 3,
        /// Read and written by the CPU, mostly.
        Staging = 4,
    }
}

impl TextureTarget {
    /// Whether it has layers that `array_size` counts, cube faces included.
    pub const fn is_layered(self) -> bool {
        use TextureTarget::*;
        matches!(self, Cube | Texture1DArray | Texture2DArray | CubeArray)
    }

    /// Whether its layers are cube faces.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Whether it has one row only.
    pub const fn is_1d(self) -> bool {
        matches!(self, Self::Buffer | Self::Texture1D | Self::Texture1DArray)
    }

    /// Whether it may have more than one level.
    pub const fn has_mipmaps(self) -> bool {
        !matches!(self, Self::Buffer | Self::Rect)
    }
}

bitflags::bitflags! {
    /// What a resource may be bound as. `PIPE_BIND_*`.
    ///
    /// Bits are the virgl wire's where it has the flag; the others follow above and between.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Bind: u32 {
        /// A depth and stencil buffer.
        const DEPTH_STENCIL = 0x1;
        /// A colour buffer.
        const RENDER_TARGET = 0x2;
        /// With `RENDER_TARGET`, for queries: a colour buffer that can be blended into.
        const BLENDABLE = 0x4;
        /// A texture.
        const SAMPLER_VIEW = 0x8;
        /// A vertex buffer.
        const VERTEX_BUFFER = 0x10;
        /// An index buffer.
        const INDEX_BUFFER = 0x20;
        /// A constant buffer.
        const CONSTANT_BUFFER = 0x40;
        /// Can be presented.
        const DISPLAY_TARGET = 0x80;
        /// Arguments of indirect draws.
        const COMMAND_ARGS_BUFFER = 0x100;
        /// Written by stream output.
        const STREAM_OUTPUT = 0x800;
        /// Mapped into the global memory of compute programs.
        const GLOBAL = 0x2000;
        /// A buffer that shaders load from and store to.
        const SHADER_BUFFER = 0x4000;
        /// Query results are written here.
        const QUERY_BUFFER = 0x8000;
        /// A hardware cursor.
        const CURSOR = 0x1_0000;
        /// For the driver's own purposes.
        const CUSTOM = 0x2_0000;
        /// A front buffer, or scanned out.
        const SCANOUT = 0x4_0000;
        /// Staging memory of transfers.
        const STAGING = 0x8_0000;
        /// Given to other processes.
        const SHARED = 0x10_0000;
        /// Rows in order in memory.
        const LINEAR = 0x40_0000;
        /// A buffer or texture that shaders load from and store to with a format.
        const SHADER_IMAGE = 0x80_0000;
        /// A shader resource of compute programs.
        const COMPUTE_RESOURCE = 0x100_0000;
    }

    /// Properties of a resource. `PIPE_RESOURCE_FLAG_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ResourceFlags: u32 {
        /// May be mapped with `PERSISTENT`.
        const MAP_PERSISTENT = 1 << 0;
        /// May be mapped with `COHERENT`.
        const MAP_COHERENT = 1 << 1;
        /// Will be sampled more than rendered to.
        const TEXTURING_MORE_LIKELY = 1 << 2;
        /// Memory is committed part by part.
        const SPARSE = 1 << 3;
        /// Used by one thread only.
        const SINGLE_THREAD_USE = 1 << 4;
        /// Contents are encrypted.
        const ENCRYPTED = 1 << 5;
        /// Ours: a display target without storage. `present` draws it tile by tile and hands
        /// each tile on; it can be cleared and drawn to, not read, mapped or copied.
        const STREAMED = 1 << 24;
    }
}

macro_rules! debug_as_flags {
    ($($name:ty),+) => { $(
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                if self.is_empty() { f.write_str("0") } else { bitflags::parser::to_writer(self, f) }
            }
        }
    )+ };
}
pub(crate) use debug_as_flags;
debug_as_flags!(Bind, ResourceFlags);

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

/// Why no resource can be made from a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResourceError {
    /// The format is `None`.
    #[error("no format")]
    NoFormat,
    /// A size is zero.
    #[error("{0} is zero")]
    Zero(&'static str),
    /// A size is beyond what the contract allows.
    #[error("{what} is {value}, the limit is {limit}")]
    TooLarge {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The largest allowed.
        limit: u32,
    },
    /// A size must have another value for this target.
    #[error("{what} is {value}, but must be {expected} for {target:?}")]
    Mismatch {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The only value allowed.
        expected: u32,
        /// The target that demands it.
        target: TextureTarget,
    },
    /// A cube array's layers are not whole cubes.
    #[error("array_size is {0}, not a multiple of 6")]
    NotCubes(u32),
    /// Level 0 does not shrink that many times.
    #[error("last_level is {last_level}, but level {possible} is one texel")]
    TooManyLevels {
        /// The template's last level.
        last_level: u32,
        /// The last level the size allows.
        possible: u32,
    },
    /// Samples that contradict each other or the target.
    #[error("{0}")]
    Samples(&'static str),
    /// The size in bytes does not fit in memory.
    #[error("the size in bytes overflows")]
    Overflow,
    /// Flags that contradict each other.
    #[error("{0}")]
    Flags(&'static str),
}

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

    /// Checks everything the contract demands of a template; drivers may support less.
    ///
    /// # Errors
    /// The first thing found wrong.
    ///
    /// # Source
    /// The manual's chapter on resource targets.
    pub fn validate(&self) -> Result<(), ResourceError> {
        if self.format == Format::None {
            return Err(ResourceError::NoFormat);
        }
        self.validate_sizes()?;
        self.validate_target()?;
        self.validate_levels()?;
        self.validate_samples()?;
        self.validate_flags()?;
        Layout::of(self).map(|_| ())
    }

    fn validate_sizes(&self) -> Result<(), ResourceError> {
        let side = if self.is_buffer() { i32::MAX as u32 } else { MAX_TEXTURE_SIZE };
        for (what, value, limit) in [
            ("width0", self.width0, side),
            ("height0", self.height0, MAX_TEXTURE_SIZE),
            ("depth0", self.depth0, MAX_TEXTURE_SIZE),
            ("array_size", self.array_size, MAX_TEXTURE_LAYERS),
        ] {
            if value == 0 {
                return Err(ResourceError::Zero(what));
            }
            if value > limit {
                return Err(ResourceError::TooLarge { what, value, limit });
            }
        }
        Ok(())
    }

    fn validate_target(&self) -> Result<(), ResourceError> {
        use TextureTarget::*;
        let target = self.target;
        let expect = |what, value, expected| {
            if value == expected {
                Ok(())
            } else {
                Err(ResourceError::Mismatch { what, value, expected, target })
            }
        };
        if target.is_1d() {
            expect("height0", self.height0, 1)?;
        }
        if target != Texture3D {
            expect("depth0", self.depth0, 1)?;
        }
        match target {
            Cube | CubeArray => expect("height0", self.height0, self.width0)?,
            _ => {}
        }
        match target {
            Cube => expect("array_size", self.array_size, 6),
            CubeArray if !self.array_size.is_multiple_of(6) => {
                Err(ResourceError::NotCubes(self.array_size))
            }
            CubeArray | Texture1DArray | Texture2DArray => Ok(()),
            _ => expect("array_size", self.array_size, 1),
        }
    }

    fn validate_levels(&self) -> Result<(), ResourceError> {
        let possible = self.last_possible_level().min(MAX_TEXTURE_LEVELS as u32 - 1);
        if self.last_level > possible {
            return Err(ResourceError::TooManyLevels { last_level: self.last_level, possible });
        }
        Ok(())
    }

    fn validate_samples(&self) -> Result<(), ResourceError> {
        if self.samples() > MAX_SAMPLES {
            return Err(ResourceError::TooLarge {
                what: "nr_samples",
                value: self.samples().into(),
                limit: MAX_SAMPLES.into(),
            });
        }
        if self.storage_samples() > self.samples() {
            return Err(ResourceError::Samples("nr_storage_samples exceeds nr_samples"));
        }
        let multisampled = self.samples() > 1;
        let target_has_samples =
            matches!(self.target, TextureTarget::Texture2D | TextureTarget::Texture2DArray);
        if multisampled && !target_has_samples {
            return Err(ResourceError::Samples("only 2D textures and arrays have samples"));
        }
        if multisampled && self.last_level > 0 {
            return Err(ResourceError::Samples("multisampled textures have one level"));
        }
        Ok(())
    }

    fn validate_flags(&self) -> Result<(), ResourceError> {
        if self.is_buffer() && self.format.block_bytes() != 1 {
            return Err(ResourceError::Flags("buffers have a format of one byte"));
        }
        if !self.is_streamed() {
            return Ok(());
        }
        if self.target != TextureTarget::Texture2D || self.last_level != 0 || self.samples() > 1 {
            return Err(ResourceError::Flags("streamed resources are plain 2D textures"));
        }
        if !self.bind.contains(Bind::DISPLAY_TARGET) {
            return Err(ResourceError::Flags("streamed resources are display targets"));
        }
        if self.bind.contains(Bind::SAMPLER_VIEW) {
            return Err(ResourceError::Flags("streamed resources cannot be sampled"));
        }
        Ok(())
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

    fn texture(target: TextureTarget, size: [u32; 3], array_size: u32) -> ResourceTemplate {
        ResourceTemplate {
            target,
            format: Format::R8G8B8A8Unorm,
            width0: size[0],
            height0: size[1],
            depth0: size[2],
            array_size,
            ..ResourceTemplate::default()
        }
    }

    #[test]
    fn good_templates() {
        use TextureTarget::*;
        for template in [
            ResourceTemplate::buffer(1, Bind::VERTEX_BUFFER),
            ResourceTemplate::buffer(i32::MAX as u32, Bind::VERTEX_BUFFER),
            texture(Texture1D, [32768, 1, 1], 1),
            texture(Texture2D, [640, 480, 1], 1).mipmapped(),
            texture(Texture3D, [16, 8, 4], 1).mipmapped(),
            texture(Cube, [64, 64, 1], 6).mipmapped(),
            texture(Rect, [63, 17, 1], 1),
            texture(Texture1DArray, [64, 1, 1], 9),
            texture(Texture2DArray, [64, 64, 1], 9),
            texture(CubeArray, [4, 4, 1], 12),
            ResourceTemplate { nr_samples: 4, ..texture(Texture2D, [64, 64, 1], 1) },
            ResourceTemplate::streamed(Format::B5G6R5Unorm, 320, 240),
        ] {
            assert_eq!(template.validate(), Ok(()), "{template:?}");
        }
    }

    #[test]
    fn bad_templates_say_what_is_wrong() {
        use ResourceError::*;
        use TextureTarget::*;
        let good = texture(Texture2D, [64, 64, 1], 1);
        let mismatch = |what, value, expected, target| Mismatch { what, value, expected, target };
        for (template, error) in [
            (ResourceTemplate { format: Format::None, ..good }, NoFormat),
            (ResourceTemplate { width0: 0, ..good }, Zero("width0")),
            (ResourceTemplate { height0: 0, ..good }, Zero("height0")),
            (ResourceTemplate { depth0: 0, ..good }, Zero("depth0")),
            (ResourceTemplate { array_size: 0, ..good }, Zero("array_size")),
            (
                ResourceTemplate { width0: 32769, ..good },
                TooLarge { what: "width0", value: 32769, limit: 32768 },
            ),
            (
                ResourceTemplate { height0: u32::MAX, ..good },
                TooLarge { what: "height0", value: u32::MAX, limit: 32768 },
            ),
            (
                ResourceTemplate::buffer(u32::MAX, Bind::empty()),
                TooLarge { what: "width0", value: u32::MAX, limit: i32::MAX as u32 },
            ),
            (ResourceTemplate { depth0: 2, ..good }, mismatch("depth0", 2, 1, Texture2D)),
            (ResourceTemplate { array_size: 2, ..good }, mismatch("array_size", 2, 1, Texture2D)),
            (texture(Texture1D, [8, 2, 1], 1), mismatch("height0", 2, 1, Texture1D)),
            (texture(Cube, [8, 4, 1], 6), mismatch("height0", 4, 8, Cube)),
            (texture(Cube, [8, 8, 1], 1), mismatch("array_size", 1, 6, Cube)),
            (texture(CubeArray, [8, 8, 1], 8), NotCubes(8)),
            (
                ResourceTemplate { last_level: 7, ..good },
                TooManyLevels { last_level: 7, possible: 6 },
            ),
            (
                ResourceTemplate { last_level: 1, ..texture(Rect, [8, 8, 1], 1) },
                TooManyLevels { last_level: 1, possible: 0 },
            ),
            (
                ResourceTemplate { nr_samples: 33, ..good },
                TooLarge { what: "nr_samples", value: 33, limit: 32 },
            ),
            (
                ResourceTemplate { nr_samples: 2, nr_storage_samples: 4, ..good },
                Samples("nr_storage_samples exceeds nr_samples"),
            ),
            (
                ResourceTemplate { nr_samples: 4, ..texture(Texture3D, [8, 8, 8], 1) },
                Samples("only 2D textures and arrays have samples"),
            ),
            (
                ResourceTemplate { nr_samples: 4, last_level: 1, ..good },
                Samples("multisampled textures have one level"),
            ),
            (
                ResourceTemplate {
                    format: Format::R32Float,
                    ..ResourceTemplate::buffer(4, Bind::empty())
                },
                Flags("buffers have a format of one byte"),
            ),
            (
                ResourceTemplate { flags: ResourceFlags::STREAMED, ..good },
                Flags("streamed resources are display targets"),
            ),
            (
                ResourceTemplate {
                    flags: ResourceFlags::STREAMED,
                    ..texture(Texture3D, [8, 8, 8], 1)
                },
                Flags("streamed resources are plain 2D textures"),
            ),
            (
                ResourceTemplate {
                    flags: ResourceFlags::STREAMED,
                    bind: Bind::DISPLAY_TARGET | Bind::SAMPLER_VIEW,
                    ..good
                },
                Flags("streamed resources cannot be sampled"),
            ),
        ] {
            assert_eq!(template.validate(), Err(error), "{template:?}");
        }
    }

    #[test]
    fn sizes_beyond_the_address_space_overflow() {
        // 32768 x 32768 texels x 32768 slices x 16 bytes = 2^49 bytes: fits in 64 bits only.
        let template = ResourceTemplate {
            format: Format::R32G32B32A32Float,
            ..texture(TextureTarget::Texture3D, [32768; 3], 1)
        };
        let expected = if usize::BITS > 49 { Ok(()) } else { Err(ResourceError::Overflow) };
        assert_eq!(template.validate(), expected);
    }

    #[test]
    fn levels_shrink_to_one_texel() {
        let template = texture(TextureTarget::Texture3D, [20, 5, 3], 1).mipmapped();
        assert_eq!(template.last_level, 4);
        let sizes = [[20, 5, 3], [10, 2, 1], [5, 1, 1], [2, 1, 1], [1, 1, 1]];
        for (level, size) in sizes.into_iter().enumerate() {
            assert_eq!(template.level_size(level as u32), Some(size));
        }
        assert_eq!(template.level_size(5), None);
        assert_eq!(minify(1, 40), 1);
        let cube = texture(TextureTarget::Cube, [8, 8, 1], 6).mipmapped();
        assert_eq!(cube.level_size(2), Some([2, 2, 6]));
        assert_eq!(cube.level_region(3), Some(Region::whole(1, 1, 6)));
    }
}
