//! The rules that enforce caps: one rule per cap. A new cap does not compile until it has a rule.

use tgsi::declaration::{Declaration, DeclarationKind, MemoryType, SemanticName};
use tgsi::opcode::{Flags, Kind, Opcode, Type};
use tgsi::register::File;
use tgsi::shader::{Instruction, Property, Shader, TextureTarget as Shape};

use crate::caps::{Cap, ShaderCap};
use crate::draw_info::DrawInfo;
use crate::primitive::PrimType;
use crate::resource::{Bind, ResourceFlags, ResourceTemplate, TextureTarget};
use crate::shader::{GridInfo, ShaderType};
use crate::state::*;

/// The object that may need a cap, and a test whether it does.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// A blend state.
    Blend(fn(&BlendState) -> bool),
    /// A depth, stencil and alpha state.
    DepthStencilAlpha(fn(&DepthStencilAlphaState) -> bool),
    /// A rasterizer state.
    Rasterizer(fn(&RasterizerState) -> bool),
    /// A sampler state.
    Sampler(fn(&SamplerState) -> bool),
    /// A vertex element.
    Element(fn(&VertexElement) -> bool),
    /// A viewport.
    Viewport(fn(&ViewportState) -> bool),
    /// A shader's text or tokens.
    Code(fn(&Code<'_>) -> bool),
    /// A resource's template.
    Resource(fn(&ResourceTemplate) -> bool),
    /// A draw.
    Draw(fn(&DrawInfo<'_>) -> bool),
    /// A launch.
    Grid(fn(&GridInfo<'_>) -> bool),
    /// A call, or a combination of objects; the call itself checks the cap.
    Call,
    /// A limit; checked where it could be exceeded.
    Limit,
    /// Advice to frontends, or a fact about the device; no call depends on it.
    Advice,
}

/// The parts of a shader's code that caps govern.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) stage: ShaderType,
    pub(super) shader: &'a Shader<'a>,
}

impl Code<'_> {
    /// Returns true if an instruction satisfies `is`.
    fn has(&self, is: impl Fn(&Instruction) -> bool) -> bool {
        self.shader.instructions().iter().any(is)
    }

    /// Returns true if the opcode of an instruction satisfies `is`.
    fn op(&self, is: impl Fn(Opcode) -> bool) -> bool {
        self.has(|instruction| is(instruction.opcode))
    }

    /// Returns true if a declaration satisfies `is`.
    fn declares(&self, is: impl Fn(&Declaration) -> bool) -> bool {
        self.shader.declarations().iter().any(is)
    }

    /// Returns true if registers of a file have this semantic.
    fn means(&self, file: File, name: SemanticName) -> bool {
        self.declares(|it| it.file == file && it.semantic.is_some_and(|of| of.name == name))
    }

    /// Returns true if the shader sets a property to a value other than 0.
    fn sets(&self, property: Property) -> bool {
        self.shader.properties().iter().any(|(set, value)| set == property && value != 0)
    }

    /// Returns true if a computed index addresses registers of a file.
    fn computes_address(&self, file: File) -> bool {
        self.has(|it| {
            it.srcs().iter().any(|src| src.file == file && src.indirect.is_some())
                || it.dsts().iter().any(|dst| dst.file == file && dst.indirect.is_some())
        })
    }

    /// Returns true if the shape of a lookup's texture satisfies `is`.
    fn looks_up(&self, is: impl Fn(Shape) -> bool) -> bool {
        self.has(|it| it.texture.is_some_and(|texture| is(texture.target)))
    }

    /// Returns the number of declared registers of a file: the last one plus 1.
    pub(super) fn registers(&self, file: File) -> u64 {
        let of_file = self.shader.declarations().iter().filter(|it| it.file == file);
        of_file.map(|it| u64::from(it.last).saturating_add(1)).max().unwrap_or(0)
    }

    /// Returns the number of declared buffers of a file: the last one plus 1.
    pub(super) fn buffers(&self, file: File) -> u64 {
        let of_file = self.shader.declarations().iter().filter(|it| it.file == file);
        of_file.map(|it| u64::from(it.dimension.unwrap_or(0)).saturating_add(1)).max().unwrap_or(0)
    }

    /// Returns the number of registers between stages, without registers of fixed meaning.
    pub(super) fn varyings(&self, file: File) -> u64 {
        use SemanticName::{BackColor, Color, Fog, Generic, Patch, TexCoord};
        let varies = |it: &&Declaration| {
            let name = it.semantic.map(|semantic| semantic.name);
            it.file == file
                && matches!(name, Some(Generic | TexCoord | Color | BackColor | Fog | Patch))
        };
        let counts = self.shader.declarations().iter().filter(varies);
        counts.map(|it| u64::from(it.last.wrapping_sub(it.first)).saturating_add(1)).sum()
    }

    /// Returns the depth of nested control flow.
    pub(super) fn depth(&self) -> u64 {
        let (mut depth, mut deepest) = (0u64, 0);
        for instruction in self.shader.instructions() {
            let flags = instruction.opcode.info().flags;
            if flags.contains(Flags::CLOSES) {
                depth = depth.saturating_sub(1);
            }
            if flags.contains(Flags::OPENS) {
                depth = depth.saturating_add(1);
            }
            deepest = depth.max(deepest);
        }
        deepest
    }
}

/// Returns true if the type of an operand satisfies `is`.
fn handles(opcode: Opcode, is: fn(&Type) -> bool) -> bool {
    let info = opcode.info();
    info.dst.iter().any(is) || info.src.iter().any(is)
}

/// Returns true if an opcode works on integers, except address registers and packed halves.
fn is_integer(opcode: Opcode) -> bool {
    use Opcode::{Arl, Arr, Pk2h, Pk2us, Pk4b, Pk4ub, Uif, Up2h, Up2us, Up4b, Up4ub};
    let apart =
        matches!(opcode, Arl | Arr | Pk2h | Pk2us | Pk4b | Pk4ub | Up2h | Up2us | Up4b | Up4ub);
    let arithmetic = matches!(opcode.kind(), Kind::Arithmetic(_)) && !apart;
    opcode == Uif || arithmetic && handles(opcode, |of| matches!(of, Type::Int | Type::Uint))
}

/// Returns true if a lookup compares and does not take its level of detail from the quad.
fn compares_at_level(instruction: &Instruction) -> bool {
    use Opcode::{Txb, Txb2, Txd, Txl, Txl2};
    let compares = instruction.texture.is_some_and(|texture| texture.target.is_shadow());
    compares && matches!(instruction.opcode, Txb | Txl | Txd | Txb2 | Txl2)
}

/// Returns true if a gather uses a feature of shader model 5: it compares, selects a component
/// other than the first, or has a computed offset.
fn gathers_by_model_5(it: &Instruction) -> bool {
    let Some(texture) = it.texture.filter(|_| it.opcode == Opcode::Tg4) else {
        return false;
    };
    let computed = texture.offsets().iter().any(|offset| offset.file != File::Immediate);
    let component = it.srcs().get(1).is_some_and(|src| src.file != File::Immediate);
    texture.target.is_shadow() || computed || component
}

/// Returns true if the wrap mode of a coordinate satisfies `is`.
fn wraps(state: &SamplerState, is: fn(TexWrap) -> bool) -> bool {
    [state.wrap_s, state.wrap_t, state.wrap_r].into_iter().any(is)
}

/// Returns the rule of a cap, and the name of the feature that needs it.
pub(super) fn rule(cap: Cap) -> (Rule, &'static str) {
    use Rule::*;
    match cap {
        Cap::Graphics => (Call, "contexts that draw"),
        Cap::NpotTextures => (
            Resource(|it| {
                let sides = [it.width0, it.height0, it.depth0];
                let odd = sides.iter().any(|side| !side.is_power_of_two());
                !it.is_buffer() && it.last_level > 0 && odd
            }),
            "mipmaps of sides that are no powers of two",
        ),
        Cap::MaxDualSourceRenderTargets => {
            (Blend(|it| it.is_dual_source()), "dual source blending")
        }
        Cap::AnisotropicFilter => (Sampler(|it| it.max_anisotropy > 1), "anisotropic filtering"),
        Cap::PointSprite => (Rasterizer(|it| it.sprite_coord_enable != 0), "point sprites"),
        Cap::TextureShadowMap => {
            (Sampler(|it| it.compare_mode != TexCompare::None), "samplers that compare")
        }
        Cap::TextureMirrorClampToEdge => (
            Sampler(|it| wraps(it, |wrap| wrap == TexWrap::MirrorClampToEdge)),
            "the wrap mode MirrorClampToEdge",
        ),
        Cap::TextureMirrorClamp => (
            Sampler(|it| {
                wraps(it, |wrap| {
                    matches!(wrap, TexWrap::MirrorClamp | TexWrap::MirrorClampToBorder)
                })
            }),
            "the wrap modes MirrorClamp and MirrorClampToBorder",
        ),
        Cap::GlClamp => {
            (Sampler(|it| wraps(it, |wrap| wrap == TexWrap::Clamp)), "the wrap mode Clamp")
        }
        Cap::SamplerReductionMinmax | Cap::SamplerReductionMinmaxArb => (
            Sampler(|it| it.reduction_mode != ReductionMode::WeightedAverage),
            "minimum and maximum filters",
        ),
        Cap::BlendEquationSeparate => (
            Blend(|it| {
                let apart = |target: &RenderTargetBlendState| {
                    target.blend_enable && target.rgb_func != target.alpha_func
                };
                if it.independent_blend_enable {
                    it.rt.iter().any(apart)
                } else {
                    apart(it.target(0))
                }
            }),
            "another blend function for alpha",
        ),
        Cap::IndepBlendEnable => (Blend(|it| it.independent_blend_enable), "independent blending"),
        Cap::IndepBlendFunc => (
            Blend(|it| {
                let function = |target: &RenderTargetBlendState| {
                    (target.rgb_func, target.alpha_func, target.factors())
                };
                let mut blending = it.rt.iter().filter(|target| target.blend_enable);
                let first = blending.next().map(function);
                it.independent_blend_enable
                    && blending.any(|target| Some(function(target)) != first)
            }),
            "blend functions by target",
        ),
        Cap::AlphaTest => (DepthStencilAlpha(|it| it.alpha_enabled), "the alpha test"),
        Cap::DepthBoundsTest => {
            (DepthStencilAlpha(|it| it.depth_bounds_test), "the depth bounds test")
        }
        Cap::DepthClipDisable => {
            (Rasterizer(|it| !it.depth_clip_near || !it.depth_clip_far), "disabling depth clipping")
        }
        Cap::DepthClipDisableSeparate => {
            (Rasterizer(|it| it.depth_clip_near != it.depth_clip_far), "separate depth clipping")
        }
        Cap::DepthClampEnable => (
            Rasterizer(|it| it.depth_clamp == it.depth_clip_far),
            "depth_clamp that is not the inverse of depth_clip_far",
        ),
        Cap::FragmentColorClamped => {
            (Rasterizer(|it| it.clamp_fragment_color), "clamp_fragment_color")
        }
        Cap::VertexColorClamped => (Rasterizer(|it| it.clamp_vertex_color), "clamp_vertex_color"),
        Cap::Flatshade => (Rasterizer(|it| it.flatshade), "flatshade"),
        Cap::TwoSidedColor => (Rasterizer(|it| it.light_twoside), "light_twoside"),
        Cap::ClipHalfz => (Rasterizer(|it| it.clip_halfz), "clip_halfz"),
        Cap::PolygonOffsetClamp => (Rasterizer(|it| it.offset_clamp != 0.0), "offset_clamp"),
        Cap::PolygonOffsetUnitsUnscaled => {
            (Rasterizer(|it| it.offset_units_unscaled), "offset_units_unscaled")
        }
        Cap::PolygonModeFillRectangle => (
            Rasterizer(|it| [it.fill_front, it.fill_back].contains(&PolygonMode::FillRectangle)),
            "filled rectangles",
        ),
        Cap::ForcePersampleInterp => {
            (Rasterizer(|it| it.force_persample_interp), "force_persample_interp")
        }
        Cap::TileRasterOrder => {
            (Rasterizer(|it| it.tile_raster_order_fixed), "tile_raster_order_fixed")
        }
        Cap::ClipPlanes => (Rasterizer(|it| it.clip_plane_enable != 0), "user clip planes"),
        Cap::ConservativeRasterPostSnapTriangles => (
            Rasterizer(|it| it.conservative_raster_mode == ConservativeRasterMode::PostSnap),
            "post-snap conservative rasterization",
        ),
        Cap::ConservativeRasterPreSnapTriangles => (
            Rasterizer(|it| it.conservative_raster_mode == ConservativeRasterMode::PreSnap),
            "pre-snap conservative rasterization",
        ),
        Cap::VertexElementInstanceDivisor => {
            (Element(|it| it.instance_divisor != 0), "instance divisors")
        }
        Cap::ViewportSwizzle => {
            (Viewport(|it| it.swizzle != ViewportState::default().swizzle), "viewport swizzles")
        }
        Cap::StartInstance => (Draw(|it| it.start_instance != 0), "a first instance that is not 0"),
        Cap::PrimitiveRestartForPatches => (
            Draw(|it| it.primitive_restart && it.index.is_some() && it.mode == PrimType::Patches),
            "restarts within patches",
        ),
        Cap::ComputeGridInfoLastBlock => (Grid(|it| it.last_block != [0; 3]), "last_block"),
        Cap::Texrect => (Resource(|it| it.target == TextureTarget::Rect), "rectangle textures"),
        Cap::TextureMultisample => (
            Resource(|it| it.nr_samples > 1 && it.bind.contains(Bind::SAMPLER_VIEW)),
            "textures of several samples",
        ),
        Cap::DeviceProtectedContent => {
            (Resource(|it| it.flags.contains(ResourceFlags::ENCRYPTED)), "ENCRYPTED resources")
        }
        Cap::SparseBufferPageSize => (
            Resource(|it| it.is_buffer() && it.flags.contains(ResourceFlags::SPARSE)),
            "SPARSE resources",
        ),
        Cap::MaxSparse3dTextureSize => (
            Resource(|it| {
                it.target == TextureTarget::Texture3D && it.flags.contains(ResourceFlags::SPARSE)
            }),
            "SPARSE resources",
        ),
        Cap::MaxSparseTextureSize => (
            Resource(|it| {
                it.flags.contains(ResourceFlags::SPARSE)
                    && !matches!(it.target, TextureTarget::Buffer | TextureTarget::Texture3D)
            }),
            "SPARSE resources",
        ),
        Cap::MaxSparseArrayTextureLayers => (
            Resource(|it| {
                it.flags.contains(ResourceFlags::SPARSE) && it.array_size > 1 && !it.is_buffer()
            }),
            "SPARSE array textures",
        ),
        Cap::VsInstanceid => (
            Code(|it| {
                it.stage == ShaderType::Vertex
                    && it.means(File::SystemValue, SemanticName::InstanceId)
            }),
            "INSTANCEID",
        ),
        Cap::DrawParameters => (
            Code(|it| {
                use SemanticName::{BaseInstance, BaseVertex, DrawId};
                [BaseInstance, BaseVertex, DrawId]
                    .iter()
                    .any(|name| it.means(File::SystemValue, *name))
            }),
            "BASEVERTEX, BASEINSTANCE or DRAWID",
        ),
        Cap::ShaderStencilExport => (
            Code(|it| {
                it.stage == ShaderType::Fragment && it.means(File::Output, SemanticName::Stencil)
            }),
            "STENCIL outputs",
        ),
        Cap::VsLayerViewport => (
            Code(|it| it.stage == ShaderType::Vertex && chooses_layer(it)),
            "LAYER or VIEWPORT_INDEX as an output of this stage",
        ),
        Cap::TesLayerViewport => (
            Code(|it| it.stage == ShaderType::TessEval && chooses_layer(it)),
            "LAYER or VIEWPORT_INDEX as an output of this stage",
        ),
        Cap::ViewportMask => (
            Code(|it| {
                it.means(File::Output, SemanticName::ViewportMask)
                    || it.sets(Property::LayerViewportRelative)
            }),
            "VIEWPORT_MASK or LAYER_VIEWPORT_RELATIVE",
        ),
        Cap::FsCoordOriginLowerLeft => {
            (Code(|it| it.sets(Property::FsCoordOrigin)), "FS_COORD_ORIGIN of the lower left")
        }
        Cap::FsCoordPixelCenterInteger => {
            (Code(|it| it.sets(Property::FsCoordPixelCenter)), "FS_COORD_PIXEL_CENTER of integers")
        }
        Cap::FsCoordOriginUpperLeft => (
            Code(|it| reads_position(it) && !it.sets(Property::FsCoordOrigin)),
            "FS_COORD_ORIGIN of the upper left",
        ),
        Cap::FsCoordPixelCenterHalfInteger => (
            Code(|it| reads_position(it) && !it.sets(Property::FsCoordPixelCenter)),
            "FS_COORD_PIXEL_CENTER of half integers",
        ),
        Cap::VsWindowSpacePosition => {
            (Code(|it| it.sets(Property::VsWindowSpacePosition)), "VS_WINDOW_SPACE_POSITION")
        }
        Cap::CullDistance => {
            (Code(|it| it.sets(Property::NumCulldistEnabled)), "NUM_CULLDIST_ENABLED")
        }
        Cap::TgsiMulZeroWins => (Code(|it| it.sets(Property::MulZeroWins)), "MUL_ZERO_WINS"),
        Cap::PostDepthCoverage => {
            (Code(|it| it.sets(Property::FsPostDepthCoverage)), "FS_POST_DEPTH_COVERAGE")
        }
        Cap::BlendEquationAdvanced => {
            (Code(|it| it.sets(Property::FsBlendEquationAdvanced)), "FS_BLEND_EQUATION_ADVANCED")
        }
        Cap::SampleShading => (
            Code(|it| {
                it.means(File::SystemValue, SemanticName::SampleId)
                    || it.means(File::SystemValue, SemanticName::SamplePosition)
            }),
            "SAMPLEID or SAMPLEPOS",
        ),
        Cap::Fbfetch => (Code(|it| it.op(|op| op == Opcode::Fbfetch)), "FBFETCH"),
        Cap::ShaderGroupVote => (
            Code(|it| it.op(|op| matches!(op, Opcode::VoteAny | Opcode::VoteAll | Opcode::VoteEq))),
            "VOTE_ANY, VOTE_ALL or VOTE_EQ",
        ),
        Cap::ShaderBallot => (
            Code(|it| {
                it.op(|op| matches!(op, Opcode::Ballot | Opcode::ReadInvoc | Opcode::ReadFirst))
                    || reads_subgroup(it)
            }),
            "BALLOT, READ_INVOC, READ_FIRST or SUBGROUP values",
        ),
        Cap::ShaderClock => (Code(|it| it.op(|op| op == Opcode::Clock)), "CLOCK"),
        Cap::DemoteToHelperInvocation => (
            Code(|it| it.op(|op| matches!(op, Opcode::Demote | Opcode::ReadHelper))),
            "DEMOTE or READ_HELPER",
        ),
        Cap::FragmentShaderDerivatives => (
            Code(|it| it.stage == ShaderType::Fragment && derives(it)),
            "derivatives in fragment shaders",
        ),
        Cap::ComputeShaderDerivative => (
            Code(|it| it.stage == ShaderType::Compute && derives(it)),
            "derivatives in compute shaders",
        ),
        Cap::FsFineDerivative => (
            Code(|it| it.op(|op| matches!(op, Opcode::DdxFine | Opcode::DdyFine))),
            "DDX_FINE or DDY_FINE",
        ),
        Cap::Doubles => (Code(|it| it.op(|op| handles(op, |of| *of == Type::Double))), "doubles"),
        Cap::Int64 => (
            Code(|it| it.op(|op| handles(op, |of| matches!(of, Type::Int64 | Type::Uint64)))),
            "64-bit integers",
        ),
        Cap::Int64Divmod => (
            Code(|it| {
                it.op(|op| {
                    matches!(op, Opcode::I64div | Opcode::U64div | Opcode::I64mod | Opcode::U64mod)
                })
            }),
            "I64DIV, U64DIV, I64MOD or U64MOD",
        ),
        Cap::ShaderPackHalfFloat => {
            (Code(|it| it.op(|op| matches!(op, Opcode::Pk2h | Opcode::Up2h))), "PK2H or UP2H")
        }
        Cap::TgsiDiv => (Code(|it| it.op(|op| op == Opcode::Div)), "DIV"),
        Cap::TgsiTexTxfLz => {
            (Code(|it| it.op(|op| matches!(op, Opcode::TexLz | Opcode::TxfLz))), "TEX_LZ or TXF_LZ")
        }
        Cap::TextureQueryLod => {
            (Code(|it| it.op(|op| matches!(op, Opcode::Lodq | Opcode::Lod))), "LODQ")
        }
        Cap::TextureQuerySamples => (Code(|it| it.op(|op| op == Opcode::Txqs)), "TXQS"),
        Cap::MaxTextureGatherComponents => {
            (Code(|it| it.op(|op| matches!(op, Opcode::Tg4 | Opcode::Gather4))), "TG4")
        }
        Cap::TextureGatherSm5 => (
            Code(|it| it.has(gathers_by_model_5)),
            "TG4 that compares, or has a component or an offset of run time",
        ),
        Cap::TextureGatherOffsets => (
            Code(|it| {
                it.has(|it| {
                    it.opcode == Opcode::Tg4
                        && it.texture.is_some_and(|texture| texture.offset_count > 1)
                })
            }),
            "TG4 of four offsets",
        ),
        Cap::TextureShadowLod => {
            (Code(|it| it.has(compares_at_level)), "comparisons at a level of detail")
        }
        Cap::FragmentShaderTextureLod => (
            Code(|it| {
                it.stage == ShaderType::Fragment
                    && it.op(|op| matches!(op, Opcode::Txl | Opcode::Txl2 | Opcode::SampleL))
            }),
            "lookups at a level of detail in fragment shaders",
        ),
        Cap::ImageAtomicFloatAdd => (Code(|it| it.op(|op| op == Opcode::Atomfadd)), "ATOMFADD"),
        Cap::ImageAtomicIncWrap => (
            Code(|it| it.op(|op| matches!(op, Opcode::AtomincWrap | Opcode::AtomdecWrap))),
            "ATOMINC_WRAP or ATOMDEC_WRAP",
        ),
        Cap::LoadConstbuf => (
            Code(|it| it.has(|it| it.srcs().iter().any(|src| src.file == File::ConstantBuffer))),
            "LOAD of constant buffers",
        ),
        Cap::ImageLoadFormatted => (
            Code(|it| {
                it.has(|it| {
                    it.opcode == Opcode::Load
                        && it.srcs().first().is_some_and(|src| src.file == File::Image)
                }) && has_image_without_format(it)
            }),
            "loads of images without a format",
        ),
        Cap::ImageStoreFormatted => (
            Code(|it| {
                it.has(|it| {
                    it.opcode == Opcode::Store
                        && it.dsts().first().is_some_and(|dst| dst.file == File::Image)
                }) && has_image_without_format(it)
            }),
            "stores to images without a format",
        ),
        Cap::ShaderCanReadOutputs => (
            Code(|it| {
                it.stage != ShaderType::TessCtrl
                    && it.has(|it| it.srcs().iter().any(|src| src.file == File::Output))
            }),
            "outputs that are read",
        ),
        Cap::VertexShaderSaturate => (
            Code(|it| it.stage == ShaderType::Vertex && it.has(|it| it.saturate)),
            "the saturate modifier in vertex shaders",
        ),
        Cap::ShaderBufferOffsetAlignment => (
            Code(|it| {
                it.declares(|it| matches!(it.kind, DeclarationKind::Buffer { atomic: false }))
            }),
            "shader buffers",
        ),
        Cap::MaxTextureBufferSize => {
            (Code(|it| it.looks_up(|shape| shape == Shape::Buffer)), "lookups in buffers")
        }
        // Checked in the calls.
        Cap::OcclusionQuery
        | Cap::QueryTimeElapsed
        | Cap::QueryTimestamp
        | Cap::QueryPipelineStatistics
        | Cap::QuerySoOverflow
        | Cap::QueryBufferObject
        | Cap::ConditionalRenderInverted
        | Cap::MaxStreamOutputBuffers
        | Cap::StreamOutputPauseResume
        | Cap::StreamOutputInterleaveBuffers
        | Cap::PrimitiveRestart
        | Cap::PrimitiveRestartFixedIndex
        | Cap::DrawIndirect
        | Cap::MultiDrawIndirect
        | Cap::MultiDrawIndirectParams
        | Cap::SupportedPrimModes
        | Cap::SupportedPrimModesWithRestart
        | Cap::DrawVertexState
        | Cap::Compute
        | Cap::MixedColorbufferFormats
        | Cap::MixedFramebufferSizes
        | Cap::FramebufferNoAttachment
        | Cap::FramebufferMsaaConstraints
        | Cap::SurfaceSampleCount
        | Cap::SurfaceReinterpretBlocks
        | Cap::DestSurfaceSrgbControl
        | Cap::TextureSwizzle
        | Cap::SamplerViewTarget
        | Cap::BufferSamplerViewRgbaOnly
        | Cap::TextureBufferOffsetAlignment
        | Cap::TextureFloatLinear
        | Cap::TextureHalfFloatLinear
        | Cap::ProgrammableSampleLocations
        | Cap::MaxWindowRectangles
        | Cap::ClearTexture
        | Cap::ClearScissored
        | Cap::MultisampleZResolve
        | Cap::CopyBetweenCompressedAndPlainFormats
        | Cap::GenerateMipmap
        | Cap::InvalidateBuffer
        | Cap::BufferMapPersistentCoherent
        | Cap::ResourceFromUserMemory
        | Cap::ResourceFromUserMemoryComputeOnly
        | Cap::Memobj
        | Cap::FenceSignal
        | Cap::BindlessTexture
        | Cap::VertexBufferOffset4byteAlignedOnly
        | Cap::VertexBufferStride4byteAlignedOnly
        | Cap::VertexElementSrcOffset4byteAlignedOnly
        | Cap::VertexAttribElementAlignedOnly
        | Cap::CanBindConstBufferAsVertex
        | Cap::Constbuf0Flags => (Call, "a call"),
        // Checked where the limits could be exceeded.
        Cap::MaxRenderTargets
        | Cap::MaxTexture2dSize
        | Cap::MaxTexture3dLevels
        | Cap::MaxTextureCubeLevels
        | Cap::MaxTextureArrayLayers
        | Cap::MaxTextureMb
        | Cap::MaxViewports
        | Cap::MaxVertexStreams
        | Cap::MaxVertexBuffers
        | Cap::MaxVertexAttribStride
        | Cap::MaxVertexElementSrcOffset
        | Cap::MaxShaderBufferSize
        | Cap::MaxConservativeRasterSubpixelPrecisionBias
        | Cap::MaxGsInvocations
        | Cap::MaxGeometryOutputVertices
        | Cap::MaxGeometryTotalOutputComponents
        | Cap::MaxShaderPatchVaryings
        | Cap::MaxVaryings
        | Cap::ConstantBufferOffsetAlignment => (Limit, "a number"),
        // The result of a lookup beyond these is undefined.
        Cap::MinTextureGatherOffset | Cap::MaxTextureGatherOffset => (Advice, "offsets of TG4"),
        // Sums over stages; frontends enforce them when they link.
        Cap::MaxCombinedShaderOutputResources
        | Cap::MaxCombinedShaderBuffers
        | Cap::MaxCombinedHwAtomicCounters
        | Cap::MaxCombinedHwAtomicCounterBuffers => (Advice, "a sum over stages"),
        // Calls that return nothing, or change nothing if the cap is 0.
        Cap::StringMarker
        | Cap::TextureBarrier
        | Cap::DeviceResetStatusQuery
        | Cap::RobustBufferAccessBehavior
        | Cap::FbfetchCoherent
        | Cap::ContextPriorityMask => (Advice, "a call without an outcome"),
        // State of points and lines that does not affect triangles: the rule for triangles checks
        // it.
        Cap::ConservativeRasterPostSnapPointsLines
        | Cap::ConservativeRasterPreSnapPointsLines
        | Cap::ConservativeRasterPostDepthCoverage
        | Cap::ConservativeRasterInnerCoverage => (Advice, "a part of conservative rasterization"),
        // Forms that a frontend may choose; all of them are valid.
        Cap::VertexColorUnclamped
        | Cap::QuadsFollowProvokingVertexConvention
        | Cap::PointSizeFixed
        | Cap::UserVertexBuffers
        | Cap::SignedVertexBufferOffset
        | Cap::VertexidNobase
        | Cap::TgsiTexcoord
        | Cap::TextureBufferSampler
        | Cap::TextureBorderColorQuirk
        | Cap::FsPositionIsSysval
        | Cap::FsPointIsSysval
        | Cap::FsFaceIsIntegerSysval
        | Cap::GlslTessLevelsAsInputs
        | Cap::TgsiTg4ComponentInSwizzle
        | Cap::ShaderArrayComponents
        | Cap::PackedUniforms
        | Cap::PackedStreamOutput
        | Cap::PsizClamped
        | Cap::ViewportTransformLowered
        | Cap::EmulateNonfixedPrimitiveRestart
        | Cap::RgbOverrideDstAlphaBlend
        | Cap::NoClipOnCopyTex
        | Cap::CsDerivedSystemValuesSupported
        | Cap::MixedColorDepthBits
        | Cap::SparseTextureFullArrayCubeMipmaps => (Advice, "a form"),
        // Facts and preferences.
        Cap::GlslFeatureLevel
        | Cap::GlslFeatureLevelCompatibility
        | Cap::EsslFeatureLevel
        | Cap::MinMapBufferAlignment
        | Cap::TextureTransferModes
        | Cap::Endianness
        | Cap::VendorId
        | Cap::DeviceId
        | Cap::Accelerated
        | Cap::VideoMemory
        | Cap::Uma
        | Cap::PciGroup
        | Cap::PciBus
        | Cap::PciDevice
        | Cap::PciFunction
        | Cap::RasterizerSubpixelBits
        | Cap::ViewportSubpixelBits
        | Cap::ShareableShaders
        | Cap::AllowMappedBuffersDuringExecution
        | Cap::MapUnsynchronizedThreadSafe
        | Cap::MaxTextureUploadMemoryBudget
        | Cap::Throttle
        | Cap::Dmabuf
        | Cap::SystemSvm
        | Cap::GlBeginEndBufferSize
        | Cap::PreferBackBufferReuse
        | Cap::PreferComputeForMultimedia
        | Cap::PreferImmArraysAsConstbuf
        | Cap::PreferPotAlignedVaryings
        | Cap::PreferRealBufferInConstbuf0 => (Advice, "a fact"),
        // Compilers that TGSI does not pass through, and features without an opcode in TGSI.
        Cap::GlslOptimizeConservatively
        | Cap::GlslZeroInit
        | Cap::TgsiSkipShrinkIoArrays
        | Cap::CullDistanceNocombine
        | Cap::NirSamplersAsDeref
        | Cap::NirImagesAsDeref
        | Cap::NirAtomicsAsDeref
        | Cap::NirCompactArrays
        | Cap::GlSpirv
        | Cap::GlSpirvVariablePointers
        | Cap::OpenclIntegerFunctions
        | Cap::IntegerMultiply32x16
        | Cap::FragmentShaderInterlock
        | Cap::AtomicFloatMinmax
        | Cap::ShaderSamplesIdentical
        | Cap::QuerySparseTextureResidency
        | Cap::ClampSparseTextureLod => (Advice, "not in TGSI"),
    }
}

/// Returns the rule of a stage's cap, and the name of the feature that needs it.
pub(super) fn shader_rule(cap: ShaderCap) -> (Rule, &'static str) {
    use Rule::*;
    match cap {
        ShaderCap::TgsiContSupported => (Code(|it| it.op(|op| op == Opcode::Cont)), "CONT"),
        ShaderCap::IndirectInputAddr => {
            (Code(|it| it.computes_address(File::Input)), "computed indices of inputs")
        }
        ShaderCap::IndirectOutputAddr => {
            (Code(|it| it.computes_address(File::Output)), "computed indices of outputs")
        }
        ShaderCap::IndirectTempAddr => {
            (Code(|it| it.computes_address(File::Temporary)), "computed indices of temporaries")
        }
        ShaderCap::IndirectConstAddr => {
            (Code(|it| it.computes_address(File::Constant)), "computed indices of constants")
        }
        ShaderCap::Subroutines => {
            (Code(|it| it.op(|op| matches!(op, Opcode::Cal | Opcode::Bgnsub))), "CAL or BGNSUB")
        }
        ShaderCap::Integers => (Code(|it| it.op(is_integer)), "integer opcodes"),
        ShaderCap::TgsiDroundSupported => (
            Code(|it| {
                it.op(|op| {
                    matches!(op, Opcode::Dtrunc | Opcode::Dceil | Opcode::Dflr | Opcode::Dround)
                })
            }),
            "DTRUNC, DCEIL, DFLR or DROUND",
        ),
        ShaderCap::TgsiDfracexpDldexpSupported => (
            Code(|it| it.op(|op| matches!(op, Opcode::Dfracexp | Opcode::Dldexp))),
            "DFRACEXP or DLDEXP",
        ),
        ShaderCap::TgsiLdexpSupported => (Code(|it| it.op(|op| op == Opcode::Ldexp)), "LDEXP"),
        ShaderCap::TgsiFmaSupported => {
            (Code(|it| it.op(|op| matches!(op, Opcode::Fma | Opcode::Dfma))), "FMA or DFMA")
        }
        ShaderCap::TgsiAnyInoutDeclRange => (
            Code(|it| {
                it.declares(|it| {
                    matches!(it.file, File::Input | File::Output) && it.last > it.first
                })
            }),
            "declarations of several inputs or outputs",
        ),
        ShaderCap::MaxInstructions
        | ShaderCap::MaxAluInstructions
        | ShaderCap::MaxTexInstructions
        | ShaderCap::MaxControlFlowDepth
        | ShaderCap::MaxInputs
        | ShaderCap::MaxOutputs
        | ShaderCap::MaxConstBufferSize
        | ShaderCap::MaxConstBuffers
        | ShaderCap::MaxTemps
        | ShaderCap::MaxTextureSamplers
        | ShaderCap::MaxSamplerViews
        | ShaderCap::MaxShaderBuffers
        | ShaderCap::MaxShaderImages
        | ShaderCap::MaxHwAtomicCounters
        | ShaderCap::MaxHwAtomicCounterBuffers => (Limit, "a number"),
        ShaderCap::MaxTexIndirections => (Advice, "lookups that depend on each other"),
        ShaderCap::SupportedIrs | ShaderCap::PreferredIr => (Advice, "TGSI is the one form"),
        ShaderCap::MaxUnrollIterationsHint
        | ShaderCap::LowerIfThreshold
        | ShaderCap::TgsiSkipMergeRegisters
        | ShaderCap::Glsl16bitConsts => (Advice, "a preference"),
        ShaderCap::Int64Atomics
        | ShaderCap::Fp16
        | ShaderCap::Fp16Derivatives
        | ShaderCap::Fp16ConstBuffers
        | ShaderCap::Int16 => (Advice, "not in TGSI"),
    }
}

/// Returns true if a program uses memory of a kind.
pub(super) fn has_memory(shader: &Shader<'_>, of: MemoryType) -> bool {
    shader.declarations().iter().any(|it| it.kind == DeclarationKind::Memory(of))
}

fn chooses_layer(code: &Code<'_>) -> bool {
    code.means(File::Output, SemanticName::Layer)
        || code.means(File::Output, SemanticName::ViewportIndex)
}

fn reads_position(code: &Code<'_>) -> bool {
    code.stage == ShaderType::Fragment && code.means(File::Input, SemanticName::Position)
}

fn reads_subgroup(code: &Code<'_>) -> bool {
    use SemanticName::*;
    [
        SubgroupSize,
        SubgroupInvocation,
        SubgroupEqMask,
        SubgroupGeMask,
        SubgroupGtMask,
        SubgroupLeMask,
        SubgroupLtMask,
    ]
    .iter()
    .any(|name| code.means(File::SystemValue, *name))
}

fn derives(code: &Code<'_>) -> bool {
    code.op(|op| matches!(op, Opcode::Ddx | Opcode::Ddy | Opcode::DdxFine | Opcode::DdyFine))
}

fn has_image_without_format(code: &Code<'_>) -> bool {
    use tgsi::declaration::ImageFormat;
    code.declares(|it| matches!(it.kind, DeclarationKind::Image { format: ImageFormat::NONE, .. }))
}
