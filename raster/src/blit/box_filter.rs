//! The box filter of mipmaps: a texel is the mean of the area that it covers in the level above.
//!
//! A level of 2m + 1 texels along an axis shrinks to m texels. Each of them covers 2 + 1/m texels:
//! parts of two, and a whole one between them (OpenGL 4.6, chapter 8.14.4). A level of 2m texels
//! shrinks pair by pair. Weights are integers and sums are doubles, so no weight is rounded.

use formats::Format;

use crate::budget::Work;
use crate::lanes::{Level, Target};

/// The texels along one axis that a texel of the level below covers: the first texel, and one
/// weight per texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taps {
    first: u32,
    weights: [u32; 3],
}

impl Taps {
    /// Returns the taps of texel `at` below an axis of `size` texels.
    fn below(size: u32, at: u32) -> Taps {
        let half = size / 2;
        match size {
            0 | 1 => Taps { first: 0, weights: [1, 0, 0] },
            _ if size.is_multiple_of(2) => Taps { first: 2 * at, weights: [1, 1, 0] },
            // The area from at * size / half to (at + 1) * size / half, in parts of 1 / half.
            _ => Taps {
                first: 2 * at,
                weights: [half.saturating_sub(at), half, at.saturating_add(1)],
            },
        }
    }

    /// Returns the taps of the single texel `at`.
    fn one(at: u32) -> Taps {
        Taps { first: at, weights: [1, 0, 0] }
    }

    /// Returns the texels with a weight above 0, and their weights.
    fn texels(self) -> impl Iterator<Item = (usize, f64)> {
        let texels = self.weights.into_iter().zip(self.first as usize..);
        texels.filter(|(weight, _)| *weight > 0).map(|(weight, at)| (at, f64::from(weight)))
    }
}

/// Fills layer `layer` of a level from the level above it, a volume or an array, both in `format`.
/// Costs one unit of work per row.
pub(crate) fn average_level(
    above: &Level<'_>,
    format: Format,
    layer: u32,
    is_volume: bool,
    target: &mut Target<'_>,
    work: Work<'_>,
) {
    let size = format.block_bytes();
    let slices = if is_volume { Taps::below(above.depth, layer) } else { Taps::one(layer) };
    for y in 0..target.height {
        if work.spend(1).is_err() {
            return;
        }
        let rows = Taps::below(above.height, y);
        for x in 0..target.width {
            let columns = Taps::below(above.width, x);
            let (mut sums, mut area) = ([0.0f64; 4], 0.0f64);
            for (slice, deep) in slices.texels() {
                for (row, high) in rows.texels() {
                    let start = slice * above.layer_stride + row * above.row_stride;
                    for (column, wide) in columns.texels() {
                        let at = start + column * size;
                        let Some(texel) = above.bytes.get(at..at + size) else { continue };
                        let weight = wide * high * deep;
                        area += weight;
                        for (sum, channel) in sums.iter_mut().zip(format.fetch_rgba_f32(texel)) {
                            *sum += weight * f64::from(channel);
                        }
                    }
                }
            }
            if area > 0.0
                && let Some(texel) = target.span_mut(x, y, size, 1)
            {
                format.store_rgba_f32(sums.map(|sum| (sum / area) as f32), texel);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_cover_their_area_and_all_texels_alike() {
        for size in 1..70u32 {
            let below = (size / 2).max(1);
            let mut totals = std::vec![0.0f64; size as usize];
            for at in 0..below {
                let taps = Taps::below(size, at);
                let area: u32 = taps.weights.iter().sum();
                for (texel, weight) in taps.texels() {
                    // The overlap of [texel, texel + 1] with the area that `at` covers, as a mean.
                    let scale = f64::from(size) / f64::from(below);
                    let (from, to) = (f64::from(at) * scale, f64::from(at + 1) * scale);
                    let overlap = to.min(texel as f64 + 1.0) - from.max(texel as f64);
                    let (part, wanted) = (weight / f64::from(area), overlap / scale);
                    assert!((part - wanted).abs() < 1e-12, "{size}: {at} of {texel}");
                    totals[texel] += part;
                }
            }
            let each = f64::from(below) / f64::from(size);
            assert!(totals.iter().all(|total| (total - each).abs() < 1e-12), "{size}: {totals:?}");
        }
    }
}
