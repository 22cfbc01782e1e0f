//! The checking wrapper enforces every cap: a feature is refused by name if the driver answers 0 to
//! its cap, and passes if the answer is not 0.

use gallium_pipe_core::context::*;
use gallium_pipe_core::surface::{SamplerViewTemplate, Swizzle};
use gallium_pipe_core::wrap::{CheckScreen, NullScreen};
use gallium_pipe_core::*;
use os_shim::Memory;

type Result<T = (), E = PipeError> = core::result::Result<T, E>;

/// The null driver with other caps.
struct Answers<'m> {
    null: NullScreen<'m>,
    /// Returns true for caps with the answer 0; all other caps answer at least 1.
    lacks: fn(Cap) -> bool,
    lacks_in_shaders: fn(ShaderCap) -> bool,
    lacks_in_compute: bool,
}

/// The caps that a test removes, one at a time.
static LACKING: std::sync::Mutex<(Option<Cap>, Option<ShaderCap>)> =
    std::sync::Mutex::new((None, None));

fn lacking() -> (Option<Cap>, Option<ShaderCap>) {
    *LACKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl<'m> Answers<'m> {
    /// Returns answers to all caps, except that [`LACKING`] is 0.
    fn but_one() -> Self {
        Answers {
            null: NullScreen::new(Memory::system()),
            lacks: |cap| lacking().0 == Some(cap),
            lacks_in_shaders: |cap| lacking().1 == Some(cap),
            lacks_in_compute: false,
        }
    }
}

impl<'m> Screen<'m> for Answers<'m> {
    fn get_name(&self) -> &str {
        "answers"
    }
    fn get_param(&self, cap: Cap) -> i32 {
        match cap {
            _ if (self.lacks)(cap) => 0,
            // These caps are restrictions, which 1 would turn on.
            Cap::VertexBufferOffset4byteAlignedOnly
            | Cap::VertexBufferStride4byteAlignedOnly
            | Cap::VertexElementSrcOffset4byteAlignedOnly => 0,
            _ => self.null.get_param(cap).max(1),
        }
    }
    fn get_paramf(&self, cap: CapF) -> f32 {
        self.null.get_paramf(cap).max(16.0)
    }
    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        if (self.lacks_in_shaders)(cap) { 0 } else { self.null.get_shader_param(stage, cap).max(1) }
    }
    fn get_compute_param(&self, cap: ComputeCap) -> [u64; 3] {
        if self.lacks_in_compute {
            [0; 3]
        } else {
            [65536; 3]
                .map(|most| most.min(1 << 16))
                .map(|most| most.max(self.null.get_compute_param(cap)[0]))
        }
    }
    fn is_format_supported(&self, f: Format, t: TextureTarget, n: u8, s: u8, b: Bind) -> bool {
        self.null.is_format_supported(f, t, n, s, b)
    }
    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle> {
        self.null.resource_create(template)
    }
    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle> {
        self.null.resource_from_user_memory(template, memory)
    }
    fn resource_destroy(&self, resource: ResourceHandle) -> Result {
        self.null.resource_destroy(resource)
    }
    fn resource_template(&self, resource: ResourceHandle) -> Result<ResourceTemplate> {
        self.null.resource_template(resource)
    }
    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<os_shim::Box<'s, dyn Context<'m> + 's>>
    where
        'm: 's,
    {
        self.null.context_create(flags)
    }
}

/// A use of the feature that a cap announces.
enum Use {
    Blend(BlendState),
    DepthStencilAlpha(DepthStencilAlphaState),
    Rasterizer(RasterizerState),
    Sampler(SamplerState),
    Element(VertexElement),
    Viewport(ViewportState),
    /// The stage, and the text after the stage name.
    Shader(ShaderType, &'static str),
    Resource(ResourceTemplate),
    Flags(ContextFlags),
    Call(fn(&dyn Screen<'static>, &mut dyn Context<'static>) -> Result),
}

impl Use {
    fn run(&self, screen: &dyn Screen<'static>) -> Result {
        let mut context = screen.context_create(match self {
            Use::Flags(flags) => *flags,
            _ => ContextFlags::empty(),
        })?;
        let context = &mut *context;
        match self {
            Use::Blend(state) => context.create_blend_state(state).map(drop),
            Use::DepthStencilAlpha(state) => {
                context.create_depth_stencil_alpha_state(state).map(drop)
            }
            Use::Rasterizer(state) => context.create_rasterizer_state(state).map(drop),
            Use::Sampler(state) => context.create_sampler_state(state).map(drop),
            Use::Element(element) => context.create_vertex_elements_state(&[*element]).map(drop),
            Use::Viewport(viewport) => context.set_viewport_states(0, &[*viewport]),
            Use::Resource(template) => screen.resource_create(template).map(drop),
            Use::Flags(_) => Ok(()),
            Use::Call(call) => call(screen, context),
            Use::Shader(stage, text) => {
                let name = match stage {
                    ShaderType::Vertex => "VERT",
                    ShaderType::Fragment => "FRAG",
                    ShaderType::Geometry => "GEOM",
                    ShaderType::TessCtrl => "TESS_CTRL",
                    ShaderType::TessEval => "TESS_EVAL",
                    ShaderType::Compute => "COMP",
                };
                let text = format!("{name}\n{text}\nEND\n");
                if *stage == ShaderType::Compute {
                    let state = ComputeState {
                        source: ShaderSource::Text(&text),
                        static_shared_mem: 0,
                        req_private_mem: 0,
                        req_input_mem: 0,
                    };
                    return context.create_compute_state(&state).map(drop);
                }
                context.create_shader_state(*stage, &ShaderState::text(&text)).map(drop)
            }
        }
    }
}

const VERTEX: ShaderType = ShaderType::Vertex;
const FRAGMENT: ShaderType = ShaderType::Fragment;

/// Declarations that the fragment shaders below share.
macro_rules! fragment {
    ($body:literal) => {
        Use::Shader(
            FRAGMENT,
            concat!(
                "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n",
                "DCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0..1]\nDCL BUFFER[0]\nDCL CONST[0][0..3]\n",
                "IMM[0] INT32 {0, 1, 2, 3}\n",
                $body,
                "\nMOV OUT[0], TEMP[0]"
            ),
        )
    };
}

macro_rules! vertex {
    ($body:literal) => {
        Use::Shader(
            VERTEX,
            concat!("DCL IN[0]\nDCL OUT[0], POSITION\n", $body, "\nMOV OUT[0], IN[0]"),
        )
    };
}

fn rasterizer() -> RasterizerState {
    RasterizerState::default()
}

fn wrapping(wrap: TexWrap) -> Use {
    Use::Sampler(SamplerState::wrapping(wrap))
}

fn texture() -> ResourceTemplate {
    ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 16, 16, Bind::SAMPLER_VIEW)
}

fn uses() -> Vec<(Cap, Use)> {
    let r = rasterizer();
    let one = RenderTargetBlendState::uniform(BlendFunc::Add, BlendFactor::One, BlendFactor::One);
    let other =
        RenderTargetBlendState::uniform(BlendFunc::Subtract, BlendFactor::One, BlendFactor::One);
    let mut two = BlendState { independent_blend_enable: true, ..BlendState::uniform(one) };
    two.rt[1] = other;
    let apart = RenderTargetBlendState { alpha_func: BlendFunc::Subtract, ..one };
    let second =
        RenderTargetBlendState::uniform(BlendFunc::Add, BlendFactor::One, BlendFactor::Src1Color);
    let dsa = DepthStencilAlphaState::default();
    let sampler = SamplerState::default();
    let conservative =
        |mode| Use::Rasterizer(RasterizerState { conservative_raster_mode: mode, ..rasterizer() });
    vec![
        (Cap::IndepBlendEnable, Use::Blend(two)),
        (Cap::IndepBlendFunc, Use::Blend(two)),
        (Cap::BlendEquationSeparate, Use::Blend(BlendState::uniform(apart))),
        (Cap::MaxDualSourceRenderTargets, Use::Blend(BlendState::uniform(second))),
        (
            Cap::AlphaTest,
            Use::DepthStencilAlpha(DepthStencilAlphaState { alpha_enabled: true, ..dsa }),
        ),
        (
            Cap::DepthBoundsTest,
            Use::DepthStencilAlpha(DepthStencilAlphaState {
                depth_bounds_test: true,
                depth_bounds_max: 1.0,
                ..dsa
            }),
        ),
        (
            Cap::PointSprite,
            Use::Rasterizer(RasterizerState {
                sprite_coord_enable: 1,
                point_quad_rasterization: true,
                ..r
            }),
        ),
        (
            Cap::DepthClipDisable,
            Use::Rasterizer(RasterizerState {
                depth_clip_near: false,
                depth_clip_far: false,
                depth_clamp: true,
                ..r
            }),
        ),
        (
            Cap::DepthClipDisableSeparate,
            Use::Rasterizer(RasterizerState { depth_clip_near: false, ..r }),
        ),
        (Cap::DepthClampEnable, Use::Rasterizer(RasterizerState { depth_clamp: true, ..r })),
        (
            Cap::FragmentColorClamped,
            Use::Rasterizer(RasterizerState { clamp_fragment_color: true, ..r }),
        ),
        (
            Cap::VertexColorClamped,
            Use::Rasterizer(RasterizerState { clamp_vertex_color: true, ..r }),
        ),
        (Cap::Flatshade, Use::Rasterizer(RasterizerState { flatshade: true, ..r })),
        (Cap::TwoSidedColor, Use::Rasterizer(RasterizerState { light_twoside: true, ..r })),
        (Cap::ClipHalfz, Use::Rasterizer(RasterizerState { clip_halfz: true, ..r })),
        (Cap::PolygonOffsetClamp, Use::Rasterizer(RasterizerState { offset_clamp: 1.0, ..r })),
        (
            Cap::PolygonOffsetUnitsUnscaled,
            Use::Rasterizer(RasterizerState { offset_units_unscaled: true, ..r }),
        ),
        (
            Cap::PolygonModeFillRectangle,
            Use::Rasterizer(RasterizerState { fill_back: PolygonMode::FillRectangle, ..r }),
        ),
        (
            Cap::ForcePersampleInterp,
            Use::Rasterizer(RasterizerState { force_persample_interp: true, ..r }),
        ),
        (
            Cap::TileRasterOrder,
            Use::Rasterizer(RasterizerState { tile_raster_order_fixed: true, ..r }),
        ),
        (Cap::ClipPlanes, Use::Rasterizer(RasterizerState { clip_plane_enable: 4, ..r })),
        (Cap::ConservativeRasterPostSnapTriangles, conservative(ConservativeRasterMode::PostSnap)),
        (Cap::ConservativeRasterPreSnapTriangles, conservative(ConservativeRasterMode::PreSnap)),
        (Cap::AnisotropicFilter, Use::Sampler(SamplerState { max_anisotropy: 2, ..sampler })),
        (
            Cap::TextureShadowMap,
            Use::Sampler(SamplerState { compare_mode: TexCompare::RToTexture, ..sampler }),
        ),
        (Cap::TextureMirrorClampToEdge, wrapping(TexWrap::MirrorClampToEdge)),
        (Cap::TextureMirrorClamp, wrapping(TexWrap::MirrorClamp)),
        (Cap::TextureMirrorClamp, wrapping(TexWrap::MirrorClampToBorder)),
        (Cap::GlClamp, wrapping(TexWrap::Clamp)),
        (
            Cap::SamplerReductionMinmax,
            Use::Sampler(SamplerState { reduction_mode: ReductionMode::Max, ..sampler }),
        ),
        (
            Cap::VertexElementInstanceDivisor,
            Use::Element(VertexElement { instance_divisor: 1, ..VertexElement::default() }),
        ),
        (
            Cap::ViewportSwizzle,
            Use::Viewport(ViewportState {
                swizzle: [ViewportSwizzle::NegativeX; 4],
                ..ViewportState::default()
            }),
        ),
        (
            Cap::NpotTextures,
            Use::Resource(ResourceTemplate { width0: 17, ..texture() }.mipmapped()),
        ),
        (
            Cap::Texrect,
            Use::Resource(ResourceTemplate { target: TextureTarget::Rect, ..texture() }),
        ),
        (
            Cap::TextureMultisample,
            Use::Resource(ResourceTemplate { nr_samples: 4, nr_storage_samples: 4, ..texture() }),
        ),
        (
            Cap::DeviceProtectedContent,
            Use::Resource(ResourceTemplate { flags: ResourceFlags::ENCRYPTED, ..texture() }),
        ),
        (Cap::DeviceProtectedContent, Use::Flags(ContextFlags::PROTECTED)),
        (Cap::Compute, Use::Flags(ContextFlags::COMPUTE_ONLY)),
        (Cap::Graphics, Use::Flags(ContextFlags::empty())),
        (
            Cap::SparseBufferPageSize,
            Use::Resource(ResourceTemplate {
                flags: ResourceFlags::SPARSE,
                ..ResourceTemplate::buffer(65536, Bind::SHADER_BUFFER)
            }),
        ),
        (
            Cap::MaxSparseTextureSize,
            Use::Resource(ResourceTemplate { flags: ResourceFlags::SPARSE, ..texture() }),
        ),
        (Cap::VsInstanceid, vertex!("DCL SV[0], INSTANCEID")),
        (Cap::DrawParameters, vertex!("DCL SV[0], BASEVERTEX")),
        (Cap::VsLayerViewport, vertex!("DCL OUT[1], LAYER\nMOV OUT[1], IN[0]")),
        (Cap::ViewportMask, vertex!("DCL OUT[1], VIEWPORT_MASK\nMOV OUT[1], IN[0]")),
        (Cap::VertexShaderSaturate, vertex!("DCL TEMP[0]\nMOV_SAT TEMP[0], IN[0]")),
        (
            Cap::VsWindowSpacePosition,
            Use::Shader(
                VERTEX,
                "PROPERTY VS_WINDOW_SPACE_POSITION 1\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::CullDistance,
            Use::Shader(
                VERTEX,
                "PROPERTY NUM_CULLDIST_ENABLED 1\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1].x, CLIPDIST\n\
                 MOV OUT[0], IN[0]\nMOV OUT[1].x, IN[0]",
            ),
        ),
        (
            Cap::TgsiMulZeroWins,
            Use::Shader(
                VERTEX,
                "PROPERTY LEGACY_MATH_RULES 1\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::ShaderStencilExport,
            Use::Shader(
                FRAGMENT,
                "DCL OUT[0], STENCIL\nIMM[0] INT32 {1, 1, 1, 1}\nMOV OUT[0].y, IMM[0]",
            ),
        ),
        (
            Cap::FsCoordOriginLowerLeft,
            Use::Shader(
                FRAGMENT,
                "PROPERTY FS_COORD_ORIGIN LOWER_LEFT\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::FsCoordOriginUpperLeft,
            Use::Shader(
                FRAGMENT,
                "DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::FsCoordPixelCenterHalfInteger,
            Use::Shader(
                FRAGMENT,
                "DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::FsCoordPixelCenterInteger,
            Use::Shader(
                FRAGMENT,
                "PROPERTY FS_COORD_PIXEL_CENTER INTEGER\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]",
            ),
        ),
        (
            Cap::PostDepthCoverage,
            Use::Shader(
                FRAGMENT,
                "PROPERTY FS_EARLY_DEPTH_STENCIL 1\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nDCL SV[0], SAMPLEMASK\n\
                 DCL OUT[0], COLOR\nMOV OUT[0], SV[0]",
            ),
        ),
        (
            Cap::SampleShading,
            Use::Shader(FRAGMENT, "DCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]"),
        ),
        (Cap::Fbfetch, Use::Shader(FRAGMENT, "DCL OUT[0], COLOR\nFBFETCH OUT[0], OUT[0]")),
        (Cap::ShaderGroupVote, fragment!("VOTE_ANY TEMP[0].x, IMM[0].xxxx")),
        (Cap::ShaderBallot, fragment!("BALLOT TEMP[0].xy, IMM[0].xxxx")),
        (
            Cap::ShaderBallot,
            Use::Shader(
                FRAGMENT,
                "DCL SV[0], SUBGROUP_EQ_MASK\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]",
            ),
        ),
        (Cap::ShaderClock, fragment!("CLOCK TEMP[0].xy")),
        (Cap::DemoteToHelperInvocation, fragment!("DEMOTE")),
        (Cap::FragmentShaderDerivatives, fragment!("DDX TEMP[0], IN[0]")),
        (
            Cap::ComputeShaderDerivative,
            Use::Shader(
                ShaderType::Compute,
                "DCL TEMP[0]\nIMM[0] FLT32 {1, 1, 1, 1}\nDDX TEMP[0], IMM[0]",
            ),
        ),
        (Cap::FsFineDerivative, fragment!("DDX_FINE TEMP[0], IN[0]")),
        (Cap::Doubles, fragment!("DADD TEMP[0].xy, IN[0].xyxy, IN[0].zwzw")),
        (Cap::Int64, fragment!("U64ADD TEMP[0].xy, IN[0].xyxy, IN[0].zwzw")),
        (Cap::Int64Divmod, fragment!("I64DIV TEMP[0].xy, IN[0].xyxy, IN[0].zwzw")),
        (Cap::ShaderPackHalfFloat, fragment!("PK2H TEMP[0].x, IN[0]")),
        (Cap::TgsiDiv, fragment!("DIV TEMP[0], IN[0], IN[0]")),
        (Cap::TgsiTexTxfLz, fragment!("TEX_LZ TEMP[0], IN[0], SAMP[0], 2D")),
        (Cap::TextureQueryLod, fragment!("LODQ TEMP[0], IN[0], SAMP[0], 2D")),
        (
            Cap::MaxTextureGatherComponents,
            fragment!("TG4 TEMP[0], IN[0], IMM[0].xxxx, SAMP[0], 2D"),
        ),
        (Cap::TextureGatherSm5, fragment!("TG4 TEMP[0], IN[0], TEMP[1].xxxx, SAMP[0], 2D")),
        (
            Cap::TextureGatherOffsets,
            fragment!(
                "TG4 TEMP[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, IMM[0].xxx, IMM[0].xyx, IMM[0].yxx, IMM[0].yyx"
            ),
        ),
        (Cap::FragmentShaderTextureLod, fragment!("TXL TEMP[0], IN[0], SAMP[0], 2D")),
        (
            Cap::ImageAtomicFloatAdd,
            fragment!("ATOMFADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IN[0].xxxx"),
        ),
        (
            Cap::ImageAtomicIncWrap,
            fragment!("ATOMINC_WRAP TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy"),
        ),
        (Cap::LoadConstbuf, fragment!("LOAD TEMP[0], CONSTBUF[0], IMM[0].xxxx")),
        (Cap::ShaderBufferOffsetAlignment, fragment!("LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx")),
        (
            Cap::ShaderCanReadOutputs,
            Use::Shader(
                FRAGMENT,
                "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nADD OUT[0], OUT[0], IN[0]",
            ),
        ),
        (
            Cap::TextureShadowLod,
            Use::Shader(
                FRAGMENT,
                "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT\n\
                 TXL OUT[0], IN[0], SAMP[0], SHADOW2D",
            ),
        ),
        (
            Cap::MaxTextureBufferSize,
            Use::Shader(
                FRAGMENT,
                "DCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nIMM[0] INT32 {0, 0, 0, 0}\n\
                 TXF OUT[0], IMM[0], SAMP[0], BUFFER",
            ),
        ),
        (
            Cap::InvalidateBuffer,
            Use::Call(|screen, context| {
                let buffer = ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER);
                context.invalidate_resource(screen.resource_create(&buffer)?)
            }),
        ),
        (
            Cap::TextureSwizzle,
            Use::Call(|screen, context| {
                let resource = screen.resource_create(&texture())?;
                let view = SamplerViewTemplate {
                    swizzle: [Swizzle::Y; 4],
                    ..SamplerViewTemplate::whole(&texture())
                };
                context.create_sampler_view(resource, &view).map(drop)
            }),
        ),
        (
            Cap::ComputeGridInfoLastBlock,
            Use::Call(|_, context| {
                let state = ComputeState {
                    source: ShaderSource::Text("COMP\nEND\n"),
                    static_shared_mem: 0,
                    req_private_mem: 0,
                    req_input_mem: 0,
                };
                let state = context.create_compute_state(&state)?;
                context.bind_compute_state(Some(state))?;
                context.launch_grid(&GridInfo { last_block: [1, 1, 1], ..GridInfo::default() })
            }),
        ),
        (
            Cap::BufferMapPersistentCoherent,
            Use::Call(|screen, context| {
                let buffer = ResourceTemplate {
                    flags: ResourceFlags::MAP_PERSISTENT,
                    ..ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER)
                };
                let buffer = screen.resource_create(&buffer)?;
                let usage = MapFlags::WRITE | MapFlags::PERSISTENT;
                context.transfer_map(buffer, 0, usage, &Region::bytes(0, 16)).map(drop)
            }),
        ),
        (
            Cap::MixedColorbufferFormats,
            Use::Call(|screen, context| {
                let mut state = FramebufferState { width: 16, height: 16, ..Default::default() };
                for (slot, format) in
                    state.cbufs.iter_mut().zip([Format::R8G8B8A8Unorm, Format::B5G6R5Unorm])
                {
                    let template =
                        ResourceTemplate { format, bind: Bind::RENDER_TARGET, ..texture() };
                    let resource = screen.resource_create(&template)?;
                    *slot = Some(context.create_surface(resource, &SurfaceTemplate::of(format))?);
                }
                context.set_framebuffer_state(&state)
            }),
        ),
    ]
}

fn shader_uses() -> Vec<(ShaderCap, Use)> {
    vec![
        (ShaderCap::TgsiContSupported, fragment!("BGNLOOP\nBRK\nCONT\nENDLOOP")),
        (
            ShaderCap::IndirectTempAddr,
            fragment!("DCL ADDR[0]\nUARL ADDR[0].x, IMM[0].xxxx\nMOV TEMP[0], TEMP[ADDR[0].x]"),
        ),
        (
            ShaderCap::IndirectConstAddr,
            fragment!("DCL ADDR[0]\nUARL ADDR[0].x, IMM[0].xxxx\nMOV TEMP[0], CONST[0][ADDR[0].x]"),
        ),
        (
            ShaderCap::IndirectInputAddr,
            fragment!("DCL ADDR[0]\nUARL ADDR[0].x, IMM[0].xxxx\nMOV TEMP[0], IN[ADDR[0].x]"),
        ),
        (
            ShaderCap::IndirectOutputAddr,
            fragment!("DCL ADDR[0]\nUARL ADDR[0].x, IMM[0].xxxx\nMOV OUT[ADDR[0].x], IN[0]"),
        ),
        (ShaderCap::Integers, fragment!("UADD TEMP[0], IMM[0], IMM[0]")),
        (ShaderCap::TgsiDroundSupported, fragment!("DROUND TEMP[0].xy, IN[0].xyxy")),
        (
            ShaderCap::TgsiDfracexpDldexpSupported,
            fragment!("DLDEXP TEMP[0].xy, IN[0].xyxy, IMM[0].xxxx"),
        ),
        (ShaderCap::TgsiLdexpSupported, fragment!("LDEXP TEMP[0], IN[0], IMM[0]")),
        (ShaderCap::TgsiFmaSupported, fragment!("FMA TEMP[0], IN[0], IN[0], IN[0]")),
        (
            ShaderCap::Subroutines,
            Use::Shader(
                FRAGMENT,
                "DCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 1}\n  0: CAL :3\n  1: RET\n  2: NOP\n  3: BGNSUB\n\
                 4: MOV OUT[0], IMM[0]\n  5: RET\n  6: ENDSUB",
            ),
        ),
        (
            ShaderCap::TgsiAnyInoutDeclRange,
            Use::Shader(
                FRAGMENT,
                "DCL IN[0..1], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[1]",
            ),
        ),
    ]
}

/// Runs a use without one cap.
fn without(cap: Option<Cap>, shader: Option<ShaderCap>, it: &Use) -> Result {
    *LACKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = (cap, shader);
    let driver: &'static Answers<'static> = Box::leak(Box::new(Answers::but_one()));
    let screen: &'static CheckScreen<'static, 'static> =
        Box::leak(Box::new(CheckScreen::new(driver, Memory::system())));
    it.run(screen)
}

#[test]
fn each_cap_is_held_alone() {
    for (cap, it) in uses() {
        assert_eq!(without(None, None, &it), Ok(()), "{cap:?} is announced");
        let refused = without(Some(cap), None, &it);
        assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{cap:?}: {refused:?}");
    }
    for (cap, it) in shader_uses() {
        assert_eq!(without(None, None, &it), Ok(()), "{cap:?} is announced");
        let refused = without(None, Some(cap), &it);
        assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{cap:?}: {refused:?}");
    }
}

#[test]
fn a_driver_that_answers_0_to_everything_does_nothing_of_it() {
    let driver: &'static Answers<'static> = Box::leak(Box::new(Answers {
        null: NullScreen::new(Memory::system()),
        lacks: |cap| cap != Cap::Graphics && cap != Cap::MaxVertexBuffers,
        // Stages exist.
        lacks_in_shaders: |cap| cap != ShaderCap::MaxInstructions,
        lacks_in_compute: true,
    }));
    let screen: &'static CheckScreen<'static, 'static> =
        Box::leak(Box::new(CheckScreen::new(driver, Memory::system())));
    for (cap, it) in uses() {
        if cap != Cap::Graphics {
            assert!(it.run(screen).is_err(), "{cap:?}");
        }
    }
    for (cap, it) in shader_uses() {
        assert!(it.run(screen).is_err(), "{cap:?}");
    }
    // State without special features passes.
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    context.create_blend_state(&BlendState::default()).unwrap();
    context.create_depth_stencil_alpha_state(&DepthStencilAlphaState::default()).unwrap();
    context.create_rasterizer_state(&rasterizer()).unwrap();
    context.create_sampler_state(&SamplerState::default()).unwrap();
}

#[test]
fn private_memory_is_refused_where_there_is_none() {
    let text = "DCL MEMORY[0], PRIVATE\nDCL TEMP[0]\nIMM[0] INT32 {0, 0, 0, 0}\n\
                LOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx";
    let it = Use::Shader(ShaderType::Compute, text);
    assert_eq!(without(None, None, &it), Ok(()));
    let driver: &'static Answers<'static> =
        Box::leak(Box::new(Answers { lacks_in_compute: true, ..Answers::but_one() }));
    let screen: &'static CheckScreen<'static, 'static> =
        Box::leak(Box::new(CheckScreen::new(driver, Memory::system())));
    assert_eq!(it.run(screen), Err(PipeError::Unsupported("PRIVATE memory")));
}

#[test]
fn handles_of_another_context_name_nothing() {
    let memory = Memory::system();
    let null = NullScreen::new(memory);
    let screen = CheckScreen::new(&null, memory);
    let buffer =
        screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER)).unwrap();
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let texture = screen.resource_create(&ResourceTemplate { bind, ..texture() }).unwrap();
    let mut contexts = [(); 3].map(|()| screen.context_create(ContextFlags::empty()).unwrap());
    let [a, others @ ..] = &mut contexts;
    // Each context creates an object of each kind, in the same slots.
    let mut objects = Vec::new();
    for context in core::iter::once(&mut *a).chain(others.iter_mut()) {
        let format = Format::R8G8B8A8Unorm;
        let template = screen.resource_template(texture).unwrap();
        let vs = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
        let query = context.create_query(QueryType::OcclusionCounter, 0).unwrap();
        objects.push((
            context.create_blend_state(&BlendState::default()).unwrap(),
            context.create_depth_stencil_alpha_state(&Default::default()).unwrap(),
            context.create_rasterizer_state(&rasterizer()).unwrap(),
            context.create_sampler_state(&SamplerState::default()).unwrap(),
            context.create_vertex_elements_state(&[VertexElement::default()]).unwrap(),
            context.create_vs_state(&ShaderState::text(vs)).unwrap(),
            context.create_surface(texture, &SurfaceTemplate::of(format)).unwrap(),
            context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template)).unwrap(),
            context.create_stream_output_target(buffer, 0, 64).unwrap(),
            query,
            context.transfer_map(buffer, 0, MapFlags::READ, &Region::bytes(0, 4)).unwrap().handle,
        ));
    }
    let (blend, dsa, rasterizer, sampler, elements, shader, surface, view, target, query, map) =
        objects[0];
    for b in others {
        let framebuffer = FramebufferState::single(16, 16, surface, None);
        let color = ColorUnion::default();
        let one = Region::rect(0, 0, 1, 1);
        let vertex = ShaderType::Vertex;
        let mut links = [None; ShaderType::COUNT];
        links[0] = Some(shader);
        for (kind, result) in [
            ("blend", b.bind_blend_state(Some(blend))),
            ("blend, deleted", b.delete_blend_state(blend)),
            ("depth, stencil, alpha", b.bind_depth_stencil_alpha_state(Some(dsa))),
            ("rasterizer", b.bind_rasterizer_state(Some(rasterizer))),
            ("sampler", b.bind_sampler_states(vertex, 0, &[Some(sampler)])),
            ("sampler, deleted", b.delete_sampler_state(sampler)),
            ("vertex elements", b.bind_vertex_elements_state(Some(elements))),
            ("shader", b.bind_vs_state(Some(shader))),
            ("shader, linked", b.link_shader(&links)),
            ("surface", b.set_framebuffer_state(&framebuffer)),
            ("surface, cleared", b.clear_render_target(surface, &color, &one, false)),
            ("sampler view", b.set_sampler_views(vertex, 0, &[Some(view)])),
            ("sampler view, destroyed", b.sampler_view_destroy(view)),
            ("stream output target", b.set_stream_output_targets(&[Some(target)], &[None])),
            ("query", b.begin_query(query)),
            ("query, destroyed", b.destroy_query(query)),
            ("transfer", b.transfer_unmap(map)),
            ("bindless", b.create_texture_handle(view, sampler).map(drop)),
        ] {
            assert!(matches!(result, Err(PipeError::StaleHandle { .. })), "{kind}: {result:?}");
        }
    }
    // The owning context knows all of them.
    a.bind_blend_state(Some(blend)).unwrap();
    a.bind_depth_stencil_alpha_state(Some(dsa)).unwrap();
    a.bind_rasterizer_state(Some(rasterizer)).unwrap();
    a.bind_sampler_states(VERTEX, 0, &[Some(sampler)]).unwrap();
    a.bind_vertex_elements_state(Some(elements)).unwrap();
    a.bind_vs_state(Some(shader)).unwrap();
    a.set_framebuffer_state(&FramebufferState::single(16, 16, surface, None)).unwrap();
    a.set_sampler_views(VERTEX, 0, &[Some(view)]).unwrap();
    a.set_stream_output_targets(&[Some(target)], &[None]).unwrap();
    a.begin_query(query).unwrap();
    a.transfer_unmap(map).unwrap();
}
