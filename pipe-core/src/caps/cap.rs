//! Integer and boolean capabilities of a screen.

use super::caps;

caps! {
    /// What `Screen::get_param` answers; booleans are 0 or 1. `PIPE_CAP_*`.
    pub enum Cap: i32 {
        /// Whether graphics is supported.
        Graphics = "PIPE_CAP_GRAPHICS", 1;
        /// Whether NPOT textures may have repeat modes, normalized coordinates, and mipmaps.
        NpotTextures = "PIPE_CAP_NPOT_TEXTURES", 0;
        /// How many dual-source blend RTs are support.
        MaxDualSourceRenderTargets = "PIPE_CAP_MAX_DUAL_SOURCE_RENDER_TARGETS", 0;
        /// Whether textures can be filtered anisotropically.
        AnisotropicFilter = "PIPE_CAP_ANISOTROPIC_FILTER", 0;
        /// Whether point sprites are available.
        PointSprite = "PIPE_CAP_POINT_SPRITE", 0;
        /// The maximum number of render targets that may be bound.
        MaxRenderTargets = "PIPE_CAP_MAX_RENDER_TARGETS", 1;
        /// Whether occlusion queries are available.
        OcclusionQuery = "PIPE_CAP_OCCLUSION_QUERY", 0;
        /// Whether `PIPE_QUERY_TIME_ELAPSED` queries are available.
        QueryTimeElapsed = "PIPE_CAP_QUERY_TIME_ELAPSED", 0;
        /// Whether textures can be compared with (shadow maps).
        TextureShadowMap = "PIPE_CAP_TEXTURE_SHADOW_MAP", 0;
        /// Whether swizzling through sampler views is supported.
        TextureSwizzle = "PIPE_CAP_TEXTURE_SWIZZLE", 1;
        /// The maximum size of 2D (and 1D) textures.
        MaxTexture2dSize = "PIPE_CAP_MAX_TEXTURE_2D_SIZE", 2048;
        /// The maximum number of mipmap levels available for a 3D texture.
        MaxTexture3dLevels = "PIPE_CAP_MAX_TEXTURE_3D_LEVELS", 9;
        /// The maximum number of mipmap levels available for a cubemap.
        MaxTextureCubeLevels = "PIPE_CAP_MAX_TEXTURE_CUBE_LEVELS", 12;
        /// Whether mirrored texture coordinates are supported with the clamp-to-edge wrap mode.
        TextureMirrorClampToEdge = "PIPE_CAP_TEXTURE_MIRROR_CLAMP_TO_EDGE", 0;
        /// Whether mirrored texture coordinates are supported with clamp or clamp-to-border wrap
        /// modes.
        TextureMirrorClamp = "PIPE_CAP_TEXTURE_MIRROR_CLAMP", 0;
        /// Whether alpha blend equations may be different from color blend equations, in Blend state.
        BlendEquationSeparate = "PIPE_CAP_BLEND_EQUATION_SEPARATE", 1;
        /// The maximum number of stream buffers.
        MaxStreamOutputBuffers = "PIPE_CAP_MAX_STREAM_OUTPUT_BUFFERS", 0;
        /// Whether primitive restart is supported.
        PrimitiveRestart = "PIPE_CAP_PRIMITIVE_RESTART", 0;
        /// Whether primitive restart is supported if the index is the largest of its type.
        PrimitiveRestartFixedIndex = "PIPE_CAP_PRIMITIVE_RESTART_FIXED_INDEX", 0;
        /// Whether per-rendertarget blend enabling and channel masks are supported.
        IndepBlendEnable = "PIPE_CAP_INDEP_BLEND_ENABLE", 0;
        /// Whether per-rendertarget blend functions are available.
        IndepBlendFunc = "PIPE_CAP_INDEP_BLEND_FUNC", 0;
        /// Layers of array textures; 0: none.
        MaxTextureArrayLayers = "PIPE_CAP_MAX_TEXTURE_ARRAY_LAYERS", 0;
        /// Whether the upper-left origin fragment convention is supported.
        FsCoordOriginUpperLeft = "PIPE_CAP_FS_COORD_ORIGIN_UPPER_LEFT", 1;
        /// Whether the lower-left origin fragment convention is supported.
        FsCoordOriginLowerLeft = "PIPE_CAP_FS_COORD_ORIGIN_LOWER_LEFT", 0;
        /// Whether the half-integer pixel-center fragment convention is supported.
        FsCoordPixelCenterHalfInteger = "PIPE_CAP_FS_COORD_PIXEL_CENTER_HALF_INTEGER", 1;
        /// Whether the integer pixel-center fragment convention is supported.
        FsCoordPixelCenterInteger = "PIPE_CAP_FS_COORD_PIXEL_CENTER_INTEGER", 0;
        /// Whether the driver is capable of disabling depth clipping (through
        /// `pipe_rasterizer_state`).
        DepthClipDisable = "PIPE_CAP_DEPTH_CLIP_DISABLE", 0;
        /// Whether the driver is capable of disabling depth clipping (through
        /// `pipe_rasterizer_state`) separately for the near and far plane.
        DepthClipDisableSeparate = "PIPE_CAP_DEPTH_CLIP_DISABLE_SEPARATE", 0;
        /// Whether the driver is capable of enabling depth clamping (through `pipe_rasterizer_state`)
        /// separately from depth clipping.
        DepthClampEnable = "PIPE_CAP_DEPTH_CLAMP_ENABLE", 0;
        /// Whether a stencil reference value can be written from a fragment shader.
        ShaderStencilExport = "PIPE_CAP_SHADER_STENCIL_EXPORT", 0;
        /// Whether `SYSTEM_VALUE_INSTANCE_ID` is supported in the vertex shader.
        VsInstanceid = "PIPE_CAP_VS_INSTANCEID", 0;
        /// Whether the driver supports per-instance vertex attribs.
        VertexElementInstanceDivisor = "PIPE_CAP_VERTEX_ELEMENT_INSTANCE_DIVISOR", 0;
        /// Whether `clamp_fragment_color` is supported.
        FragmentColorClamped = "PIPE_CAP_FRAGMENT_COLOR_CLAMPED", 0;
        /// Whether colour buffers may have different formats.
        MixedColorbufferFormats = "PIPE_CAP_MIXED_COLORBUFFER_FORMATS", 0;
        /// Whether the driver is capable of outputting unclamped vertex colors from a vertex shader.
        VertexColorUnclamped = "PIPE_CAP_VERTEX_COLOR_UNCLAMPED", 1;
        /// Whether the driver is capable of clamping vertex colors when they come out of a vertex
        /// shader, as specified by the `pipe_rasterizer_state::clamp_vertex_color` flag.
        VertexColorClamped = "PIPE_CAP_VERTEX_COLOR_CLAMPED", 0;
        /// The GLSL version whose features are supported, such as 130.
        GlslFeatureLevel = "PIPE_CAP_GLSL_FEATURE_LEVEL", 120;
        /// The GLSL version supported with all legacy features of the compatibility profile.
        GlslFeatureLevelCompatibility = "PIPE_CAP_GLSL_FEATURE_LEVEL_COMPATIBILITY", 120;
        /// A higher GLSL version for GLES contexts; 0: `GlslFeatureLevel`.
        EsslFeatureLevel = "PIPE_CAP_ESSL_FEATURE_LEVEL", 0;
        /// Whether quads adhere to the `flatshade_first` setting in `pipe_rasterizer_state`.
        QuadsFollowProvokingVertexConvention = "PIPE_CAP_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION", 0;
        /// Whether the driver supports user vertex buffers.
        UserVertexBuffers = "PIPE_CAP_USER_VERTEX_BUFFERS", 0;
        /// Whether vertex buffer offsets must be multiples of 4.
        VertexBufferOffset4byteAlignedOnly = "PIPE_CAP_VERTEX_BUFFER_OFFSET_4BYTE_ALIGNED_ONLY", 0;
        /// Whether vertex strides must be multiples of 4.
        VertexBufferStride4byteAlignedOnly = "PIPE_CAP_VERTEX_BUFFER_STRIDE_4BYTE_ALIGNED_ONLY", 0;
        /// Whether vertex element offsets must be multiples of 4.
        VertexElementSrcOffset4byteAlignedOnly = "PIPE_CAP_VERTEX_ELEMENT_SRC_OFFSET_4BYTE_ALIGNED_ONLY", 0;
        /// Whether attributes must be aligned to their component size.
        VertexAttribElementAlignedOnly = "PIPE_CAP_VERTEX_ATTRIB_ELEMENT_ALIGNED_ONLY", 0;
        /// Whether the implementation supports the compute entry points defined in `pipe_context` and
        /// `pipe_screen`.
        Compute = "PIPE_CAP_COMPUTE", 0;
        /// Describes the required alignment of `pipe_constant_buffer::buffer_offset`.
        ConstantBufferOffsetAlignment = "PIPE_CAP_CONSTANT_BUFFER_OFFSET_ALIGNMENT", 4;
        /// Whether the driver supports `pipe_draw_info::start_instance`.
        StartInstance = "PIPE_CAP_START_INSTANCE", 0;
        /// Whether `PIPE_QUERY_TIMESTAMP` and the `pipe_screen::get_timestamp` hook are implemented.
        QueryTimestamp = "PIPE_CAP_QUERY_TIMESTAMP", 0;
        /// Whether all MSAA resources supported for rendering are also supported for texturing.
        TextureMultisample = "PIPE_CAP_TEXTURE_MULTISAMPLE", 0;
        /// The minimum alignment that should be expected for a pointer returned by `transfer_map` if
        /// the resource is `PIPE_BUFFER`.
        MinMapBufferAlignment = "PIPE_CAP_MIN_MAP_BUFFER_ALIGNMENT", 64;
        /// Alignment of sampler views of buffers, in bytes; 0: no offsets.
        TextureBufferOffsetAlignment = "PIPE_CAP_TEXTURE_BUFFER_OFFSET_ALIGNMENT", 0;
        /// Whether the driver only supports R, RG, RGB and RGBA formats for `PIPE_BUFFER` sampler
        /// views.
        BufferSamplerViewRgbaOnly = "PIPE_CAP_BUFFER_SAMPLER_VIEW_RGBA_ONLY", 0;
        /// Whether inputs that sprites replace must be `TEXCOORD`, not `GENERIC`.
        TgsiTexcoord = "PIPE_CAP_TGSI_TEXCOORD", 0;
        /// Whether samplers are used for buffers, too.
        TextureBufferSampler = "PIPE_CAP_TEXTURE_BUFFER_SAMPLER", 0;
        /// How texture transfers are done that convert: bit 0 by blits, bit 1 by compute; 0 on the
        /// CPU.
        TextureTransferModes = "PIPE_CAP_TEXTURE_TRANSFER_MODES", 0;
        /// Whether `PIPE_QUERY_PIPELINE_STATISTICS` is supported.
        QueryPipelineStatistics = "PIPE_CAP_QUERY_PIPELINE_STATISTICS", 0;
        /// Which quirks border colours have: 1 for swizzles that affect them (NV50), 2 undefined
        /// under permutations (R600).
        TextureBorderColorQuirk = "PIPE_CAP_TEXTURE_BORDER_COLOR_QUIRK", 0;
        /// The maximum accessible size with a buffer sampler view, in texels.
        MaxTextureBufferSize = "PIPE_CAP_MAX_TEXTURE_BUFFER_SIZE", 0;
        /// Viewports, and scissors with them; 0 is 1.
        MaxViewports = "PIPE_CAP_MAX_VIEWPORTS", 1;
        /// The device's byte order: 0 little, 1 big.
        Endianness = "PIPE_CAP_ENDIANNESS", 0;
        /// Whether it is allowed to have different sizes for fb color/zs attachments.
        MixedFramebufferSizes = "PIPE_CAP_MIXED_FRAMEBUFFER_SIZES", 0;
        /// Whether `VARYING_SLOT_LAYER` and `VARYING_SLOT_VIEWPORT` are supported as vertex shader
        /// outputs.
        VsLayerViewport = "PIPE_CAP_VS_LAYER_VIEWPORT", 0;
        /// The maximum number of vertices output by a single invocation of a geometry shader.
        MaxGeometryOutputVertices = "PIPE_CAP_MAX_GEOMETRY_OUTPUT_VERTICES", 0;
        /// Components one geometry shader invocation may output: attributes times vertices.
        MaxGeometryTotalOutputComponents = "PIPE_CAP_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS", 0;
        /// Components of formats that gathers work on: 1 (red, alpha …) or 4 (all).
        MaxTextureGatherComponents = "PIPE_CAP_MAX_TEXTURE_GATHER_COMPONENTS", 0;
        /// Whether the texture gather hardware implements the SM5 features, component selection,
        /// shadow comparison, and run-time offsets.
        TextureGatherSm5 = "PIPE_CAP_TEXTURE_GATHER_SM5", 0;
        /// Whether `PIPE_MAP_PERSISTENT` and `PIPE_MAP_COHERENT` are supported for buffers.
        BufferMapPersistentCoherent = "PIPE_CAP_BUFFER_MAP_PERSISTENT_COHERENT", 0;
        /// Whether the LODQ instruction is supported.
        TextureQueryLod = "PIPE_CAP_TEXTURE_QUERY_LOD", 0;
        /// The minimum offset that can be used in conjunction with a texture gather opcode.
        MinTextureGatherOffset = "PIPE_CAP_MIN_TEXTURE_GATHER_OFFSET", 0;
        /// The maximum offset that can be used in conjunction with a texture gather opcode.
        MaxTextureGatherOffset = "PIPE_CAP_MAX_TEXTURE_GATHER_OFFSET", 0;
        /// Whether there is support for per-sample shading.
        SampleShading = "PIPE_CAP_SAMPLE_SHADING", 0;
        /// Whether the TG4 instruction can accept 4 offsets.
        TextureGatherOffsets = "PIPE_CAP_TEXTURE_GATHER_OFFSETS", 0;
        /// Whether window-space position is supported, which disables clipping and viewport
        /// transformation.
        VsWindowSpacePosition = "PIPE_CAP_VS_WINDOW_SPACE_POSITION", 0;
        /// Vertex streams of the geometry shader: at least 1 with stream output, else 0.
        MaxVertexStreams = "PIPE_CAP_MAX_VERTEX_STREAMS", 0;
        /// Whether the driver supports taking draw arguments (count, `instance_count`, start,
        /// `index_bias`) from a `PIPE_BUFFER` resource.
        DrawIndirect = "PIPE_CAP_DRAW_INDIRECT", 0;
        /// Whether several indirect draws can be made from one buffer.
        MultiDrawIndirect = "PIPE_CAP_MULTI_DRAW_INDIRECT", 0;
        /// Whether the driver supports taking the number of indirect draws from a separate parameter
        /// buffer, see `pipe_draw_indirect_info::indirect_draw_count`.
        MultiDrawIndirectParams = "PIPE_CAP_MULTI_DRAW_INDIRECT_PARAMS", 0;
        /// Whether the fragment shader supports the FINE versions of DDX/DDY.
        FsFineDerivative = "PIPE_CAP_FS_FINE_DERIVATIVE", 0;
        /// The hardware vendor's id; -1 (0xffffffff) without one.
        VendorId = "PIPE_CAP_VENDOR_ID", -1;
        /// The device's PCI id; -1 (0xffffffff) without one.
        DeviceId = "PIPE_CAP_DEVICE_ID", -1;
        /// Whether the renderer is hardware accelerated.
        Accelerated = "PIPE_CAP_ACCELERATED", 0;
        /// The amount of video memory in megabytes.
        VideoMemory = "PIPE_CAP_VIDEO_MEMORY", 0;
        /// If the device has a unified memory architecture or on-card memory and GART.
        Uma = "PIPE_CAP_UMA", 1;
        /// Whether the driver supports inverted condition for conditional rendering.
        ConditionalRenderInverted = "PIPE_CAP_CONDITIONAL_RENDER_INVERTED", 0;
        /// The maximum supported vertex stride.
        MaxVertexAttribStride = "PIPE_CAP_MAX_VERTEX_ATTRIB_STRIDE", 2048;
        /// Whether the sampler view's target can be different than the underlying resource's, as
        /// permitted by `ARB_texture_view`.
        SamplerViewTarget = "PIPE_CAP_SAMPLER_VIEW_TARGET", 0;
        /// Whether the driver supports the `pipe_rasterizer_state::clip_halfz` being set to true.
        ClipHalfz = "PIPE_CAP_CLIP_HALFZ", 0;
        /// Whether only `VERTEXID_NOBASE` is supported, not `VERTEXID`.
        VertexidNobase = "PIPE_CAP_VERTEXID_NOBASE", 0;
        /// If true, the driver implements support for `pipe_rasterizer_state::offset_clamp`.
        PolygonOffsetClamp = "PIPE_CAP_POLYGON_OFFSET_CLAMP", 0;
        /// Whether multisampled depth can be blitted to single samples (the first one).
        MultisampleZResolve = "PIPE_CAP_MULTISAMPLE_Z_RESOLVE", 0;
        /// Whether resources can be made of the caller's memory, in place.
        ResourceFromUserMemory = "PIPE_CAP_RESOURCE_FROM_USER_MEMORY", 0;
        /// The same, for compute only.
        ResourceFromUserMemoryComputeOnly = "PIPE_CAP_RESOURCE_FROM_USER_MEMORY_COMPUTE_ONLY", 0;
        /// Whether `pipe_context::get_device_reset_status` is implemented.
        DeviceResetStatusQuery = "PIPE_CAP_DEVICE_RESET_STATUS_QUERY", 0;
        /// How many per-patch outputs and inputs are supported between tessellation control and
        /// tessellation evaluation shaders, not counting in TESSINNER and TESSOUTER.
        MaxShaderPatchVaryings = "PIPE_CAP_MAX_SHADER_PATCH_VARYINGS", 0;
        /// Whether the linear minification and magnification filters are supported with single-
        /// precision floating-point textures.
        TextureFloatLinear = "PIPE_CAP_TEXTURE_FLOAT_LINEAR", 0;
        /// Whether the linear minification and magnification filters are supported with half-
        /// precision floating-point textures.
        TextureHalfFloatLinear = "PIPE_CAP_TEXTURE_HALF_FLOAT_LINEAR", 0;
        /// Whether `bounds_test`, `bounds_min`, and `bounds_max` states of
        /// `pipe_depth_stencil_alpha_state` behave according to the `GL_EXT_depth_bounds_test`
        /// specification.
        DepthBoundsTest = "PIPE_CAP_DEPTH_BOUNDS_TEST", 0;
        /// Whether the TXQS opcode is supported.
        TextureQuerySamples = "PIPE_CAP_TEXTURE_QUERY_SAMPLES", 0;
        /// If the driver can force per-sample interpolation for all fragment shader inputs if
        /// `pipe_rasterizer_state::force_persample_interp` is set.
        ForcePersampleInterp = "PIPE_CAP_FORCE_PERSAMPLE_INTERP", 0;
        /// Whether shader CSOs can be used by any `pipe_context`.
        ShareableShaders = "PIPE_CAP_SHAREABLE_SHADERS", 0;
        /// Whether copying between compressed and plain formats is supported where a compressed block
        /// is copied to/from a plain pixel of the same size.
        CopyBetweenCompressedAndPlainFormats = "PIPE_CAP_COPY_BETWEEN_COMPRESSED_AND_PLAIN_FORMATS", 0;
        /// Whether `clear_texture` will be available in contexts.
        ClearTexture = "PIPE_CAP_CLEAR_TEXTURE", 0;
        /// Whether clear can accept a scissored bounding box.
        ClearScissored = "PIPE_CAP_CLEAR_SCISSORED", 0;
        /// Whether `TGSI_SEMANTIC_BASEVERTEX`, `TGSI_SEMANTIC_BASEINSTANCE`, and
        /// `TGSI_SEMANTIC_DRAWID` are supported in vertex shaders.
        DrawParameters = "PIPE_CAP_DRAW_PARAMETERS", 0;
        /// Whether packed 16-bit float packing/unpacking opcodes are supported.
        ShaderPackHalfFloat = "PIPE_CAP_SHADER_PACK_HALF_FLOAT", 0;
        /// If gallium frontends should use a system value for the POSITION fragment shader input.
        FsPositionIsSysval = "PIPE_CAP_FS_POSITION_IS_SYSVAL", 0;
        /// If gallium frontends should use a system value for the POINT fragment shader input.
        FsPointIsSysval = "PIPE_CAP_FS_POINT_IS_SYSVAL", 0;
        /// If gallium frontends should use a system value for the FACE fragment shader input.
        FsFaceIsIntegerSysval = "PIPE_CAP_FS_FACE_IS_INTEGER_SYSVAL", 0;
        /// Alignment of shader buffers, in bytes, at most 256.
        ShaderBufferOffsetAlignment = "PIPE_CAP_SHADER_BUFFER_OFFSET_ALIGNMENT", 0;
        /// Whether the use of `invalidate_resource` for buffers is supported.
        InvalidateBuffer = "PIPE_CAP_INVALIDATE_BUFFER", 0;
        /// Indicates whether `pipe_context::generate_mipmap` is supported.
        GenerateMipmap = "PIPE_CAP_GENERATE_MIPMAP", 0;
        /// Whether pipe-)`emit_string_marker`() is supported.
        StringMarker = "PIPE_CAP_STRING_MARKER", 0;
        /// Indicates whether `pipe_context::create_surface` supports reinterpreting a texture as a
        /// surface of a format with different block width/height (but same block size in bits).
        SurfaceReinterpretBlocks = "PIPE_CAP_SURFACE_REINTERPRET_BLOCKS", 0;
        /// Driver supports context::`get_query_result_resource` callback.
        QueryBufferObject = "PIPE_CAP_QUERY_BUFFER_OBJECT", 0;
        /// Return the PCI segment group number.
        PciGroup = "PIPE_CAP_PCI_GROUP", 0;
        /// Return the PCI bus number.
        PciBus = "PIPE_CAP_PCI_BUS", 0;
        /// Return the PCI device number.
        PciDevice = "PIPE_CAP_PCI_DEVICE", 0;
        /// Return the PCI function number.
        PciFunction = "PIPE_CAP_PCI_FUNCTION", 0;
        /// Whether framebuffers without attachments are supported.
        FramebufferNoAttachment = "PIPE_CAP_FRAMEBUFFER_NO_ATTACHMENT", 0;
        /// Implementation uses bounds checking on resource accesses by shader if the context is
        /// created with `PIPE_CONTEXT_ROBUST_BUFFER_ACCESS`.
        RobustBufferAccessBehavior = "PIPE_CAP_ROBUST_BUFFER_ACCESS_BEHAVIOR", 0;
        /// Whether the driver supports the `arb_cull_distance` extension and thus implements proper
        /// support for culling planes.
        CullDistance = "PIPE_CAP_CULL_DISTANCE", 0;
        /// Whether the driver wants to skip running the `nir_lower_clip_cull_distance_arrays` pass in
        /// order to get `VARYING_SLOT_CULL_DIST0` slot variables.
        CullDistanceNocombine = "PIPE_CAP_CULL_DISTANCE_NOCOMBINE", 0;
        /// Whether primitive restart is supported for patch primitives.
        PrimitiveRestartForPatches = "PIPE_CAP_PRIMITIVE_RESTART_FOR_PATCHES", 0;
        /// Whether the VOTE_* ops can be used in shaders.
        ShaderGroupVote = "PIPE_CAP_SHADER_GROUP_VOTE", 0;
        /// The maxium number of window rectangles supported in `set_window_rectangles`.
        MaxWindowRectangles = "PIPE_CAP_MAX_WINDOW_RECTANGLES", 0;
        /// If true, the driver implements support for `pipe_rasterizer_state::offset_units_unscaled`.
        PolygonOffsetUnitsUnscaled = "PIPE_CAP_POLYGON_OFFSET_UNITS_UNSCALED", 0;
        /// Number of bits of subpixel precision for floating point viewport bounds.
        ViewportSubpixelBits = "PIPE_CAP_VIEWPORT_SUBPIXEL_BITS", 0;
        /// Number of bits of subpixel precision used by the rasterizer.
        RasterizerSubpixelBits = "PIPE_CAP_RASTERIZER_SUBPIXEL_BITS", 4;
        /// Whether colour and depth formats of different sizes go together without fallbacks; Z24
        /// counts as 32 bits.
        MixedColorDepthBits = "PIPE_CAP_MIXED_COLOR_DEPTH_BITS", 1;
        /// If true, the driver interprets the UsageMask of input and output declarations and allows
        /// declaring arrays in overlapping ranges.
        ShaderArrayComponents = "PIPE_CAP_SHADER_ARRAY_COMPONENTS", 0;
        /// Whether `GL_ARB_transform_feeddback2` is supported, including pausing/resuming queries and
        /// having `count_from_stream_output` set on indirect draws to implement
        /// glDrawTransformFeedback.
        StreamOutputPauseResume = "PIPE_CAP_STREAM_OUTPUT_PAUSE_RESUME", 0;
        /// Whether interleaved stream output mode is able to interleave across buffers.
        StreamOutputInterleaveBuffers = "PIPE_CAP_STREAM_OUTPUT_INTERLEAVE_BUFFERS", 0;
        /// Whether every TGSI shader stage can read from the output file.
        ShaderCanReadOutputs = "PIPE_CAP_SHADER_CAN_READ_OUTPUTS", 0;
        /// Tell the GLSL compiler to use the minimum amount of optimizations just to be able to do
        /// all the linking and lowering.
        GlslOptimizeConservatively = "PIPE_CAP_GLSL_OPTIMIZE_CONSERVATIVELY", 0;
        /// Render targets that shaders can read; 0: no framebuffer fetch.
        Fbfetch = "PIPE_CAP_FBFETCH", 0;
        /// Whether framebuffer fetches from the fragment shader can be guaranteed to be coherent with
        /// framebuffer writes.
        FbfetchCoherent = "PIPE_CAP_FBFETCH_COHERENT", 0;
        /// Whether TGSI shaders support the `TGSI_PROPERTY_MUL_ZERO_WINS` shader property.
        TgsiMulZeroWins = "PIPE_CAP_TGSI_MUL_ZERO_WINS", 0;
        /// Whether double precision floating-point operations are supported.
        Doubles = "PIPE_CAP_DOUBLES", 0;
        /// Whether 64-bit integer operations are supported.
        Int64 = "PIPE_CAP_INT64", 0;
        /// Whether 64-bit integer division/modulo operations are supported.
        Int64Divmod = "PIPE_CAP_INT64_DIVMOD", 0;
        /// Whether TEX_LZ and TXF_LZ opcodes are supported.
        TgsiTexTxfLz = "PIPE_CAP_TGSI_TEX_TXF_LZ", 0;
        /// Whether the CLOCK opcode is supported.
        ShaderClock = "PIPE_CAP_SHADER_CLOCK", 0;
        /// Whether the `PIPE_POLYGON_MODE_FILL_RECTANGLE` mode is supported for
        /// `pipe_rasterizer_state::fill_front` and `pipe_rasterizer_state::fill_back`.
        PolygonModeFillRectangle = "PIPE_CAP_POLYGON_MODE_FILL_RECTANGLE", 0;
        /// Page size of sparse buffers, in bytes, at most 65536; 0: none.
        SparseBufferPageSize = "PIPE_CAP_SPARSE_BUFFER_PAGE_SIZE", 0;
        /// Whether the BALLOT and READ_* opcodes as well as the SUBGROUP_* semantics are supported.
        ShaderBallot = "PIPE_CAP_SHADER_BALLOT", 0;
        /// Whether `VARYING_SLOT_LAYER` and `VARYING_SLOT_VIEWPORT` are supported as tessellation
        /// evaluation shader outputs.
        TesLayerViewport = "PIPE_CAP_TES_LAYER_VIEWPORT", 0;
        /// Whether a buffer with just `PIPE_BIND_CONSTANT_BUFFER` can be legally passed to
        /// `set_vertex_buffers`.
        CanBindConstBufferAsVertex = "PIPE_CAP_CAN_BIND_CONST_BUFFER_AS_VERTEX", 1;
        /// As the name says.
        AllowMappedBuffersDuringExecution = "PIPE_CAP_ALLOW_MAPPED_BUFFERS_DURING_EXECUTION", 1;
        /// Whether `TGSI_PROPERTY_FS_POST_DEPTH_COVERAGE` is supported.
        PostDepthCoverage = "PIPE_CAP_POST_DEPTH_COVERAGE", 0;
        /// Whether bindless texture operations are supported.
        BindlessTexture = "PIPE_CAP_BINDLESS_TEXTURE", 0;
        /// Whether NIR tex instructions should reference texture and sampler as NIR derefs instead of
        /// by indices.
        NirSamplersAsDeref = "PIPE_CAP_NIR_SAMPLERS_AS_DEREF", 0;
        /// Whether queries for stream output overflows are supported.
        QuerySoOverflow = "PIPE_CAP_QUERY_SO_OVERFLOW", 0;
        /// Whether operations on memory objects are supported.
        Memobj = "PIPE_CAP_MEMOBJ", 0;
        /// True if the driver supports `TGSI_OPCODE_LOAD` use with constant buffers.
        LoadConstbuf = "PIPE_CAP_LOAD_CONSTBUF", 0;
        /// Whether the driver supports `GL_MESA_tile_raster_order`, using the tile_raster_order_*
        /// fields in `pipe_rasterizer_state`.
        TileRasterOrder = "PIPE_CAP_TILE_RASTER_ORDER", 0;
        /// Images, buffers and fragment outputs together; 0: worked out.
        MaxCombinedShaderOutputResources = "PIPE_CAP_MAX_COMBINED_SHADER_OUTPUT_RESOURCES", 0;
        /// How sample counts of attachments may differ: 0 not at all, 1 colours may have more than
        /// depth, 2 freely with storage samples at most depth's.
        FramebufferMsaaConstraints = "PIPE_CAP_FRAMEBUFFER_MSAA_CONSTRAINTS", 0;
        /// Whether `pipe_vertex_buffer::buffer_offset` is treated as signed.
        SignedVertexBufferOffset = "PIPE_CAP_SIGNED_VERTEX_BUFFER_OFFSET", 0;
        /// Which context priorities are supported, a bit each.
        ContextPriorityMask = "PIPE_CAP_CONTEXT_PRIORITY_MASK", 0;
        /// True if the driver supports signaling semaphores using `fence_server_signal`().
        FenceSignal = "PIPE_CAP_FENCE_SIGNAL", 0;
        /// Resource flags that constant buffer 0 must have.
        Constbuf0Flags = "PIPE_CAP_CONSTBUF0_FLAGS", 0;
        /// True if the driver supports packed uniforms as opposed to padding to vec4s.
        PackedUniforms = "PIPE_CAP_PACKED_UNIFORMS", 0;
        /// Whether the `PIPE_CONSERVATIVE_RASTER_POST_SNAP` mode is supported for triangles.
        ConservativeRasterPostSnapTriangles = "PIPE_CAP_CONSERVATIVE_RASTER_POST_SNAP_TRIANGLES", 0;
        /// Whether the `PIPE_CONSERVATIVE_RASTER_POST_SNAP` mode is supported for points and lines.
        ConservativeRasterPostSnapPointsLines = "PIPE_CAP_CONSERVATIVE_RASTER_POST_SNAP_POINTS_LINES", 0;
        /// Whether the `PIPE_CONSERVATIVE_RASTER_PRE_SNAP` mode is supported for triangles.
        ConservativeRasterPreSnapTriangles = "PIPE_CAP_CONSERVATIVE_RASTER_PRE_SNAP_TRIANGLES", 0;
        /// Whether the `PIPE_CONSERVATIVE_RASTER_PRE_SNAP` mode is supported for points and lines.
        ConservativeRasterPreSnapPointsLines = "PIPE_CAP_CONSERVATIVE_RASTER_PRE_SNAP_POINTS_LINES", 0;
        /// Whether `PostDepthCoverage` works with conservative rasterization.
        ConservativeRasterPostDepthCoverage = "PIPE_CAP_CONSERVATIVE_RASTER_POST_DEPTH_COVERAGE", 0;
        /// Whether `inner_coverage` from `GL_INTEL_conservative_rasterization` is supported.
        ConservativeRasterInnerCoverage = "PIPE_CAP_CONSERVATIVE_RASTER_INNER_COVERAGE", 0;
        /// The maximum subpixel precision bias in bits during conservative rasterization.
        MaxConservativeRasterSubpixelPrecisionBias = "PIPE_CAP_MAX_CONSERVATIVE_RASTER_SUBPIXEL_PRECISION_BIAS", 0;
        /// Whether `set_sample_locations` is supported.
        ProgrammableSampleLocations = "PIPE_CAP_PROGRAMMABLE_SAMPLE_LOCATIONS", 0;
        /// Maximum supported value of `TGSI_PROPERTY_GS_INVOCATIONS`.
        MaxGsInvocations = "PIPE_CAP_MAX_GS_INVOCATIONS", 32;
        /// Maximum supported size for binding with `set_shader_buffers`.
        MaxShaderBufferSize = "PIPE_CAP_MAX_SHADER_BUFFER_SIZE", 1 << 27;
        /// Maximum total number of shader buffers.
        MaxCombinedShaderBuffers = "PIPE_CAP_MAX_COMBINED_SHADER_BUFFERS", 0;
        /// Maximum total number of atomic counters.
        MaxCombinedHwAtomicCounters = "PIPE_CAP_MAX_COMBINED_HW_ATOMIC_COUNTERS", 0;
        /// Maximum total number of atomic counter buffers.
        MaxCombinedHwAtomicCounterBuffers = "PIPE_CAP_MAX_COMBINED_HW_ATOMIC_COUNTER_BUFFERS", 0;
        /// Maximum recommend memory size for all active texture uploads combined.
        MaxTextureUploadMemoryBudget = "PIPE_CAP_MAX_TEXTURE_UPLOAD_MEMORY_BUDGET", 0;
        /// The maximum supported value for of `pipe_vertex_element::src_offset`.
        MaxVertexElementSrcOffset = "PIPE_CAP_MAX_VERTEX_ELEMENT_SRC_OFFSET", 2047;
        /// Whether the driver supports `pipe_surface` overrides of resource `nr_samples`.
        SurfaceSampleCount = "PIPE_CAP_SURFACE_SAMPLE_COUNT", 0;
        /// Atomic floating point adds are supported on images, buffers, and shared memory.
        ImageAtomicFloatAdd = "PIPE_CAP_IMAGE_ATOMIC_FLOAT_ADD", 0;
        /// True if the driver needs blend state to use zero/one instead of destination alpha for
        /// RGB/XRGB formats.
        RgbOverrideDstAlphaBlend = "PIPE_CAP_RGB_OVERRIDE_DST_ALPHA_BLEND", 0;
        /// True if the driver wants TESSINNER and TESSOUTER to be inputs (rather than system values)
        /// for tessellation evaluation shaders.
        GlslTessLevelsAsInputs = "PIPE_CAP_GLSL_TESS_LEVELS_AS_INPUTS", 0;
        /// Indicates whether the drivers supports switching the format between sRGB and linear for a
        /// surface that is used as destination in draw and blit calls.
        DestSurfaceSrgbControl = "PIPE_CAP_DEST_SURFACE_SRGB_CONTROL", 1;
        /// True if the compiler backend supports NIR's compact array feature, for all shader stages.
        NirCompactArrays = "PIPE_CAP_NIR_COMPACT_ARRAYS", 0;
        /// The maximum number of fragment shader varyings.
        MaxVaryings = "PIPE_CAP_MAX_VARYINGS", 8;
        /// Whether `pipe_grid_info::last_block` is implemented by the driver.
        ComputeGridInfoLastBlock = "PIPE_CAP_COMPUTE_GRID_INFO_LAST_BLOCK", 0;
        /// True if the driver supports derivatives (and texture lookups with implicit derivatives) in
        /// compute shaders.
        ComputeShaderDerivative = "PIPE_CAP_COMPUTE_SHADER_DERIVATIVE", 0;
        /// Whether the TGSI pass to shrink IO arrays should be skipped and enforce keeping the
        /// declared array sizes instead.
        TgsiSkipShrinkIoArrays = "PIPE_CAP_TGSI_SKIP_SHRINK_IO_ARRAYS", 0;
        /// True if a format for image loads does not need to be specified in the shader IR.
        ImageLoadFormatted = "PIPE_CAP_IMAGE_LOAD_FORMATTED", 0;
        /// True if a format for image stores does not need to be specified in the shader IR.
        ImageStoreFormatted = "PIPE_CAP_IMAGE_STORE_FORMATTED", 0;
        /// Whether or not gallium frontends should throttle `pipe_context` execution. 0 = throttling
        /// is disabled.
        Throttle = "PIPE_CAP_THROTTLE", 0;
        /// Whether Linux DMABUF handles are supported by `resource_from_handle` and
        /// `resource_get_handle`.
        Dmabuf = "PIPE_CAP_DMABUF", 0;
        /// Whether VDPAU, VAAPI, and OpenMAX should use a compute-based blit instead of
        /// `pipe_context::blit` and compute pipeline for compositing images.
        PreferComputeForMultimedia = "PIPE_CAP_PREFER_COMPUTE_FOR_MULTIMEDIA", 0;
        /// True if fragment shader interlock functionality is supported.
        FragmentShaderInterlock = "PIPE_CAP_FRAGMENT_SHADER_INTERLOCK", 0;
        /// True if driver handles gl_LocalInvocationIndex and gl_GlobalInvocationID.
        CsDerivedSystemValuesSupported = "PIPE_CAP_CS_DERIVED_SYSTEM_VALUES_SUPPORTED", 0;
        /// Atomic float point minimum, maximum, exchange and compare-and-swap support to buffer and
        /// shared variables.
        AtomicFloatMinmax = "PIPE_CAP_ATOMIC_FLOAT_MINMAX", 0;
        /// Whether opcode DIV is supported.
        TgsiDiv = "PIPE_CAP_TGSI_DIV", 0;
        /// Whether texture lookups with explicit LOD is supported in the fragment shader.
        FragmentShaderTextureLod = "PIPE_CAP_FRAGMENT_SHADER_TEXTURE_LOD", 1;
        /// True if the driver supports derivatives in fragment shaders.
        FragmentShaderDerivatives = "PIPE_CAP_FRAGMENT_SHADER_DERIVATIVES", 1;
        /// True if the driver supports saturate modifiers in the vertex shader.
        VertexShaderSaturate = "PIPE_CAP_VERTEX_SHADER_SATURATE", 1;
        /// True if the driver supports shadow sampler types with texture functions having interaction
        /// with LOD of texture lookup.
        TextureShadowLod = "PIPE_CAP_TEXTURE_SHADOW_LOD", 0;
        /// True if the driver supports a shader query to tell whether all samples of a multisampled
        /// surface are definitely identical.
        ShaderSamplesIdentical = "PIPE_CAP_SHADER_SAMPLES_IDENTICAL", 0;
        /// Atomic increment/decrement + wrap around are supported.
        ImageAtomicIncWrap = "PIPE_CAP_IMAGE_ATOMIC_INC_WRAP", 0;
        /// True if gallium frontends should turn arrays whose contents can be deduced at compile time
        /// into constant buffer loads, or false if the driver can handle such arrays itself in a more
        /// efficient manner.
        PreferImmArraysAsConstbuf = "PIPE_CAP_PREFER_IMM_ARRAYS_AS_CONSTBUF", 0;
        /// True if the driver supports `ARB_gl_spirv` extension.
        GlSpirv = "PIPE_CAP_GL_SPIRV", 0;
        /// True if the driver supports Variable Pointers in SPIR-V shaders.
        GlSpirvVariablePointers = "PIPE_CAP_GL_SPIRV_VARIABLE_POINTERS", 0;
        /// True if driver supports demote keyword in GLSL programs.
        DemoteToHelperInvocation = "PIPE_CAP_DEMOTE_TO_HELPER_INVOCATION", 0;
        /// True if driver wants the TG4 component encoded in sampler swizzle rather than as a
        /// separate source.
        TgsiTg4ComponentInSwizzle = "PIPE_CAP_TGSI_TG4_COMPONENT_IN_SWIZZLE", 0;
        /// Driver supports `pipe_rasterizer_state::flatshade`.
        Flatshade = "PIPE_CAP_FLATSHADE", 1;
        /// Driver supports alpha-testing.
        AlphaTest = "PIPE_CAP_ALPHA_TEST", 1;
        /// Whether points without a size of their own are supported.
        PointSizeFixed = "PIPE_CAP_POINT_SIZE_FIXED", 1;
        /// Driver supports two-sided coloring.
        TwoSidedColor = "PIPE_CAP_TWO_SIDED_COLOR", 1;
        /// User clip planes: 0 none, 1 all of `MAX_CLIP_PLANES`, more: that many.
        ClipPlanes = "PIPE_CAP_CLIP_PLANES", 1;
        /// Number of supported vertex buffers.
        MaxVertexBuffers = "PIPE_CAP_MAX_VERTEX_BUFFERS", 16;
        /// Driver supports extended OpenCL-style integer functions.
        OpenclIntegerFunctions = "PIPE_CAP_OPENCL_INTEGER_FUNCTIONS", 0;
        /// Driver supports integer multiplication between a 32-bit integer and a 16-bit integer.
        IntegerMultiply32x16 = "PIPE_CAP_INTEGER_MULTIPLY_32X16", 0;
        /// Whether NIR image load/store intrinsics should be nir_intrinsic_image_deref_* instead of
        /// nir_intrinsic_image_*.
        NirImagesAsDeref = "PIPE_CAP_NIR_IMAGES_AS_DEREF", 1;
        /// Whether the driver packs what it streams out.
        PackedStreamOutput = "PIPE_CAP_PACKED_STREAM_OUTPUT", 1;
        /// Driver needs the `nir_lower_viewport_transform` pass to be enabled.
        ViewportTransformLowered = "PIPE_CAP_VIEWPORT_TRANSFORM_LOWERED", 0;
        /// Driver needs for the point size to be clamped.
        PsizClamped = "PIPE_CAP_PSIZ_CLAMPED", 0;
        /// Buffer size used to upload vertices for glBegin/glEnd.
        GlBeginEndBufferSize = "PIPE_CAP_GL_BEGIN_END_BUFFER_SIZE", 512 * 1024;
        /// Whether `pipe_viewport_state::swizzle` can be used to specify pre-clipping swizzling of
        /// coordinates (see `GL_NV_viewport_swizzle`).
        ViewportSwizzle = "PIPE_CAP_VIEWPORT_SWIZZLE", 0;
        /// True if all application memory can be shared with the GPU without explicit mapping.
        SystemSvm = "PIPE_CAP_SYSTEM_SVM", 0;
        /// Whether `TGSI_SEMANTIC_VIEWPORT_MASK` and `TGSI_PROPERTY_LAYER_VIEWPORT_RELATIVE` are
        /// supported (see `GL_NV_viewport_array2`).
        ViewportMask = "PIPE_CAP_VIEWPORT_MASK", 0;
        /// Whether mapping a buffer as unsynchronized from any thread is safe.
        MapUnsynchronizedThreadSafe = "PIPE_CAP_MAP_UNSYNCHRONIZED_THREAD_SAFE", 0;
        /// Which GLSL variables start as zero: 0 none, 1 all, 2 function outputs only.
        GlslZeroInit = "PIPE_CAP_GLSL_ZERO_INIT", 0;
        /// Driver supports blend equation advanced without necessarily supporting FBFETCH.
        BlendEquationAdvanced = "PIPE_CAP_BLEND_EQUATION_ADVANCED", 0;
        /// Whether NIR atomics instructions should reference atomics as NIR derefs instead of by
        /// indices.
        NirAtomicsAsDeref = "PIPE_CAP_NIR_ATOMICS_AS_DEREF", 0;
        /// Driver doesn't want x/y/width/height clipped based on src size when doing a copy texture
        /// operation (eg: may want out-of-bounds reads that produce 0 instead of leaving the texture
        /// content undefined).
        NoClipOnCopyTex = "PIPE_CAP_NO_CLIP_ON_COPY_TEX", 0;
        /// Maximum texture size in MB (default is 1024).
        MaxTextureMb = "PIPE_CAP_MAX_TEXTURE_MB", 1024;
        /// Whether the device support protected / encrypted content.
        DeviceProtectedContent = "PIPE_CAP_DEVICE_PROTECTED_CONTENT", 0;
        /// The state tracker is encouraged to upload constants into a real buffer and bind it into
        /// constant buffer 0 instead of binding a user pointer.
        PreferRealBufferInConstbuf0 = "PIPE_CAP_PREFER_REAL_BUFFER_IN_CONSTBUF0", 0;
        /// Driver natively supports `GL_CLAMP`.
        GlClamp = "PIPE_CAP_GL_CLAMP", 1;
        /// Driver supports rectangle textures.
        Texrect = "PIPE_CAP_TEXRECT", 1;
        /// Driver supports EXT min/max sampler reduction.
        SamplerReductionMinmax = "PIPE_CAP_SAMPLER_REDUCTION_MINMAX", 0;
        /// Driver supports ARB min/max sampler reduction with format queries.
        SamplerReductionMinmaxArb = "PIPE_CAP_SAMPLER_REDUCTION_MINMAX_ARB", 0;
        /// Driver requests all draws using a non-fixed restart index to be rewritten to use a fixed
        /// restart index.
        EmulateNonfixedPrimitiveRestart = "PIPE_CAP_EMULATE_NONFIXED_PRIMITIVE_RESTART", 0;
        /// Primitive types the driver draws itself, a bit each.
        SupportedPrimModes = "PIPE_CAP_SUPPORTED_PRIM_MODES", 0x3ff;
        /// Primitive types the driver restarts itself, a bit each.
        SupportedPrimModesWithRestart = "PIPE_CAP_SUPPORTED_PRIM_MODES_WITH_RESTART", 0;
        /// Only applies to DRI_PRIME.
        PreferBackBufferReuse = "PIPE_CAP_PREFER_BACK_BUFFER_REUSE", 0;
        /// Driver supports `pipe_screen::create_vertex_state`/`vertex_state_destroy` and
        /// `pipe_context::draw_vertex_state`.
        DrawVertexState = "PIPE_CAP_DRAW_VERTEX_STATE", 0;
        /// Driver prefers varyings to be aligned to power of two in a slot.
        PreferPotAlignedVaryings = "PIPE_CAP_PREFER_POT_ALIGNED_VARYINGS", 0;
        /// Maximum 1D/2D/rectangle texture image dimension for a sparse texture.
        MaxSparseTextureSize = "PIPE_CAP_MAX_SPARSE_TEXTURE_SIZE", 0;
        /// Maximum 3D texture image dimension for a sparse texture.
        MaxSparse3dTextureSize = "PIPE_CAP_MAX_SPARSE_3D_TEXTURE_SIZE", 0;
        /// Maximum number of layers in a sparse array texture.
        MaxSparseArrayTextureLayers = "PIPE_CAP_MAX_SPARSE_ARRAY_TEXTURE_LAYERS", 0;
        /// TRUE if there are no restrictions on the allocation of mipmaps in sparse textures and
        /// FALSE otherwise.
        SparseTextureFullArrayCubeMipmaps = "PIPE_CAP_SPARSE_TEXTURE_FULL_ARRAY_CUBE_MIPMAPS", 0;
        /// TRUE if shader sparse texture sample instruction could also return the residency
        /// information.
        QuerySparseTextureResidency = "PIPE_CAP_QUERY_SPARSE_TEXTURE_RESIDENCY", 0;
        /// TRUE if shader sparse texture sample instruction support clamp the minimal lod to prevent
        /// read from un-committed pages.
        ClampSparseTextureLod = "PIPE_CAP_CLAMP_SPARSE_TEXTURE_LOD", 0;
    }
}
