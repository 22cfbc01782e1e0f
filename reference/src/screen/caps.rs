//! The capabilities of the driver, as numbers.

use pipe_core::limits::{
    MAX_ATTRIBS, MAX_COLOR_BUFS, MAX_CONSTANT_BUFFERS, MAX_HW_ATOMIC_BUFFERS, MAX_SAMPLERS,
    MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES, MAX_SO_BUFFERS, MAX_VERTEX_STREAMS, MAX_VIEWPORTS,
    MAX_WINDOW_RECTANGLES,
};
use pipe_core::{Cap, CapF, ComputeCap, ShaderCap, ShaderType};

use crate::context::{MAX_BLOCK, MAX_GLOBALS, MAX_SHARED};
use crate::grid::LANES;
use crate::memory::WINDOW;
use crate::setup::{MAX_DILATION, MAX_STROKE, PIXEL};
use crate::texture::MAX_ANISOTROPY;

/// The longest side of a texture, in texels.
pub(super) const MAX_TEXTURE_SIZE: u32 = 8192;

/// Inputs and outputs between stages.
const MAX_REGISTERS: i32 = 32;

/// Hardware atomic counters of a stage.
const COUNTERS: i32 = 4096;

/// Answers `get_param`.
pub(super) fn param(cap: Cap) -> i32 {
    let levels = MAX_TEXTURE_SIZE.ilog2() as i32 + 1;
    match cap {
        Cap::MaxRenderTargets => MAX_COLOR_BUFS as i32,
        Cap::MaxStreamOutputBuffers => MAX_SO_BUFFERS as i32,
        Cap::MaxWindowRectangles => MAX_WINDOW_RECTANGLES as i32,
        Cap::MaxTexture2dSize => MAX_TEXTURE_SIZE as i32,
        Cap::MaxTexture3dLevels => levels - 2,
        Cap::MaxTextureCubeLevels => levels,
        Cap::MaxTextureArrayLayers => 512,
        Cap::MaxTextureGatherComponents => 4,
        Cap::MinTextureGatherOffset => -8,
        Cap::MaxTextureGatherOffset => 7,
        Cap::MaxTextureBufferSize => 1 << 24,
        Cap::TextureBufferOffsetAlignment => 16,
        Cap::SupportedPrimModes | Cap::SupportedPrimModesWithRestart => 0x7fff,
        Cap::GlslFeatureLevel | Cap::GlslFeatureLevelCompatibility => 430,
        Cap::MaxViewports => MAX_VIEWPORTS as i32,
        Cap::MaxVertexStreams => MAX_VERTEX_STREAMS as i32,
        Cap::MaxGeometryOutputVertices => draw::MAX_EMITTED as i32,
        Cap::MaxGeometryTotalOutputComponents => 16384,
        Cap::MaxShaderPatchVaryings => 30,
        Cap::ShaderBufferOffsetAlignment => 16,
        Cap::MaxCombinedShaderOutputResources => {
            (MAX_SHADER_BUFFERS + MAX_SHADER_IMAGES + MAX_COLOR_BUFS) as i32
        }
        Cap::MaxCombinedShaderBuffers => (MAX_SHADER_BUFFERS * ShaderType::COUNT) as i32,
        Cap::MaxCombinedHwAtomicCounters => COUNTERS * ShaderType::COUNT as i32,
        Cap::MaxCombinedHwAtomicCounterBuffers => MAX_HW_ATOMIC_BUFFERS as i32,
        Cap::Fbfetch => MAX_COLOR_BUFS as i32,
        Cap::MaxVaryings => MAX_REGISTERS,
        Cap::RasterizerSubpixelBits | Cap::ViewportSubpixelBits => 8,
        Cap::VsLayerViewport
        | Cap::TesLayerViewport
        | Cap::Compute
        | Cap::ComputeGridInfoLastBlock
        | Cap::MultisampleZResolve
        | Cap::PrimitiveRestartForPatches
        | Cap::ImageLoadFormatted
        | Cap::ImageStoreFormatted
        | Cap::FbfetchCoherent
        | Cap::FsFineDerivative
        | Cap::RobustBufferAccessBehavior
        | Cap::Doubles
        | Cap::AnisotropicFilter
        | Cap::ConservativeRasterPostSnapTriangles
        | Cap::ConservativeRasterPostSnapPointsLines
        | Cap::ConservativeRasterPreSnapTriangles
        | Cap::ConservativeRasterPreSnapPointsLines
        | Cap::PolygonModeFillRectangle
        | Cap::StreamOutputPauseResume
        | Cap::StreamOutputInterleaveBuffers
        | Cap::QuerySoOverflow
        | Cap::QueryTimeElapsed
        | Cap::QueryTimestamp
        | Cap::QueryPipelineStatistics
        | Cap::SamplerReductionMinmax
        | Cap::SamplerReductionMinmaxArb
        | Cap::TextureMultisample
        | Cap::SampleShading
        | Cap::PostDepthCoverage
        | Cap::TextureQuerySamples
        | Cap::ForcePersampleInterp
        | Cap::ProgrammableSampleLocations
        | Cap::TextureQueryLod
        | Cap::TextureShadowMap
        | Cap::DepthBoundsTest
        | Cap::TextureFloatLinear
        | Cap::TextureHalfFloatLinear
        | Cap::OcclusionQuery
        | Cap::ConditionalRenderInverted
        | Cap::ShaderStencilExport
        | Cap::ClearScissored
        | Cap::ClearTexture
        | Cap::TwoSidedColor
        | Cap::PolygonOffsetClamp
        | Cap::PolygonOffsetUnitsUnscaled
        | Cap::PointSprite
        | Cap::MaxDualSourceRenderTargets
        | Cap::IndepBlendEnable
        | Cap::IndepBlendFunc
        | Cap::DepthClipDisable
        | Cap::DepthClipDisableSeparate
        | Cap::DepthClampEnable
        | Cap::FramebufferNoAttachment
        | Cap::MixedColorbufferFormats
        | Cap::NpotTextures
        | Cap::TextureMirrorClamp
        | Cap::TextureMirrorClampToEdge
        | Cap::TextureSwizzle
        | Cap::TgsiTexcoord
        | Cap::BlendEquationSeparate
        | Cap::PrimitiveRestart
        | Cap::PrimitiveRestartFixedIndex
        | Cap::QuadsFollowProvokingVertexConvention
        | Cap::FsCoordOriginUpperLeft
        | Cap::FsCoordOriginLowerLeft
        | Cap::FsCoordPixelCenterHalfInteger
        | Cap::FsCoordPixelCenterInteger
        | Cap::ClipHalfz
        | Cap::CullDistance
        | Cap::ViewportSwizzle
        | Cap::VsWindowSpacePosition
        | Cap::VsInstanceid
        | Cap::VertexElementInstanceDivisor
        | Cap::StartInstance
        | Cap::DrawParameters
        | Cap::VertexColorClamped
        | Cap::FragmentColorClamped
        | Cap::DrawIndirect
        | Cap::MultiDrawIndirect
        | Cap::MultiDrawIndirectParams
        | Cap::MixedFramebufferSizes
        | Cap::ResourceFromUserMemory
        | Cap::TgsiDiv
        | Cap::TgsiMulZeroWins
        | Cap::TgsiTexTxfLz
        | Cap::ShaderArrayComponents
        | Cap::ShaderCanReadOutputs
        | Cap::ShaderPackHalfFloat
        | Cap::Int64
        | Cap::Int64Divmod
        | Cap::DemoteToHelperInvocation
        | Cap::TextureGatherSm5
        | Cap::TextureGatherOffsets
        | Cap::TextureShadowLod => 1,
        cap => cap.default_value(),
    }
}

/// Answers `get_paramf`.
pub(super) fn paramf(cap: CapF) -> f32 {
    match cap {
        CapF::MaxLineWidth | CapF::MaxLineWidthAa | CapF::MaxPointSize | CapF::MaxPointSizeAa => {
            MAX_STROKE
        }
        CapF::MaxTextureLodBias => 16.0,
        CapF::MaxTextureAnisotropy => MAX_ANISOTROPY.into(),
        CapF::MaxConservativeRasterDilate => MAX_DILATION,
        CapF::ConservativeRasterDilateGranularity => 1.0 / PIXEL as f32,
        cap => cap.default_value(),
    }
}

/// Answers `get_shader_param`.
pub(super) fn shader_param(stage: ShaderType, cap: ShaderCap) -> i32 {
    match cap {
        ShaderCap::MaxInputs if stage == ShaderType::Vertex => MAX_ATTRIBS as i32,
        ShaderCap::MaxInputs | ShaderCap::MaxOutputs => MAX_REGISTERS,
        ShaderCap::MaxConstBuffers => MAX_CONSTANT_BUFFERS as i32,
        // 4096 registers.
        ShaderCap::MaxConstBufferSize => 1 << 16,
        ShaderCap::MaxTemps => 4096,
        ShaderCap::MaxControlFlowDepth => 32,
        ShaderCap::MaxTextureSamplers | ShaderCap::MaxSamplerViews => MAX_SAMPLERS as i32,
        ShaderCap::MaxShaderBuffers => MAX_SHADER_BUFFERS as i32,
        ShaderCap::MaxShaderImages => MAX_SHADER_IMAGES as i32,
        ShaderCap::MaxHwAtomicCounters => COUNTERS,
        ShaderCap::MaxHwAtomicCounterBuffers => MAX_HW_ATOMIC_BUFFERS as i32,
        ShaderCap::IndirectInputAddr
        | ShaderCap::IndirectOutputAddr
        | ShaderCap::IndirectTempAddr
        | ShaderCap::IndirectConstAddr
        | ShaderCap::Integers
        | ShaderCap::Subroutines
        | ShaderCap::TgsiFmaSupported
        | ShaderCap::TgsiLdexpSupported
        | ShaderCap::TgsiDroundSupported
        | ShaderCap::TgsiDfracexpDldexpSupported
        | ShaderCap::TgsiAnyInoutDeclRange => 1,
        // Fragment shaders have separate answers; all other stages share the vertex shader's.
        cap if stage == ShaderType::Fragment => cap.default_value(stage),
        cap => cap.default_value(ShaderType::Vertex),
    }
}

/// Answers `get_compute_param`.
pub(super) fn compute_param(cap: ComputeCap) -> [u64; 3] {
    match cap {
        ComputeCap::GridDimension => [3, 0, 0],
        ComputeCap::MaxGridSize => [65535; 3],
        ComputeCap::MaxBlockSize => [MAX_BLOCK.into(); 3],
        ComputeCap::MaxThreadsPerBlock | ComputeCap::MaxVariableThreadsPerBlock => {
            [MAX_BLOCK.into(), 0, 0]
        }
        ComputeCap::MaxLocalSize => [MAX_SHARED.into(), 0, 0],
        ComputeCap::MaxPrivateSize | ComputeCap::MaxInputSize => [4096, 0, 0],
        ComputeCap::MaxGlobalSize => [WINDOW * MAX_GLOBALS as u64, 0, 0],
        ComputeCap::MaxMemAllocSize => [WINDOW, 0, 0],
        ComputeCap::MaxComputeUnits | ComputeCap::ImagesSupported => [1, 0, 0],
        ComputeCap::SubgroupSize => [LANES.into(), 0, 0],
        ComputeCap::AddressBits => [32, 0, 0],
        cap => cap.default_value(),
    }
}
