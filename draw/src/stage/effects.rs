//! What changes how primitives are drawn: two-sided colour, outlines, depth offset, line stipple.
//!
//! ```text
//!   polygon ──► look: colours of its face, depth offset ──► area │ edges ──► line │ vertices
//!                                                                              └──► stipple
//! ```
//!
//! Wide and smooth lines and points, and polygon stipple, are shapes and masks of pixels: whoever
//! rasterizes makes them.

use super::hand_over::Fan;
use super::stipple::Stipple;
use super::{Stages, offset};
use crate::error::DrawError;
use crate::segment::{SlotIndex, Window};
use crate::sink::PrimitiveSink;
use crate::state::{DepthStep, DrawState};
use crate::{assemble::Primitive, code};
use heapless::Vec;
use pipe_core::{PolygonMode, RasterizerState};
use tgsi::declaration::{Semantic, SemanticName};

/// How a vertex differs from what the shader wrote.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Look {
    /// Has the back face's colours.
    back: bool,
    /// Added to its depth.
    offset: f32,
}

impl Look {
    pub(super) const PLAIN: Look = Look { back: false, offset: 0.0 };

    /// The flag of slots whose vertex was sent so.
    #[inline(always)]
    pub(super) fn code(self) -> u32 {
        if self.back { code::BACK } else { 0 }
    }

    /// Whether no other primitive's vertex looks like this.
    #[inline(always)]
    pub(super) fn is_unique(self) -> bool {
        self.offset != 0.0
    }

    #[inline(always)]
    pub(super) fn offset(self, window: Window) -> Window {
        Window { z: window.z + self.offset, ..window }
    }
}

/// The effects of a draw, if there are any.
#[derive(Debug)]
pub(crate) struct Effects {
    rasterizer: RasterizerState,
    depth_step: DepthStep,
    /// Registers of front colours and of what replaces them on back faces.
    colors: Vec<(u16, u16), 2>,
    /// The register of edge flags.
    edge_flag: Option<u16>,
    pub(super) stipple: Option<Stipple>,
}

impl Effects {
    /// What the state asks for; `None` if that is nothing.
    pub(crate) fn new(state: &DrawState<'_>) -> Option<Effects> {
        let rasterizer = state.rasterizer;
        let outputs = state.program.outputs;
        let find = |name, index| {
            let found = outputs.iter().find(|o| o.semantic == Semantic::new(name, index));
            found.map(|output| output.register)
        };
        let mut colors = Vec::new();
        if rasterizer.light_twoside {
            let pairs = [0, 1].map(|index| {
                find(SemanticName::Color, index).zip(find(SemanticName::BackColor, index))
            });
            colors = pairs.into_iter().flatten().collect();
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

    /// Puts the back colours in front colours' places.
    #[inline]
    pub(super) fn turn(&self, outputs: &mut [[f32; 4]], look: Look) {
        for &(front, back) in self.colors.iter().filter(|_| look.back) {
            let back = outputs.get(usize::from(back)).copied();
            if let (Some(front), Some(back)) = (outputs.get_mut(usize::from(front)), back) {
                *front = back;
            }
        }
    }

    fn look(&self, fan: &Fan, front: bool) -> Look {
        let back = !front && !self.colors.is_empty();
        let offset = match self.rasterizer.offsets(self.rasterizer.fill(front)) {
            true => {
                let pieces = 0..fan.pieces();
                let largest = pieces.max_by_key(|&piece| fan.piece_area(piece).abs());
                let largest = largest.and_then(|piece| fan.piece(piece));
                offset::of(&self.rasterizer, self.depth_step, largest)
            }
            false => 0.0,
        };
        Look { back, offset }
    }
}

/// Whether polygons drawn so have no area.
fn is_outline(mode: PolygonMode) -> bool {
    matches!(mode, PolygonMode::Line | PolygonMode::Point)
}

impl<S: PrimitiveSink> Stages<'_, S> {
    /// Draws a polygon that is not culled.
    pub(super) fn polygon(
        &mut self,
        fan: &mut Fan,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        let Some(effects) = &self.state.effects else { return Ok(()) };
        let look = effects.look(fan, front);
        let mode = effects.rasterizer.fill(front);
        if !is_outline(mode) {
            return self.fill(fan, front, look);
        }
        if fan.whole.edges & Primitive::<SlotIndex>::STARTS != 0 {
            *self.stippled = 0;
        }
        let count = fan.vertices.len();
        for from in 0..count {
            let to = (from + 1) % count;
            if !self.is_edge(fan, from, to) {
                continue;
            }
            if mode == PolygonMode::Line {
                self.line(fan, [from, to], front, look)?;
            } else {
                self.twice(fan, |stages, fan| {
                    let vertex = stages.fan_id(fan, from, look)?;
                    let provoking = stages.fan_id(fan, fan.provoking, look)?;
                    stages.sink.point(vertex, provoking, front)
                })?;
            }
        }
        Ok(())
    }

    /// Draws a line, in pieces if it is stippled.
    pub(super) fn line(
        &mut self,
        fan: &mut Fan,
        ends: [usize; 2],
        front: bool,
        look: Look,
    ) -> Result<(), DrawError<S::Error>> {
        let effects = self.state.effects.as_ref();
        match effects.and_then(|effects| effects.stipple.as_ref()) {
            Some(stipple) => self.stippled_line(stipple, fan, ends, front, look),
            None => self.plain_line(fan, ends, front, look),
        }
    }

    /// Whether the polygon's side between two of its vertices is an edge that is drawn.
    ///
    /// Sides that clipping made are not: they lie on the view volume, which nobody drew.
    fn is_edge(&self, fan: &Fan, from: usize, to: usize) -> bool {
        let (Some(a), Some(b)) = (fan.vertices.get(from), fan.vertices.get(to)) else {
            return false;
        };
        // Side k runs from corner k to the next: both ends have nothing of the third corner.
        let side = (0..3).find(|k| {
            let opposite = (k + 2) % 3;
            a.weights[opposite] == 0.0 && b.weights[opposite] == 0.0
        });
        let Some(side) = side else { return false };
        let flag = self.state.effects.as_ref().and_then(|effects| effects.edge_flag);
        let flagged = flag.is_none_or(|register| {
            let outputs = self.outputs(fan.whole.vertices[side]);
            outputs.get(usize::from(register)).is_none_or(|flag| flag[0] != 0.0)
        });
        flagged && fan.whole.edges >> side & 1 != 0
    }
}
