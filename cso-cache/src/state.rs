//! The tracked state: everything that can be set, saved and restored.

use os_shim::{Memory, OutOfMemory};
use pipe_core::limits::{MAX_SAMPLES, MAX_SO_BUFFERS};
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    BlendColor, BlendHandle, ClipState, DepthStencilAlphaHandle, FramebufferState, ImageView,
    PerStage, PolyStipple, QueryHandle, RasterizerHandle, ResourceHandle, SamplerHandle,
    SamplerViewHandle, ScissorState, ShaderBuffer, ShaderHandle, ShaderType, StencilRef,
    StreamOutputTargetHandle, TessState, VertexBuffer, VertexElementsHandle, ViewportState,
    WindowRectangles,
};

use crate::slots::Slots;

bitflags::bitflags! {
    /// Kinds of state that [`CsoContext::save`](crate::CsoContext::save) saves.
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
        /// The stream output targets; restoring appends to them.
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

/// A constant buffer: a range of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstantRange {
    /// The buffer resource.
    pub resource: ResourceHandle,
    /// Offset of the range, in bytes.
    pub buffer_offset: u32,
    /// Size of the range, in bytes.
    pub buffer_size: u32,
}

/// A shader buffer, and true if the shader writes it.
pub(crate) type BufferSlot = Option<(ShaderBuffer, bool)>;

/// The positions of samples, and how many of them are set.
pub(crate) type Locations = ([u8; MAX_SAMPLES as usize], u8);

/// All tracked state. A new value is the state of a context with nothing bound.
///
/// Handles and values lie in the struct. Kinds with numbered slots take memory only for slots that
/// were set.
pub(crate) struct State<'c> {
    pub(crate) values: Values,
    pub(crate) samplers: PerStage<Slots<'c, Option<SamplerHandle>>>,
    pub(crate) views: PerStage<Slots<'c, Option<SamplerViewHandle>>>,
    pub(crate) viewports: Slots<'c, ViewportState>,
    pub(crate) scissors: Slots<'c, ScissorState>,
    pub(crate) vertex_buffers: Slots<'c, Option<VertexBuffer>>,
    pub(crate) constants: PerStage<Slots<'c, Option<ConstantRange>>>,
    pub(crate) buffers: PerStage<Slots<'c, BufferSlot>>,
    pub(crate) images: PerStage<Slots<'c, Option<ImageView>>>,
    pub(crate) atomics: Slots<'c, Option<ShaderBuffer>>,
}

/// The tracked state without slots.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    pub(crate) blend: Option<BlendHandle>,
    pub(crate) depth_stencil_alpha: Option<DepthStencilAlphaHandle>,
    pub(crate) rasterizer: Option<RasterizerHandle>,
    pub(crate) elements: Option<VertexElementsHandle>,
    pub(crate) shaders: PerStage<Option<ShaderHandle>>,
    pub(crate) framebuffer: FramebufferState,
    pub(crate) stencil_ref: StencilRef,
    pub(crate) blend_color: BlendColor,
    pub(crate) clip: ClipState,
    pub(crate) sample_mask: u32,
    pub(crate) min_samples: u8,
    pub(crate) targets: [Option<StreamOutputTargetHandle>; MAX_SO_BUFFERS],
    pub(crate) condition: Condition,
    pub(crate) compute: Option<ShaderHandle>,
    pub(crate) stipple: PolyStipple,
    pub(crate) tess: TessState,
    /// `None` until it is set: drivers do not agree on a default.
    pub(crate) patch_vertices: Option<u8>,
    pub(crate) locations: Locations,
    pub(crate) windows: WindowRectangles,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            blend: None,
            depth_stencil_alpha: None,
            rasterizer: None,
            elements: None,
            shaders: PerStage::default(),
            framebuffer: FramebufferState::default(),
            stencil_ref: StencilRef::default(),
            blend_color: BlendColor::default(),
            clip: ClipState::default(),
            sample_mask: !0,
            min_samples: 1,
            targets: [None; MAX_SO_BUFFERS],
            condition: (None, false, RenderConditionMode::Wait),
            compute: None,
            stipple: PolyStipple::default(),
            tess: TessState::default(),
            patch_vertices: None,
            locations: ([0; _], 0),
            windows: WindowRectangles::default(),
        }
    }
}

impl<'c> State<'c> {
    /// Returns the state of a context with nothing bound. It takes no memory.
    pub(crate) fn new(memory: Memory<'c>) -> Self {
        Self {
            values: Values::default(),
            samplers: each_stage(memory),
            views: each_stage(memory),
            viewports: Slots::new(memory),
            scissors: Slots::new(memory),
            vertex_buffers: Slots::new(memory),
            constants: each_stage(memory),
            buffers: each_stage(memory),
            images: each_stage(memory),
            atomics: Slots::new(memory),
        }
    }

    /// Copies the values, and the slots of the kinds in `what`.
    pub(crate) fn try_clone(&self, what: Saved, memory: Memory<'c>) -> Result<Self, OutOfMemory> {
        let has = |flag| what.contains(flag);
        let mut copy = Self::new(memory);
        copy.values = self.values;
        for stage in ShaderType::ALL.iter().copied() {
            copy.samplers[stage] = self.samplers[stage].try_clone_if(has(Saved::SAMPLERS))?;
            copy.views[stage] = self.views[stage].try_clone_if(has(Saved::SAMPLER_VIEWS))?;
            copy.constants[stage] =
                self.constants[stage].try_clone_if(has(Saved::CONSTANT_BUFFERS))?;
            copy.buffers[stage] = self.buffers[stage].try_clone_if(has(Saved::SHADER_BUFFERS))?;
            copy.images[stage] = self.images[stage].try_clone_if(has(Saved::SHADER_IMAGES))?;
        }
        copy.viewports = self.viewports.try_clone_if(has(Saved::VIEWPORTS))?;
        copy.scissors = self.scissors.try_clone_if(has(Saved::SCISSORS))?;
        copy.vertex_buffers = self.vertex_buffers.try_clone_if(has(Saved::VERTEX_BUFFERS))?;
        copy.atomics = self.atomics.try_clone_if(has(Saved::HW_ATOMIC_BUFFERS))?;
        Ok(copy)
    }
}

/// Returns empty slots for each stage.
fn each_stage<T: Copy>(memory: Memory<'_>) -> PerStage<Slots<'_, T>> {
    PerStage([(); _].map(|()| Slots::new(memory)))
}
