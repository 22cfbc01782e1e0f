//! The tracked state: everything that can be set, saved and restored.

use pipe_core::limits::{
    MAX_ATTRIBS, MAX_CONSTANT_BUFFERS, MAX_HW_ATOMIC_BUFFERS, MAX_SAMPLERS, MAX_SAMPLES,
    MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES, MAX_SO_BUFFERS, MAX_VIEWPORTS,
};
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    BlendColor, BlendHandle, ClipState, DepthStencilAlphaHandle, FramebufferState, ImageView,
    PerStage, PolyStipple, QueryHandle, RasterizerHandle, ResourceHandle, SamplerHandle,
    SamplerViewHandle, ScissorState, ShaderBuffer, ShaderHandle, ShaderType, StencilRef,
    StreamOutputTargetHandle, TessState, VertexBuffer, VertexElementsHandle, ViewportState,
    WindowRectangles,
};

bitflags::bitflags! {
    /// Kinds of state that [`CsoContext::save`](crate::CsoContext::save) puts aside.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Saved: u32 {
        /// The blend state.
        const BLEND = 1 << 0;
        /// The depth, stencil and alpha state.
        const DEPTH_STENCIL_ALPHA = 1 << 1;
        /// The rasterizer state.
        const RASTERIZER = 1 << 2;
        /// The vertex elements.
        const VERTEX_ELEMENTS = 1 << 3;
        /// The samplers of all stages.
        const SAMPLERS = 1 << 4;
        /// The sampler views of all stages.
        const SAMPLER_VIEWS = 1 << 5;
        /// The vertex shader.
        const VERTEX_SHADER = 1 << 6;
        /// The fragment shader.
        const FRAGMENT_SHADER = 1 << 7;
        /// The geometry shader.
        const GEOMETRY_SHADER = 1 << 8;
        /// The tessellation control shader.
        const TESS_CTRL_SHADER = 1 << 9;
        /// The tessellation evaluation shader.
        const TESS_EVAL_SHADER = 1 << 10;
        /// All shaders but compute.
        const SHADERS = 0x1f << 6;
        /// The framebuffer.
        const FRAMEBUFFER = 1 << 11;
        /// The viewports.
        const VIEWPORTS = 1 << 12;
        /// The scissors.
        const SCISSORS = 1 << 13;
        /// The vertex buffers.
        const VERTEX_BUFFERS = 1 << 14;
        /// The stencil reference values.
        const STENCIL_REF = 1 << 15;
        /// The blend colour.
        const BLEND_COLOR = 1 << 16;
        /// The clip planes.
        const CLIP = 1 << 17;
        /// The sample mask.
        const SAMPLE_MASK = 1 << 18;
        /// The least number of samples shaded.
        const MIN_SAMPLES = 1 << 19;
        /// The stream output targets; restored targets are appended to.
        const STREAM_OUTPUTS = 1 << 20;
        /// The render condition.
        const RENDER_CONDITION = 1 << 21;
        /// The constant buffers of all stages.
        const CONSTANT_BUFFERS = 1 << 22;
        /// The shader buffers of all stages.
        const SHADER_BUFFERS = 1 << 23;
        /// The shader images of all stages.
        const SHADER_IMAGES = 1 << 24;
        /// The buffers of hardware atomic counters.
        const HW_ATOMIC_BUFFERS = 1 << 25;
        /// The compute program.
        const COMPUTE_SHADER = 1 << 26;
        /// The polygon stipple.
        const POLYGON_STIPPLE = 1 << 27;
        /// The default tessellation levels.
        const TESS_STATE = 1 << 28;
        /// The number of vertices of a patch.
        const PATCH_VERTICES = 1 << 29;
        /// The sample locations.
        const SAMPLE_LOCATIONS = 1 << 30;
        /// The window rectangles.
        const WINDOW_RECTANGLES = 1 << 31;
    }
}

impl Saved {
    /// Returns the flag of a stage's shader; empty for compute, which draws do not use.
    pub(crate) const fn shader(stage: ShaderType) -> Self {
        match stage {
            ShaderType::Vertex => Self::VERTEX_SHADER,
            ShaderType::Fragment => Self::FRAGMENT_SHADER,
            ShaderType::Geometry => Self::GEOMETRY_SHADER,
            ShaderType::TessCtrl => Self::TESS_CTRL_SHADER,
            ShaderType::TessEval => Self::TESS_EVAL_SHADER,
            ShaderType::Compute => Self::empty(),
        }
    }
}

/// The render condition: query, condition, mode.
pub(crate) type Condition = (Option<QueryHandle>, bool, RenderConditionMode);

/// A constant buffer, by the range of its resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstantRange {
    /// The buffer resource.
    pub resource: ResourceHandle,
    /// Offset of the range, in bytes.
    pub buffer_offset: u32,
    /// Size of the range, in bytes.
    pub buffer_size: u32,
}

/// A shader buffer, and whether the shader writes it.
pub(crate) type BufferSlot = Option<(ShaderBuffer, bool)>;

/// The places of samples: those that count, and their number.
pub(crate) type Locations = ([u8; MAX_SAMPLES as usize], u8);

/// All state that is tracked. The default is that of a context with nothing bound.
#[derive(Clone, Copy)]
pub(crate) struct State {
    pub(crate) blend: Option<BlendHandle>,
    pub(crate) depth_stencil_alpha: Option<DepthStencilAlphaHandle>,
    pub(crate) rasterizer: Option<RasterizerHandle>,
    pub(crate) elements: Option<VertexElementsHandle>,
    pub(crate) shaders: PerStage<Option<ShaderHandle>>,
    pub(crate) samplers: PerStage<[Option<SamplerHandle>; MAX_SAMPLERS]>,
    pub(crate) views: PerStage<[Option<SamplerViewHandle>; MAX_SAMPLERS]>,
    pub(crate) framebuffer: FramebufferState,
    pub(crate) viewports: [ViewportState; MAX_VIEWPORTS],
    pub(crate) scissors: [ScissorState; MAX_VIEWPORTS],
    pub(crate) vertex_buffers: [Option<VertexBuffer>; MAX_ATTRIBS],
    pub(crate) stencil_ref: StencilRef,
    pub(crate) blend_color: BlendColor,
    pub(crate) clip: ClipState,
    pub(crate) sample_mask: u32,
    pub(crate) min_samples: u8,
    pub(crate) targets: [Option<StreamOutputTargetHandle>; MAX_SO_BUFFERS],
    pub(crate) condition: Condition,
    pub(crate) constants: PerStage<[Option<ConstantRange>; MAX_CONSTANT_BUFFERS]>,
    pub(crate) buffers: PerStage<[BufferSlot; MAX_SHADER_BUFFERS]>,
    pub(crate) images: PerStage<[Option<ImageView>; MAX_SHADER_IMAGES]>,
    pub(crate) atomics: [Option<ShaderBuffer>; MAX_HW_ATOMIC_BUFFERS],
    pub(crate) compute: Option<ShaderHandle>,
    pub(crate) stipple: PolyStipple,
    pub(crate) tess: TessState,
    /// `None` until it is set: drivers do not agree on a default.
    pub(crate) patch_vertices: Option<u8>,
    pub(crate) locations: Locations,
    pub(crate) windows: WindowRectangles,
}

impl Default for State {
    fn default() -> Self {
        Self {
            blend: None,
            depth_stencil_alpha: None,
            rasterizer: None,
            elements: None,
            shaders: PerStage::default(),
            samplers: PerStage::default(),
            views: PerStage::default(),
            framebuffer: FramebufferState::default(),
            viewports: [ViewportState::default(); MAX_VIEWPORTS],
            scissors: [ScissorState::default(); MAX_VIEWPORTS],
            vertex_buffers: [None; MAX_ATTRIBS],
            stencil_ref: StencilRef::default(),
            blend_color: BlendColor::default(),
            clip: ClipState::default(),
            sample_mask: !0,
            min_samples: 1,
            targets: [None; MAX_SO_BUFFERS],
            condition: (None, false, RenderConditionMode::Wait),
            constants: PerStage([[None; _]; _]),
            buffers: PerStage([[None; _]; _]),
            images: PerStage([[None; _]; _]),
            atomics: [None; _],
            compute: None,
            stipple: PolyStipple::default(),
            tess: TessState::default(),
            patch_vertices: None,
            locations: ([0; _], 0),
            windows: WindowRectangles::default(),
        }
    }
}

/// Number of slots of each kind that were ever set.
#[derive(Default)]
pub(crate) struct Used {
    pub(crate) samplers: PerStage<usize>,
    pub(crate) views: PerStage<usize>,
    pub(crate) vertex_buffers: usize,
    pub(crate) viewports: usize,
    pub(crate) scissors: usize,
    pub(crate) buffers: PerStage<usize>,
    pub(crate) images: PerStage<usize>,
    pub(crate) atomics: usize,
}
