//! What a draw reads: programs, state and plain bytes. No handles come this far.

use crate::index::IndexBytes;
use pipe_core::{
    ClipState, DrawInfo, DrawStartCount, PrimType, RasterizerState, VertexElement, ViewportState,
};
use tgsi::declaration::{Interpolate, Semantic, SemanticName};
use tgsi::program::Program;

/// A vertex buffer's bytes, from its `buffer_offset` on.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexBytes<'a> {
    /// What attributes are read from; beyond the end, all bytes are 0.
    pub bytes: &'a [u8],
    /// Bytes from one vertex to the next; 0: all vertices read the same.
    pub stride: u32,
}

/// Everything that stays the same from draw to draw until somebody binds something.
#[derive(Clone, Copy, Debug)]
pub struct DrawState<'a> {
    /// The vertex shader.
    pub program: &'a Program<'a>,
    /// Provoking vertex, clipping, culling and fill modes are read from here.
    pub rasterizer: &'a RasterizerState,
    /// Clip space to window. The first is used; without any, ndc are window coordinates.
    pub viewports: &'a [ViewportState],
    /// The user's clip planes.
    pub clip: &'a ClipState,
    /// `IN[i]` of the program comes from element `i`; (0, 0, 0, 1) if there is none.
    pub elements: &'a [VertexElement],
    /// What the elements' `vertex_buffer_index` counts.
    pub vertex_buffers: &'a [VertexBytes<'a>],
    /// The index buffer, for indexed draws.
    pub index: Option<IndexBytes<'a>>,
    /// The program's constant buffers.
    pub constants: &'a [&'a [u8]],
    /// How the outputs will be interpolated.
    pub modes: OutputModes,
    /// What one of the rasterizer state's `offset_units` is.
    pub depth_step: DepthStep,
}

/// The least step between depths that a depth buffer can tell apart.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum DepthStep {
    /// There is no depth: nothing is offset.
    #[default]
    None,
    /// The same everywhere.
    Fixed(f32),
    /// That of f32, by the polygon's largest depth.
    Float,
}

/// One draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// What the vertices make.
    pub mode: PrimType,
    /// The first index (indexed draws) or vertex.
    pub start: u32,
    /// How many of them.
    pub count: u32,
    /// Added to every index after lookup; only indexed draws have one.
    pub index_bias: i32,
    /// The first instance: where per-instance attributes start.
    pub start_instance: u32,
    /// How many instances; 1 without instancing.
    pub instance_count: u32,
    /// The index that ends a strip, compared before the bias is added. `None`: none does.
    pub restart_index: Option<u32>,
    /// What the shader reads as `DRAWID`.
    pub draw_id: u32,
}

impl Draw {
    /// `count` vertices, or indices, from the first on, once.
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

    /// Part number `part` of the draw call `info`.
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

/// How vertex outputs are interpolated: bit `i` stands for `OUT[i]`. The rest is perspective.
///
/// Clipping makes new vertices, and needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputModes {
    /// The provoking vertex's value for the whole primitive.
    pub flat: u64,
    /// Linear in the window.
    pub linear: u64,
}

impl OutputModes {
    /// The modes that `fragment`'s inputs ask of `vertex`'s outputs.
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
