//! The contract's requirements for a template.

use formats::{Block, Format};

use super::error::ResourceError;
use super::layout::Layout;
use super::target::{Bind, TextureTarget};
use super::template::ResourceTemplate;
use crate::limits::{MAX_SAMPLES, MAX_TEXTURE_LAYERS, MAX_TEXTURE_LEVELS, MAX_TEXTURE_SIZE};

impl ResourceTemplate {
    /// Checks a template by the rules of the contract; a driver may support less.
    ///
    /// # Errors
    /// The first error found.
    ///
    /// # Source
    /// The manual's chapter on resource targets.
    pub fn validate(&self) -> Result<(), ResourceError> {
        self.layout_of_blocks(self.format.block()).map(|_| ())
    }

    /// Checks a template by the rules of the contract, and returns the layout of a resource with a
    /// format of this block. A driver that knows the blocks of its formats thus avoids linking the
    /// table of all formats.
    ///
    /// # Errors
    /// As for [`validate`](Self::validate).
    #[inline(never)]
    pub fn layout_of_blocks(&self, block: Block) -> Result<Layout, ResourceError> {
        if self.format == Format::None {
            return Err(ResourceError::NoFormat);
        }
        self.validate_sizes()?;
        self.validate_target()?;
        self.validate_levels()?;
        self.validate_samples()?;
        self.validate_flags(block)?;
        Layout::of_blocks(self, block, 1)
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
        let possible = self.last_possible_level().min(const { MAX_TEXTURE_LEVELS as u32 - 1 });
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

    fn validate_flags(&self, block: Block) -> Result<(), ResourceError> {
        if self.is_buffer() && block.bytes != 1 {
            return Err(ResourceError::Flags("buffers have a format of one byte"));
        }
        if !self.is_streamed() {
            return Ok(());
        }
        if self.target != TextureTarget::Texture2D || self.last_level != 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::ResourceFlags;

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
        // 32768³ texels of 16 bytes are 2⁴⁹ bytes, which fit only in 64 bits.
        let template = ResourceTemplate {
            format: Format::R32G32B32A32Float,
            ..texture(TextureTarget::Texture3D, [32768; 3], 1)
        };
        let expected = if usize::BITS > 49 { Ok(()) } else { Err(ResourceError::Overflow) };
        assert_eq!(template.validate(), expected);
    }
}
