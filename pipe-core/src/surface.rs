//! Views of resources: surfaces to render to, sampler views, shader images and buffers.

use formats::Format;

use crate::numbered::numbered;
use crate::resource::{ResourceTemplate, TextureTarget};

numbered! {
    /// The source of a component of a sampled texel. `PIPE_SWIZZLE_*`.
    #[derive(Default)]
    pub enum Swizzle {
        /// The first component of the view's format, red.
        #[default]
        X = 0,
        /// The second component, green.
        Y = 1,
        /// The third component, blue.
        Z = 2,
        /// The fourth component, alpha.
        W = 3,
        /// The constant 0.
        Zero = 4,
        /// The constant 1.
        One = 5,
        /// No source: undefined by the contract, 0 in our drivers.
        None = 6,
    }
}

impl Swizzle {
    /// The identity: every component reads itself.
    pub const IDENTITY: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];
}

/// The part of a resource that a surface covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SurfaceRange {
    /// A range of layers of one mipmap level. More than one layer means layered rendering.
    Texture {
        /// The mipmap level.
        level: u32,
        /// The first slice, layer or face.
        first_layer: u32,
        /// The last slice, layer or face, inclusive.
        last_layer: u32,
    },
    /// A range of elements of a buffer, each one block of the surface's format.
    Buffer {
        /// The first element.
        first_element: u32,
        /// The last element, inclusive.
        last_element: u32,
    },
}

/// The description of a surface to create: the members of `pipe_surface` that a frontend fills out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfaceTemplate {
    /// The format to render in: the resource's format, or one compatible with it.
    pub format: Format,
    /// Number of samples in place of the resource's number, for implicit resolves; 0 means the
    /// resource's number.
    pub nr_samples: u8,
    /// The part of the resource.
    pub range: SurfaceRange,
}

impl SurfaceTemplate {
    /// Returns a surface of the first layer of level 0, in `format`.
    pub const fn of(format: Format) -> Self {
        Self {
            format,
            nr_samples: 0,
            range: SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: 0 },
        }
    }

    /// Returns width and height in pixels, and the number of layers, of a surface on `resource`.
    /// Returns `None` if the range is not within the resource or has another kind.
    pub fn size(&self, resource: &ResourceTemplate) -> Option<[u32; 3]> {
        match self.range {
            SurfaceRange::Texture { level, first_layer, last_layer } if !resource.is_buffer() => {
                let [width, height, layers] = resource.level_size(level)?;
                let count = last_layer.checked_sub(first_layer)?.checked_add(1)?;
                (last_layer < layers).then_some([width, height, count])
            }
            SurfaceRange::Buffer { first_element, last_element } if resource.is_buffer() => {
                let bytes = self.format.block_bytes() as u64;
                let end = u64::from(last_element).saturating_add(1).saturating_mul(bytes);
                let count = last_element.checked_sub(first_element)?.checked_add(1)?;
                (end <= u64::from(resource.width0)).then_some([count, 1, 1])
            }
            _ => None,
        }
    }
}

/// The part of a resource that a sampler view covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SamplerViewRange {
    /// A range of levels and layers of a texture.
    Texture {
        /// The first level; level of detail 0 is here.
        first_level: u32,
        /// The last level, inclusive.
        last_level: u32,
        /// The first layer or face.
        first_layer: u32,
        /// The last layer or face, inclusive.
        last_layer: u32,
    },
    /// A range of a buffer.
    Buffer {
        /// Offset of the range, in bytes.
        offset: u32,
        /// Size of the range, in bytes.
        size: u32,
    },
}

/// The description of a sampler view to create: the members of `pipe_sampler_view` that a frontend
/// fills out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerViewTemplate {
    /// The format to sample in: the resource's format, or one compatible with it.
    pub format: Format,
    /// The shape to sample as: the resource's shape, or another one if the cap `SamplerViewTarget`
    /// is 1.
    pub target: TextureTarget,
    /// The sources of the result's four components.
    pub swizzle: [Swizzle; 4],
    /// The part of the resource.
    pub range: SamplerViewRange,
}

impl SamplerViewTemplate {
    /// Returns a view of all levels and layers of a resource, in the resource's format.
    pub fn whole(resource: &ResourceTemplate) -> Self {
        let range = if resource.is_buffer() {
            SamplerViewRange::Buffer { offset: 0, size: resource.width0 }
        } else {
            // A 3D texture has one layer; coordinates select its slices.
            SamplerViewRange::Texture {
                first_level: 0,
                last_level: resource.last_level,
                first_layer: 0,
                last_layer: resource.array_size.saturating_sub(1),
            }
        };
        Self { format: resource.format, target: resource.target, swizzle: Swizzle::IDENTITY, range }
    }

    /// Returns true if the range lies within the resource and has its kind (texture or buffer).
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
                let end = u64::from(offset).saturating_add(size.into());
                resource.is_buffer() && size > 0 && end <= u64::from(resource.width0)
            }
        }
    }
}

bitflags::bitflags! {
    /// Accesses that a shader may make to an image. `PIPE_IMAGE_ACCESS_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct ImageAccess: u8 {
        /// Loads.
        const READ = 1;
        /// Stores.
        const WRITE = 2;
        /// Loads and stores.
        const READ_WRITE = 3;
        /// Writes of one invocation are visible to other invocations after a barrier.
        const COHERENT = 4;
        /// Each access reaches memory.
        const VOLATILE = 8;
    }
}

/// The part of a resource that a shader image covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageRange {
    /// A range of layers of one level.
    Texture {
        /// The mipmap level.
        level: u32,
        /// The first layer.
        first_layer: u32,
        /// The last layer, inclusive.
        last_layer: u32,
        /// Shows a single layer as a separate 2D image.
        single_layer_view: bool,
    },
    /// A range of a buffer.
    Buffer {
        /// Offset of the range, in bytes.
        offset: u32,
        /// Size of the range, in bytes.
        size: u32,
    },
}

/// A shader image, bound by value. `pipe_image_view`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageView {
    /// The texture or buffer.
    pub resource: crate::handle::ResourceHandle,
    /// The format to load and store in.
    pub format: Format,
    /// Accesses that the shader may make.
    pub access: ImageAccess,
    /// The part of the resource.
    pub range: ImageRange,
}

/// A shader buffer, or a buffer of hardware atomic counters. `pipe_shader_buffer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShaderBuffer {
    /// The buffer resource.
    pub resource: crate::handle::ResourceHandle,
    /// Offset of the range, in bytes.
    pub buffer_offset: u32,
    /// Size of the range, in bytes.
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
