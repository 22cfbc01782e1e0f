//! One primitive: its outline, and the planes of its depth and varyings.

use tgsi::exec;

use super::Fragments;
use super::stamps::FEW_PIXELS;
use crate::features::{Case, DESKTOP, ES2, FRAGMENTS, SAMPLES, SMALL_CODE, SPANS};
use crate::fixed::{SUBPIXEL_ONE, depth_to_f32};
use crate::lanes::stamps_per_batch;
use crate::profile::Profile;
use crate::scene::{ConstantBlock, DrawRecord, Kind, Primitive, Varying, VaryingMode, Vertex};
use crate::setup::Bounds;
use crate::setup::area;
use crate::setup::{Falloff, FixedPlane, Gradient, Plane, Point, Shape};
use crate::tile::{Coverage, walk, walk_stamps};

/// The pixels that a primitive covers, and how values change over them.
struct Outline {
    shape: Shape,
    gradient: Gradient,
    /// A point's place and size.
    point: Option<Point>,
    /// The coverage of pixels at the edge, of smooth primitives.
    edge_coverage: Option<Falloff>,
    /// Set if the shape covers pixels with centres outside it. Depths there may have any value.
    beyond: bool,
    /// Set for a triangle without area. Its values are those of its provoking vertex.
    is_flat: bool,
}

impl Outline {
    /// Derives the outline of a primitive; `None` if it covers no pixel's centre.
    #[inline(always)]
    fn of(
        kind: Kind,
        front: bool,
        record: &DrawRecord,
        [v0, v1, v2]: [Vertex<'_>; 3],
    ) -> Option<Outline> {
        let center = record.rule.center();
        let (mut point, mut edge_coverage) = (None, None);
        let (mut beyond, mut is_flat) = (false, false);
        let (shape, gradient) = match kind {
            Kind::Triangle => {
                let v = [v0.position(), v1.position(), v2.position()];
                let corners = v.map(|v| [v.x, v.y]);
                let shape = record.triangle(corners, front)?;
                let area_rule = record.area.rule();
                if ES2 && !area_rule.is_plain() {
                    let falloff = Case::new(corners).map(Falloff::Area);
                    edge_coverage = falloff.filter(|_| area_rule.smooth);
                    beyond = true;
                    is_flat = area(&corners) == 0;
                }
                let gradient = match is_flat {
                    true => Gradient::point(&v[0], center),
                    false => Gradient::triangle(&v, center),
                };
                (shape, gradient)
            }
            Kind::Line => {
                let v = [v0.position(), v1.position()];
                let ends = v.map(|v| [v.x, v.y]);
                let shape = record.line(ends[0], ends[1])?;
                beyond = record.area.rule().is_conservative();
                edge_coverage = record.line.smooth.then(|| record.line.coverage(ends[0], ends[1]));
                (shape, Gradient::line(&v, center))
            }
            Kind::Point => {
                let at = v0.point(&record.point);
                point = Some(at);
                edge_coverage = record.point.smooth.then(|| at.coverage());
                (record.point(&at), Gradient::point(&v0.position(), center))
            }
            Kind::Clear => return None,
        };
        Some(Outline { shape, gradient, point, edge_coverage, beyond, is_flat })
    }
}

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Draws the quads that a primitive covers in the tile. Kept out of line, so that the loop over
    /// primitives drawn in spans keeps its registers.
    #[inline(never)]
    pub(super) fn general(&mut self, primitive: &Primitive) {
        let Some(current) = self.current.as_ref().filter(|_| FRAGMENTS) else { return };
        let (record, solid) = (current.record, current.solid.is_some());
        let arena = &self.inputs.scene.arena;
        let v = primitive.vertices.map(|id| Vertex::at(arena, id));
        let Some(outline) = Outline::of(primitive.kind, primitive.front, record, v) else { return };
        self.stipple = &[];
        if primitive.kind == Kind::Triangle {
            let ConstantBlock { at, words } = record.stipple;
            self.stipple = arena.get(at as usize, words as usize);
        }
        if let Some(&ConstantBlock { at, words }) = record.windows.get() {
            self.windows.set(arena.get(at as usize, words as usize));
        }
        let Outline { shape, gradient, point, edge_coverage, beyond, is_flat } = outline;
        self.edge_coverage = edge_coverage;
        // Lines and points refer to one more vertex, for their flat attributes.
        #[expect(clippy::indexing_slicing, reason = "the remainder is below 3")]
        let flat = v[primitive.provoking as usize % 3];
        // Corners that a line or point lacks repeat the first vertex, so that their differences are
        // 0.
        let v = match primitive.kind {
            Kind::Triangle if is_flat => [flat; 3],
            Kind::Triangle => v,
            Kind::Line => [v[0], v[1], v[0]],
            Kind::Point | Kind::Clear => [v[0]; 3],
        };
        let z = v.map(|v| v.position().z);
        // Without clipping against the near and far planes, depths may have any value.
        let fits = !beyond && z.iter().all(|z| (-1.5..=1.5).contains(z));
        self.unusual = !fits || record.clip.depth_range.is_some() || record.is_smooth();
        let clamps = DESKTOP
            && record.clip.depth_range.is_some_and(|range| {
                let [low, high] = range.map(depth_to_f32);
                !z.iter().all(|z| (low..=high).contains(z))
            });
        let depth = gradient.plane(z[0], z[1], z[2]);
        let tile = self.window.tile;
        let clip = tile.intersect(record.clip.of(primitive.kind));
        if SPANS && self.is_hidden(record, (&shape, &gradient), &depth, (&tile, &clip)) {
            return;
        }
        if solid && !self.unusual && !self.quads.batch.is_empty() {
            // The batch holds an earlier primitive of the draw that was not filled in rows.
            self.shade();
        }
        self.planes(primitive, &gradient, v, flat, point);
        self.steep = (!fits).then_some(depth);
        self.unclamped.set(clamps.then_some(depth));
        if SAMPLES {
            // Depths at samples are within 1.5 of 0, and centres at most half a pixel away on both
            // axes.
            let is_steep = depth.dadx.abs() + depth.dady.abs() > 0.9;
            self.steep_centers.set((fits && is_steep).then_some(depth));
        }
        let depth = gradient.fixed_depth(&depth);
        if SAMPLES && self.is_sampled() {
            self.sampled(&shape, &clip, &depth);
            return self.end_alone();
        }
        self.cover(&shape, &clip, &depth, record);
        self.test_candidates();
        self.quads.earlier.insert_fresh(&self.quads.batch);
        self.interpolate();
        if SAMPLES {
            self.end_alone();
        }
    }

    /// Returns true if the tile's depths hide a shape; otherwise prepares them for the shape.
    #[inline(always)]
    fn is_hidden(
        &mut self,
        record: &DrawRecord,
        (shape, gradient): (&Shape, &Gradient),
        depth: &Plane,
        (tile, clip): (&Bounds, &Bounds),
    ) -> bool {
        let region = clip.intersect(&shape.bounds);
        let single = record.samples.rule().count == 1;
        let tests =
            single && record.early_depth && !self.unusual && record.depth.occlusion().hidden;
        if tests && self.quads.scratch.max_depth.hides(depth, gradient, &region) {
            return true;
        }
        if !single {
            // Samples may be covered in pixels next to the shape's own pixels.
            let Bounds { x0, y0, x1, y1 } = region;
            let area = Bounds { x0: x0 - 1, y0: y0 - 1, x1: x1 + 1, y1: y1 + 1 };
            self.quads.scratch.spread(self.targets, tile, &area);
        }
        self.quads.scratch.touch();
        false
    }

    /// Finds the pixels of a shape within `clip`, in stamps or blocks, and tests their depths.
    #[inline(always)]
    fn cover(&mut self, shape: &Shape, clip: &Bounds, depth: &FixedPlane, record: &DrawRecord) {
        let few = stamps_per_batch::<P::Row>() > 0 && self.has_few_pixels(shape, clip, FEW_PIXELS);
        if few {
            let general = record.depth.is_general();
            exec::vectorize::<P::Row, _>(
                #[inline(always)]
                || {
                    walk_stamps(
                        shape,
                        clip,
                        #[inline(always)]
                        |x, y, covered| self.small_stamp((x, y), covered, depth, general),
                    );
                },
            );
        } else {
            exec::vectorize::<P::Row, _>(
                #[inline(always)]
                || {
                    walk(shape, clip, |x, y, coverage: &Coverage| {
                        self.block(x, y, coverage, depth.from(x, y));
                    });
                },
            );
        }
    }

    /// Sets up the planes of a primitive's varyings.
    fn planes(
        &mut self,
        primitive: &Primitive,
        gradient: &Gradient,
        v: [Vertex<'_>; 3],
        flat: Vertex<'_>,
        point: Option<Point>,
    ) {
        let Some(current) = &**self.current else { return };
        (self.origin.x, self.origin.y) = (gradient.x, gradient.y);
        self.front = primitive.front;
        let mut w = v.map(|v| v.position().rcp_w);
        let rcp_w = gradient.plane(w[0], w[1], w[2]);
        (self.rcp_w, self.perspective) = (rcp_w, rcp_w);
        if point.is_some() {
            // A point's values are constant, or the place within the point: no perspective.
            w = [1.0; 3];
            self.perspective = Plane { a: 1.0, dadx: 0.0, dady: 0.0 };
        }
        let setup = VaryingSetup {
            gradient,
            w,
            point,
            center: current.record.rule.center(),
            from_below: current.record.sprite_from_below,
        };
        let planes = current.varyings.iter().zip(self.registers.planes.iter_mut());
        let [a, b, c] = v;
        if !SMALL_CODE
            && let (Some(a), Some(b), Some(c), Some(flat)) =
                (a.varyings(), b.varyings(), c.varyings(), flat.varyings())
        {
            for (((((varying, plane), a), b), c), flat) in planes.zip(a).zip(b).zip(c).zip(flat) {
                let corners = [f32::from_bits(*a), f32::from_bits(*b), f32::from_bits(*c)];
                *plane = setup.plane(varying, corners, f32::from_bits(*flat));
            }
            return;
        }
        for (at, (varying, plane)) in planes.enumerate() {
            let corners = [a.varying(at), b.varying(at), c.varying(at)];
            *plane = setup.plane(varying, corners, flat.varying(at));
        }
    }
}

/// The values of a primitive that the planes of its varyings need.
struct VaryingSetup<'a> {
    gradient: &'a Gradient,
    /// The 1/w of each corner. Values are divided by it.
    w: [f32; 3],
    /// A point's place and size.
    point: Option<Point>,
    /// The offset of samples in a pixel, Q24.8.
    center: i32,
    /// Set if t of sprites grows upwards.
    from_below: bool,
}

impl VaryingSetup<'_> {
    /// Returns the plane of a varying, from its values at the corners and at the provoking vertex.
    #[inline(always)]
    fn plane(&self, varying: &Varying, [a, b, c]: [f32; 3], flat: f32) -> Plane {
        let VaryingSetup { gradient, w, ref point, center, from_below } = *self;
        if let Some(point) = point.as_ref().filter(|_| varying.sprite) {
            return sprite(point, varying.component(), from_below, gradient, center);
        }
        match varying.mode {
            VaryingMode::Flat => Plane { a: flat, dadx: 0.0, dady: 0.0 },
            VaryingMode::Linear => gradient.plane(a, b, c),
            VaryingMode::Perspective => gradient.plane(a * w[0], b * w[1], c * w[2]),
        }
    }
}

/// Returns the plane of one component of the place within a point: (s, t, 0, 1), s and t in 0…1.
fn sprite(
    point: &Point,
    component: u8,
    from_below: bool,
    gradient: &Gradient,
    center: i32,
) -> Plane {
    let axis = usize::from(component & 1);
    if component > 1 || point.size == 0 {
        let a = if component == 3 { 1.0 } else { 0.0 };
        return Plane { a, dadx: 0.0, dady: 0.0 };
    }
    let (at, middle) =
        if axis == 0 { (gradient.x, point.center[0]) } else { (gradient.y, point.center[1]) };
    let reference = at * SUBPIXEL_ONE + center;
    // Twice the distance from the square's edge: an odd size has its edges between subpixels.
    let from = 2 * (reference - middle) + point.size;
    let (mut a, mut step) =
        (from as f32 / (2 * point.size) as f32, SUBPIXEL_ONE as f32 / point.size as f32);
    if axis == 1 && from_below {
        (a, step) = (1.0 - a, -step);
    }
    if axis == 0 { Plane { a, dadx: step, dady: 0.0 } } else { Plane { a, dadx: 0.0, dady: step } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::PointRule;
    use pipe_core::RasterizerState;

    #[test]
    fn the_middle_of_a_sprite_is_at_half_of_it() {
        // 1,382 and 1,383 subpixels: the second square's edges lie between them.
        for size in [5.398, 5.402] {
            let state = RasterizerState {
                point_size: size,
                point_quad_rasterization: true,
                ..RasterizerState::default()
            };
            let place = [3 * SUBPIXEL_ONE + 128, 7 * SUBPIXEL_ONE + 128];
            let point = PointRule::new(&state, None).at(place, None);
            let mut gradient = Gradient::default();
            (gradient.x, gradient.y) = (3, 7);
            for component in 0..2 {
                let plane = sprite(&point, component, false, &gradient, 128);
                assert_eq!(plane.a, 0.5, "{} subpixels", point.size);
            }
        }
    }
}
