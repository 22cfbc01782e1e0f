//! Coverage of pixels with several samples. Each sample has the edges moved by its offset.

use super::coverage::{Coverage, block};
use crate::fixed::BLOCK;
use crate::setup::{Bounds, MAX_SAMPLES, SampleRule, Shape};

/// The coverage of one block, sample by sample.
pub(crate) type Planes = [Coverage; MAX_SAMPLES];

const SIZE: i32 = BLOCK as i32;

/// Visits the blocks of `clip` where `shape` covers a sample that may be written, top to bottom,
/// left to right.
///
/// `visit` gets x and y of a block's first pixel, a multiple of the block's size, and for each
/// sample the pixels of the block that are covered within `clip`.
#[inline(always)]
pub(crate) fn walk_samples(
    shape: &Shape,
    clip: &Bounds,
    samples: SampleRule,
    mut visit: impl FnMut(i32, i32, &mut Planes),
) {
    let wide = if samples.covers_alike() { *shape } else { shape.widened() };
    let bounds = wide.bounds.intersect(clip);
    if bounds.is_empty() {
        return;
    }
    let (first_x, first_y) = (bounds.x0 & -SIZE, bounds.y0 & -SIZE);
    for by in (first_y..bounds.y1).step_by(SIZE as usize) {
        for bx in (first_x..bounds.x1).step_by(SIZE as usize) {
            let Some(any) = block(wide.edges(), &bounds, bx, by) else { continue };
            if any != [0; BLOCK as usize] {
                let mut planes = [[0; BLOCK as usize]; MAX_SAMPLES];
                if cover(shape, &any, &bounds, samples, (bx, by), &mut planes) {
                    visit(bx, by, &mut planes);
                }
            }
        }
    }
}

/// Covers the planes of one block, within the pixels `any`; returns false if no sample is covered.
#[inline(always)]
fn cover(
    shape: &Shape,
    any: &Coverage,
    bounds: &Bounds,
    samples: SampleRule,
    (bx, by): (i32, i32),
    planes: &mut Planes,
) -> bool {
    // A block inside the narrowed edges is inside the edges of every sample.
    let whole =
        samples.covers_alike() || shape.edges().iter().all(|edge| edge.holds_samples(bx, by, SIZE));
    let mut covered = false;
    for sample in samples.written() {
        let coverage = if whole {
            Some(*any)
        } else {
            block(shape.moved(samples.offset(sample)).edges(), bounds, bx, by)
        };
        if let (Some(coverage), Some(plane)) = (coverage, planes.get_mut(sample)) {
            *plane = coverage;
            covered |= coverage != [0; BLOCK as usize];
        }
    }
    covered
}
