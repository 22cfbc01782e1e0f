//! The tracked state: everything that can be set, saved and restored.

use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_VIEWPORTS};
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    BlendColor, BlendHandle, ClipState, DepthStencilAlphaHandle, FramebufferState, PerStage,
    QueryHandle, RasterizerHandle, SamplerHandle, SamplerViewHandle, ScissorState, ShaderHandle,
    ShaderType, StencilRef, StreamOutputTargetHandle, VertexBuffer, VertexElementsHandle,
    ViewportState,
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
}
