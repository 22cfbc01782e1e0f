//! The inputs of a draw: programs, state and plain bytes. Draw uses no handles.

use crate::features::STAGES;
use crate::index::{IndexBytes, Indices};
use formats::{ChannelKind, Format};
use pipe_core::{
    ClipState, DrawInfo, DrawStartCount, PrimType, RasterizerState, TessState, VertexElement,
    ViewportState,
};
use tgsi::declaration::{Interpolate, Semantic, SemanticName};
use tgsi::program::Program;

/// A vertex buffer's bytes, from its `buffer_offset` on.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexBytes<'a> {
    /// The bytes of the attributes. An attribute that is not wholly inside reads as 0.
    pub bytes: &'a [u8],
    /// Bytes from one vertex to the next. With 0 all vertices read the first one's bytes.
    pub stride: u32,
}

/// The bound state: the inputs of a draw that stay until another object is bound.
///
/// The [crate's example](crate) fills one in.
#[derive(Clone, Copy, Debug)]
pub struct DrawState<'a> {
    /// The vertex shader.
    pub program: &'a Program<'a>,
    /// Provoking vertex, clipping, culling and fill modes.
    pub rasterizer: &'a RasterizerState,
    /// The transforms from clip space to the window. Primitives use the first one unless the last
    /// vertex stage selects another by `VIEWPORT_INDEX`. Without any, normalised device coordinates
    /// are pixels.
    pub viewports: &'a [ViewportState],
    /// The user's clip planes.
    pub clip: &'a ClipState,
    /// The vertex elements: `IN[i]` of the program comes from element `i`, or is (0, 0, 0, 1)
    /// without one.
    pub elements: &'a [VertexElement],
    /// The vertex buffers, by the elements' `vertex_buffer_index`.
    pub vertex_buffers: &'a [VertexBytes<'a>],
    /// The index buffer, for indexed draws.
    pub index: Option<IndexBytes<'a>>,
    /// The program's constant buffers.
    pub constants: &'a [&'a [u8]],
    /// The interpolation of the last vertex stage's outputs.
    pub modes: OutputModes,
    /// The depth of one unit of the rasterizer state's `offset_units`.
    pub depth_step: DepthStep,
    /// The stages after the vertex shader, if there are any.
    pub stages: Option<&'a Stages<'a>>,
}

impl<'a> DrawState<'a> {
    /// Returns the program with the outputs that are captured, clipped and rasterized: the last
    /// bound one of vertex, tessellation evaluation and geometry shader.
    #[inline]
    pub fn last_vertex_stage(&self) -> &'a Program<'a> {
        let stages = self.stages.filter(|_| STAGES);
        let last = stages.and_then(|stages| stages.geometry.or(stages.evaluation));
        last.map_or(self.program, |stage| stage.program)
    }

    /// Returns a draw's indices from number `start` on, the number to add to each index, and the
    /// index that restarts strips.
    #[inline(always)]
    pub(crate) fn indices(&self, draw: &Draw, start: u32) -> (Indices<'a>, u32, Option<u32>) {
        match self.index {
            None => (Indices::counted(start), 0, None),
            Some(indices) => (indices.from(start), draw.index_bias as u32, draw.restart_index),
        }
    }
}

/// A stage after the vertex shader.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The shader.
    pub program: &'a Program<'a>,
    /// The program's constant buffers.
    pub constants: &'a [&'a [u8]],
}

/// The stages after the vertex shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages<'a> {
    /// The tessellation control shader: turns patches into patches with levels. Needs the feature
    /// `tessellation`.
    pub control: Option<Stage<'a>>,
    /// The tessellation evaluation shader: turns points of patches into vertices. Needs the feature
    /// `tessellation`.
    pub evaluation: Option<Stage<'a>>,
    /// The levels of patches if there is no control shader.
    pub default_levels: TessState,
    /// The geometry shader: turns primitives of the draw into strips of new vertices. Needs the
    /// feature `geometry-shaders`.
    pub geometry: Option<Stage<'a>>,
    /// The number of vertices of a patch: 1 to 32.
    pub patch_vertices: u8,
    /// The output register that receives each primitive's number:
    /// [`number_register`](Self::number_register). For fragment shaders that read `PRIMID` when the
    /// last vertex stage does not write it.
    pub primitive_number: Option<u16>,
}

impl Stages<'_> {
    /// Returns the first output register after the outputs of `last`, the last vertex stage.
    pub fn number_register(last: &Program<'_>) -> u16 {
        last.outputs.iter().map(|output| output.register + 1).max().unwrap_or(0)
    }
}

/// The least step between depths that a depth buffer can tell apart.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum DepthStep {
    /// There is no depth buffer: no polygon is offset.
    #[default]
    None,
    /// One step for all depths, as in normalised formats.
    Fixed(f32),
    /// The step of `f32` at the polygon's largest depth.
    Float,
}

impl DepthStep {
    /// Returns the step for a depth buffer of this format; `None` if there is no depth buffer.
    ///
    /// OpenGL requires the smallest difference that always separates two depths (OpenGL 4.6,
    /// section 14.6.5). That is two steps of the buffer, because planes through rounded corners may
    /// be off by half a step each. It is at least two steps of the corners' f32.
    pub fn of(format: Option<Format>) -> Self {
        match format.and_then(|format| format.desc().depth_channel()) {
            None => Self::None,
            Some(channel) if channel.kind == ChannelKind::Float => Self::Float,
            Some(channel) => Self::Fixed(2.0 / (1u32 << channel.bits.min(24)) as f32),
        }
    }
}

/// One draw.
///
/// ```
/// use gallium_draw::Draw;
/// use pipe_core::PrimType;
/// // Ten instances of a strip of six vertices from number 100 on.
/// let draw = Draw { start: 100, instance_count: 10, ..Draw::new(PrimType::TriangleStrip, 6) };
/// assert_eq!(draw.restart_index, None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// The type of the primitives.
    pub mode: PrimType,
    /// The first index (indexed draws) or vertex.
    pub start: u32,
    /// The number of indices or vertices.
    pub count: u32,
    /// Added to every index after the lookup; ignored by draws without an index buffer.
    pub index_bias: i32,
    /// The element of per-instance attributes for the first instance.
    pub start_instance: u32,
    /// The number of instances; 1 without instancing.
    pub instance_count: u32,
    /// The index that ends a strip, compared before the bias is added; `None` if no index does.
    pub restart_index: Option<u32>,
    /// The value of the shader's `DRAWID`.
    pub draw_id: u32,
}

impl Draw {
    /// Makes a draw of the first `count` vertices or indices, with one instance.
    pub const fn new(mode: PrimType, count: u32) -> Draw {
        Draw {
            mode,
            start: 0,
            count,
            index_bias: 0,
            start_instance: 0,
            instance_count: 1,
            restart_index: None,
            draw_id: 0,
        }
    }

    /// Makes the draw of part number `part` (`range`) of the draw call `info`.
    pub fn part(info: &DrawInfo<'_>, part: u32, range: &DrawStartCount) -> Draw {
        let step = if info.increment_draw_id { part } else { 0 };
        Draw {
            mode: info.mode,
            start: range.start,
            count: range.count,
            index_bias: range.index_bias,
            start_instance: info.start_instance,
            instance_count: info.instance_count,
            restart_index: info.primitive_restart.then_some(info.restart_index),
            draw_id: info.drawid_offset.wrapping_add(step),
        }
    }
}

/// The interpolation of the last vertex stage's outputs: bit `i` stands for `OUT[i]`. Outputs with
/// neither bit are interpolated in perspective.
///
/// Clipping interpolates the outputs of new vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputModes {
    /// Outputs with the provoking vertex's value in the whole primitive.
    pub flat: u64,
    /// Outputs that are linear in the window.
    pub linear: u64,
}

impl OutputModes {
    /// Returns the modes that the inputs of the fragment shader `fragment` require from the outputs
    /// of `vertex`, the last vertex stage. `flatshade` is the rasterizer state's.
    pub fn link(vertex: &Program<'_>, fragment: &Program<'_>, flatshade: bool) -> OutputModes {
        let mut modes = OutputModes::default();
        for input in fragment.inputs {
            let from = |semantic: Semantic| {
                let found = vertex.outputs.iter().find(|output| output.semantic == semantic);
                found.map_or(0, |output| 1u64.checked_shl(u32::from(output.register)).unwrap_or(0))
            };
            let mut bits = from(input.semantic);
            if input.semantic.name == SemanticName::Color {
                bits |= from(Semantic::new(SemanticName::BackColor, input.semantic.index));
            }
            match input.interpolate {
                Interpolate::Constant => modes.flat |= bits,
                Interpolate::Color if flatshade => modes.flat |= bits,
                Interpolate::Linear => modes.linear |= bits,
                _ => {}
            }
        }
        modes
    }
}
