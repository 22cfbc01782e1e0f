//! Finds the two endpoints of an S3TC block.
//!
//! The colours of a block mostly lie along a line. The direction of this line is the principal axis
//! of their covariance, and the outermost colours along it are the first endpoints. Given the code
//! of each texel, finding the best endpoints is a least-squares problem with two unknowns. It is
//! solved and rounded until the error no longer falls. For a block of one colour the best pair is
//! found by search. The result is deterministic: `f32` additions, multiplications and divisions in
//! a fixed order.

use super::s3tc::palette;
use crate::index::each;

/// A block's texels; `None` is transparent.
type Colors = [Option<[i32; 3]>; 16];

/// Two endpoints and the texels' codes, as the 8 bytes of the block.
struct Candidate {
    word: u64,
    error: i32,
}

/// Returns the 8 bytes, little-endian. With `four`, the block has four colours in either order of
/// the endpoints.
pub(super) fn fit(colors: &Colors, four: bool) -> u64 {
    let three = colors.contains(&None);
    let opaque = || colors.iter().flatten();
    let Some(&first) = opaque().next() else {
        // All texels are transparent: three colours, all codes 3.
        return 0xffff_ffff_0000_0000;
    };
    if opaque().all(|&color| color == first) {
        let (a, b) = single(first, three);
        return candidate(colors, a, b, three, four).word;
    }
    let (low, high) = extremes(colors);
    let (mut a, mut b) = (narrow(high), narrow(low));
    let mut best = candidate(colors, a, b, three, four);
    for _ in 0..4 {
        let Some((x, y)) = refine(colors, a, b, three) else { break };
        let next = candidate(colors, x, y, three, four);
        if next.error >= best.error {
            break;
        }
        (a, b, best) = (x, y, next);
    }
    best.word
}

/// Returns the nearest 565 colour.
fn narrow(color: [f32; 3]) -> u16 {
    let [r, g, b] = color.map(|x| if x > 0.0 { x.min(255.0) } else { 0.0 });
    let part = |x: f32, max: f32| (x * max / 255.0 + 0.5) as u16;
    part(r, 31.0) << 11 | part(g, 63.0) << 5 | part(b, 31.0)
}

/// Returns the two endpoints with the mixture nearest to `color`: mixed 2:1 for four colours, 1:1
/// for three.
fn single(color: [i32; 3], three: bool) -> (u16, u16) {
    let mut ends = [0u16; 2];
    for (color, (bits, shift)) in color.into_iter().zip([(5, 11), (6, 5), (5, 0)]) {
        let wide = |v: i32| v << (8 - bits) | v >> (2 * bits - 8);
        let (mut best, mut least) = ((0, 0), i32::MAX);
        for x in 0..1 << bits {
            for y in 0..=x {
                let mixed =
                    if three { (wide(x) + wide(y)) / 2 } else { (2 * wide(x) + wide(y)) / 3 };
                // Prefer endpoints close to each other: decoders that round differ less there.
                let error = (mixed - color).abs() * 64 + (x - y);
                if error < least {
                    (best, least) = ((x, y), error);
                }
            }
        }
        ends[0] |= (best.0 as u16) << shift;
        ends[1] |= (best.1 as u16) << shift;
    }
    (ends[0], ends[1])
}

/// Returns the outermost colours along the principal axis.
fn extremes(colors: &Colors) -> ([f32; 3], [f32; 3]) {
    let opaque = || colors.iter().flatten().map(|color| color.map(|x| x as f32));
    let count = opaque().count() as f32;
    let mut mean = [0.0; 3];
    for color in opaque() {
        for (sum, x) in mean.iter_mut().zip(color) {
            *sum += x / count;
        }
    }
    let mut covariance = [[0.0; 3]; 3];
    for color in opaque() {
        let d: [f32; 3] = each(color, mean, |x, mean| x - mean);
        for (row, x) in covariance.iter_mut().zip(d) {
            for (cell, y) in row.iter_mut().zip(d) {
                *cell += x * y;
            }
        }
    }
    // Power iteration, from the row of the channel that varies most.
    let [red, green, blue] = covariance;
    let widest = if green[1] > red[0] { (green, green[1]) } else { (red, red[0]) };
    let mut axis = if blue[2] > widest.1 { blue } else { widest.0 };
    for _ in 0..8 {
        let next = covariance.map(|[r, g, b]| r * axis[0] + g * axis[1] + b * axis[2]);
        let size =
            next.iter().fold(0.0, |size: f32, x| if x.abs() > size { x.abs() } else { size });
        if size <= 0.0 {
            break;
        }
        axis = next.map(|x| x / size);
    }
    let along = |color: &[f32; 3]| color[0] * axis[0] + color[1] * axis[1] + color[2] * axis[2];
    let mut ends = (mean, mean);
    for color in opaque() {
        if along(&color) < along(&ends.0) {
            ends.0 = color;
        }
        if along(&color) > along(&ends.1) {
            ends.1 = color;
        }
    }
    ends
}

/// Returns the weight of the first endpoint in the colour of code `index`.
const fn weight(index: usize, three: bool) -> f32 {
    match (index, three) {
        (0, _) => 1.0,
        (1, _) => 0.0,
        (2, true) => 0.5,
        (2, false) => 2.0 / 3.0,
        _ => 1.0 / 3.0,
    }
}

/// Returns the code of the palette's colour nearest to `color`, and the square of the distance.
fn nearest(palette: &[[i32; 3]; 4], color: [i32; 3], three: bool) -> (usize, i32) {
    let mut best = (0, i32::MAX);
    for (index, step) in palette.iter().enumerate().take(if three { 3 } else { 4 }) {
        let square = step.iter().zip(color).map(|(a, b)| (a - b) * (a - b)).sum();
        if square < best.1 {
            best = (index, square);
        }
    }
    best
}

/// Returns the least-squares endpoints for the codes that endpoints `a` and `b` give.
fn refine(colors: &Colors, a: u16, b: u16, three: bool) -> Option<(u16, u16)> {
    let palette = palette(a, b, three);
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    let (mut ax, mut bx) = ([0.0; 3], [0.0; 3]);
    for &color in colors.iter().flatten() {
        let w = weight(nearest(&palette, color, three).0, three);
        let v = 1.0 - w;
        aa += w * w;
        ab += w * v;
        bb += v * v;
        for ((ax, bx), x) in ax.iter_mut().zip(&mut bx).zip(color) {
            *ax += w * x as f32;
            *bx += v * x as f32;
        }
    }
    let determinant = aa * bb - ab * ab;
    if determinant < 1e-3 {
        return None;
    }
    let first = each(ax, bx, |ax: f32, bx: f32| (ax * bb - bx * ab) / determinant);
    let second = each(ax, bx, |ax: f32, bx: f32| (bx * aa - ax * ab) / determinant);
    Some((narrow(first), narrow(second)))
}

/// Returns the block for two endpoints, ordered as the number of colours requires.
fn candidate(colors: &Colors, a: u16, b: u16, three: bool, four: bool) -> Candidate {
    let (first, second) = if (a > b) == three { (b, a) } else { (a, b) };
    // Equal endpoints mean three colours; then the first colour is right anyway.
    let shown = if first == second && !four { true } else { three };
    let palette = palette(first, second, shown);
    let mut candidate = Candidate { word: first as u64 | (second as u64) << 16, error: 0 };
    for (i, color) in colors.iter().enumerate() {
        let (index, error) = color.map_or((3, 0), |color| nearest(&palette, color, shown));
        candidate.word |= (index as u64) << (32 + 2 * i);
        candidate.error += error;
    }
    candidate
}
