//! The driver's caps, as numbers.

#[cfg(feature = "shader-memory")]
use pipe_core::ComputeCap;
use pipe_core::limits::{
    MAX_ATTRIBS, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_VIEWPORTS, MAX_WINDOW_RECTANGLES,
};
use pipe_core::{Cap, CapF, ShaderCap, ShaderType};

use crate::features;
#[cfg(feature = "shader-memory")]
use crate::grid::{MAX_BLOCK, MAX_INPUT, MAX_PRIVATE, MAX_SHARED};
use crate::lanes::COLOR_BUFFERS;
use crate::memory::{MAX_GLOBALS, WINDOW_BYTES};
use crate::profile::Profile;
use crate::scene::MAX_CONSTANT_BLOCKS;
use crate::setup::{LINE_WIDTH_GRANULARITY, MAX_DILATION, MAX_STROKE};
use tgsi::exec::Group;

/// Returns the number of levels of a texture. Its largest side has `size` texels.
const fn levels(size: u32) -> i32 {
    size.ilog2() as i32 + 1
}

/// Returns the largest side of a 3D texture: a quarter of the largest side of other textures, at
/// least 256.
const fn texture_3d(size: u32) -> u32 {
    if size / 4 > 256 { size / 4 } else { 256 }
}

/// Returns the value of a cap for `get_param`.
pub(crate) fn param<P: Profile>(cap: Cap) -> i32 {
    const ES2: i32 = features::ES2 as i32;
    const ALL_FORMATS: i32 = features::ALL_FORMATS as i32;
    const FRAGMENTS: i32 = features::FRAGMENTS as i32;
    const DESKTOP: i32 = features::DESKTOP as i32;
    const SAMPLES: i32 = features::SAMPLES as i32;
    const STAGES: i32 = features::STAGES as i32;
    const VIEWPORTS: i32 = if features::STAGES { MAX_VIEWPORTS as i32 } else { 1 };
    const MEMORY: i32 = features::SHADER_MEMORY as i32;
    const BLENDS: i32 = features::BLENDS as i32;
    match cap {
        Cap::MaxWindowRectangles if features::DESKTOP => MAX_WINDOW_RECTANGLES as i32,
        Cap::BufferMapPersistentCoherent | Cap::GenerateMipmap => ES2,
        Cap::Memobj | Cap::FenceSignal | Cap::DrawVertexState if features::DESKTOP => 1,
        Cap::QueryBufferObject => ES2,
        Cap::StringMarker => DESKTOP,
        Cap::DeviceResetStatusQuery => DESKTOP,
        Cap::Compute | Cap::ComputeGridInfoLastBlock => MEMORY,
        Cap::SparseBufferPageSize if features::DESKTOP => crate::memory::PAGE_BYTES as i32,
        Cap::MaxSparseTextureSize if features::DESKTOP => P::MAX_TEXTURE_SIZE as i32,
        Cap::MaxSparse3dTextureSize if features::DESKTOP => {
            ES2 * texture_3d(P::MAX_TEXTURE_SIZE) as i32
        }
        Cap::MaxSparseArrayTextureLayers if features::DESKTOP => ES2 * 2048,
        Cap::SparseTextureFullArrayCubeMipmaps if features::DESKTOP => ES2,
        Cap::TextureBarrier => DESKTOP,
        Cap::BindlessTexture => DESKTOP,
        Cap::ShaderBufferOffsetAlignment => MEMORY * 16,
        Cap::MaxCombinedShaderOutputResources => {
            MEMORY * (SHADER_BUFFERS + SHADER_IMAGES + P::MAX_COLOR_BUFFERS as i32)
        }
        Cap::MaxCombinedShaderBuffers => MEMORY * SHADER_BUFFERS * 6,
        Cap::MaxCombinedHwAtomicCounters => MEMORY * COUNTERS * 6,
        Cap::MaxCombinedHwAtomicCounterBuffers => MEMORY * COUNTER_BUFFERS,
        Cap::ImageLoadFormatted
        | Cap::ImageStoreFormatted
        | Cap::ImageAtomicFloatAdd
        | Cap::ImageAtomicIncWrap
        | Cap::LoadConstbuf => MEMORY,
        Cap::MaxStreamOutputBuffers => STAGES * MAX_SO_BUFFERS as i32,
        Cap::MaxVertexStreams if features::STAGES => 4 * STAGES,
        Cap::MaxViewports => VIEWPORTS,
        Cap::VsLayerViewport => STAGES,
        Cap::TesLayerViewport | Cap::PrimitiveRestartForPatches => STAGES,
        Cap::MaxShaderPatchVaryings => STAGES * 30,
        Cap::SupportedPrimModes | Cap::SupportedPrimModesWithRestart if features::STAGES => 0x7fff,
        Cap::MaxGeometryOutputVertices => STAGES * 1024,
        Cap::MaxGeometryTotalOutputComponents => STAGES * 16384,
        Cap::MaxVertexStreams
        | Cap::StreamOutputPauseResume
        | Cap::StreamOutputInterleaveBuffers
        | Cap::QuerySoOverflow => STAGES,
        Cap::MaxRenderTargets if !features::FRAGMENTS => 1,
        Cap::MaxRenderTargets => P::MAX_COLOR_BUFFERS.min(COLOR_BUFFERS) as i32,
        Cap::MaxTexture2dSize => P::MAX_TEXTURE_SIZE as i32,
        Cap::MaxTexture3dLevels => ES2 * levels(texture_3d(P::MAX_TEXTURE_SIZE)),
        Cap::MaxTextureCubeLevels => ES2 * levels(P::MAX_TEXTURE_SIZE),
        Cap::MaxTextureArrayLayers => ES2 * 2048,
        Cap::MaxTextureGatherComponents => ES2 * 4,
        Cap::MinTextureGatherOffset => ES2 * -8,
        Cap::MaxTextureGatherOffset => ES2 * 7,
        Cap::TextureQueryLod | Cap::TextureGatherOffsets => ES2,
        Cap::TgsiTexTxfLz | Cap::TextureGatherSm5 => FRAGMENTS * ES2,
        Cap::TextureMultisample
        | Cap::SampleShading
        | Cap::MultisampleZResolve
        | Cap::TextureQuerySamples => SAMPLES,
        Cap::MinMapBufferAlignment => features::MAP_BUFFER_ALIGNMENT as i32,
        // Guards instead of products: a disabled feature then costs no flash.
        Cap::ForcePersampleInterp | Cap::ProgrammableSampleLocations if features::SAMPLES => 1,
        Cap::AnisotropicFilter if features::DESKTOP => 1,
        Cap::Fbfetch => DESKTOP * P::MAX_COLOR_BUFFERS as i32,
        Cap::FbfetchCoherent => DESKTOP,
        Cap::DepthBoundsTest => ES2,
        Cap::TextureFloatLinear | Cap::TextureHalfFloatLinear => ALL_FORMATS,
        Cap::OcclusionQuery
        | Cap::QueryTimeElapsed
        | Cap::QueryTimestamp
        | Cap::QueryPipelineStatistics
        | Cap::ConditionalRenderInverted => ES2,
        Cap::ShaderStencilExport => ES2,
        Cap::MaxTextureBufferSize => ES2 * (1 << 24),
        Cap::TextureBufferOffsetAlignment => ES2 * 16,
        Cap::ClearScissored | Cap::ClearTexture => ES2,
        Cap::ConservativeRasterPostSnapTriangles
        | Cap::ConservativeRasterPostSnapPointsLines
        | Cap::ConservativeRasterPreSnapTriangles
        | Cap::ConservativeRasterPreSnapPointsLines
        | Cap::PolygonModeFillRectangle
            if features::ES2 && features::FRAGMENTS =>
        {
            1
        }
        Cap::TwoSidedColor | Cap::PolygonOffsetClamp | Cap::PolygonOffsetUnitsUnscaled => ES2,
        Cap::PointSprite
        | Cap::MaxDualSourceRenderTargets
        | Cap::IndepBlendEnable
        | Cap::IndepBlendFunc
        | Cap::DepthClipDisable
        | Cap::DepthClipDisableSeparate
        | Cap::DepthClampEnable
        | Cap::FramebufferNoAttachment
        | Cap::TextureMirrorClamp
        | Cap::GlClamp
        | Cap::FragmentShaderTextureLod
        | Cap::FragmentShaderDerivatives
        | Cap::FsCoordOriginUpperLeft
        | Cap::FsCoordOriginLowerLeft
        | Cap::FsCoordPixelCenterHalfInteger
        | Cap::FsCoordPixelCenterInteger
        | Cap::Texrect
        | Cap::SamplerReductionMinmax
        | Cap::SamplerReductionMinmaxArb
        | Cap::ShaderArrayComponents
        | Cap::MixedColorbufferFormats => FRAGMENTS,
        // The RGB565 kernel lacks these; the generic kernel has them.
        Cap::AlphaTest
        | Cap::BlendEquationSeparate
        | Cap::NpotTextures
        | Cap::TextureMirrorClampToEdge
        | Cap::TextureSwizzle => BLENDS,
        Cap::TgsiTexcoord
        | Cap::TgsiDiv
        | Cap::TgsiMulZeroWins
        | Cap::ShaderCanReadOutputs
        | Cap::QuadsFollowProvokingVertexConvention
        | Cap::InvalidateBuffer
        | Cap::ClipHalfz
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
        | Cap::ResourceFromUserMemory => 1,
        Cap::PrimitiveRestart | Cap::PrimitiveRestartFixedIndex => features::PRIMITIVE_TYPES.into(),
        Cap::CullDistance | Cap::ClipPlanes => features::PRIMITIVE_TYPES.into(),
        Cap::PointSizeFixed => features::STROKES.into(),
        Cap::MaxVertexBuffers => MAX_ATTRIBS as i32,
        Cap::TextureShadowMap | Cap::TextureShadowLod => ALL_FORMATS * FRAGMENTS,
        Cap::MaxGsInvocations => STAGES * 32,
        Cap::MaxShaderBufferSize => MEMORY * (1 << 27),
        Cap::SupportedPrimModes if !features::PRIMITIVE_TYPES => 1 << 4,
        Cap::SupportedPrimModesWithRestart if !features::PRIMITIVE_TYPES => 0,
        // Triangles and the types made of triangles: bits 4 to 9, 12 and 13.
        Cap::SupportedPrimModes | Cap::SupportedPrimModesWithRestart if !features::FRAGMENTS => {
            0x33f0
        }
        // Every type except patches.
        Cap::SupportedPrimModes | Cap::SupportedPrimModesWithRestart => 0x3fff,
        Cap::GlslFeatureLevel | Cap::GlslFeatureLevelCompatibility => {
            // GLSL 4.30 has all stages, shader memory, compute and sample variables.
            match features::STAGES {
                true if features::SHADER_MEMORY && features::SAMPLES => 430,
                true => 330,
                false => 140,
            }
        }
        Cap::SamplerViewTarget if features::ES2 => 1,
        Cap::FsFineDerivative | Cap::DestSurfaceSrgbControl => FRAGMENTS,
        Cap::CopyBetweenCompressedAndPlainFormats if features::ES2 => 1,
        // Words outside of a buffer read as 0, and writes to them are ignored.
        Cap::RobustBufferAccessBehavior if features::SHADER_MEMORY => 1,
        Cap::Doubles | Cap::Int64 | Cap::Int64Divmod if Group::Doubles.available() => 1,
        Cap::ShaderPackHalfFloat if Group::Integers.available() => 1,
        Cap::DemoteToHelperInvocation if Group::Lanes.available() => FRAGMENTS,
        Cap::ShaderGroupVote | Cap::ShaderBallot if Group::Lanes.available() => 1,
        Cap::PostDepthCoverage if features::SAMPLES => 1,
        Cap::ConservativeRasterPostDepthCoverage if features::SAMPLES && features::ES2 => 1,
        Cap::ShaderClock if Group::Lanes.available() => 1,
        Cap::MaxVaryings => MAX_REGISTERS,
        Cap::RasterizerSubpixelBits | Cap::ViewportSubpixelBits => 8,
        cap => cap.default_value(),
    }
}

/// Buffers per stage that programs load from and store to.
const SHADER_BUFFERS: i32 = 16;
/// Images per stage.
const SHADER_IMAGES: i32 = 16;
/// Atomic counters, and the buffers that contain them.
const COUNTERS: i32 = 4096;
const COUNTER_BUFFERS: i32 = 8;

/// Inputs and outputs between stages.
const MAX_REGISTERS: i32 = 32;

/// Returns the value of a cap for `get_paramf`.
pub(crate) fn paramf(cap: CapF) -> f32 {
    match cap {
        CapF::MaxLineWidth | CapF::MaxLineWidthAa | CapF::MaxPointSize | CapF::MaxPointSizeAa => {
            MAX_STROKE
        }
        CapF::MaxTextureAnisotropy if features::DESKTOP => crate::texture::MAX_ANISOTROPY.into(),
        CapF::LineWidthGranularity => LINE_WIDTH_GRANULARITY,
        CapF::MaxTextureLodBias => 16.0,
        CapF::MaxConservativeRasterDilate if features::ES2 && features::FRAGMENTS => MAX_DILATION,
        CapF::ConservativeRasterDilateGranularity if features::ES2 && features::FRAGMENTS => {
            1.0 / 256.0
        }
        cap => cap.default_value(),
    }
}

/// Returns the value of a stage's cap for `get_shader_param`.
pub(crate) fn shader_param(stage: ShaderType, cap: ShaderCap) -> i32 {
    let fragment = match stage {
        ShaderType::Vertex => false,
        ShaderType::Geometry if features::STAGES => false,
        ShaderType::TessCtrl | ShaderType::TessEval if features::STAGES => false,
        ShaderType::Fragment => true,
        ShaderType::Compute if features::SHADER_MEMORY => false,
        _ => return 0,
    };
    match cap {
        ShaderCap::MaxInputs if stage == ShaderType::Vertex => MAX_ATTRIBS as i32,
        ShaderCap::MaxInputs | ShaderCap::MaxOutputs => MAX_REGISTERS,
        ShaderCap::MaxConstBuffers => MAX_CONSTANT_BLOCKS as i32,
        // 4096 registers.
        ShaderCap::MaxConstBufferSize => 1 << 16,
        ShaderCap::MaxTemps => 4096,
        ShaderCap::MaxControlFlowDepth => 32,
        ShaderCap::MaxTextureSamplers | ShaderCap::MaxSamplerViews
            if !features::TEXTURES || !fragment && !features::ES2 =>
        {
            0
        }
        ShaderCap::MaxTextureSamplers | ShaderCap::MaxSamplerViews => MAX_SAMPLERS.min(16) as i32,
        ShaderCap::MaxShaderBuffers if features::SHADER_MEMORY => SHADER_BUFFERS,
        ShaderCap::MaxShaderImages if features::SHADER_MEMORY => SHADER_IMAGES,
        ShaderCap::MaxHwAtomicCounters if features::SHADER_MEMORY => COUNTERS,
        ShaderCap::MaxHwAtomicCounterBuffers if features::SHADER_MEMORY => COUNTER_BUFFERS,
        ShaderCap::IndirectInputAddr
        | ShaderCap::IndirectOutputAddr
        | ShaderCap::IndirectTempAddr
        | ShaderCap::IndirectConstAddr
        | ShaderCap::Subroutines
        | ShaderCap::TgsiAnyInoutDeclRange => 1,
        ShaderCap::Integers => Group::Integers.available().into(),
        ShaderCap::TgsiLdexpSupported => Group::Functions.available().into(),
        ShaderCap::TgsiFmaSupported
        | ShaderCap::TgsiDroundSupported
        | ShaderCap::TgsiDfracexpDldexpSupported => Group::Doubles.available().into(),
        // All other stages have the limits of the vertex stage.
        cap if !fragment => cap.default_value(ShaderType::Vertex),
        cap => cap.default_value(stage),
    }
}

/// Returns the value of a cap for `get_compute_param`.
#[cfg(feature = "shader-memory")]
pub(crate) fn compute_param<P: Profile>(cap: ComputeCap, threads: usize) -> [u64; 3] {
    match cap {
        ComputeCap::GridDimension => [3, 0, 0],
        ComputeCap::MaxGridSize => [65535; 3],
        ComputeCap::MaxBlockSize => [MAX_BLOCK.into(); 3],
        ComputeCap::MaxThreadsPerBlock | ComputeCap::MaxVariableThreadsPerBlock => {
            [MAX_BLOCK.into(), 0, 0]
        }
        ComputeCap::MaxLocalSize => [MAX_SHARED.into(), 0, 0],
        ComputeCap::MaxPrivateSize => [MAX_PRIVATE.into(), 0, 0],
        ComputeCap::MaxInputSize => [MAX_INPUT.into(), 0, 0],
        ComputeCap::MaxGlobalSize if features::DESKTOP => {
            [u64::from(WINDOW_BYTES) * MAX_GLOBALS as u64, 0, 0]
        }
        ComputeCap::MaxMemAllocSize if features::DESKTOP => [WINDOW_BYTES.into(), 0, 0],
        ComputeCap::MaxMemAllocSize => [1 << 31, 0, 0],
        ComputeCap::MaxComputeUnits => [threads as u64, 0, 0],
        ComputeCap::ImagesSupported => [1, 0, 0],
        // There is one subgroup size, a power of two, so the size is also the mask of sizes.
        ComputeCap::SubgroupSize | ComputeCap::SubgroupSizes => {
            [tgsi::exec::all_lanes::<P::Row>().count_ones().into(), 0, 0]
        }
        ComputeCap::AddressBits => [32, 0, 0],
        cap => cap.default_value(),
    }
}
