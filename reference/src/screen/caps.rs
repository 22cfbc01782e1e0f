//! The capabilities of the driver, as numbers.

use pipe_core::limits::{
    MAX_ATTRIBS, MAX_COLOR_BUFS, MAX_CONSTANT_BUFFERS, MAX_SAMPLERS, MAX_SO_BUFFERS,
    MAX_WINDOW_RECTANGLES,
};
use pipe_core::{Cap, CapF, ShaderCap, ShaderType};

use crate::setup::MAX_STROKE;

/// The longest side of a texture, in texels.
pub(super) const MAX_TEXTURE_SIZE: u32 = 8192;

/// Inputs and outputs between stages.
const MAX_REGISTERS: i32 = 32;

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
        // All but patches.
        Cap::SupportedPrimModes | Cap::SupportedPrimModesWithRestart => 0x3fff,
        Cap::GlslFeatureLevel | Cap::GlslFeatureLevelCompatibility => 140,
        Cap::MaxVaryings => MAX_REGISTERS,
        Cap::RasterizerSubpixelBits | Cap::ViewportSubpixelBits => 8,
        Cap::MaxVertexStreams
        | Cap::StreamOutputPauseResume
        | Cap::StreamOutputInterleaveBuffers
        | Cap::QuerySoOverflow
        | Cap::QueryTimeElapsed
        | Cap::QueryTimestamp
        | Cap::QueryPipelineStatistics
        | Cap::SamplerReductionMinmax
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
        | Cap::ShaderCanReadOutputs
        | Cap::ShaderPackHalfFloat
        | Cap::Doubles
        | Cap::Int64
        | Cap::Int64Divmod
        | Cap::FsFineDerivative
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
        cap => cap.default_value(),
    }
}

/// Answers `get_shader_param`.
pub(super) fn shader_param(stage: ShaderType, cap: ShaderCap) -> i32 {
    let vertex = match stage {
        ShaderType::Vertex => true,
        ShaderType::Fragment => false,
        _ => return 0,
    };
    match cap {
        ShaderCap::MaxInputs if vertex => MAX_ATTRIBS as i32,
        ShaderCap::MaxInputs | ShaderCap::MaxOutputs => MAX_REGISTERS,
        ShaderCap::MaxConstBuffers => MAX_CONSTANT_BUFFERS as i32,
        // 4096 registers.
        ShaderCap::MaxConstBufferSize => 1 << 16,
        ShaderCap::MaxTemps => 4096,
        ShaderCap::MaxControlFlowDepth => 32,
        ShaderCap::MaxTextureSamplers | ShaderCap::MaxSamplerViews => MAX_SAMPLERS as i32,
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
        cap => cap.default_value(stage),
    }
}
