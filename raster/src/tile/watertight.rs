//! Property tests: a pixel on a shared edge belongs to exactly one triangle, with every fill rule.

use std::vec::Vec;

use proptest::prelude::*;

use super::walk;
use crate::setup::{Bounds, FillRule, Shape};

const SIZE: i32 = 80;

/// Counts the triangles that cover each pixel.
fn count(triangles: &[[[i32; 2]; 3]], rule: FillRule) -> Vec<u32> {
    let mut counts = std::vec![0; (SIZE * SIZE) as usize];
    let clip = Bounds { x0: 0, y0: 0, x1: SIZE, y1: SIZE };
    for triangle in triangles {
        let Some(shape) = Shape::triangle(*triangle, rule) else { continue };
        walk(&shape, &clip, |bx, by, coverage| {
            for (y, row) in coverage.iter().enumerate() {
                for x in 0..16 {
                    if row >> x & 1 != 0 {
                        counts[((by + y as i32) * SIZE + bx + x) as usize] += 1;
                    }
                }
            }
        });
    }
    counts
}

fn rules() -> impl Strategy<Value = FillRule> {
    (any::<bool>(), any::<bool>())
        .prop_map(|(half_pixel_center, bottom_edge)| FillRule { half_pixel_center, bottom_edge })
}

/// Cells of the grid along an edge, and their size in subpixels.
const CELLS: usize = 6;
const CELL: i32 = 11 * 256 + 77;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A rectangle cut into jittered quads and triangles covers each of its pixels once, and no
    /// other pixel.
    #[test]
    fn a_mesh_covers_its_outline_once(
        rule in rules(),
        origin in (100i32..1500, 100i32..1500),
        jitter in prop::collection::vec((-700i32..700, -700i32..700), (CELLS + 1) * (CELLS + 1)),
        flips in prop::collection::vec(any::<(bool, bool)>(), CELLS * CELLS),
    ) {
        let point = |i: usize, j: usize| {
            let (dx, dy) = jitter[j * (CELLS + 1) + i];
            // The outline stays straight: border points slide along it only.
            let dx = if i == 0 || i == CELLS { 0 } else { dx };
            let dy = if j == 0 || j == CELLS { 0 } else { dy };
            [origin.0 + i as i32 * CELL + dx, origin.1 + j as i32 * CELL + dy]
        };
        let mut triangles = Vec::new();
        for j in 0..CELLS {
            for i in 0..CELLS {
                let (a, b, c, d) = (point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1));
                let (diagonal, winding) = flips[j * CELLS + i];
                let pair = if diagonal { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                for [p, q, r] in pair {
                    triangles.push(if winding { [p, q, r] } else { [p, r, q] });
                }
            }
        }
        let counts = count(&triangles, rule);
        // The left border and the top or bottom border own the centres on them.
        let inside = |value: i32, low: i32, far_end_owns: bool| {
            let high = low + CELLS as i32 * CELL;
            if far_end_owns { value > low && value <= high } else { value >= low && value < high }
        };
        for y in 0..SIZE {
            for x in 0..SIZE {
                let center = if rule.half_pixel_center { 128 } else { 0 };
                let wanted = inside(x * 256 + center, origin.0, false)
                    && inside(y * 256 + center, origin.1, rule.bottom_edge);
                prop_assert_eq!(counts[(y * SIZE + x) as usize], u32::from(wanted), "{} {}", x, y);
            }
        }
    }

    /// Slivers and spikes around a common point cover no pixel twice.
    #[test]
    fn a_fan_never_overlaps_itself(
        rule in rules(),
        center in (2000i32..18000, 2000i32..18000),
        spokes in prop::collection::btree_set(0u32..100_000, 3..24),
        reach in 100f64..60000.0,
    ) {
        let ring: Vec<[i32; 2]> = spokes
            .iter()
            .map(|angle| {
                let angle = f64::from(*angle) / 100_000.0 * core::f64::consts::TAU;
                [
                    center.0 + (angle.cos() * reach) as i32,
                    center.1 + (angle.sin() * reach) as i32,
                ]
            })
            .collect();
        let mut triangles = Vec::new();
        for (index, point) in ring.iter().enumerate() {
            let next = ring[(index + 1) % ring.len()];
            let (a, b) = ([point[0] - center.0, point[1] - center.1], [next[0] - center.0, next[1] - center.1]);
            // A gap of half a turn or more is not a triangle of the fan.
            if a[0] as i64 * b[1] as i64 - a[1] as i64 * b[0] as i64 > 0 {
                triangles.push([[center.0, center.1], *point, next]);
            }
        }
        prop_assert!(count(&triangles, rule).iter().all(|count| *count <= 1));
    }
}
