//! The formats of WebGPU as Gallium's: one table.

use naga_frontend::DepthMap;
use pipe_core::Format;
use wgpu_types::{AstcBlock, AstcChannel, TextureAspect, TextureFormat, VertexFormat};

/// Returns the map of depths that are drawn to a format. The driver cuts them off to 16 bits, and WebGPU
/// wants the nearest. Programs cannot read the bits of formats with 24.
pub(crate) fn depth_map(format: TextureFormat) -> Option<DepthMap> {
    (format == TextureFormat::Depth16Unorm).then_some(DepthMap::ROUND_16)
}

/// Returns the driver's format of a texture format; `None` for formats that are not supported.
pub(crate) fn texture(format: TextureFormat) -> Option<Format> {
    use Format as G;
    use TextureFormat as W;
    Some(match format {
        W::R8Unorm => G::R8Unorm,
        W::R8Snorm => G::R8Snorm,
        W::R8Uint => G::R8Uint,
        W::R8Sint => G::R8Sint,
        W::R16Uint => G::R16Uint,
        W::R16Sint => G::R16Sint,
        W::R16Unorm => G::R16Unorm,
        W::R16Snorm => G::R16Snorm,
        W::R16Float => G::R16Float,
        W::Rg8Unorm => G::R8G8Unorm,
        W::Rg8Snorm => G::R8G8Snorm,
        W::Rg8Uint => G::R8G8Uint,
        W::Rg8Sint => G::R8G8Sint,
        W::R32Uint => G::R32Uint,
        W::R32Sint => G::R32Sint,
        W::R32Float => G::R32Float,
        W::Rg16Uint => G::R16G16Uint,
        W::Rg16Sint => G::R16G16Sint,
        W::Rg16Unorm => G::R16G16Unorm,
        W::Rg16Snorm => G::R16G16Snorm,
        W::Rg16Float => G::R16G16Float,
        W::Rgba8Unorm => G::R8G8B8A8Unorm,
        W::Rgba8UnormSrgb => G::R8G8B8A8Srgb,
        W::Rgba8Snorm => G::R8G8B8A8Snorm,
        W::Rgba8Uint => G::R8G8B8A8Uint,
        W::Rgba8Sint => G::R8G8B8A8Sint,
        W::Bgra8Unorm => G::B8G8R8A8Unorm,
        W::Bgra8UnormSrgb => G::B8G8R8A8Srgb,
        W::Rgb9e5Ufloat => G::R9G9B9E5Float,
        W::Rgb10a2Uint => G::R10G10B10A2Uint,
        W::Rgb10a2Unorm => G::R10G10B10A2Unorm,
        W::Rg11b10Ufloat => G::R11G11B10Float,
        W::Rg32Uint => G::R32G32Uint,
        W::Rg32Sint => G::R32G32Sint,
        W::Rg32Float => G::R32G32Float,
        W::Rgba16Uint => G::R16G16B16A16Uint,
        W::Rgba16Sint => G::R16G16B16A16Sint,
        W::Rgba16Unorm => G::R16G16B16A16Unorm,
        W::Rgba16Snorm => G::R16G16B16A16Snorm,
        W::Rgba16Float => G::R16G16B16A16Float,
        W::Rgba32Uint => G::R32G32B32A32Uint,
        W::Rgba32Sint => G::R32G32B32A32Sint,
        W::Rgba32Float => G::R32G32B32A32Float,
        W::Stencil8 => G::S8Uint,
        W::Depth16Unorm => G::Z16Unorm,
        W::Depth24Plus => G::Z24X8Unorm,
        W::Depth24PlusStencil8 => G::Z24UnormS8Uint,
        W::Depth32Float => G::Z32Float,
        W::Depth32FloatStencil8 => G::Z32FloatS8X24Uint,
        W::Bc1RgbaUnorm => G::Dxt1Rgba,
        W::Bc1RgbaUnormSrgb => G::Dxt1Srgba,
        W::Bc2RgbaUnorm => G::Dxt3Rgba,
        W::Bc2RgbaUnormSrgb => G::Dxt3Srgba,
        W::Bc3RgbaUnorm => G::Dxt5Rgba,
        W::Bc3RgbaUnormSrgb => G::Dxt5Srgba,
        W::Bc4RUnorm => G::Rgtc1Unorm,
        W::Bc4RSnorm => G::Rgtc1Snorm,
        W::Bc5RgUnorm => G::Rgtc2Unorm,
        W::Bc5RgSnorm => G::Rgtc2Snorm,
        W::Bc6hRgbUfloat => G::BptcRgbUfloat,
        W::Bc6hRgbFloat => G::BptcRgbFloat,
        W::Bc7RgbaUnorm => G::BptcRgbaUnorm,
        W::Bc7RgbaUnormSrgb => G::BptcSrgba,
        W::Etc2Rgb8Unorm => G::Etc2Rgb8,
        W::Etc2Rgb8UnormSrgb => G::Etc2Srgb8,
        W::Etc2Rgb8A1Unorm => G::Etc2Rgb8A1,
        W::Etc2Rgb8A1UnormSrgb => G::Etc2Srgb8A1,
        W::Etc2Rgba8Unorm => G::Etc2Rgba8,
        W::Etc2Rgba8UnormSrgb => G::Etc2Srgba8,
        W::EacR11Unorm => G::Etc2_R11Unorm,
        W::EacR11Snorm => G::Etc2_R11Snorm,
        W::EacRg11Unorm => G::Etc2Rg11Unorm,
        W::EacRg11Snorm => G::Etc2Rg11Snorm,
        W::Astc { block, channel } => astc(block, channel)?,
        W::R64Uint | W::NV12 | W::P010 => return None,
    })
}

/// Returns the format of ASTC blocks; `None` for high dynamic range.
fn astc(block: AstcBlock, channel: AstcChannel) -> Option<Format> {
    use AstcBlock as B;
    use Format as G;
    let (linear, srgb) = match block {
        B::B4x4 => (G::Astc_4x4, G::Astc_4x4Srgb),
        B::B5x4 => (G::Astc_5x4, G::Astc_5x4Srgb),
        B::B5x5 => (G::Astc_5x5, G::Astc_5x5Srgb),
        B::B6x5 => (G::Astc_6x5, G::Astc_6x5Srgb),
        B::B6x6 => (G::Astc_6x6, G::Astc_6x6Srgb),
        B::B8x5 => (G::Astc_8x5, G::Astc_8x5Srgb),
        B::B8x6 => (G::Astc_8x6, G::Astc_8x6Srgb),
        B::B8x8 => (G::Astc_8x8, G::Astc_8x8Srgb),
        B::B10x5 => (G::Astc_10x5, G::Astc_10x5Srgb),
        B::B10x6 => (G::Astc_10x6, G::Astc_10x6Srgb),
        B::B10x8 => (G::Astc_10x8, G::Astc_10x8Srgb),
        B::B10x10 => (G::Astc_10x10, G::Astc_10x10Srgb),
        B::B12x10 => (G::Astc_12x10, G::Astc_12x10Srgb),
        B::B12x12 => (G::Astc_12x12, G::Astc_12x12Srgb),
    };
    match channel {
        AstcChannel::Unorm => Some(linear),
        AstcChannel::UnormSrgb => Some(srgb),
        AstcChannel::Hdr => None,
    }
}

/// Returns the format of a view of one aspect.
pub(crate) fn view(format: TextureFormat, aspect: TextureAspect) -> Option<Format> {
    match (format, aspect) {
        (TextureFormat::Depth24PlusStencil8, TextureAspect::StencilOnly) => Some(Format::X24S8Uint),
        (TextureFormat::Depth32FloatStencil8, TextureAspect::StencilOnly) => {
            Some(Format::X32_S8X24Uint)
        }
        _ => texture(format),
    }
}

/// The bytes of one aspect within a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AspectBytes {
    /// Bytes of a texel of the texture.
    pub(crate) texel: usize,
    /// The first byte of the aspect.
    pub(crate) start: usize,
    /// Bytes of the aspect.
    pub(crate) size: usize,
}

/// Returns the bytes of an aspect that shares its texels with another one.
pub(crate) fn aspect(format: TextureFormat, aspect: TextureAspect) -> Option<AspectBytes> {
    match (format, aspect) {
        (TextureFormat::Depth24PlusStencil8, TextureAspect::StencilOnly) => {
            Some(AspectBytes { texel: 4, start: 3, size: 1 })
        }
        (TextureFormat::Depth32FloatStencil8, TextureAspect::StencilOnly) => {
            Some(AspectBytes { texel: 8, start: 4, size: 1 })
        }
        (TextureFormat::Depth32FloatStencil8, TextureAspect::DepthOnly) => {
            Some(AspectBytes { texel: 8, start: 0, size: 4 })
        }
        _ => None,
    }
}

/// Returns the format of a vertex attribute; `None` for 64-bit floats.
pub(crate) fn vertex(format: VertexFormat) -> Option<Format> {
    use Format as G;
    use VertexFormat as W;
    Some(match format {
        W::Uint8 => G::R8Uint,
        W::Uint8x2 => G::R8G8Uint,
        W::Uint8x4 => G::R8G8B8A8Uint,
        W::Sint8 => G::R8Sint,
        W::Sint8x2 => G::R8G8Sint,
        W::Sint8x4 => G::R8G8B8A8Sint,
        W::Unorm8 => G::R8Unorm,
        W::Unorm8x2 => G::R8G8Unorm,
        W::Unorm8x4 => G::R8G8B8A8Unorm,
        W::Snorm8 => G::R8Snorm,
        W::Snorm8x2 => G::R8G8Snorm,
        W::Snorm8x4 => G::R8G8B8A8Snorm,
        W::Uint16 => G::R16Uint,
        W::Uint16x2 => G::R16G16Uint,
        W::Uint16x4 => G::R16G16B16A16Uint,
        W::Sint16 => G::R16Sint,
        W::Sint16x2 => G::R16G16Sint,
        W::Sint16x4 => G::R16G16B16A16Sint,
        W::Unorm16 => G::R16Unorm,
        W::Unorm16x2 => G::R16G16Unorm,
        W::Unorm16x4 => G::R16G16B16A16Unorm,
        W::Snorm16 => G::R16Snorm,
        W::Snorm16x2 => G::R16G16Snorm,
        W::Snorm16x4 => G::R16G16B16A16Snorm,
        W::Float16 => G::R16Float,
        W::Float16x2 => G::R16G16Float,
        W::Float16x4 => G::R16G16B16A16Float,
        W::Float32 => G::R32Float,
        W::Float32x2 => G::R32G32Float,
        W::Float32x3 => G::R32G32B32Float,
        W::Float32x4 => G::R32G32B32A32Float,
        W::Uint32 => G::R32Uint,
        W::Uint32x2 => G::R32G32Uint,
        W::Uint32x3 => G::R32G32B32Uint,
        W::Uint32x4 => G::R32G32B32A32Uint,
        W::Sint32 => G::R32Sint,
        W::Sint32x2 => G::R32G32Sint,
        W::Sint32x3 => G::R32G32B32Sint,
        W::Sint32x4 => G::R32G32B32A32Sint,
        W::Unorm10_10_10_2 => G::R10G10B10A2Unorm,
        W::Unorm8x4Bgra => G::B8G8R8A8Unorm,
        W::Float64 | W::Float64x2 | W::Float64x3 | W::Float64x4 => return None,
    })
}

/// Returns true if WGSL can declare storage textures of a format.
pub(crate) fn is_storage(format: TextureFormat) -> bool {
    use TextureFormat as W;
    let is_packed = matches!(format, W::Rgb10a2Uint | W::Rgb10a2Unorm | W::Rg11b10Ufloat);
    let is_plain = !format.is_compressed()
        && !format.is_depth_stencil_format()
        && !format.is_srgb()
        && !matches!(format, W::Rgb9e5Ufloat | W::R64Uint | W::NV12 | W::P010);
    is_packed || is_plain
}
