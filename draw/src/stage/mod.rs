//! What happens to a primitive between assembly and the sink.
//!
//! ```text
//!   reject ──► clip ──► facing, cull ──► hand over
//! ```
//!
//! Most primitives are neither rejected nor clipped and go straight through. What changes how they
//! are drawn (outlines, depth offset, line stipple, two-sided colour: `effects`) has its place
//! between cull and hand-over: it knows the facing, and sees what is really drawn.

pub(crate) mod clip;
mod cull;
#[cfg_attr(not(feature = "stages"), path = "no_effects.rs")]
mod effects;
mod hand_over;
#[cfg(feature = "stages")]
mod offset;
#[cfg(feature = "stages")]
mod stipple;

use crate::assemble::Primitive;
use crate::code;
use crate::error::DrawError;
use crate::project::Projection;
use crate::segment::{Slot, SlotIndex, Window};
use crate::sink::PrimitiveSink;
use crate::state::OutputModes;
use crate::statistics::Statistics;
use crate::user_clip::UserClip;
use clip::{Clipped, Corner};
pub(crate) use cull::Cull;
pub(crate) use effects::Effects;
use effects::Look;
use hand_over::{Fan, Sent};

/// What the stages need to know of the state, worked out once a draw.
pub(crate) struct StageState {
    pub(crate) projection: Projection,
    pub(crate) user: UserClip,
    pub(crate) cull: Cull,
    pub(crate) modes: OutputModes,
    /// The register of the position output.
    pub(crate) position: usize,
    /// Points are clipped as squares, by the rasterizer, not by their centre.
    pub(crate) point_tri_clip: bool,
    /// What changes how primitives are drawn, if anything does.
    pub(crate) effects: Option<Effects>,
}

impl StageState {
    /// Gives outputs the look of their face.
    #[inline]
    fn turn(&self, outputs: &mut [[f32; 4]], look: Look) {
        if let Some(effects) = &self.effects {
            effects.turn(outputs, look);
        }
    }
}

/// The stages over one segment's vertices.
pub(crate) struct Stages<'s, S> {
    pub(crate) state: &'s StageState,
    pub(crate) slots: &'s mut [Slot],
    /// The slots' outputs, `stride` each.
    pub(crate) outputs: &'s [[f32; 4]],
    /// Room for one more vertex's outputs; its length is the stride.
    pub(crate) scratch: &'s mut [[f32; 4]],
    pub(crate) sink: &'s mut S,
    pub(crate) statistics: &'s mut Statistics,
    /// How many pixels of the line strip at hand were stippled.
    #[cfg_attr(not(feature = "stages"), expect(dead_code, reason = "effects count them"))]
    pub(crate) stippled: &'s mut u32,
}

impl<S: PrimitiveSink> Stages<'_, S> {
    /// Takes primitives through all stages.
    #[inline(never)]
    pub(crate) fn primitives(
        &mut self,
        primitives: &[Primitive<SlotIndex>],
    ) -> Result<(), DrawError<S::Error>> {
        // But for those that are found not to be.
        self.statistics.c_primitives += primitives.len() as u64;
        for primitive in primitives {
            // Not `map`: that is a loop through memory.
            let [a, b, c] = primitive.vertices;
            let slot = |slot: SlotIndex| self.slots.get(usize::from(slot));
            let (Some(a), Some(b), Some(c)) = (slot(a), slot(b), slot(c)) else { continue };
            // Vertices not there repeat the last one, so they change nothing.
            let (any, all) = (a.code | b.code | c.code, a.code & b.code & c.code);
            // Most are triangles wholly inside, new to the sink or known to it.
            let windows = [a.window, b.window, c.window];
            let plain = primitive.count == 3 && any & !(code::SENT | code::BACK) == 0;
            if !plain && self.is_dealt_with(primitive)? {
                continue;
            }
            let sent = Sent { any: any & code::SENT != 0, all: all & code::SENT != 0 };
            self.whole_triangle(primitive, windows, sent)?;
        }
        Ok(())
    }

    /// Takes a primitive through the stages if it is not a triangle that is drawn whole.
    #[inline(never)]
    fn is_dealt_with(
        &mut self,
        primitive: &Primitive<SlotIndex>,
    ) -> Result<bool, DrawError<S::Error>> {
        let [a, b, c] = primitive.vertices.map(|slot| self.slot(slot).code);
        let (all, any) = (a & b & c, a | b | c);
        let rejected = all & self.rejecting(primitive.count) != 0 || any & code::INVALID != 0;
        let clipped = primitive.count > 1 && any & code::CUT != 0;
        if rejected || clipped {
            self.statistics.c_primitives -= 1;
            return if rejected { Ok(true) } else { self.clip(*primitive, any).map(|()| true) };
        }
        if primitive.count == 3 {
            return Ok(false);
        }
        if primitive.count == 2 && self.state.effects.is_some() {
            let mut fan = Fan::whole(self, *primitive);
            self.line(&mut fan, [0, 1], true, Look::PLAIN)?;
        } else {
            self.hand_over(*primitive)?;
        }
        Ok(true)
    }

    /// Takes a triangle that is drawn whole through the stages that are left.
    #[inline(always)]
    fn whole_triangle(
        &mut self,
        triangle: &Primitive<SlotIndex>,
        [a, b, c]: [Window; 3],
        sent: Sent,
    ) -> Result<(), DrawError<S::Error>> {
        let Some(front) = self.state.cull.facing(cull::area(&a, &b, &c)) else { return Ok(()) };
        if self.state.effects.is_some() {
            let mut fan = Fan::whole(self, *triangle);
            return self.polygon(&mut fan, front);
        }
        match self.sink.sees([[a.x, a.y], [b.x, b.y], [c.x, c.y]]) {
            Some(seen) => self.hand_over_triangle(triangle, seen, front, sent),
            None => Ok(()),
        }
    }

    /// The planes that drop a primitive when all its vertices are outside.
    #[inline(always)]
    fn rejecting(&self, count: u8) -> u32 {
        // A point clipped as a square may reach in from outside.
        let reaches = count == 1 && self.state.point_tri_clip;
        if reaches { code::REJECT & !code::FRUSTUM_ALL } else { code::REJECT }
    }

    /// A slot's vertex; an invalid one for a number beyond the segment's slots.
    #[inline(always)]
    fn slot(&self, slot: SlotIndex) -> &Slot {
        self.slots.get(usize::from(slot)).unwrap_or(&Slot::INVALID)
    }

    #[inline(always)]
    fn outputs(&self, slot: SlotIndex) -> &[[f32; 4]] {
        let stride = self.scratch.len();
        let start = usize::from(slot) * stride;
        self.outputs.get(start..start + stride).unwrap_or(&[])
    }

    #[cold]
    #[inline(never)]
    fn clip(
        &mut self,
        primitive: Primitive<SlotIndex>,
        any: u32,
    ) -> Result<(), DrawError<S::Error>> {
        // Fans are large: there is one, and it never moves.
        let mut left = Fan::empty(primitive);
        match self.cut(&mut left, any) {
            Some(()) if primitive.count == 3 => self.hand_over_fan(&mut left),
            Some(()) => self.hand_over_line(&mut left),
            None => Ok(()),
        }
    }

    /// What clipping leaves of a primitive, apart from what becomes of it: neither has the other's
    /// locals on the stack.
    #[inline(never)]
    fn cut(&self, left: &mut Fan, any: u32) -> Option<()> {
        let corners = left.whole.vertices.map(|v| self.corner(v, any));
        let clipped = Clipped::new(&corners, &self.state.projection.planes, left.whole.count);
        left.take(self, &clipped)
    }

    fn corner(&self, slot: SlotIndex, any: u32) -> Corner {
        let outputs = self.outputs(slot);
        let written = outputs.get(self.state.position).copied().unwrap_or_default();
        let mut user = [0.0; 8];
        if any & code::CUT & !(code::USER - 1) != 0 {
            user = core::array::from_fn(|k| self.state.user.distance(k, outputs));
        }
        let position = self.state.projection.position(written);
        Corner { position, code: self.slot(slot).code, user }
    }
}
