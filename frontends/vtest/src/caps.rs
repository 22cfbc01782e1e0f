//! The driver's capabilities as a client reads them: `virgl_caps_v2`.
//!
//! Every field is computed from the driver's caps and its answers about formats, within the limit
//! of the OpenGL version asked for: a client derives the version it offers from the features it
//! sees.

use std::str::FromStr;

use formats::Format;
use pipe_core::{Bind, Cap, CapF, ComputeCap, ContextFlags, ShaderCap, ShaderType, TextureTarget};

use crate::resource::Device;

/// Bytes of the second version's answer.
pub const V2_BYTES: usize = 1376;
/// Bytes of the first version's answer: how the second begins.
pub const V1_BYTES: usize = 308;

/// An OpenGL version times ten: 21, 33.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GlVersion(pub u32);

impl FromStr for GlVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('.').and_then(|(major, minor)| {
            let digit = |part: &str| part.parse::<u32>().ok().filter(|digit| *digit < 10);
            Some(digit(major)? * 10 + digit(minor)?)
        });
        match parsed {
            Some(version @ 21..=46) => Ok(GlVersion(version)),
            _ => Err(format!("`{text}` is not a version of OpenGL from 2.1 to 4.6")),
        }
    }
}

impl std::fmt::Display for GlVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// Places of the fields, in bytes.
mod at {
    pub(super) const MAX_VERSION: usize = 0;
    pub(super) const SAMPLER: usize = 4;
    pub(super) const RENDER: usize = 68;
    pub(super) const DEPTH_STENCIL: usize = 132;
    pub(super) const VERTEX_BUFFER: usize = 196;
    pub(super) const BSET: usize = 260;
    pub(super) const GLSL_LEVEL: usize = 264;
    pub(super) const MAX_TEXTURE_ARRAY_LAYERS: usize = 268;
    pub(super) const MAX_STREAMOUT_BUFFERS: usize = 272;
    pub(super) const MAX_DUAL_SOURCE_RENDER_TARGETS: usize = 276;
    pub(super) const MAX_RENDER_TARGETS: usize = 280;
    pub(super) const MAX_SAMPLES: usize = 284;
    pub(super) const PRIM_MASK: usize = 288;
    pub(super) const MAX_TBO_SIZE: usize = 292;
    pub(super) const MAX_UNIFORM_BLOCKS: usize = 296;
    pub(super) const MAX_VIEWPORTS: usize = 300;
    pub(super) const MAX_TEXTURE_GATHER_COMPONENTS: usize = 304;
    pub(super) const POINT_SIZES: usize = 308;
    pub(super) const LINE_WIDTHS: usize = 324;
    pub(super) const MAX_TEXTURE_LOD_BIAS: usize = 340;
    pub(super) const MAX_GEOM_OUTPUT_VERTICES: usize = 344;
    pub(super) const MAX_GEOM_TOTAL_OUTPUT_COMPONENTS: usize = 348;
    pub(super) const MAX_VERTEX_OUTPUTS: usize = 352;
    pub(super) const MAX_VERTEX_ATTRIBS: usize = 356;
    pub(super) const MAX_SHADER_PATCH_VARYINGS: usize = 360;
    pub(super) const MIN_TEXEL_OFFSET: usize = 364;
    pub(super) const MAX_TEXEL_OFFSET: usize = 368;
    pub(super) const MIN_TEXTURE_GATHER_OFFSET: usize = 372;
    pub(super) const MAX_TEXTURE_GATHER_OFFSET: usize = 376;
    pub(super) const TEXTURE_BUFFER_OFFSET_ALIGNMENT: usize = 380;
    pub(super) const UNIFORM_BUFFER_OFFSET_ALIGNMENT: usize = 384;
    pub(super) const SHADER_BUFFER_OFFSET_ALIGNMENT: usize = 388;
    pub(super) const CAPABILITY_BITS: usize = 392;
    pub(super) const SAMPLE_LOCATIONS: usize = 396;
    pub(super) const MAX_VERTEX_ATTRIB_STRIDE: usize = 428;
    pub(super) const MAX_SHADER_BUFFERS: usize = 432;
    pub(super) const MAX_SHADER_IMAGES: usize = 440;
    pub(super) const MAX_COMPUTE_INVOCATIONS: usize = 452;
    pub(super) const MAX_COMPUTE_SHARED_MEMORY: usize = 456;
    pub(super) const MAX_COMPUTE_GRID: usize = 460;
    pub(super) const MAX_COMPUTE_BLOCK: usize = 472;
    pub(super) const MAX_TEXTURE_SIZES: usize = 484;
    pub(super) const MAX_COMBINED_SHADER_BUFFERS: usize = 496;
    pub(super) const MAX_ATOMIC_COUNTERS: usize = 500;
    pub(super) const MAX_ATOMIC_COUNTER_BUFFERS: usize = 524;
    pub(super) const MAX_COMBINED_ATOMIC_COUNTERS: usize = 548;
    pub(super) const MAX_COMBINED_ATOMIC_COUNTER_BUFFERS: usize = 552;
    pub(super) const HOST_FEATURE_CHECK_VERSION: usize = 556;
    pub(super) const READBACK: usize = 560;
    pub(super) const MORE_CAPABILITY_BITS: usize = 688;
    pub(super) const RENDERER: usize = 696;
    pub(super) const MAX_ANISOTROPY: usize = 760;
    pub(super) const MAX_SHADER_SAMPLER_VIEWS: usize = 764;
    pub(super) const MULTISAMPLE: usize = 768;
    pub(super) const MAX_CONST_BUFFER_SIZE: usize = 832;
    pub(super) const MAX_UNIFORM_BLOCK_SIZE: usize = 1372;
}

/// A feature that the driver supports if a cap is not 0.
struct Feature {
    bit: u32,
    cap: Cap,
    /// The first OpenGL version for which it may be announced.
    gl: u32,
}

const fn feature(bit: u32, cap: Cap, gl: u32) -> Feature {
    Feature { bit, cap, gl }
}

/// The set of features at [`at::BSET`].
const BSET: &[Feature] = &[
    feature(0, Cap::IndepBlendEnable, 30),
    feature(1, Cap::IndepBlendFunc, 30),
    feature(3, Cap::ShaderStencilExport, 30),
    feature(5, Cap::StartInstance, 42),
    feature(6, Cap::PrimitiveRestart, 31),
    feature(11, Cap::OcclusionQuery, 21),
    feature(12, Cap::QueryTimeElapsed, 21),
    feature(13, Cap::StreamOutputPauseResume, 40),
    feature(14, Cap::TextureMultisample, 32),
    feature(16, Cap::DepthClipDisable, 32),
    feature(21, Cap::TextureMirrorClamp, 21),
    feature(22, Cap::TextureQueryLod, 40),
    feature(23, Cap::Doubles, 40),
    feature(24, Cap::MaxShaderPatchVaryings, 40),
    feature(25, Cap::DrawIndirect, 40),
    feature(26, Cap::SampleShading, 32),
    feature(27, Cap::CullDistance, 45),
    feature(28, Cap::ConditionalRenderInverted, 45),
    feature(29, Cap::FsFineDerivative, 45),
    feature(30, Cap::PolygonOffsetClamp, 46),
    feature(31, Cap::QuerySoOverflow, 46),
];

/// The set of features at [`at::CAPABILITY_BITS`].
const CAPABILITIES: &[Feature] = &[
    feature(1, Cap::SamplerViewTarget, 43),
    // `SET_MIN_SAMPLES`.
    feature(2, Cap::SampleShading, 32),
    feature(3, Cap::CopyBetweenCompressedAndPlainFormats, 43),
    feature(5, Cap::TextureQuerySamples, 45),
    feature(6, Cap::ShaderBufferOffsetAlignment, 42),
    feature(7, Cap::Compute, 43),
    feature(8, Cap::FramebufferNoAttachment, 43),
    feature(9, Cap::RobustBufferAccessBehavior, 43),
    feature(10, Cap::Fbfetch, 30),
    feature(11, Cap::ShaderClock, 30),
    feature(12, Cap::TextureBarrier, 30),
    feature(13, Cap::ShaderArrayComponents, 43),
    feature(16, Cap::QueryBufferObject, 44),
    feature(18, Cap::MixedColorbufferFormats, 30),
    feature(21, Cap::MultiDrawIndirect, 43),
    feature(22, Cap::MultiDrawIndirectParams, 46),
    feature(27, Cap::ClipHalfz, 30),
    feature(30, Cap::ClearTexture, 44),
];

/// The set of features at [`at::MORE_CAPABILITY_BITS`], which clients read from Mesa 23 on.
const MORE_CAPABILITIES: &[Feature] = &[
    feature(10, Cap::TextureShadowLod, 30),
    // Layers and viewports of vertex shaders.
    feature(11, Cap::VsLayerViewport, 30),
    feature(12, Cap::VsLayerViewport, 30),
    feature(13, Cap::QueryPipelineStatistics, 30),
];

/// `fragment_coord_conventions`: both origins and both pixel centres. Without it clients assume
/// one convention and write shaders for another.
const FRAGMENT_COORD_CONVENTIONS: u32 = 1 << 15;
/// Sampler state that selects filtering across the edges of cube maps.
const SEAMLESS_CUBE_MAP: u32 = 1 << 10;
/// Arrays of cube maps.
const CUBE_MAP_ARRAY: u32 = 1 << 2;
/// Conditional rendering.
const CONDITIONAL_RENDER: u32 = 1 << 4;
/// Linear surfaces of sRGB resources, and sRGB surfaces of linear resources.
const SRGB_WRITE_CONTROL: u32 = 1 << 15;
/// Four vertex streams.
const TRANSFORM_FEEDBACK3: u32 = 1 << 23;
/// Uploads within the command stream.
const TRANSFER: u32 = 1 << 17;

/// Bytes of constants that a client's driver adds to the constants of a program: 64 registers for
/// the transform of fragment coordinates, clip planes and fixed-function state.
const CLIENT_CONSTANTS: u32 = 64 * 16;

/// The newest feature level: sprite coordinates in `TEXCOORD`, `PCOORD`; all fields are read.
const HOST_FEATURE_CHECK_VERSION: u32 = 15;

/// The answer, being filled in.
struct Blob([u8; V2_BYTES]);

impl Blob {
    fn set(&mut self, offset: usize, value: u32) {
        if let Some(field) = self.0.get_mut(offset..offset + 4) {
            field.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn set_float(&mut self, offset: usize, value: f32) {
        self.set(offset, value.to_bits());
    }

    /// Sets the bit of each format for which `holds` returns true.
    fn formats(&mut self, offset: usize, holds: impl Fn(Format) -> bool) {
        for format in Format::ALL.iter().copied().filter(|format| holds(*format)) {
            let Some(number) = format.number().map(usize::from) else { continue };
            if number < 16 * 32
                && let Some(byte) = self.0.get_mut(offset + number / 8)
            {
                *byte |= 1 << (number % 8);
            }
        }
    }
}

/// The driver's answers, converted to numbers of the wire format.
struct Driver<'d>(Device<'d>);

impl Driver<'_> {
    fn has(&self, cap: Cap) -> bool {
        self.0.get_param(cap) > 0
    }

    fn number(&self, cap: Cap) -> u32 {
        self.0.get_param(cap).max(0).unsigned_abs()
    }

    /// Returns the smaller of the limits of the vertex and the fragment stage.
    fn both_stages(&self, cap: ShaderCap) -> u32 {
        let of = |stage| self.0.get_shader_param(stage, cap).max(0).unsigned_abs();
        of(ShaderType::Vertex).min(of(ShaderType::Fragment))
    }

    /// Returns true if a format is announced. Texture formats of 3 bytes are never announced:
    /// OpenGL copies between all formats of three 8-bit channels, and a client stores the formats
    /// that it renders to with padding. So it must store all of them with padding.
    fn supports(&self, format: Format, bind: Bind) -> bool {
        let target = match bind {
            Bind::VERTEX_BUFFER => TextureTarget::Buffer,
            _ if format.block_bytes() == 3 || format == Format::None => return false,
            _ => TextureTarget::Texture2D,
        };
        self.0.is_format_supported(format, target, 0, 0, bind)
    }

    fn features(&self, list: &[Feature], gl: GlVersion) -> u32 {
        let present = |feature: &&Feature| gl.0 >= feature.gl && self.has(feature.cap);
        list.iter().filter(present).fold(0, |bits, feature| bits | 1 << feature.bit)
    }

    /// Returns the GLSL version to announce. Integer shaders are announced even for OpenGL 2.1,
    /// where only the client's compiler uses them: without them it generates worse code.
    fn glsl_level(&self, gl: GlVersion) -> u32 {
        let integers = self.both_stages(ShaderCap::Integers) != 0;
        match gl.0 {
            _ if !integers => 120,
            // GLSL 1.40 has buffer textures: clients offer them even if the announced size is 0.
            ..33 if self.has(Cap::MaxTextureBufferSize) => 140,
            ..33 => 130,
            33.. => self.number(Cap::GlslFeatureLevel).clamp(140, gl.0 * 10),
        }
    }

    fn max_samples(&self, gl: GlVersion) -> u32 {
        let samples = |count: u8| {
            let (format, target) = (Format::R8G8B8A8Unorm, TextureTarget::Texture2D);
            let bind = Bind::RENDER_TARGET;
            self.0.is_format_supported(format, target, count, count, bind)
        };
        let most = [16, 8, 4, 2].into_iter().find(|count| samples(*count));
        match most.filter(|_| gl.0 >= 32) {
            Some(count) => count.into(),
            // With one sample the client offers features that need multisampling, and asks for
            // none.
            None if gl.0 >= 30 => 1,
            None => 0,
        }
    }
}

/// The second version's answer.
pub fn v2(device: Device<'_>, gl: GlVersion) -> [u8; V2_BYTES] {
    let driver = Driver(device);
    let mut blob = Blob([0; V2_BYTES]);
    blob.set(at::MAX_VERSION, 2);
    formats(&mut blob, &driver);
    features(&mut blob, &driver, gl);
    limits(&mut blob, &driver, gl);
    shaders(&mut blob, &driver, gl);
    if gl.0 >= 32 && driver.has(Cap::TextureMultisample) {
        sample_locations(&mut blob, device);
    }
    memory(&mut blob, &driver, gl);
    compute(&mut blob, &driver, gl);
    blob.set(at::HOST_FEATURE_CHECK_VERSION, HOST_FEATURE_CHECK_VERSION);
    let name = device.get_name().bytes().filter(u8::is_ascii).take(63);
    for (place, byte) in blob.0[at::RENDERER..].iter_mut().zip(name) {
        *place = byte;
    }
    blob.0
}

/// The first version's answer.
pub fn v1(v2: &[u8; V2_BYTES]) -> [u8; V1_BYTES] {
    let mut blob = [0; V1_BYTES];
    blob.copy_from_slice(&v2[..V1_BYTES]);
    blob[at::MAX_VERSION] = 1;
    blob
}

fn formats(blob: &mut Blob, driver: &Driver<'_>) {
    blob.formats(at::SAMPLER, |format| driver.supports(format, Bind::SAMPLER_VIEW));
    blob.formats(at::RENDER, |format| driver.supports(format, Bind::RENDER_TARGET));
    blob.formats(at::DEPTH_STENCIL, |format| driver.supports(format, Bind::DEPTH_STENCIL));
    blob.formats(at::VERTEX_BUFFER, |format| driver.supports(format, Bind::VERTEX_BUFFER));
    // Framebuffers without attachments have the format 0. Without samples of it, clients do not
    // offer them.
    if driver.has(Cap::FramebufferNoAttachment) && driver.has(Cap::SampleShading) {
        blob.set(at::MULTISAMPLE, 1);
    }
    blob.formats(at::MULTISAMPLE, |format| {
        let bind = match format.is_depth_or_stencil() {
            true => Bind::DEPTH_STENCIL,
            false => Bind::RENDER_TARGET,
        };
        // The bit of `Format::None` is handled above.
        format != Format::None
            && driver.0.is_format_supported(format, TextureTarget::Texture2D, 4, 4, bind)
    });
    // Every format that can be stored can be read back unchanged.
    blob.formats(at::READBACK, |format| driver.supports(format, Bind::SAMPLER_VIEW));
}

fn features(blob: &mut Blob, driver: &Driver<'_>, gl: GlVersion) {
    let mut bset = driver.features(BSET, gl);
    if driver.has(Cap::FsCoordOriginLowerLeft) && driver.has(Cap::FsCoordOriginUpperLeft) {
        bset |= FRAGMENT_COORD_CONVENTIONS;
    }
    if gl.0 >= 30 && driver.has(Cap::OcclusionQuery) {
        bset |= CONDITIONAL_RENDER;
    }
    if gl.0 >= 32 {
        bset |= SEAMLESS_CUBE_MAP;
    }
    let (color, sampled) = (Format::R8G8B8A8Unorm, Bind::SAMPLER_VIEW);
    let cubes = TextureTarget::CubeArray;
    if gl.0 >= 40 && driver.0.is_format_supported(color, cubes, 0, 0, sampled) {
        bset |= CUBE_MAP_ARRAY;
    }
    blob.set(at::BSET, bset);
    let mut bits = driver.features(CAPABILITIES, gl) | TRANSFER;
    if gl.0 >= 30 {
        bits |= SRGB_WRITE_CONTROL;
    }
    if gl.0 >= 40 && driver.number(Cap::MaxVertexStreams) >= 4 {
        bits |= TRANSFORM_FEEDBACK3;
    }
    blob.set(at::CAPABILITY_BITS, bits);
    blob.set(at::MORE_CAPABILITY_BITS, driver.features(MORE_CAPABILITIES, gl));
}

/// Returns the announced primitives. Geometry shaders add primitives with adjacency, tessellation
/// adds patches.
const fn primitives(gl: GlVersion) -> u32 {
    match gl.0 {
        ..32 => 0x03ff,
        32..40 => 0x3fff,
        _ => 0x7fff,
    }
}

fn limits(blob: &mut Blob, driver: &Driver<'_>, gl: GlVersion) {
    let from = |version: u32, cap: Cap| if gl.0 >= version { driver.number(cap) } else { 0 };
    for (offset, value) in [
        (at::MAX_TEXTURE_ARRAY_LAYERS, from(30, Cap::MaxTextureArrayLayers)),
        (at::MAX_STREAMOUT_BUFFERS, from(30, Cap::MaxStreamOutputBuffers)),
        (at::MAX_DUAL_SOURCE_RENDER_TARGETS, from(33, Cap::MaxDualSourceRenderTargets)),
        (at::MAX_RENDER_TARGETS, driver.number(Cap::MaxRenderTargets)),
        (at::MAX_SAMPLES, driver.max_samples(gl)),
        (at::PRIM_MASK, driver.number(Cap::SupportedPrimModes) & primitives(gl)),
        (at::MAX_TBO_SIZE, driver.number(Cap::MaxTextureBufferSize)),
        (at::MAX_VIEWPORTS, driver.number(Cap::MaxViewports).max(1)),
        (at::MAX_TEXTURE_GATHER_COMPONENTS, from(40, Cap::MaxTextureGatherComponents)),
        (at::MAX_GEOM_OUTPUT_VERTICES, from(32, Cap::MaxGeometryOutputVertices)),
        (at::MAX_GEOM_TOTAL_OUTPUT_COMPONENTS, from(32, Cap::MaxGeometryTotalOutputComponents)),
        (at::MAX_SHADER_PATCH_VARYINGS, from(40, Cap::MaxShaderPatchVaryings)),
        (at::TEXTURE_BUFFER_OFFSET_ALIGNMENT, from(43, Cap::TextureBufferOffsetAlignment)),
        (at::UNIFORM_BUFFER_OFFSET_ALIGNMENT, driver.number(Cap::ConstantBufferOffsetAlignment)),
        (at::MAX_VERTEX_ATTRIB_STRIDE, driver.number(Cap::MaxVertexAttribStride)),
        (at::MIN_TEXEL_OFFSET, (-8i32).cast_unsigned()),
        (at::MAX_TEXEL_OFFSET, 7),
        (
            at::MIN_TEXTURE_GATHER_OFFSET,
            driver.0.get_param(Cap::MinTextureGatherOffset).cast_unsigned(),
        ),
        (at::MAX_TEXTURE_GATHER_OFFSET, driver.number(Cap::MaxTextureGatherOffset)),
    ] {
        blob.set(offset, value);
    }
    let levels = |cap| 1u32.checked_shl(driver.number(cap).saturating_sub(1)).unwrap_or(0);
    blob.set(at::MAX_TEXTURE_SIZES, driver.number(Cap::MaxTexture2dSize));
    blob.set(at::MAX_TEXTURE_SIZES + 4, levels(Cap::MaxTexture3dLevels));
    blob.set(at::MAX_TEXTURE_SIZES + 8, levels(Cap::MaxTextureCubeLevels));
    use CapF::*;
    let points = [MinPointSize, MaxPointSize, MinPointSizeAa, MaxPointSizeAa];
    let lines = [MinLineWidth, MaxLineWidth, MinLineWidthAa, MaxLineWidthAa];
    for (offset, caps) in [(at::POINT_SIZES, points), (at::LINE_WIDTHS, lines)] {
        for (index, cap) in caps.into_iter().enumerate() {
            blob.set_float(offset + 4 * index, driver.0.get_paramf(cap));
        }
    }
    blob.set_float(at::MAX_TEXTURE_LOD_BIAS, driver.0.get_paramf(MaxTextureLodBias));
    if driver.has(Cap::AnisotropicFilter) {
        blob.set_float(at::MAX_ANISOTROPY, driver.0.get_paramf(MaxTextureAnisotropy));
    }
}

/// Writes the sample positions, one byte per sample: x in the high and y in the low four bits, in
/// sixteenths of a pixel. The first word has the positions for 2 samples, the second word for 4.
/// The positions for 8 and 16 samples follow.
fn sample_locations(blob: &mut Blob, device: Device<'_>) {
    let Ok(context) = device.context_create(ContextFlags::empty()) else { return };
    for (count, first) in [(2, 0), (4, 4), (8, 8), (16, 16)] {
        for sample in 0..count {
            let place = context.get_sample_position(count, sample);
            let [x, y] = place.map(|place| (place * 16.0) as u8 & 15);
            if let Some(byte) = blob.0.get_mut(at::SAMPLE_LOCATIONS + first + usize::from(sample)) {
                *byte = x << 4 | y;
            }
        }
    }
}

fn shaders(blob: &mut Blob, driver: &Driver<'_>, gl: GlVersion) {
    blob.set(at::GLSL_LEVEL, driver.glsl_level(gl));
    let of = |stage, cap| driver.0.get_shader_param(stage, cap).max(0).unsigned_abs();
    blob.set(at::MAX_VERTEX_OUTPUTS, of(ShaderType::Vertex, ShaderCap::MaxOutputs));
    // Clients number 16 attributes; with older shading languages this limits varyings, too.
    blob.set(at::MAX_VERTEX_ATTRIBS, of(ShaderType::Vertex, ShaderCap::MaxInputs).min(16));
    // One number for all stages; a stage that samples nothing refuses its shaders.
    blob.set(at::MAX_SHADER_SAMPLER_VIEWS, of(ShaderType::Fragment, ShaderCap::MaxSamplerViews));
    let size = driver.both_stages(ShaderCap::MaxConstBufferSize);
    for stage in 0..6 {
        let uniforms = size.saturating_sub(CLIENT_CONSTANTS);
        blob.set(at::MAX_CONST_BUFFER_SIZE + 4 * stage, uniforms);
    }
    blob.set(at::MAX_UNIFORM_BLOCK_SIZE, size);
    blob.set(at::MAX_UNIFORM_BLOCKS, driver.both_stages(ShaderCap::MaxConstBuffers));
}

/// Buffers, images and counters that shaders write.
fn memory(blob: &mut Blob, driver: &Driver<'_>, gl: GlVersion) {
    if gl.0 < 42 {
        return;
    }
    let of = |stage, cap| driver.0.get_shader_param(stage, cap).max(0).unsigned_abs();
    // The fragment and compute stages share one field, the other stages share another.
    for (index, stage) in [ShaderType::Fragment, ShaderType::Vertex].into_iter().enumerate() {
        let buffers = of(stage, ShaderCap::MaxShaderBuffers);
        blob.set(at::MAX_SHADER_BUFFERS + 4 * index, if gl.0 >= 43 { buffers } else { 0 });
        blob.set(at::MAX_SHADER_IMAGES + 4 * index, of(stage, ShaderCap::MaxShaderImages));
    }
    for (index, stage) in ShaderType::ALL.iter().enumerate() {
        let counters = of(*stage, ShaderCap::MaxHwAtomicCounters);
        let buffers = of(*stage, ShaderCap::MaxHwAtomicCounterBuffers);
        blob.set(at::MAX_ATOMIC_COUNTERS + 4 * index, counters);
        blob.set(at::MAX_ATOMIC_COUNTER_BUFFERS + 4 * index, buffers);
    }
    for (offset, cap) in [
        (at::SHADER_BUFFER_OFFSET_ALIGNMENT, Cap::ShaderBufferOffsetAlignment),
        (at::MAX_COMBINED_SHADER_BUFFERS, Cap::MaxCombinedShaderBuffers),
        (at::MAX_COMBINED_ATOMIC_COUNTERS, Cap::MaxCombinedHwAtomicCounters),
        (at::MAX_COMBINED_ATOMIC_COUNTER_BUFFERS, Cap::MaxCombinedHwAtomicCounterBuffers),
    ] {
        blob.set(offset, driver.number(cap));
    }
}

/// Limits of compute programs.
fn compute(blob: &mut Blob, driver: &Driver<'_>, gl: GlVersion) {
    if gl.0 < 43 || !driver.has(Cap::Compute) {
        return;
    }
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let of = |cap| driver.0.get_compute_param(cap).map(number);
    blob.set(at::MAX_COMPUTE_INVOCATIONS, of(ComputeCap::MaxThreadsPerBlock)[0]);
    blob.set(at::MAX_COMPUTE_SHARED_MEMORY, of(ComputeCap::MaxLocalSize)[0]);
    for (axis, size) in of(ComputeCap::MaxGridSize).into_iter().enumerate() {
        blob.set(at::MAX_COMPUTE_GRID + 4 * axis, size);
    }
    for (axis, size) in of(ComputeCap::MaxBlockSize).into_iter().enumerate() {
        blob.set(at::MAX_COMPUTE_BLOCK + 4 * axis, size);
    }
}
