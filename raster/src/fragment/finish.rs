//! After shading: alpha test, late depth, colour buffers. Also decides whether depth may be tested
//! first.

use tgsi::declaration::SemanticName;
use tgsi::exec::{Lanes, Mask};
use tgsi::program::{Program, Row, Uses};

use super::Current;
use super::batch::Batch;
use crate::depth::{self, DepthStencil};
use crate::features::{ALL_FORMATS, SHADER_MEMORY};
use crate::fixed::{depth_from_f32, depth_unorm32};
use crate::lanes::{Target, TileTargets, clamp, lane_of, lanes_where, map_f32};
use crate::output::{self, ColorState};
use crate::scene::DrawRecord;

/// The rows that hold a program's results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    color: [[Row; 4]; 8],
    depth: Row,
    stencil: Row,
    sample_mask: Row,
}

/// One sample of a batch's pixels.
pub(super) struct Plane<'a, R> {
    pub(super) sample: usize,
    /// The number of samples of a pixel.
    pub(super) samples: u32,
    /// The depth of each lane, Q2.30.
    pub(super) z: &'a R,
}

/// Tests alpha and, where it is late, depth, and writes the colour buffers; returns the lanes that
/// passed.
#[inline(always)]
pub(super) fn write<R: Lanes>(
    current: &Current<'_>,
    states: &[ColorState],
    batch: &Batch<R>,
    rows: &[R],
    targets: &mut TileTargets<'_>,
    mut mask: Mask,
    plane: &Plane<'_, R>,
) -> Mask {
    let (record, results) = (current.record, &current.results);
    let row = |row| row_of(rows, row);
    if results.sample_mask != Row::NONE && record.sample_mask_counts {
        let written = row(results.sample_mask).as_slice();
        mask &= lanes_where(R::COUNT, |lane| lane_of(written, lane) >> plane.sample & 1 != 0);
    }
    if record.alpha_to_coverage || record.alpha.is_some() {
        let (mut clamped, mut alpha) = (R::ZERO, row(results.color[0][3]));
        if record.clamp_color {
            map_f32(alpha.as_slice(), clamped.as_mut_slice(), |alpha| clamp(alpha, 0.0, 1.0));
            alpha = &clamped;
        }
        if record.alpha_to_coverage {
            mask = cover(record, alpha, plane, batch, mask);
        }
        if let Some((func, reference)) = record.alpha {
            mask = output::alpha_test(func, reference, alpha, mask);
        }
    }
    if !record.early_depth
        && let Some(target) = &mut targets.depth
    {
        let depth = (results.depth != Row::NONE).then(|| row(results.depth));
        let stencil = (results.stencil != Row::NONE).then(|| row(results.stencil));
        mask = late_depth(record, target, batch, (plane.z, depth), stencil, mask);
    }
    if mask != 0 {
        each_color(current, states, batch, rows, targets, |state, target, color, second| {
            output::write(state, target, batch.positions(), mask, color, second);
        });
    }
    mask
}

/// Returns the lanes of `mask` where alpha covers the sample.
#[inline(always)]
fn cover<R: Lanes>(
    record: &DrawRecord,
    alpha: &R,
    plane: &Plane<'_, R>,
    batch: &Batch<R>,
    mask: Mask,
) -> Mask {
    if record.dithers_coverage.is_set() {
        let pixel = |lane| batch.pixel(lane);
        let Plane { sample, samples, .. } = *plane;
        return output::dithered_alpha_to_coverage(alpha, sample, samples, mask, pixel);
    }
    output::alpha_to_coverage(alpha, plane.sample, plane.samples, mask)
}

/// Returns true if nothing is left to test after shading, so that all samples get one colour.
pub(super) fn is_tested(current: &Current<'_>) -> bool {
    let (record, results) = (current.record, &current.results);
    record.early_depth
        && record.alpha.is_none()
        && !record.alpha_to_coverage
        && (results.sample_mask == Row::NONE || !record.sample_mask_counts)
}

/// Writes the colour buffers of pixels that [are tested](is_tested). Each sample gets the lanes
/// that cover it.
#[inline(always)]
pub(super) fn write_tested<R: Lanes>(
    current: &Current<'_>,
    states: &[ColorState],
    batch: &Batch<R>,
    rows: &[R],
    targets: &mut TileTargets<'_>,
    covered: &[Mask],
) {
    each_color(current, states, batch, rows, targets, |state, target, color, second| {
        output::write_planes(state, target, batch.positions(), covered, color, second);
    });
}

/// Calls `each` with every colour buffer that the program writes, its state, and the colours for
/// it.
#[inline(always)]
fn each_color<R: Lanes>(
    current: &Current<'_>,
    states: &[ColorState],
    batch: &Batch<R>,
    rows: &[R],
    targets: &mut TileTargets<'_>,
    mut each: impl FnMut(&ColorState, &mut Target<'_>, [&R; 4], Option<[&R; 4]>),
) {
    let (record, results) = (current.record, &current.results);
    for (index, (target, state)) in targets.color.iter_mut().zip(states).enumerate() {
        let Some(target) = target else { continue };
        let source = if record.broadcast { 0 } else { index };
        let Some(color) = results.color(source) else { continue };
        let row = |row| row_of(rows, row);
        let second = (index == 0 && record.dual_source).then(|| results.color[1].map(row));
        let color = color.map(row);
        // Alpha of partly covered pixels is clamped before it is scaled.
        let clamps = ALL_FORMATS && record.clamp_color && !state.clamps_to_one();
        let changes = record.is_smooth() || clamps;
        if changes && !target.format.is_pure_integer() {
            let (mut changed, mut changed_second) = ([R::ZERO; 4], [R::ZERO; 4]);
            clamp_color(record, color, &mut changed);
            if record.is_smooth() {
                scale_alpha(batch, &mut changed);
            }
            let second = second.map(|second| {
                clamp_color(record, second, &mut changed_second);
                changed_second.each_ref()
            });
            each(state, target, changed.each_ref(), second);
        } else {
            each(state, target, color, second);
        }
    }
}

/// Returns a row of a program's results, or zeros if the program has no such row.
#[inline(always)]
fn row_of<R: Lanes>(rows: &[R], row: Row) -> &R {
    let [zero, _] = R::ZERO_AND_ONE;
    row.index().and_then(|row| rows.get(row)).unwrap_or(zero)
}

/// Copies a colour to `clamped`; clamps it to 0…1 where the state says so, NaN to 0. Not inlined:
/// few draws change colours.
#[inline(never)]
fn clamp_color<R: Lanes>(record: &DrawRecord, color: [&R; 4], clamped: &mut [R; 4]) {
    for (row, clamped) in color.into_iter().zip(clamped) {
        if record.clamp_color {
            map_f32(row.as_slice(), clamped.as_mut_slice(), |c| clamp(c, 0.0, 1.0));
        } else {
            *clamped = *row;
        }
    }
}

/// Scales alpha by the share of the pixel that a smooth primitive covers.
#[inline(never)]
fn scale_alpha<R: Lanes>(batch: &Batch<R>, [.., alpha]: &mut [R; 4]) {
    for (alpha, share) in alpha.as_mut_slice().iter_mut().zip(batch.edge_coverage.as_slice()) {
        *alpha = (f32::from_bits(*alpha) * f32::from_bits(*share)).to_bits();
    }
}

/// Tests depth and stencil after shading, with the values that the program wrote or the depths `z`
/// (Q2.30, clamped already); returns the lanes that pass.
#[inline(always)]
fn late_depth<R: Lanes>(
    record: &DrawRecord,
    target: &mut Target<'_>,
    batch: &Batch<R>,
    (z, depth): (&R, Option<&R>),
    stencil: Option<&R>,
    mask: Mask,
) -> Mask {
    let mut z = unorm32(z);
    if let Some(depth) = depth {
        let [low, high] = record.clip.depth_range.unwrap_or([0, i32::MAX]).map(depth_unorm32);
        for (z, written) in z.as_mut_slice().iter_mut().zip(depth.as_slice()) {
            *z = depth_from_f32(f32::from_bits(*written)).max(low).min(high);
        }
    }
    depth::test_exported(&record.depth, target, batch.positions(), &z, stencil, mask, batch.front)
}

impl Results {
    pub(super) const NONE: Results = Results {
        color: [[Row::NONE; 4]; 8],
        depth: Row::NONE,
        stencil: Row::NONE,
        sample_mask: Row::NONE,
    };

    /// Returns the rows of a colour; `None` if the program does not write it.
    pub(super) fn color(&self, index: usize) -> Option<[Row; 4]> {
        self.color.get(index).copied().filter(|rows| *rows != [Row::NONE; 4])
    }

    pub(super) fn of(program: &Program<'_>) -> Results {
        let mut results = Results::NONE;
        for output in program.outputs {
            match output.semantic.name {
                SemanticName::Color => {
                    if let Some(rows) = results.color.get_mut(output.semantic.index as usize) {
                        *rows = output.rows;
                    }
                }
                SemanticName::Position => results.depth = output.rows[2],
                SemanticName::Stencil => results.stencil = output.rows[1],
                SemanticName::SampleMask => results.sample_mask = output.rows[0],
                _ => {}
            }
        }
        results
    }
}

/// Returns true if a test of depth and stencil before the program runs has the same effect as
/// after.
pub(crate) fn tests_early(
    program: Option<&Program<'_>>,
    alpha_test: bool,
    depth: &DepthStencil,
) -> bool {
    let Some(program) = program else { return !alpha_test };
    if program.properties.early_depth_stencil() {
        return true;
    }
    // Fragments that the test rejects write memory, too, unless the program asks for the early
    // test.
    let writes = Uses::WRITES_DEPTH
        | Uses::WRITES_STENCIL
        | Uses::WRITES_SAMPLE_MASK
        | if SHADER_MEMORY { Uses::WRITES_MEMORY } else { Uses::empty() };
    if program.uses.intersects(writes) {
        return false;
    }
    let may_drop = alpha_test || program.uses.contains(Uses::KILL);
    !(may_drop && depth.writes())
}

/// Returns a row of Q2.30 depths as 32-bit unsigned normalised numbers.
#[inline(always)]
pub(super) fn unorm32<R: Lanes>(z: &R) -> R {
    let mut out = *z;
    for lane in out.as_mut_slice() {
        *lane = depth_unorm32(*lane as i32);
    }
    out
}
