//! Coverage of small shapes, stamp by stamp: if a shape has few pixels, most rows of its blocks are
//! empty.

use os_shim::simd::negative_lanes;

use crate::lanes::{STAMP, STAMP_X, STAMP_Y};
use crate::setup::{Bounds, Edge, Shape};
use crate::setup::{MAX_SAMPLES, SampleRule};

/// The side of a stamp, in pixels.
const SIDE: i32 = 4;

/// The longest side of a small shape's bounds, in pixels: within them, edge functions fit in 32
/// bits.
const LONGEST: i32 = 64;

/// The lanes of a stamp's first `n` columns, for `n` from 0 to 4.
const COLUMNS: [u32; 5] = [0, 0x0505, 0x0f0f, 0x5f5f, 0xffff];
/// The lanes of a stamp's first `n` rows, for `n` from 0 to 4.
const ROWS: [u32; 5] = [0, 0x0033, 0x00ff, 0x33ff, 0xffff];

/// Returns true if [`walk_stamps`] takes the shape.
#[inline(always)]
pub(crate) fn is_small(shape: &Shape) -> bool {
    let Bounds { x0, y0, x1, y1 } = shape.bounds;
    (x1 - x0).max(y1 - y0) <= LONGEST
}

/// An edge function at the lanes of stamps.
#[derive(Clone, Copy)]
struct StampEdge {
    /// The function at the first pixel of a stamp.
    value: i32,
    /// Its steps to the next stamp, to the right and below.
    right: i32,
    down: i32,
    /// The function's difference between each lane and the first pixel.
    lanes: [i32; STAMP],
}

impl StampEdge {
    /// Sets up an edge; (`x`, `y`) is the first stamp's first pixel.
    #[inline(always)]
    fn new(edge: &Edge, x: i32, y: i32) -> StampEdge {
        let Edge { step_x, step_y, .. } = *edge;
        let mut lanes = [0; STAMP];
        for ((lane, x), y) in lanes.iter_mut().zip(STAMP_X).zip(STAMP_Y) {
            *lane = step_x.wrapping_mul(x).wrapping_add(step_y.wrapping_mul(y));
        }
        let [right, down] = [step_x, step_y].map(|step| step.wrapping_mul(SIDE));
        StampEdge { value: edge.value(x, y) as i32, right, down, lanes }
    }
}

/// Visits the stamps of `clip` where a [small](is_small) shape covers a pixel, top to bottom, left
/// to right.
///
/// `visit` gets x and y of a stamp's first pixel, a multiple of four, and the lanes that are
/// covered within `clip`.
#[inline(always)]
pub(crate) fn walk_stamps(shape: &Shape, clip: &Bounds, visit: impl FnMut(i32, i32, u32)) {
    let bounds = shape.bounds.intersect(clip);
    if bounds.is_empty() {
        return;
    }
    let at = |edge: &Edge| StampEdge::new(edge, bounds.x0 & -SIDE, bounds.y0 & -SIDE);
    match shape.edges() {
        [] => cover([], &bounds, visit),
        [a, b, c] => cover([at(a), at(b), at(c)], &bounds, visit),
        [a, b, c, d] => cover([at(a), at(b), at(c), at(d)], &bounds, visit),
        _ => {}
    }
}

/// Visits the stamps of `bounds` that have lanes inside all edges.
#[inline(always)]
fn cover<const N: usize>(
    mut edges: [StampEdge; N],
    bounds: &Bounds,
    mut visit: impl FnMut(i32, i32, u32),
) {
    let mut y = bounds.y0 & -SIDE;
    while y < bounds.y1 {
        let mut x = bounds.x0 & -SIDE;
        let mut right = 0i32;
        while x < bounds.x1 {
            // A pixel outside an edge has a negative function there, so the signs are or'ed.
            let mut signs = [0; STAMP];
            for edge in &edges {
                let first = edge.value.wrapping_add(edge.right.wrapping_mul(right));
                for (sign, lane) in signs.iter_mut().zip(edge.lanes) {
                    *sign |= first.wrapping_add(lane);
                }
            }
            let covered = u32::from(!negative_lanes(&signs)) & lanes_within(bounds, x, y);
            if covered != 0 {
                visit(x, y, covered);
            }
            x += SIDE;
            right += 1;
        }
        for edge in &mut edges {
            edge.value = edge.value.wrapping_add(edge.down);
        }
        y += SIDE;
    }
}

/// The covered lanes of a stamp, sample by sample.
pub(crate) type StampSamples = [u16; MAX_SAMPLES];

/// Visits the stamps of `clip` where a [small](is_small) shape covers a sample that may be written,
/// in the order of [`walk_stamps`]. The samples must not be [covered
/// alike](SampleRule::covers_alike).
#[inline(always)]
pub(crate) fn walk_sample_stamps(
    shape: &Shape,
    clip: &Bounds,
    samples: SampleRule,
    visit: impl FnMut(i32, i32, &mut StampSamples),
) {
    let wide = shape.widened();
    let bounds = wide.bounds.intersect(clip);
    if bounds.is_empty() {
        return;
    }
    let first = (bounds.x0 & -SIDE, bounds.y0 & -SIDE);
    let at = |edge: &Edge| SampledEdge::new(edge, first, samples);
    match shape.edges() {
        [a, b, c] => cover_samples([at(a), at(b), at(c)], &bounds, samples, visit),
        [a, b, c, d] => cover_samples([at(a), at(b), at(c), at(d)], &bounds, samples, visit),
        _ => {}
    }
}

/// An edge function at the lanes of stamps, and its values at the samples of the first pixel.
#[derive(Clone, Copy)]
struct SampledEdge {
    edge: StampEdge,
    values: [i32; MAX_SAMPLES],
}

impl SampledEdge {
    /// Sets up an edge; (`x`, `y`) is the first stamp's first pixel.
    #[inline(always)]
    fn new(edge: &Edge, (x, y): (i32, i32), samples: SampleRule) -> SampledEdge {
        let mut values = [0; MAX_SAMPLES];
        for (sample, value) in values.iter_mut().enumerate().take(samples.count as usize) {
            *value = edge.moved(samples.offset(sample)).value(x, y) as i32;
        }
        SampledEdge { edge: StampEdge::new(edge, x, y), values }
    }
}

/// Visits the stamps of `bounds` that have a sample inside all edges.
#[inline(always)]
fn cover_samples<const N: usize>(
    edges: [SampledEdge; N],
    bounds: &Bounds,
    samples: SampleRule,
    mut visit: impl FnMut(i32, i32, &mut StampSamples),
) {
    let (mut y, mut down) = (bounds.y0 & -SIDE, 0i32);
    while y < bounds.y1 {
        let (mut x, mut right) = (bounds.x0 & -SIDE, 0i32);
        while x < bounds.x1 {
            let within = lanes_within(bounds, x, y) as u16;
            let mut covered = [0; MAX_SAMPLES];
            let mut any = 0;
            for sample in samples.written() {
                let mut signs = [0; STAMP];
                for SampledEdge { edge, values } in &edges {
                    let first = values.get(sample).copied().unwrap_or(0);
                    let first = first.wrapping_add(edge.right.wrapping_mul(right));
                    let first = first.wrapping_add(edge.down.wrapping_mul(down));
                    for (sign, lane) in signs.iter_mut().zip(edge.lanes) {
                        *sign |= first.wrapping_add(lane);
                    }
                }
                let lanes = !negative_lanes(&signs) & within;
                if let Some(covered) = covered.get_mut(sample) {
                    *covered = lanes;
                }
                any |= lanes;
            }
            if any != 0 {
                visit(x, y, &mut covered);
            }
            (x, right) = (x + SIDE, right + 1);
        }
        (y, down) = (y + SIDE, down + 1);
    }
}

/// Returns the lanes of the stamp at (`x`, `y`) that lie within `bounds`.
#[inline(always)]
fn lanes_within(bounds: &Bounds, x: i32, y: i32) -> u32 {
    let first = |lanes: &[u32; 5], count: i32| {
        lanes.get(count.clamp(0, SIDE) as usize).copied().unwrap_or(0)
    };
    first(&COLUMNS, bounds.x1 - x)
        & !first(&COLUMNS, bounds.x0 - x)
        & first(&ROWS, bounds.y1 - y)
        & !first(&ROWS, bounds.y0 - y)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::random::Random;
    use crate::setup::FillRule;
    use crate::tile::walk;
    use crate::tile::walk_samples;

    const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

    /// Small triangles and lines of all kinds, with clips that cut some.
    fn shapes() -> Vec<(Shape, Bounds)> {
        let mut random = Random(7);
        let mut below = |limit: u32| random.below(limit as i32);
        let mut shapes = Vec::new();
        for case in 0..600u32 {
            let reach = [300, 1200, 5000, 16_000][(case % 4) as usize];
            let mut point = || [8000 + below(reach), 5000 + below(reach)];
            let (a, b, c) = (point(), point(), point());
            let shape = match case % 3 {
                0 | 1 => Shape::triangle([a, b, c], RULE),
                _ => Shape::line(a, b, 256 + below(800), case % 2 == 0, RULE),
            };
            let (x0, y0) = (below(60), below(40));
            let clip = Bounds { x0, y0, x1: x0 + 1 + below(60), y1: y0 + 1 + below(60) };
            shapes.extend(shape.filter(is_small).map(|shape| (shape, clip)));
        }
        assert!(shapes.len() > 400, "{} shapes are small", shapes.len());
        shapes
    }

    /// Adds the pixels of a stamp's lanes.
    fn add(pixels: &mut Vec<(i32, i32)>, (x, y): (i32, i32), lanes: u32) {
        assert!(x % SIDE == 0 && y % SIDE == 0 && lanes != 0, "{x} {y} {lanes:x}");
        for lane in 0..STAMP {
            if lanes >> lane & 1 != 0 {
                pixels.push((x + STAMP_X[lane], y + STAMP_Y[lane]));
            }
        }
    }

    /// Adds the pixels of a block's coverage.
    fn add_block(pixels: &mut Vec<(i32, i32)>, (x, y): (i32, i32), rows: &crate::tile::Coverage) {
        for (row, down) in rows.iter().zip(0..) {
            for right in (0..16).filter(|right| row >> right & 1 != 0) {
                pixels.push((x + right, y + down));
            }
        }
    }

    #[test]
    fn stamps_cover_the_pixels_that_blocks_do() {
        for (shape, clip) in shapes() {
            let (mut stamps, mut blocks) = (Vec::new(), Vec::new());
            walk_stamps(&shape, &clip, |x, y, lanes| add(&mut stamps, (x, y), lanes));
            walk(&shape, &clip, |x, y, rows| add_block(&mut blocks, (x, y), rows));
            stamps.sort_unstable();
            blocks.sort_unstable();
            assert_eq!(stamps, blocks, "{shape:?} in {clip:?}");
        }
    }

    #[test]
    fn stamps_cover_the_samples_that_blocks_do() {
        for (index, (shape, clip)) in shapes().into_iter().enumerate() {
            let count = [2, 4, 8, 16][index % 4];
            let samples = SampleRule {
                count,
                mask: 0xfffe >> (16 - count) | 1 << (index % count as usize),
                centered: false,
                places: crate::setup::SamplePlaces::new(count, &[]),
                ..SampleRule::ONE
            };
            let mut planes = std::vec![(Vec::new(), Vec::new()); MAX_SAMPLES];
            walk_sample_stamps(&shape, &clip, samples, |x, y, covered| {
                for (plane, lanes) in
                    planes.iter_mut().zip(covered).filter(|(_, lanes)| **lanes != 0)
                {
                    add(&mut plane.0, (x, y), u32::from(*lanes));
                }
            });
            walk_samples(&shape, &clip, samples, |x, y, rows| {
                for (plane, rows) in planes.iter_mut().zip(rows) {
                    add_block(&mut plane.1, (x, y), rows);
                }
            });
            for (mut stamps, mut blocks) in planes {
                stamps.sort_unstable();
                blocks.sort_unstable();
                assert_eq!(stamps, blocks, "{shape:?} in {clip:?}, {count} samples");
            }
        }
    }
}
