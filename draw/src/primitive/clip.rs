//! Clips lines and triangles at planes, so that neighbours still fit together to the last bit.
//!
//! Sutherland and Hodgman's polygon clipping, one plane after the other. Three rules make an edge
//! come out the same from both triangles that share it:
//! - a cut is computed from the end that is nearer to the plane (the outer end, if both are equally
//!   near), never in the polygon's direction;
//! - a new vertex between two vertices inside a plane counts as inside, even if rounding puts it
//!   outside, so it does not matter whether the other triangle is clipped at that plane;
//! - attributes are blended from the corners with weights, and the weight of the corner opposite to
//!   the edge is exactly 0.
//!
//! Seen from the nearer end, the other end has a weight of at most a half. Rounding errors are then
//! proportional to the new vertex itself, and an edge stays in place even if one of its ends is far
//! out. From a fixed end (outer or inner) they can be as large as the unit in the last place of
//! that end.
//!
//! A new vertex only stores its position, the edge it lies on and the ratio there. Its attributes
//! are interpolated when it is passed to the sink.

use crate::features::USER_CLIP_PLANES;
use crate::outcode::{self, Plane};
use heapless::Vec;

/// A corner of the primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Clip position.
    pub(crate) position: [f32; 4],
    /// Outcode, see [`code`].
    pub(crate) code: u32,
    /// Distances to the user planes; only read for planes that some corner lies outside of.
    pub(crate) user: [f32; 8],
}

/// The most vertices overall: the corners, and two cuts per plane.
const MAX_VERTICES: usize = 3 + 2 * outcode::CUTTING;
/// The most vertices of a polygon: a convex polygon gains one per plane; rounding may add two more.
pub(crate) const MAX_POLYGON: usize = 3 + outcode::CUTTING + 2;

/// A new vertex, on the edge between two older ones.
#[derive(Clone, Copy, Debug)]
struct Cut {
    position: [f32; 4],
    code: u32,
    /// The end nearer to the plane, and the other end: below 3 a corner, else cut number `n - 3`.
    near: u8,
    far: u8,
    /// 0 at the near end; at most 0.5, which is half way to the far end.
    t: f32,
}

/// The polygon or line that is left of a primitive after clipping.
///
/// Vertices are identified by number: 0 to 2 are the corners, the rest are new.
pub(crate) struct Clipped<'c> {
    corners: &'c [Corner; 3],
    planes: &'c [Plane; outcode::PLANES],
    cuts: Vec<Cut, { MAX_VERTICES - 3 }>,
    polygon: Vec<u8, MAX_POLYGON>,
}

impl<'c> Clipped<'c> {
    /// Clips a triangle, or the line between `corners` 0 and 1. Nothing is left if
    /// [`vertices`](Self::vertices) is empty.
    // Inlined, so that it is built in its final place: there is no second copy on the stack.
    #[inline(always)]
    pub(crate) fn new(
        corners: &'c [Corner; 3],
        planes: &'c [Plane; outcode::PLANES],
        count: u8,
    ) -> Self {
        let mut clipped = Clipped { corners, planes, cuts: Vec::new(), polygon: Vec::new() };
        match count {
            3 => clipped.triangle(),
            _ => clipped.line(),
        }
        clipped
    }

    #[inline(never)]
    fn triangle(&mut self) {
        self.polygon = Vec::from_array([0, 1, 2]);
        for plane in 0..outcode::CUTTING {
            if self.cut_polygon(plane).is_none() {
                self.polygon.clear();
            }
        }
        if self.polygon.len() < 3 {
            self.polygon.clear();
        }
    }

    #[inline(never)]
    fn line(&mut self) {
        self.polygon = Vec::from_array([0, 1]);
        for plane in 0..outcode::CUTTING {
            if self.cut_line(plane).is_none() {
                self.polygon.clear();
            }
        }
    }

    /// Returns the polygon's or line's vertices, in order.
    pub(crate) fn vertices(&self) -> &[u8] {
        &self.polygon
    }

    /// Returns the clip position of a vertex.
    pub(crate) fn position(&self, vertex: u8) -> [f32; 4] {
        match self.cut(vertex) {
            Some(cut) => cut.position,
            None => self.corners.get(usize::from(vertex)).map_or([0.0; 4], |c| c.position),
        }
    }

    /// Returns each corner's share of a vertex, linear in clip space.
    ///
    /// The sum is 1 up to rounding. A corner has exactly 0 if the vertex touches none of its edges.
    pub(crate) fn weights(&self, vertex: u8) -> [f32; 3] {
        let mut weights = [0.0; MAX_VERTICES];
        let last = usize::from(vertex).min(MAX_VERTICES - 1);
        if let Some(own) = weights.get_mut(last) {
            *own = 1.0;
        }
        // A cut refers only to older vertices, so weights are passed back from the youngest cut on.
        for (i, cut) in self.cuts.iter().enumerate().take((last + 1).saturating_sub(3)).rev() {
            let weight = weights.get(i + 3).copied().unwrap_or(0.0);
            if weight != 0.0 {
                if let Some(near) = weights.get_mut(usize::from(cut.near)) {
                    *near += weight * (1.0 - cut.t);
                }
                if let Some(far) = weights.get_mut(usize::from(cut.far)) {
                    *far += weight * cut.t;
                }
            }
        }
        [weights[0], weights[1], weights[2]]
    }

    fn cut(&self, vertex: u8) -> Option<&Cut> {
        self.cuts.get(usize::from(vertex).checked_sub(3)?)
    }

    fn code(&self, vertex: u8) -> u32 {
        match self.cut(vertex) {
            Some(cut) => cut.code,
            None => self.corners.get(usize::from(vertex)).map_or(outcode::CUT, |c| c.code),
        }
    }

    fn outside(&self, vertex: u8, plane: usize) -> bool {
        self.code(vertex) >> plane & 1 != 0
    }

    /// Cuts the polygon at one plane; `None` if there are more cuts than a convex polygon can have.
    fn cut_polygon(&mut self, plane: usize) -> Option<()> {
        if !self.polygon.iter().any(|&v| self.outside(v, plane)) {
            return Some(());
        }
        let mut kept = Vec::new();
        let mut previous = *self.polygon.last()?;
        for at in 0..self.polygon.len() {
            let vertex = *self.polygon.get(at)?;
            if self.outside(previous, plane) != self.outside(vertex, plane) {
                kept.push(self.between(previous, vertex, plane)?).ok()?;
            }
            if !self.outside(vertex, plane) {
                kept.push(vertex).ok()?;
            }
            previous = vertex;
        }
        self.polygon = kept;
        Some(())
    }

    /// Cuts the line at one plane; `None` if nothing is left.
    fn cut_line(&mut self, plane: usize) -> Option<()> {
        let &[a, b] = self.polygon.as_slice() else { return None };
        let ends = match (self.outside(a, plane), self.outside(b, plane)) {
            (false, false) => return Some(()),
            (true, true) => return None,
            (true, false) => [self.between(a, b, plane)?, b],
            (false, true) => [a, self.between(a, b, plane)?],
        };
        self.polygon = Vec::from_array(ends);
        Some(())
    }

    /// Adds the vertex where the edge between `a` and `b`, on either side of a plane, meets the
    /// plane.
    fn between(&mut self, a: u8, b: u8, plane: usize) -> Option<u8> {
        let (outer, inner) = if self.outside(a, plane) { (a, b) } else { (b, a) };
        let (outside, inside) = (self.distance(outer, plane), self.distance(inner, plane));
        let (near, far, t) = match (outside < 0.0, inside >= 0.0) {
            (true, true) if inside < -outside => (inner, outer, inside / (inside - outside)),
            (true, true) => (outer, inner, outside / (outside - inside)),
            // Forced codes may contradict the distances by a rounding error: then an end is the
            // cut.
            (true, false) => (inner, outer, 0.0),
            (false, _) => (outer, inner, 0.0),
        };
        let (mut position, far_position) = (self.position(near), self.position(far));
        for (p, q) in position.iter_mut().zip(&far_position) {
            *p += t * (q - *p);
        }
        let number = u8::try_from(self.cuts.len() + 3).ok()?;
        let (outer_code, inner_code) = (self.code(outer), self.code(inner));
        let cut = Cut { position, code: outer_code & inner_code, near, far, t };
        self.cuts.push(cut).ok()?;
        // Later planes with one end on each side are in doubt. The ends agree on all other planes.
        let doubtful = outer_code ^ inner_code;
        for later in plane + 1..outcode::CUTTING {
            if doubtful >> later & 1 != 0 && !(self.distance(number, later) >= 0.0) {
                self.cuts.last_mut()?.code |= 1 << later;
            }
        }
        Some(number)
    }

    fn distance(&self, vertex: u8, plane: usize) -> f32 {
        if let Some(plane) = self.planes.get(plane) {
            return plane.distance(&self.position(vertex));
        }
        if !USER_CLIP_PLANES {
            return 0.0;
        }
        let user =
            |corner: &Corner| corner.user.get(plane - outcode::PLANES).copied().unwrap_or(0.0);
        blend(&self.weights(vertex), self.corners.each_ref().map(user))
    }
}

/// Returns the sum of `weights * values`; a weight of 0 excludes its value, even a NaN.
///
/// With two non-zero weights, the order of the corners does not change any bit.
#[inline(always)]
pub(crate) fn blend(weights: &[f32; 3], values: [f32; 3]) -> f32 {
    let mut sum = 0.0;
    for (weight, value) in weights.iter().zip(values) {
        if *weight != 0.0 {
            sum += weight * value;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Projection;
    use pipe_core::{RasterizerState, ViewportState};
    use proptest::prelude::*;
    extern crate std;
    use std::vec::Vec;

    fn projection() -> Projection {
        let viewport = ViewportState::y_up(640, 480);
        Projection::new(&viewport, &RasterizerState::default(), false, 2048)
    }

    /// Returns a corner with one user plane, the last one, `x + y + z + w / 2 >= 0`.
    fn corner(p: &Projection, position: [f32; 4]) -> Corner {
        let mut user = [0.0; 8];
        user[7] = position[0] + position[1] + position[2] + position[3] * 0.5;
        let outside = u32::from(!(user[7] >= 0.0)) << (outcode::CUTTING - 1);
        Corner { position, code: p.code(position) | outside, user }
    }

    fn positions(clipped: &Clipped<'_>) -> Vec<[f32; 4]> {
        clipped.vertices().iter().map(|&v| clipped.position(v)).collect()
    }

    #[test]
    fn the_near_plane_cuts_one_corner_off() {
        let p = projection();
        // z + w is 2, 2 and -2: both cuts are half way.
        let corners = [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 1.0, -3.0, 1.0]]
            .map(|v| Corner { position: v, code: p.code(v), user: [0.0; 8] });
        let clipped = Clipped::new(&corners, &p.planes, 3);
        assert_eq!(clipped.vertices(), [3, 0, 1, 4]);
        let expected = [
            [0.0, 0.5, -1.0, 1.0],
            [0.0, 0.0, 1.0, 1.0],
            [1.0, 0.0, 1.0, 1.0],
            [0.5, 0.5, -1.0, 1.0],
        ];
        assert_eq!(positions(&clipped), expected);
        assert_eq!(clipped.weights(3), [0.5, 0.0, 0.5]);
        assert_eq!(clipped.weights(4), [0.0, 0.5, 0.5]);
        assert_eq!(clipped.weights(1), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn lines_are_cut_at_both_ends() {
        let p = projection();
        let line = |a: [f32; 4], b: [f32; 4]| {
            let corners =
                [a, b, b].map(|v| Corner { position: v, code: p.code(v), user: [0.0; 8] });
            positions(&Clipped::new(&corners, &p.planes, 2))
        };
        let through = line([0.0, 0.0, -3.0, 1.0], [0.0, 0.0, 5.0, 1.0]);
        assert_eq!(through, [[0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
        assert_eq!(line([0.0, 0.0, -3.0, 1.0], [0.0, 0.0, -2.0, 1.0]), [[0.0; 4]; 0]);
        let kept = [[0.0, 0.0, -1.0, 1.0], [1.0, 0.0, 1.0, 1.0]];
        assert_eq!(line(kept[0], kept[1]), kept);
    }

    /// Returns true if a vertex depends only on the edge opposite to the corner `far`.
    fn lies_on_edge(clipped: &Clipped<'_>, v: u8, far: usize) -> bool {
        match clipped.cut(v) {
            None => usize::from(v) != far,
            Some(cut) => [cut.near, cut.far].iter().all(|&v| lies_on_edge(clipped, v, far)),
        }
    }

    fn position() -> impl Strategy<Value = [f32; 4]> {
        // Few values, so that many lie exactly on planes; some far out, some behind the eye.
        let coordinate =
            prop_oneof![(-8i32..=8).prop_map(|i| i as f32 * 0.5), -4.0f32..4.0, -40.0f32..40.0,];
        let w = prop_oneof![(-2i32..=8).prop_map(|i| i as f32 * 0.5), -1.0f32..6.0];
        (coordinate.clone(), coordinate.clone(), coordinate, w)
            .prop_map(|(x, y, z, w)| [x, y, z, w])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Two triangles on one edge have the same winding, so they walk the edge in opposite
        /// directions. Both have the same vertices on it, bit for bit, in position and weights.
        #[test]
        fn neighbours_cut_their_common_edge_alike(
            a in position(), b in position(), c in position(), d in position(), turn in 0usize..3,
        ) {
            let p = projection();
            let mut first = [a, b, c];
            first.rotate_left(turn);
            let on_edge = |order: [[f32; 4]; 3]| {
                let corners = order.map(|v| corner(&p, v));
                let clipped = Clipped::new(&corners, &p.planes, 3);
                let far = order.iter().position(|v| *v != a && *v != b).expect("all differ");
                let mut vertices: Vec<_> = clipped
                    .vertices()
                    .iter()
                    .filter(|&&v| lies_on_edge(&clipped, v, far))
                    .map(|&v| {
                        let weights = clipped.weights(v);
                        assert_eq!(weights[far], 0.0);
                        let at = |q: [f32; 4]| order.iter().position(|v| *v == q).map(|i| weights[i]);
                        (clipped.position(v).map(f32::to_bits), at(a).map(f32::to_bits), at(b).map(f32::to_bits))
                    })
                    .collect();
                vertices.sort();
                vertices.dedup();
                (clipped.vertices().is_empty(), vertices)
            };
            prop_assume!(a != b && c != a && c != b && d != a && d != b);
            let (one, other) = (on_edge(first), on_edge([b, a, d]));
            // A triangle that is clipped away has no edge left to compare.
            if !one.0 && !other.0 {
                prop_assert_eq!(one.1, other.1);
            }
        }

        /// Every remaining vertex lies inside every plane, up to rounding, and equals the sum of
        /// the corners times its weights.
        #[test]
        fn what_is_left_is_inside(a in position(), b in position(), c in position()) {
            let p = projection();
            let corners = [a, b, c].map(|v| corner(&p, v));
            let clipped = Clipped::new(&corners, &p.planes, 3);
            prop_assert!(clipped.vertices().len() <= MAX_POLYGON);
            let size = corners.iter().flat_map(|c| c.position).fold(1.0f32, |m, v| m.max(v.abs()));
            for &v in clipped.vertices() {
                let at = clipped.position(v);
                for plane in &p.planes {
                    let scale = plane.scale.abs().max(plane.w.abs()).max(1.0);
                    prop_assert!(plane.distance(&at) >= -size * scale * 1e-5, "{:?} {:?}", at, plane);
                }
                let weights = clipped.weights(v);
                prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                for (i, coordinate) in at.iter().enumerate() {
                    let blended = blend(&weights, corners.map(|c| c.position[i]));
                    prop_assert!((blended - coordinate).abs() <= size * 1e-5);
                }
            }
        }
    }
}
