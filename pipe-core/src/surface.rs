//! Views of resources: to render to, and to sample from.

use formats::Format;

use crate::numbered::numbered;
use crate::resource::{ResourceTemplate, TextureTarget};

numbered! {
    /// Where a component of a sampled texel comes from. `PIPE_SWIZZLE_*`.
    #[derive(Default)]
    pub enum Swizzle {
        /// The first component of the view's format.
        #[default]
        X = 0,
        /// The second.
        Y = 1,
        /// The third.
        Z = 2,
        /// The fourth.
        W = 3,
        /// 0.
        Zero = 4,
        /// 1.
        One = 5,
        /// Nothing: undefined, in practice 0.
        None = 6,
    }
}

impl Swizzle {
    /// The components as they are.
    pub const IDENTITY: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];
}

/// The part of a resource that is rendered to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SurfaceRange {
    /// Layers of one level. More than one: layered rendering.
    Texture {
        /// The level.
        level: u32,
        /// The first slice, layer or face.
        first_layer: u32,
        /// The last one, inclusive.
        last_layer: u32,
    },
    /// Elements of a buffer, in units of the surface's format.
    Buffer {
        /// The first element.
        first_element: u32,
        /// The last one, inclusive.
        last_element: u32,
    },
}

/// What a surface is to be. The members of `pipe_surface` that a frontend fills out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfaceTemplate {
    /// The format to render in; the resource's, or one compatible with it.
    pub format: Format,
    /// Samples that override the resource's, for implicit resolves; 0: the resource's.
    pub nr_samples: u8,
    /// The part of the resource.
    pub range: SurfaceRange,
}

impl SurfaceTemplate {
    /// The first layer of the first level.
    pub const fn of(format: Format) -> Self {
        Self {
            format,
            nr_samples: 0,
            range: SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: 0 },
        }
    }

    /// Width and height in pixels, and layers, of a surface of this resource.
    ///
    /// `None` when the range is not within the resource or not of its kind.
    pub fn size(&self, resource: &ResourceTemplate) -> Option<[u32; 3]> {
        match self.range {
            SurfaceRange::Texture { level, first_layer, last_layer } if !resource.is_buffer() => {
                let [width, height, layers] = resource.level_size(level)?;
                (first_layer <= last_layer && last_layer < layers)
                    .then(|| [width, height, last_layer - first_layer + 1])
            }
            SurfaceRange::Buffer { first_element, last_element } if resource.is_buffer() => {
                let bytes = self.format.block_bytes() as u64;
                let end = (u64::from(last_element) + 1) * bytes;
                (first_element <= last_element && end <= u64::from(resource.width0))
                    .then(|| [last_element - first_element + 1, 1, 1])
            }
            _ => None,
        }
    }
}

/// The part of a resource that is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SamplerViewRange {
    /// Levels and layers of a texture.
    Texture {
        /// The first level; level of detail 0 is here.
        first_level: u32,
        /// The last level, inclusive.
        last_level: u32,
        /// The first layer or face.
        first_layer: u32,
        /// The last one, inclusive.
        last_layer: u32,
    },
    /// Bytes of a buffer.
    Buffer {
        /// Where it starts.
        offset: u32,
        /// How many.
        size: u32,
    },
}

/// What a sampler view is to be. The members of `pipe_sampler_view` that a frontend fills out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerViewTemplate {
    /// The format to sample in; the resource's, or one compatible with it.
    pub format: Format,
    /// The shape to sample as; the resource's unless the cap `SamplerViewTarget` is set.
    pub target: TextureTarget,
    /// Where the components of results come from.
    pub swizzle: [Swizzle; 4],
    /// The part of the resource.
    pub range: SamplerViewRange,
}

impl SamplerViewTemplate {
    /// All of a resource, in its own format.
    pub fn whole(resource: &ResourceTemplate) -> Self {
        let range = if resource.is_buffer() {
            SamplerViewRange::Buffer { offset: 0, size: resource.width0 }
        } else {
            // A 3D texture has one layer; its slices are reached by coordinate.
            SamplerViewRange::Texture {
                first_level: 0,
                last_level: resource.last_level,
                first_layer: 0,
                last_layer: resource.array_size.saturating_sub(1),
            }
        };
        Self { format: resource.format, target: resource.target, swizzle: Swizzle::IDENTITY, range }
    }

    /// Whether the range lies within the resource and is of its kind.
    pub fn is_within(&self, resource: &ResourceTemplate) -> bool {
        match self.range {
            SamplerViewRange::Texture { first_level, last_level, first_layer, last_layer } => {
                let layers = match resource.target {
                    TextureTarget::Texture3D => resource.depth0,
                    _ => resource.array_size,
                };
                !resource.is_buffer()
                    && first_level <= last_level
                    && last_level <= resource.last_level
                    && first_layer <= last_layer
                    && last_layer < layers
            }
            SamplerViewRange::Buffer { offset, size } => {
                let end = u64::from(offset) + u64::from(size);
                resource.is_buffer() && size > 0 && end <= u64::from(resource.width0)
            }
        }
    }
}

bitflags::bitflags! {
    /// What a shader may do with an image. `PIPE_IMAGE_ACCESS_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct ImageAccess: u8 {
        /// Load from it.
        const READ = 1;
        /// Store to it.
        const WRITE = 2;
        /// Both.
        const READ_WRITE = 3;
        /// Reads need not see writes of other invocations at once.
        const COHERENT = 4;
        /// Each access reaches memory.
        const VOLATILE = 8;
    }
}

/// The part of a resource that is a shader image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageRange {
    /// Layers of one level.
    Texture {
        /// The level.
        level: u32,
        /// The first layer.
        first_layer: u32,
        /// The last one, inclusive.
        last_layer: u32,
        /// Whether a single layer is seen as a 2D image of its own.
        single_layer_view: bool,
    },
    /// Bytes of a buffer.
    Buffer {
        /// Where it starts.
        offset: u32,
        /// How many.
        size: u32,
    },
}

/// A shader image. `pipe_image_view`; bound by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageView {
    /// The resource.
    pub resource: crate::handle::ResourceHandle,
    /// The format to load and store in.
    pub format: Format,
    /// What the shader may do.
    pub access: ImageAccess,
    /// The part of the resource.
    pub range: ImageRange,
}

/// A shader buffer, or hardware atomic buffer. `pipe_shader_buffer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShaderBuffer {
    /// The buffer.
    pub resource: crate::handle::ResourceHandle,
    /// Where it starts, in bytes.
    pub buffer_offset: u32,
    /// Its size, in bytes.
    pub buffer_size: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Bind;

    #[test]
    fn surfaces_have_their_level_s_size() {
        let resource = ResourceTemplate {
            target: TextureTarget::Texture3D,
            depth0: 8,
            last_level: 2,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 20, 12, Bind::RENDER_TARGET)
        };
        let size = |level, first_layer, last_layer| {
            let range = SurfaceRange::Texture { level, first_layer, last_layer };
            SurfaceTemplate { range, ..SurfaceTemplate::of(resource.format) }.size(&resource)
        };
        assert_eq!(size(0, 0, 7), Some([20, 12, 8]));
        assert_eq!(size(1, 3, 3), Some([10, 6, 1]));
        assert_eq!(size(1, 0, 4), None, "level 1 has four slices");
        assert_eq!(size(3, 0, 0), None);
        assert_eq!(size(0, 2, 1), None);
        let range = SurfaceRange::Buffer { first_element: 0, last_element: 0 };
        let buffer = SurfaceTemplate { range, ..SurfaceTemplate::of(resource.format) };
        assert_eq!(buffer.size(&resource), None);
        let storage = ResourceTemplate::buffer(16, Bind::RENDER_TARGET);
        assert_eq!(buffer.size(&storage), Some([1, 1, 1]));
        let range = SurfaceRange::Buffer { first_element: 0, last_element: 4 };
        assert_eq!(SurfaceTemplate { range, ..buffer }.size(&storage), None);
    }

    #[test]
    fn views_stay_within() {
        let texture =
            ResourceTemplate::texture_2d(Format::R8Unorm, 16, 16, Bind::SAMPLER_VIEW).mipmapped();
        let whole = SamplerViewTemplate::whole(&texture);
        assert!(whole.is_within(&texture));
        let with = |range| SamplerViewTemplate { range, ..whole }.is_within(&texture);
        let range = |first_level, last_level, first_layer, last_layer| SamplerViewRange::Texture {
            first_level,
            last_level,
            first_layer,
            last_layer,
        };
        assert!(with(range(4, 4, 0, 0)));
        assert!(!with(range(0, 5, 0, 0)) && !with(range(2, 1, 0, 0)) && !with(range(0, 0, 0, 1)));
        assert!(!with(SamplerViewRange::Buffer { offset: 0, size: 1 }));
        let buffer = ResourceTemplate::buffer(64, Bind::SAMPLER_VIEW);
        let whole = SamplerViewTemplate::whole(&buffer);
        assert!(whole.is_within(&buffer));
        let past = SamplerViewRange::Buffer { offset: 1, size: 64 };
        assert!(!SamplerViewTemplate { range: past, ..whole }.is_within(&buffer));
    }
}
