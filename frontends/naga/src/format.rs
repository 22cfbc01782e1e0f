//! Formats of storage textures.

use naga::StorageFormat;
use tgsi::declaration::ImageFormat;

/// Returns the format of a storage texture; none of 64-bit ones.
pub(crate) fn format(format: StorageFormat) -> Option<ImageFormat> {
    use StorageFormat as F;
    ImageFormat::from_name(match format {
        F::R8Unorm => "R8_UNORM",
        F::R8Snorm => "R8_SNORM",
        F::R8Uint => "R8_UINT",
        F::R8Sint => "R8_SINT",
        F::R16Uint => "R16_UINT",
        F::R16Sint => "R16_SINT",
        F::R16Float => "R16_FLOAT",
        F::Rg8Unorm => "R8G8_UNORM",
        F::Rg8Snorm => "R8G8_SNORM",
        F::Rg8Uint => "R8G8_UINT",
        F::Rg8Sint => "R8G8_SINT",
        F::R32Uint => "R32_UINT",
        F::R32Sint => "R32_SINT",
        F::R32Float => "R32_FLOAT",
        F::Rg16Uint => "R16G16_UINT",
        F::Rg16Sint => "R16G16_SINT",
        F::Rg16Float => "R16G16_FLOAT",
        F::Rgba8Unorm => "R8G8B8A8_UNORM",
        F::Rgba8Snorm => "R8G8B8A8_SNORM",
        F::Rgba8Uint => "R8G8B8A8_UINT",
        F::Rgba8Sint => "R8G8B8A8_SINT",
        F::Bgra8Unorm => "B8G8R8A8_UNORM",
        F::Rgb10a2Uint => "R10G10B10A2_UINT",
        F::Rgb10a2Unorm => "R10G10B10A2_UNORM",
        F::Rg11b10Ufloat => "R11G11B10_FLOAT",
        F::R64Uint => return None,
        F::Rg32Uint => "R32G32_UINT",
        F::Rg32Sint => "R32G32_SINT",
        F::Rg32Float => "R32G32_FLOAT",
        F::Rgba16Uint => "R16G16B16A16_UINT",
        F::Rgba16Sint => "R16G16B16A16_SINT",
        F::Rgba16Float => "R16G16B16A16_FLOAT",
        F::Rgba32Uint => "R32G32B32A32_UINT",
        F::Rgba32Sint => "R32G32B32A32_SINT",
        F::Rgba32Float => "R32G32B32A32_FLOAT",
        F::R16Unorm => "R16_UNORM",
        F::R16Snorm => "R16_SNORM",
        F::Rg16Unorm => "R16G16_UNORM",
        F::Rg16Snorm => "R16G16_SNORM",
        F::Rgba16Unorm => "R16G16B16A16_UNORM",
        F::Rgba16Snorm => "R16G16B16A16_SNORM",
    })
}
