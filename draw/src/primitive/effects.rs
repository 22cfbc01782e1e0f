//! The effects of a draw: two-sided colour, outlines, depth offset, line stipple.
//!
//! ```text
//!   polygon ──► variant: colours of its face, depth offset ──► area │ edges ──► line │ vertices
//!                                                                              └──► stipple
//! ```
//!
//! The rasterizer draws wide and smooth lines and points, and applies polygon stipple, because
//! these are shapes and masks of pixels.

use super::offset;
use super::polygon::ClippedPolygon;
use super::stipple::Stipple;
use crate::outcode;
use crate::state::{DepthStep, DrawState};
use crate::vertex::Window;
use heapless::Vec;
use pipe_core::{PolygonMode, RasterizerState};
use tgsi::declaration::{Semantic, SemanticName};

/// The difference between a vertex and the shader's outputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct VertexVariant {
    /// The vertex has the back face's colours.
    back: bool,
    /// Added to the vertex's depth.
    offset: f32,
}

impl VertexVariant {
    /// The vertex as the shader wrote it.
    pub(super) const SHADED: VertexVariant = VertexVariant { back: false, offset: 0.0 };

    /// Returns the outcode flag of slots with their vertex passed as this variant.
    #[inline(always)]
    pub(super) fn code(self) -> u32 {
        if self.back { outcode::BACK } else { 0 }
    }

    /// Returns true if no other primitive has this variant of its vertices.
    #[inline(always)]
    pub(super) fn is_unique(self) -> bool {
        self.offset != 0.0
    }

    /// Returns a window position with the variant's depth.
    #[inline(always)]
    pub(super) fn offset(self, window: Window) -> Window {
        Window { z: window.z + self.offset, ..window }
    }
}

/// The effects of a draw that uses any.
#[derive(Debug)]
pub(crate) struct Effects {
    rasterizer: RasterizerState,
    depth_step: DepthStep,
    /// Registers of front colours, each with the register that replaces it on back faces.
    colors: Vec<(u16, u16), 2>,
    /// The register of edge flags.
    pub(super) edge_flag: Option<u16>,
    pub(super) stipple: Option<Stipple>,
}

impl Effects {
    /// Derives the effects from a draw's state; `None` if the state uses none.
    pub(crate) fn new(state: &DrawState<'_>) -> Option<Effects> {
        let rasterizer = state.rasterizer;
        let outputs = state.last_vertex_stage().outputs;
        let find = |name, index| {
            let found = outputs.iter().find(|o| o.semantic == Semantic::new(name, index));
            found.map(|output| output.register)
        };
        let mut colors = Vec::new();
        if rasterizer.light_twoside {
            for index in [0, 1] {
                let front = find(SemanticName::Color, index);
                if let Some(pair) = front.zip(find(SemanticName::BackColor, index)) {
                    let added = colors.push(pair);
                    debug_assert!(added.is_ok(), "there is room for both colours");
                }
            }
        }
        let modes = [rasterizer.fill_front, rasterizer.fill_back];
        let offsets = state.depth_step != DepthStep::None
            && modes.iter().any(|&mode| rasterizer.offsets(mode))
            && (rasterizer.offset_units != 0.0 || rasterizer.offset_scale != 0.0);
        let outlines = modes.iter().any(|&mode| is_outline(mode));
        let stipple = Stipple::new(rasterizer);
        if colors.is_empty() && !offsets && !outlines && stipple.is_none() {
            return None;
        }
        Some(Effects {
            rasterizer: *rasterizer,
            depth_step: if offsets { state.depth_step } else { DepthStep::None },
            colors,
            edge_flag: find(SemanticName::EdgeFlag, 0),
            stipple,
        })
    }

    /// Copies the back colours over the front colours, for variants of back faces.
    #[inline]
    pub(super) fn apply_variant(&self, outputs: &mut [[f32; 4]], variant: VertexVariant) {
        for &(front, back) in self.colors.iter().filter(|_| variant.back) {
            let back = outputs.get(usize::from(back)).copied();
            if let (Some(front), Some(back)) = (outputs.get_mut(usize::from(front)), back) {
                *front = back;
            }
        }
    }

    /// Returns the mode that draws a polygon of this facing as an outline; `None` to fill it.
    pub(super) fn outline(&self, front: bool) -> Option<PolygonMode> {
        Some(self.rasterizer.fill(front)).filter(|&mode| is_outline(mode))
    }

    /// Returns the variant of a polygon's vertices.
    pub(super) fn variant(&self, polygon: &ClippedPolygon, front: bool) -> VertexVariant {
        let back = !front && !self.colors.is_empty();
        let offset = match self.rasterizer.offsets(self.rasterizer.fill(front)) {
            true => {
                let pieces = 0..polygon.pieces();
                let largest = pieces.max_by_key(|&piece| polygon.piece_area(piece).abs());
                let largest = largest.and_then(|piece| polygon.piece(piece));
                offset::of(&self.rasterizer, self.depth_step, largest)
            }
            false => 0.0,
        };
        VertexVariant { back, offset }
    }
}

/// Returns true if polygons of this mode have no area.
fn is_outline(mode: PolygonMode) -> bool {
    match mode {
        PolygonMode::Line | PolygonMode::Point => true,
        PolygonMode::Fill | PolygonMode::FillRectangle => false,
    }
}
