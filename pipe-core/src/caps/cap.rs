//! Integer and boolean capabilities of a screen.

use super::caps;

caps! {
    /// A question to [`Screen::get_param`](crate::Screen::get_param), answered by an integer.
    /// `PIPE_CAP_*` of the manual's chapter "Screen".
    ///
    /// A boolean answer is 0 or 1. The statement after "Boolean:" holds if it is 1.
    pub enum Cap: i32 {
        /// Boolean: contexts can draw; otherwise only `COMPUTE_ONLY` contexts can be created.
        Graphics = "PIPE_CAP_GRAPHICS", 1;
        /// Boolean: textures with sides that are not powers of two may have repeat modes,
        /// normalized coordinates and mipmaps.
        NpotTextures = "PIPE_CAP_NPOT_TEXTURES", 0;
        /// Maximum number of render targets of dual-source blending; 0: none.
        MaxDualSourceRenderTargets = "PIPE_CAP_MAX_DUAL_SOURCE_RENDER_TARGETS", 0;
        /// Boolean: samplers filter anisotropically, see
        /// [`CapF::MaxTextureAnisotropy`](super::CapF).
        AnisotropicFilter = "PIPE_CAP_ANISOTROPIC_FILTER", 0;
        /// Boolean: points can be drawn as sprites with generated texture coordinates.
        PointSprite = "PIPE_CAP_POINT_SPRITE", 0;
        /// Maximum number of colour buffers of a framebuffer.
        MaxRenderTargets = "PIPE_CAP_MAX_RENDER_TARGETS", 1;
        /// Boolean: occlusion queries work.
        OcclusionQuery = "PIPE_CAP_OCCLUSION_QUERY", 0;
        /// Boolean: [`TimeElapsed`](crate::QueryType::TimeElapsed) queries work.
        QueryTimeElapsed = "PIPE_CAP_QUERY_TIME_ELAPSED", 0;
        /// Boolean: samplers compare texels with a reference value (shadow maps).
        TextureShadowMap = "PIPE_CAP_TEXTURE_SHADOW_MAP", 0;
        /// Boolean: sampler views permute components by their swizzle.
        TextureSwizzle = "PIPE_CAP_TEXTURE_SWIZZLE", 1;
        /// Maximum width and height of 1D and 2D textures, in texels.
        MaxTexture2dSize = "PIPE_CAP_MAX_TEXTURE_2D_SIZE", 2048;
        /// Maximum number of mipmap levels of a 3D texture: n levels allow sides of 2ⁿ⁻¹ texels.
        MaxTexture3dLevels = "PIPE_CAP_MAX_TEXTURE_3D_LEVELS", 9;
        /// Maximum number of mipmap levels of a cube map: n levels allow sides of 2ⁿ⁻¹ texels.
        MaxTextureCubeLevels = "PIPE_CAP_MAX_TEXTURE_CUBE_LEVELS", 12;
        /// Boolean: the wrap mode [`MirrorClampToEdge`](crate::state::TexWrap) works.
        TextureMirrorClampToEdge = "PIPE_CAP_TEXTURE_MIRROR_CLAMP_TO_EDGE", 0;
        /// Boolean: the wrap modes `MirrorClamp` and `MirrorClampToBorder` of
        /// [`TexWrap`](crate::state::TexWrap) work.
        TextureMirrorClamp = "PIPE_CAP_TEXTURE_MIRROR_CLAMP", 0;
        /// Boolean: alpha may use another blend function than colour.
        BlendEquationSeparate = "PIPE_CAP_BLEND_EQUATION_SEPARATE", 1;
        /// Maximum number of stream output targets bound at once.
        MaxStreamOutputBuffers = "PIPE_CAP_MAX_STREAM_OUTPUT_BUFFERS", 0;
        /// Boolean: draws honour `primitive_restart` with any restart index.
        PrimitiveRestart = "PIPE_CAP_PRIMITIVE_RESTART", 0;
        /// Boolean: draws honour `primitive_restart` if the restart index is the largest of its
        /// type.
        PrimitiveRestartFixedIndex = "PIPE_CAP_PRIMITIVE_RESTART_FIXED_INDEX", 0;
        /// Boolean: render targets have separate blend enables and channel masks; otherwise the
        /// masks and enables of the first one apply to all.
        IndepBlendEnable = "PIPE_CAP_INDEP_BLEND_ENABLE", 0;
        /// Boolean: render targets have separate blend functions; otherwise the functions of the
        /// first one apply to all.
        IndepBlendFunc = "PIPE_CAP_INDEP_BLEND_FUNC", 0;
        /// Maximum number of layers of an array texture; 0: no array textures.
        MaxTextureArrayLayers = "PIPE_CAP_MAX_TEXTURE_ARRAY_LAYERS", 0;
        /// Boolean: fragment shaders may declare their coordinates' origin at the upper left.
        FsCoordOriginUpperLeft = "PIPE_CAP_FS_COORD_ORIGIN_UPPER_LEFT", 1;
        /// Boolean: fragment shaders may declare their coordinates' origin at the lower left.
        FsCoordOriginLowerLeft = "PIPE_CAP_FS_COORD_ORIGIN_LOWER_LEFT", 0;
        /// Boolean: fragment shaders may declare pixel centres at halves.
        FsCoordPixelCenterHalfInteger = "PIPE_CAP_FS_COORD_PIXEL_CENTER_HALF_INTEGER", 1;
        /// Boolean: fragment shaders may declare pixel centres at integers.
        FsCoordPixelCenterInteger = "PIPE_CAP_FS_COORD_PIXEL_CENTER_INTEGER", 0;
        /// Boolean: `RasterizerState` can turn off clipping at the near and far plane.
        DepthClipDisable = "PIPE_CAP_DEPTH_CLIP_DISABLE", 0;
        /// Boolean: `depth_clip_near` and `depth_clip_far` may differ; otherwise both are equal.
        DepthClipDisableSeparate = "PIPE_CAP_DEPTH_CLIP_DISABLE_SEPARATE", 0;
        /// Boolean: `depth_clamp` is honoured separately; otherwise it must be the inverse of
        /// `depth_clip_far`.
        DepthClampEnable = "PIPE_CAP_DEPTH_CLAMP_ENABLE", 0;
        /// Boolean: fragment shaders may write the stencil reference value (`STENCIL` output).
        ShaderStencilExport = "PIPE_CAP_SHADER_STENCIL_EXPORT", 0;
        /// Boolean: vertex shaders may read `INSTANCEID`.
        VsInstanceid = "PIPE_CAP_VS_INSTANCEID", 0;
        /// Boolean: vertex elements may have an `instance_divisor`.
        VertexElementInstanceDivisor = "PIPE_CAP_VERTEX_ELEMENT_INSTANCE_DIVISOR", 0;
        /// Boolean: `clamp_fragment_color` is honoured; otherwise frontends clamp in the shader.
        FragmentColorClamped = "PIPE_CAP_FRAGMENT_COLOR_CLAMPED", 0;
        /// Boolean: colour buffers of one framebuffer may have different formats.
        MixedColorbufferFormats = "PIPE_CAP_MIXED_COLORBUFFER_FORMATS", 0;
        /// Boolean: colours leave the vertex shader unclamped if `clamp_vertex_color` is off.
        VertexColorUnclamped = "PIPE_CAP_VERTEX_COLOR_UNCLAMPED", 1;
        /// Boolean: `clamp_vertex_color` is honoured. With
        /// [`VertexColorUnclamped`](Self::VertexColorUnclamped) the state decides, with neither the
        /// frontend clamps in the shader.
        VertexColorClamped = "PIPE_CAP_VERTEX_COLOR_CLAMPED", 0;
        /// Highest GLSL version that the driver fully supports, times 100: 120 is GLSL 1.20.
        GlslFeatureLevel = "PIPE_CAP_GLSL_FEATURE_LEVEL", 120;
        /// Highest GLSL version, times 100, that the driver fully supports together with the inputs
        /// and outputs of OpenGL's compatibility profile.
        GlslFeatureLevelCompatibility = "PIPE_CAP_GLSL_FEATURE_LEVEL_COMPATIBILITY", 120;
        /// GLSL version for OpenGL ES contexts, times 100, if it exceeds `GlslFeatureLevel`; 0: the
        /// same.
        EsslFeatureLevel = "PIPE_CAP_ESSL_FEATURE_LEVEL", 0;
        /// Boolean: `flatshade_first` also selects the provoking vertex of quads.
        QuadsFollowProvokingVertexConvention = "PIPE_CAP_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION", 0;
        /// Boolean: vertex buffers may be in the caller's memory. This contract has buffers only in
        /// resources.
        UserVertexBuffers = "PIPE_CAP_USER_VERTEX_BUFFERS", 0;
        /// Boolean: offsets of vertex buffers must be multiples of 4 bytes.
        VertexBufferOffset4byteAlignedOnly = "PIPE_CAP_VERTEX_BUFFER_OFFSET_4BYTE_ALIGNED_ONLY", 0;
        /// Boolean: strides of vertex buffers must be multiples of 4 bytes.
        VertexBufferStride4byteAlignedOnly = "PIPE_CAP_VERTEX_BUFFER_STRIDE_4BYTE_ALIGNED_ONLY", 0;
        /// Boolean: offsets of vertex elements must be multiples of 4 bytes.
        VertexElementSrcOffset4byteAlignedOnly = "PIPE_CAP_VERTEX_ELEMENT_SRC_OFFSET_4BYTE_ALIGNED_ONLY", 0;
        /// Boolean: the sum of element offset, buffer offset and stride must be a multiple of the
        /// component's size. Excludes the three 4-byte rules.
        VertexAttribElementAlignedOnly = "PIPE_CAP_VERTEX_ATTRIB_ELEMENT_ALIGNED_ONLY", 0;
        /// Boolean: contexts launch compute grids.
        Compute = "PIPE_CAP_COMPUTE", 0;
        /// Alignment of a constant buffer's offset, in bytes.
        ConstantBufferOffsetAlignment = "PIPE_CAP_CONSTANT_BUFFER_OFFSET_ALIGNMENT", 4;
        /// Boolean: draws honour `start_instance`.
        StartInstance = "PIPE_CAP_START_INSTANCE", 0;
        /// Boolean: [`Timestamp`](crate::QueryType::Timestamp) queries and `Screen::get_timestamp`
        /// work.
        QueryTimestamp = "PIPE_CAP_QUERY_TIMESTAMP", 0;
        /// Boolean: every multisampled resource that can be drawn to can also be sampled.
        TextureMultisample = "PIPE_CAP_TEXTURE_MULTISAMPLE", 0;
        /// Alignment of mapped buffers, in bytes: of the first byte's address minus its offset in
        /// the buffer.
        MinMapBufferAlignment = "PIPE_CAP_MIN_MAP_BUFFER_ALIGNMENT", 64;
        /// Alignment of a buffer's sampler view, in bytes; 0: views begin at the buffer's start.
        TextureBufferOffsetAlignment = "PIPE_CAP_TEXTURE_BUFFER_OFFSET_ALIGNMENT", 0;
        /// Boolean: sampler views of buffers have one to four components in the order R, G, B, A.
        BufferSamplerViewRgbaOnly = "PIPE_CAP_BUFFER_SAMPLER_VIEW_RGBA_ONLY", 0;
        /// Boolean: sprite coordinates replace inputs of semantic `TEXCOORD`; otherwise `GENERIC`.
        TgsiTexcoord = "PIPE_CAP_TGSI_TEXCOORD", 0;
        /// Boolean: lookups in buffers also need a sampler.
        TextureBufferSampler = "PIPE_CAP_TEXTURE_BUFFER_SAMPLER", 0;
        /// Bit mask of devices that convert formats in texture transfers: bit 0 blits, bit 1
        /// compute; 0: the CPU.
        TextureTransferModes = "PIPE_CAP_TEXTURE_TRANSFER_MODES", 0;
        /// Boolean: [`PipelineStatistics`](crate::QueryType::PipelineStatistics) queries work.
        QueryPipelineStatistics = "PIPE_CAP_QUERY_PIPELINE_STATISTICS", 0;
        /// Bit mask of border colour quirks. 1: the view's swizzle applies to them (NV50); 2: they
        /// are undefined under a permuting swizzle (R600).
        TextureBorderColorQuirk = "PIPE_CAP_TEXTURE_BORDER_COLOR_QUIRK", 0;
        /// Maximum number of texels in a sampler view of a buffer.
        MaxTextureBufferSize = "PIPE_CAP_MAX_TEXTURE_BUFFER_SIZE", 0;
        /// Maximum number of viewports, and of scissors with them; 0 means 1.
        MaxViewports = "PIPE_CAP_MAX_VIEWPORTS", 1;
        /// Byte order of the device: 0 little-endian, 1 big-endian.
        Endianness = "PIPE_CAP_ENDIANNESS", 0;
        /// Boolean: attachments of one framebuffer may differ in size.
        MixedFramebufferSizes = "PIPE_CAP_MIXED_FRAMEBUFFER_SIZES", 0;
        /// Boolean: vertex shaders may write `LAYER` and `VIEWPORT_INDEX`.
        VsLayerViewport = "PIPE_CAP_VS_LAYER_VIEWPORT", 0;
        /// Maximum number of vertices that one geometry shader invocation emits.
        MaxGeometryOutputVertices = "PIPE_CAP_MAX_GEOMETRY_OUTPUT_VERTICES", 0;
        /// Maximum number of components that one geometry shader invocation emits: components of a
        /// vertex times vertices.
        MaxGeometryTotalOutputComponents = "PIPE_CAP_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS", 0;
        /// Number of components that a format may have for texture gathers: 1 or 4; 0: no gathers.
        MaxTextureGatherComponents = "PIPE_CAP_MAX_TEXTURE_GATHER_COMPONENTS", 0;
        /// Boolean: texture gathers select a component, compare, and take offsets at run time
        /// (shader model 5).
        TextureGatherSm5 = "PIPE_CAP_TEXTURE_GATHER_SM5", 0;
        /// Boolean: buffers can be mapped with `PERSISTENT` and `COHERENT`.
        BufferMapPersistentCoherent = "PIPE_CAP_BUFFER_MAP_PERSISTENT_COHERENT", 0;
        /// Boolean: shaders may use `LODQ`, the level-of-detail query.
        TextureQueryLod = "PIPE_CAP_TEXTURE_QUERY_LOD", 0;
        /// Least offset of a texture gather, in texels.
        MinTextureGatherOffset = "PIPE_CAP_MIN_TEXTURE_GATHER_OFFSET", 0;
        /// Greatest offset of a texture gather, in texels.
        MaxTextureGatherOffset = "PIPE_CAP_MAX_TEXTURE_GATHER_OFFSET", 0;
        /// Boolean: shaders can run per sample; the driver honours `set_min_samples`.
        SampleShading = "PIPE_CAP_SAMPLE_SHADING", 0;
        /// Boolean: `TG4` takes four offsets, one for each texel.
        TextureGatherOffsets = "PIPE_CAP_TEXTURE_GATHER_OFFSETS", 0;
        /// Boolean: vertex shaders may write window coordinates; then neither clipping nor the
        /// viewport applies.
        VsWindowSpacePosition = "PIPE_CAP_VS_WINDOW_SPACE_POSITION", 0;
        /// Maximum number of vertex streams of a geometry shader: at least 1 with stream output,
        /// otherwise 0.
        MaxVertexStreams = "PIPE_CAP_MAX_VERTEX_STREAMS", 0;
        /// Boolean: draws may take their counts from a buffer, see
        /// [`DrawIndirect`](crate::DrawIndirect).
        DrawIndirect = "PIPE_CAP_DRAW_INDIRECT", 0;
        /// Boolean: one call may draw several times from one indirect buffer (`stride`,
        /// `draw_count`).
        MultiDrawIndirect = "PIPE_CAP_MULTI_DRAW_INDIRECT", 0;
        /// Boolean: the number of indirect draws may come from a buffer (`indirect_draw_count`).
        MultiDrawIndirectParams = "PIPE_CAP_MULTI_DRAW_INDIRECT_PARAMS", 0;
        /// Boolean: shaders may use the fine variants of `DDX` and `DDY`.
        FsFineDerivative = "PIPE_CAP_FS_FINE_DERIVATIVE", 0;
        /// PCI vendor id; -1 (0xffffffff) if the device has none.
        VendorId = "PIPE_CAP_VENDOR_ID", -1;
        /// PCI device id; -1 (0xffffffff) if the device has none.
        DeviceId = "PIPE_CAP_DEVICE_ID", -1;
        /// Boolean: a hardware accelerator renders.
        Accelerated = "PIPE_CAP_ACCELERATED", 0;
        /// Size of the video memory, in MiB.
        VideoMemory = "PIPE_CAP_VIDEO_MEMORY", 0;
        /// Boolean: device and CPU share one memory.
        Uma = "PIPE_CAP_UMA", 1;
        /// Boolean: `render_condition` accepts `condition` = true, which skips drawing if the query
        /// passed.
        ConditionalRenderInverted = "PIPE_CAP_CONDITIONAL_RENDER_INVERTED", 0;
        /// Maximum stride of a vertex buffer, in bytes.
        MaxVertexAttribStride = "PIPE_CAP_MAX_VERTEX_ATTRIB_STRIDE", 2048;
        /// Boolean: a sampler view may have another target than its resource (`ARB_texture_view`):
        /// a 2D array seen as a cube map, or the reverse.
        SamplerViewTarget = "PIPE_CAP_SAMPLER_VIEW_TARGET", 0;
        /// Boolean: `clip_halfz` may be set (`ARB_clip_control`).
        ClipHalfz = "PIPE_CAP_CLIP_HALFZ", 0;
        /// Boolean: vertex shaders read `VERTEXID_NOBASE` only, not `VERTEXID`; the frontend adds
        /// `BASEVERTEX`.
        VertexidNobase = "PIPE_CAP_VERTEXID_NOBASE", 0;
        /// Boolean: `offset_clamp` is honoured.
        PolygonOffsetClamp = "PIPE_CAP_POLYGON_OFFSET_CLAMP", 0;
        /// Boolean: a blit may resolve multisampled depth; it copies sample 0.
        MultisampleZResolve = "PIPE_CAP_MULTISAMPLE_Z_RESOLVE", 0;
        /// Boolean: `resource_from_user_memory` makes resources that use the caller's memory in
        /// place.
        ResourceFromUserMemory = "PIPE_CAP_RESOURCE_FROM_USER_MEMORY", 0;
        /// Boolean: `resource_from_user_memory` works, but only for resources of compute programs.
        ResourceFromUserMemoryComputeOnly = "PIPE_CAP_RESOURCE_FROM_USER_MEMORY_COMPUTE_ONLY", 0;
        /// Boolean: `get_device_reset_status` reports resets.
        DeviceResetStatusQuery = "PIPE_CAP_DEVICE_RESET_STATUS_QUERY", 0;
        /// Maximum number of per-patch outputs of a tessellation control shader, without
        /// `TESSINNER` and `TESSOUTER`; OpenGL requires 30.
        MaxShaderPatchVaryings = "PIPE_CAP_MAX_SHADER_PATCH_VARYINGS", 0;
        /// Boolean: 32-bit float textures can be filtered linearly.
        TextureFloatLinear = "PIPE_CAP_TEXTURE_FLOAT_LINEAR", 0;
        /// Boolean: 16-bit float textures can be filtered linearly.
        TextureHalfFloatLinear = "PIPE_CAP_TEXTURE_HALF_FLOAT_LINEAR", 0;
        /// Boolean: `depth_bounds_test` is honoured (`GL_EXT_depth_bounds_test`).
        DepthBoundsTest = "PIPE_CAP_DEPTH_BOUNDS_TEST", 0;
        /// Boolean: shaders may use `TXQS`, which returns a texture's sample count.
        TextureQuerySamples = "PIPE_CAP_TEXTURE_QUERY_SAMPLES", 0;
        /// Boolean: `force_persample_interp` is honoured.
        ForcePersampleInterp = "PIPE_CAP_FORCE_PERSAMPLE_INTERP", 0;
        /// Boolean: every context of the screen may use a shader that one of them created.
        ShareableShaders = "PIPE_CAP_SHAREABLE_SHADERS", 0;
        /// Boolean: `resource_copy_region` copies compressed blocks to plain texels of the same
        /// number of bytes, and back.
        CopyBetweenCompressedAndPlainFormats = "PIPE_CAP_COPY_BETWEEN_COMPRESSED_AND_PLAIN_FORMATS", 0;
        /// Boolean: `clear_texture` works.
        ClearTexture = "PIPE_CAP_CLEAR_TEXTURE", 0;
        /// Boolean: `clear` accepts a scissor.
        ClearScissored = "PIPE_CAP_CLEAR_SCISSORED", 0;
        /// Boolean: vertex shaders may read `BASEVERTEX`, `BASEINSTANCE` and `DRAWID`.
        DrawParameters = "PIPE_CAP_DRAW_PARAMETERS", 0;
        /// Boolean: shaders may pack and unpack 16-bit floats (`PK2H`, `UP2H`).
        ShaderPackHalfFloat = "PIPE_CAP_SHADER_PACK_HALF_FLOAT", 0;
        /// Boolean: fragment shaders should read `POSITION` as a system value, not as an input.
        FsPositionIsSysval = "PIPE_CAP_FS_POSITION_IS_SYSVAL", 0;
        /// Boolean: fragment shaders should read the point coordinate as a system value, not as an
        /// input.
        FsPointIsSysval = "PIPE_CAP_FS_POINT_IS_SYSVAL", 0;
        /// Boolean: fragment shaders should read `FACE` as a system value, an integer mask instead
        /// of a float.
        FsFaceIsIntegerSysval = "PIPE_CAP_FS_FACE_IS_INTEGER_SYSVAL", 0;
        /// Alignment of a shader buffer's offset, in bytes, at most 256; 0: no shader buffers.
        ShaderBufferOffsetAlignment = "PIPE_CAP_SHADER_BUFFER_OFFSET_ALIGNMENT", 0;
        /// Boolean: `invalidate_resource` accepts buffers.
        InvalidateBuffer = "PIPE_CAP_INVALIDATE_BUFFER", 0;
        /// Boolean: `generate_mipmap` works.
        GenerateMipmap = "PIPE_CAP_GENERATE_MIPMAP", 0;
        /// Boolean: `emit_string_marker` reaches the command stream.
        StringMarker = "PIPE_CAP_STRING_MARKER", 0;
        /// Boolean: a surface may have a format with another block size in texels but the same size
        /// in bits. For example, a surface may show the blocks of a compressed texture as texels.
        SurfaceReinterpretBlocks = "PIPE_CAP_SURFACE_REINTERPRET_BLOCKS", 0;
        /// Boolean: `get_query_result_resource` works.
        QueryBufferObject = "PIPE_CAP_QUERY_BUFFER_OBJECT", 0;
        /// PCI segment group number of the device.
        PciGroup = "PIPE_CAP_PCI_GROUP", 0;
        /// PCI bus number of the device.
        PciBus = "PIPE_CAP_PCI_BUS", 0;
        /// PCI device number on its bus.
        PciDevice = "PIPE_CAP_PCI_DEVICE", 0;
        /// PCI function number of the device.
        PciFunction = "PIPE_CAP_PCI_FUNCTION", 0;
        /// Boolean: framebuffers may have no attachment; `is_format_supported` with `Format::None`
        /// returns their sample counts.
        FramebufferNoAttachment = "PIPE_CAP_FRAMEBUFFER_NO_ATTACHMENT", 0;
        /// Boolean: out-of-bounds accesses of shaders are harmless in contexts created with
        /// `ROBUST_BUFFER_ACCESS` (`ARB_robust_buffer_access_behavior`).
        RobustBufferAccessBehavior = "PIPE_CAP_ROBUST_BUFFER_ACCESS_BEHAVIOR", 0;
        /// Boolean: cull distances are honoured (`ARB_cull_distance`).
        CullDistance = "PIPE_CAP_CULL_DISTANCE", 0;
        /// Boolean: cull distances stay separate outputs (a NIR pass is skipped). TGSI drivers
        /// ignore it.
        CullDistanceNocombine = "PIPE_CAP_CULL_DISTANCE_NOCOMBINE", 0;
        /// Boolean: draws of patches honour `primitive_restart`.
        PrimitiveRestartForPatches = "PIPE_CAP_PRIMITIVE_RESTART_FOR_PATCHES", 0;
        /// Boolean: shaders may use the `VOTE_*` opcodes.
        ShaderGroupVote = "PIPE_CAP_SHADER_GROUP_VOTE", 0;
        /// Maximum number of rectangles in `set_window_rectangles`.
        MaxWindowRectangles = "PIPE_CAP_MAX_WINDOW_RECTANGLES", 0;
        /// Boolean: `offset_units_unscaled` is honoured.
        PolygonOffsetUnitsUnscaled = "PIPE_CAP_POLYGON_OFFSET_UNITS_UNSCALED", 0;
        /// Number of subpixel bits of viewport bounds.
        ViewportSubpixelBits = "PIPE_CAP_VIEWPORT_SUBPIXEL_BITS", 0;
        /// Number of subpixel bits of the rasterizer.
        RasterizerSubpixelBits = "PIPE_CAP_RASTERIZER_SUBPIXEL_BITS", 4;
        /// Boolean: colour and depth formats of different sizes work together without a fallback;
        /// Z24 counts as 32 bits.
        MixedColorDepthBits = "PIPE_CAP_MIXED_COLOR_DEPTH_BITS", 1;
        /// Boolean: usage masks of declarations are honoured, so that declarations of arrays may
        /// overlap if their components differ.
        ShaderArrayComponents = "PIPE_CAP_SHADER_ARRAY_COMPONENTS", 0;
        /// Boolean: stream output can pause, and a draw can take its vertex count from a target
        /// (`ARB_transform_feedback2`).
        StreamOutputPauseResume = "PIPE_CAP_STREAM_OUTPUT_PAUSE_RESUME", 0;
        /// Boolean: interleaved stream output may cross buffers (`ARB_transform_feedback3`).
        StreamOutputInterleaveBuffers = "PIPE_CAP_STREAM_OUTPUT_INTERLEAVE_BUFFERS", 0;
        /// Boolean: shaders of every stage may read their output registers.
        ShaderCanReadOutputs = "PIPE_CAP_SHADER_CAN_READ_OUTPUTS", 0;
        /// Boolean: the GLSL compiler should do as few optimizations as linking allows.
        GlslOptimizeConservatively = "PIPE_CAP_GLSL_OPTIMIZE_CONSERVATIVELY", 0;
        /// Number of render targets a fragment shader can read (framebuffer fetch); 0: none.
        Fbfetch = "PIPE_CAP_FBFETCH", 0;
        /// Boolean: framebuffer fetches see earlier writes without a barrier.
        FbfetchCoherent = "PIPE_CAP_FBFETCH_COHERENT", 0;
        /// Boolean: a draw may sample what it draws to: a texel at the place where it is drawn, or
        /// after a `texture_barrier`. This cap comes from Mesa's header; the manual has only the
        /// call.
        TextureBarrier = "PIPE_CAP_TEXTURE_BARRIER", 0;
        /// Boolean: shaders may declare the property `MUL_ZERO_WINS`.
        TgsiMulZeroWins = "PIPE_CAP_TGSI_MUL_ZERO_WINS", 0;
        /// Boolean: shaders may use 64-bit floats.
        Doubles = "PIPE_CAP_DOUBLES", 0;
        /// Boolean: shaders may use 64-bit integers.
        Int64 = "PIPE_CAP_INT64", 0;
        /// Boolean: shaders may divide 64-bit integers.
        Int64Divmod = "PIPE_CAP_INT64_DIVMOD", 0;
        /// Boolean: shaders may use `TEX_LZ` and `TXF_LZ`.
        TgsiTexTxfLz = "PIPE_CAP_TGSI_TEX_TXF_LZ", 0;
        /// Boolean: shaders may use `CLOCK`.
        ShaderClock = "PIPE_CAP_SHADER_CLOCK", 0;
        /// Boolean: `fill_front` and `fill_back` may be
        /// [`FillRectangle`](crate::state::PolygonMode).
        PolygonModeFillRectangle = "PIPE_CAP_POLYGON_MODE_FILL_RECTANGLE", 0;
        /// Page size of sparse buffers, in bytes, at most 65536; 0: no sparse buffers.
        SparseBufferPageSize = "PIPE_CAP_SPARSE_BUFFER_PAGE_SIZE", 0;
        /// Boolean: shaders may use `BALLOT`, `READ_*` and the `SUBGROUP_*` system values.
        ShaderBallot = "PIPE_CAP_SHADER_BALLOT", 0;
        /// Boolean: tessellation evaluation shaders may write `LAYER` and `VIEWPORT_INDEX`.
        TesLayerViewport = "PIPE_CAP_TES_LAYER_VIEWPORT", 0;
        /// Boolean: a buffer with only the bind flag `CONSTANT_BUFFER` may be a vertex buffer.
        CanBindConstBufferAsVertex = "PIPE_CAP_CAN_BIND_CONST_BUFFER_AS_VERTEX", 1;
        /// Boolean: commands may use a buffer while it is mapped.
        AllowMappedBuffersDuringExecution = "PIPE_CAP_ALLOW_MAPPED_BUFFERS_DURING_EXECUTION", 1;
        /// Boolean: shaders may declare the property `FS_POST_DEPTH_COVERAGE`.
        PostDepthCoverage = "PIPE_CAP_POST_DEPTH_COVERAGE", 0;
        /// Boolean: the calls of [`Bindless`](crate::context::Bindless) work.
        BindlessTexture = "PIPE_CAP_BINDLESS_TEXTURE", 0;
        /// Boolean: NIR texture instructions name textures by dereference. TGSI drivers ignore it.
        NirSamplersAsDeref = "PIPE_CAP_NIR_SAMPLERS_AS_DEREF", 0;
        /// Boolean: `SoOverflowPredicate` and `SoOverflowAnyPredicate` queries work.
        QuerySoOverflow = "PIPE_CAP_QUERY_SO_OVERFLOW", 0;
        /// Boolean: memory objects work (feature `desktop`).
        Memobj = "PIPE_CAP_MEMOBJ", 0;
        /// Boolean: shaders may use `LOAD` on constant buffers.
        LoadConstbuf = "PIPE_CAP_LOAD_CONSTBUF", 0;
        /// Boolean: the `tile_raster_order_*` members of the rasterizer state are honoured
        /// (`GL_MESA_tile_raster_order`).
        TileRasterOrder = "PIPE_CAP_TILE_RASTER_ORDER", 0;
        /// Maximum number of shader images, shader buffers and fragment outputs together; 0: the
        /// frontend derives it.
        MaxCombinedShaderOutputResources = "PIPE_CAP_MAX_COMBINED_SHADER_OUTPUT_RESOURCES", 0;
        /// Allowed differences of attachments' sample counts. 0: all are equal; 1: colour may have
        /// more than depth; 2: any, if colour stores at most as many samples as depth.
        FramebufferMsaaConstraints = "PIPE_CAP_FRAMEBUFFER_MSAA_CONSTRAINTS", 0;
        /// Boolean: offsets of vertex buffers are signed.
        SignedVertexBufferOffset = "PIPE_CAP_SIGNED_VERTEX_BUFFER_OFFSET", 0;
        /// Bit mask of the context priorities that the driver honours: bit 0 low, 1 medium, 2 high.
        ContextPriorityMask = "PIPE_CAP_CONTEXT_PRIORITY_MASK", 0;
        /// Boolean: `fence_server_signal` signals fences from outside (feature `desktop`).
        FenceSignal = "PIPE_CAP_FENCE_SIGNAL", 0;
        /// [`ResourceFlags`](crate::ResourceFlags) that constant buffer 0 must have.
        Constbuf0Flags = "PIPE_CAP_CONSTBUF0_FLAGS", 0;
        /// Boolean: uniforms are packed tightly instead of padded to four components.
        PackedUniforms = "PIPE_CAP_PACKED_UNIFORMS", 0;
        /// Boolean: [`PostSnap`](crate::state::ConservativeRasterMode) works for triangles.
        ConservativeRasterPostSnapTriangles = "PIPE_CAP_CONSERVATIVE_RASTER_POST_SNAP_TRIANGLES", 0;
        /// Boolean: [`PostSnap`](crate::state::ConservativeRasterMode) works for points and lines.
        ConservativeRasterPostSnapPointsLines = "PIPE_CAP_CONSERVATIVE_RASTER_POST_SNAP_POINTS_LINES", 0;
        /// Boolean: [`PreSnap`](crate::state::ConservativeRasterMode) works for triangles.
        ConservativeRasterPreSnapTriangles = "PIPE_CAP_CONSERVATIVE_RASTER_PRE_SNAP_TRIANGLES", 0;
        /// Boolean: [`PreSnap`](crate::state::ConservativeRasterMode) works for points and lines.
        ConservativeRasterPreSnapPointsLines = "PIPE_CAP_CONSERVATIVE_RASTER_PRE_SNAP_POINTS_LINES", 0;
        /// Boolean: `PostDepthCoverage` works with conservative rasterization.
        ConservativeRasterPostDepthCoverage = "PIPE_CAP_CONSERVATIVE_RASTER_POST_DEPTH_COVERAGE", 0;
        /// Boolean: `inner_coverage` of `GL_INTEL_conservative_rasterization` works.
        ConservativeRasterInnerCoverage = "PIPE_CAP_CONSERVATIVE_RASTER_INNER_COVERAGE", 0;
        /// Maximum of `subpixel_precision_x` and `_y`, in bits.
        MaxConservativeRasterSubpixelPrecisionBias = "PIPE_CAP_MAX_CONSERVATIVE_RASTER_SUBPIXEL_PRECISION_BIAS", 0;
        /// Boolean: `set_sample_locations` works.
        ProgrammableSampleLocations = "PIPE_CAP_PROGRAMMABLE_SAMPLE_LOCATIONS", 0;
        /// Maximum of the shader property `GS_INVOCATIONS`.
        MaxGsInvocations = "PIPE_CAP_MAX_GS_INVOCATIONS", 32;
        /// Maximum size of a shader buffer's range, in bytes.
        MaxShaderBufferSize = "PIPE_CAP_MAX_SHADER_BUFFER_SIZE", 1 << 27;
        /// Maximum number of shader buffers of all stages together.
        MaxCombinedShaderBuffers = "PIPE_CAP_MAX_COMBINED_SHADER_BUFFERS", 0;
        /// Maximum number of atomic counters of all stages together.
        MaxCombinedHwAtomicCounters = "PIPE_CAP_MAX_COMBINED_HW_ATOMIC_COUNTERS", 0;
        /// Maximum number of atomic counter buffers of all stages together.
        MaxCombinedHwAtomicCounterBuffers = "PIPE_CAP_MAX_COMBINED_HW_ATOMIC_COUNTER_BUFFERS", 0;
        /// Recommended total size of texture uploads in flight, in bytes; 0: unlimited.
        MaxTextureUploadMemoryBudget = "PIPE_CAP_MAX_TEXTURE_UPLOAD_MEMORY_BUDGET", 0;
        /// Maximum of a vertex element's `src_offset`, in bytes.
        MaxVertexElementSrcOffset = "PIPE_CAP_MAX_VERTEX_ELEMENT_SRC_OFFSET", 2047;
        /// Boolean: [`SurfaceTemplate::nr_samples`](crate::SurfaceTemplate) may differ from the
        /// resource's.
        SurfaceSampleCount = "PIPE_CAP_SURFACE_SAMPLE_COUNT", 0;
        /// Boolean: shaders may add floats atomically in images, buffers and shared memory.
        ImageAtomicFloatAdd = "PIPE_CAP_IMAGE_ATOMIC_FLOAT_ADD", 0;
        /// Boolean: the frontend must replace destination alpha by one in blending if the format
        /// has no alpha.
        RgbOverrideDstAlphaBlend = "PIPE_CAP_RGB_OVERRIDE_DST_ALPHA_BLEND", 0;
        /// Boolean: tessellation evaluation shaders read `TESSINNER` and `TESSOUTER` as inputs, not
        /// as system values.
        GlslTessLevelsAsInputs = "PIPE_CAP_GLSL_TESS_LEVELS_AS_INPUTS", 0;
        /// Boolean: a draw or blit may treat its destination as linear although the format is sRGB,
        /// and the reverse.
        DestSurfaceSrgbControl = "PIPE_CAP_DEST_SURFACE_SRGB_CONTROL", 1;
        /// Boolean: NIR's compact arrays work in every stage. TGSI drivers ignore it.
        NirCompactArrays = "PIPE_CAP_NIR_COMPACT_ARRAYS", 0;
        /// Maximum number of inputs of a fragment shader that vertex stages write.
        MaxVaryings = "PIPE_CAP_MAX_VARYINGS", 8;
        /// Boolean: [`GridInfo::last_block`](crate::GridInfo) is honoured.
        ComputeGridInfoLastBlock = "PIPE_CAP_COMPUTE_GRID_INFO_LAST_BLOCK", 0;
        /// Boolean: compute shaders may use derivatives, and lookups that need derivatives.
        ComputeShaderDerivative = "PIPE_CAP_COMPUTE_SHADER_DERIVATIVE", 0;
        /// Boolean: arrays of inputs and outputs keep their declared size.
        TgsiSkipShrinkIoArrays = "PIPE_CAP_TGSI_SKIP_SHRINK_IO_ARRAYS", 0;
        /// Boolean: image loads need no format in the shader.
        ImageLoadFormatted = "PIPE_CAP_IMAGE_LOAD_FORMATTED", 0;
        /// Boolean: image stores need no format in the shader.
        ImageStoreFormatted = "PIPE_CAP_IMAGE_STORE_FORMATTED", 0;
        /// Boolean: the frontend should limit how many frames are in flight.
        Throttle = "PIPE_CAP_THROTTLE", 0;
        /// Boolean: resources can be shared as Linux DMABUF handles. Drivers of this workspace
        /// answer 0: they import memory of other processes as memory objects and copy it.
        Dmabuf = "PIPE_CAP_DMABUF", 0;
        /// Boolean: video frontends should convert and compose by compute instead of blits.
        PreferComputeForMultimedia = "PIPE_CAP_PREFER_COMPUTE_FOR_MULTIMEDIA", 0;
        /// Boolean: fragment shaders may have critical sections per pixel (shader interlock).
        FragmentShaderInterlock = "PIPE_CAP_FRAGMENT_SHADER_INTERLOCK", 0;
        /// Boolean: the driver derives `gl_LocalInvocationIndex` and `gl_GlobalInvocationID`
        /// itself.
        CsDerivedSystemValuesSupported = "PIPE_CAP_CS_DERIVED_SYSTEM_VALUES_SUPPORTED", 0;
        /// Boolean: shaders may use atomic minimum, maximum, exchange and compare-and-swap of
        /// floats in buffers and shared memory.
        AtomicFloatMinmax = "PIPE_CAP_ATOMIC_FLOAT_MINMAX", 0;
        /// Boolean: shaders may use `DIV`.
        TgsiDiv = "PIPE_CAP_TGSI_DIV", 0;
        /// Boolean: fragment shaders may use lookups with an explicit level of detail.
        FragmentShaderTextureLod = "PIPE_CAP_FRAGMENT_SHADER_TEXTURE_LOD", 1;
        /// Boolean: fragment shaders may use derivatives.
        FragmentShaderDerivatives = "PIPE_CAP_FRAGMENT_SHADER_DERIVATIVES", 1;
        /// Boolean: vertex shaders may use the saturate modifier.
        VertexShaderSaturate = "PIPE_CAP_VERTEX_SHADER_SATURATE", 1;
        /// Boolean: comparing lookups may have a bias, an explicit level of detail or derivatives.
        TextureShadowLod = "PIPE_CAP_TEXTURE_SHADOW_LOD", 0;
        /// Boolean: a shader can query whether all samples of a texel are identical.
        ShaderSamplesIdentical = "PIPE_CAP_SHADER_SAMPLES_IDENTICAL", 0;
        /// Boolean: shaders may use atomic increment and decrement that wrap around.
        ImageAtomicIncWrap = "PIPE_CAP_IMAGE_ATOMIC_INC_WRAP", 0;
        /// Boolean: the frontend should turn arrays of constants into constant buffers.
        PreferImmArraysAsConstbuf = "PIPE_CAP_PREFER_IMM_ARRAYS_AS_CONSTBUF", 0;
        /// Boolean: SPIR-V shaders are accepted (`ARB_gl_spirv`).
        GlSpirv = "PIPE_CAP_GL_SPIRV", 0;
        /// Boolean: SPIR-V shaders may use variable pointers.
        GlSpirvVariablePointers = "PIPE_CAP_GL_SPIRV_VARIABLE_POINTERS", 0;
        /// Boolean: fragment shaders may use `DEMOTE`.
        DemoteToHelperInvocation = "PIPE_CAP_DEMOTE_TO_HELPER_INVOCATION", 0;
        /// Boolean: `TG4` takes its component from the sampler's swizzle instead of a source.
        TgsiTg4ComponentInSwizzle = "PIPE_CAP_TGSI_TG4_COMPONENT_IN_SWIZZLE", 0;
        /// Boolean: `flatshade` is honoured; otherwise the frontend changes the shader.
        Flatshade = "PIPE_CAP_FLATSHADE", 1;
        /// Boolean: the alpha test is honoured; otherwise the frontend changes the shader.
        AlphaTest = "PIPE_CAP_ALPHA_TEST", 1;
        /// Boolean: `point_size` of the rasterizer state is honoured; otherwise the vertex shader
        /// must write a size.
        PointSizeFixed = "PIPE_CAP_POINT_SIZE_FIXED", 1;
        /// Boolean: `light_twoside` is honoured; otherwise the frontend changes the shader.
        TwoSidedColor = "PIPE_CAP_TWO_SIDED_COLOR", 1;
        /// Number of user clip planes: 0: none; 1: all of `MAX_CLIP_PLANES`; n > 1: n.
        ClipPlanes = "PIPE_CAP_CLIP_PLANES", 1;
        /// Maximum number of vertex buffers.
        MaxVertexBuffers = "PIPE_CAP_MAX_VERTEX_BUFFERS", 16;
        /// Boolean: OpenCL's integer functions are native.
        OpenclIntegerFunctions = "PIPE_CAP_OPENCL_INTEGER_FUNCTIONS", 0;
        /// Boolean: products of a 32-bit and a 16-bit integer are native.
        IntegerMultiply32x16 = "PIPE_CAP_INTEGER_MULTIPLY_32X16", 0;
        /// Boolean: NIR image instructions name images by dereference. TGSI drivers ignore it.
        NirImagesAsDeref = "PIPE_CAP_NIR_IMAGES_AS_DEREF", 1;
        /// Boolean: the driver packs stream output itself.
        PackedStreamOutput = "PIPE_CAP_PACKED_STREAM_OUTPUT", 1;
        /// Boolean: the frontend must add the viewport transform to the vertex shader.
        ViewportTransformLowered = "PIPE_CAP_VIEWPORT_TRANSFORM_LOWERED", 0;
        /// Boolean: the frontend must clamp the point size in the vertex shader.
        PsizClamped = "PIPE_CAP_PSIZ_CLAMPED", 0;
        /// Size of a frontend's buffer for the vertices between `glBegin` and `glEnd`, in bytes.
        GlBeginEndBufferSize = "PIPE_CAP_GL_BEGIN_END_BUFFER_SIZE", 512 * 1024;
        /// Boolean: [`ViewportState::swizzle`](crate::ViewportState) is honoured
        /// (`GL_NV_viewport_swizzle`).
        ViewportSwizzle = "PIPE_CAP_VIEWPORT_SWIZZLE", 0;
        /// Boolean: the device reads all of an application's memory without mapping.
        SystemSvm = "PIPE_CAP_SYSTEM_SVM", 0;
        /// Boolean: shaders may write `VIEWPORT_MASK` and declare `LAYER_VIEWPORT_RELATIVE`
        /// (`GL_NV_viewport_array2`).
        ViewportMask = "PIPE_CAP_VIEWPORT_MASK", 0;
        /// Boolean: any thread may map a buffer with `UNSYNCHRONIZED`.
        MapUnsynchronizedThreadSafe = "PIPE_CAP_MAP_UNSYNCHRONIZED_THREAD_SAFE", 0;
        /// GLSL variables that start as zero. 0: none; 1: all; 2: only those returned by functions.
        GlslZeroInit = "PIPE_CAP_GLSL_ZERO_INIT", 0;
        /// Boolean: the advanced blend equations work, with or without framebuffer fetch.
        BlendEquationAdvanced = "PIPE_CAP_BLEND_EQUATION_ADVANCED", 0;
        /// Boolean: NIR atomics name counters by dereference. TGSI drivers ignore it.
        NirAtomicsAsDeref = "PIPE_CAP_NIR_ATOMICS_AS_DEREF", 0;
        /// Boolean: the frontend must not clip texture copies to the source, because out-of-bounds
        /// reads return 0.
        NoClipOnCopyTex = "PIPE_CAP_NO_CLIP_ON_COPY_TEX", 0;
        /// Maximum size of a texture, in MiB.
        MaxTextureMb = "PIPE_CAP_MAX_TEXTURE_MB", 1024;
        /// Boolean: the device has protected (encrypted) content.
        DeviceProtectedContent = "PIPE_CAP_DEVICE_PROTECTED_CONTENT", 0;
        /// Boolean: the frontend should put the constants of buffer 0 into a resource instead of
        /// user memory.
        PreferRealBufferInConstbuf0 = "PIPE_CAP_PREFER_REAL_BUFFER_IN_CONSTBUF0", 0;
        /// Boolean: the wrap mode [`Clamp`](crate::state::TexWrap) works; otherwise the frontend
        /// changes the shader.
        GlClamp = "PIPE_CAP_GL_CLAMP", 1;
        /// Boolean: [`Rect`](crate::TextureTarget) textures work.
        Texrect = "PIPE_CAP_TEXRECT", 1;
        /// Boolean: [`ReductionMode`](crate::state::ReductionMode)s `Min` and `Max` work
        /// (`EXT_texture_filter_minmax`).
        SamplerReductionMinmax = "PIPE_CAP_SAMPLER_REDUCTION_MINMAX", 0;
        /// Boolean: [`ReductionMode`](crate::state::ReductionMode)s `Min` and `Max` work for the
        /// formats that can be queried (`ARB_texture_filter_minmax`).
        SamplerReductionMinmaxArb = "PIPE_CAP_SAMPLER_REDUCTION_MINMAX_ARB", 0;
        /// Boolean: the frontend must rewrite indices so that the restart index is the largest of
        /// its type.
        EmulateNonfixedPrimitiveRestart = "PIPE_CAP_EMULATE_NONFIXED_PRIMITIVE_RESTART", 0;
        /// Bit mask of the [`PrimType`](crate::PrimType)s that the driver draws itself; bit n is
        /// number n.
        SupportedPrimModes = "PIPE_CAP_SUPPORTED_PRIM_MODES", 0x3ff;
        /// Bit mask of the [`PrimType`](crate::PrimType)s that the driver restarts itself; bit n is
        /// number n.
        SupportedPrimModesWithRestart = "PIPE_CAP_SUPPORTED_PRIM_MODES_WITH_RESTART", 0;
        /// Boolean: a window system should reuse back buffers on a second device (`DRI_PRIME`).
        PreferBackBufferReuse = "PIPE_CAP_PREFER_BACK_BUFFER_REUSE", 0;
        /// Boolean: vertex state objects work (`Screen::create_vertex_state`, feature `desktop`).
        DrawVertexState = "PIPE_CAP_DRAW_VERTEX_STATE", 0;
        /// Boolean: the frontend should align inputs and outputs to powers of two within a
        /// register.
        PreferPotAlignedVaryings = "PIPE_CAP_PREFER_POT_ALIGNED_VARYINGS", 0;
        /// Maximum side of a sparse 1D, 2D or rectangle texture, in texels; 0: none.
        MaxSparseTextureSize = "PIPE_CAP_MAX_SPARSE_TEXTURE_SIZE", 0;
        /// Maximum side of a sparse 3D texture, in texels; 0: none.
        MaxSparse3dTextureSize = "PIPE_CAP_MAX_SPARSE_3D_TEXTURE_SIZE", 0;
        /// Maximum number of layers of a sparse array texture; 0: none.
        MaxSparseArrayTextureLayers = "PIPE_CAP_MAX_SPARSE_ARRAY_TEXTURE_LAYERS", 0;
        /// Boolean: sparse textures may have any mipmaps, including arrays and cubes.
        SparseTextureFullArrayCubeMipmaps = "PIPE_CAP_SPARSE_TEXTURE_FULL_ARRAY_CUBE_MIPMAPS", 0;
        /// Boolean: lookups in sparse textures can return whether their texels have memory.
        QuerySparseTextureResidency = "PIPE_CAP_QUERY_SPARSE_TEXTURE_RESIDENCY", 0;
        /// Boolean: lookups in sparse textures can clamp the level of detail to levels that have
        /// memory.
        ClampSparseTextureLod = "PIPE_CAP_CLAMP_SPARSE_TEXTURE_LOD", 0;
    }
}
