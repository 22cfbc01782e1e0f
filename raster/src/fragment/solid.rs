//! Fast path for draws with one constant colour (or no colour output): fills rows of a block after
//! the early depth test, and shades no batch.

use tgsi::exec::{self, Group, Lanes, all_lanes};
use tgsi::program::{Program, Uses};

use super::Current;
use super::finish::Results;
use crate::clear::Texel;
use crate::features::SMALL_CODE;
use crate::lanes::{Target, TileTargets, clamp};
use crate::output::ColorState;
use crate::scene::DrawRecord;

/// The most colour buffers that can be filled. None where code must be small: then no draw is
/// [`Solid`].
const TARGETS: usize = if SMALL_CODE { 0 } else { 8 };

/// The texels that a draw fills its pixels with; none for a colour buffer that the draw leaves
/// unchanged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    texels: [Option<Texel>; TARGETS],
}

impl Solid {
    /// Returns the texels of a draw; `None` if its fragments differ or depend on the pixels. Runs
    /// the program once, in `rows`, which must be prepared for it.
    pub(super) fn of<R: Lanes>(
        current: &Current<'_>,
        states: &[ColorState],
        targets: &TileTargets<'_>,
        rows: &mut [R],
    ) -> Option<Solid> {
        let Current { record, program, .. } = current;
        if !record.early_depth || !record.depth.takes_rows() {
            return None;
        }
        let mut solid = Solid { texels: [None; TARGETS] };
        let written = |(target, state): &(&Option<Target<'_>>, &ColorState)| {
            target.is_some() && state.writes()
        };
        let unwritten = !targets.color.iter().zip(states).any(|pair| written(&pair));
        let Some(program) = program.as_ref() else { return Some(solid) };
        if program.uses.intersects(Uses::WRITES_MEMORY | Uses::MEMORY) {
            return None;
        }
        let may_drop = record.alpha.is_some()
            || record.alpha_to_coverage
            || program.uses.intersects(Uses::KILL | Uses::WRITES_SAMPLE_MASK);
        if unwritten {
            return (!(may_drop && record.counts_pixels)).then_some(solid);
        }
        if may_drop || !is_uniform(record, program) {
            return None;
        }
        let lanes = all_lanes::<R>();
        let resources = &mut { current.textures };
        let lit = exec::run(program, rows, lanes, &current.constants, resources);
        if lit != Ok(lanes) {
            return None;
        }
        for (index, (target, state)) in targets.color.iter().zip(states).enumerate() {
            let Some(target) = target.as_ref().filter(|_| state.writes()) else { continue };
            let source = if record.broadcast { 0 } else { index };
            if let Some(color) = color(record, &current.results, source, rows, target) {
                let texel = Texel::color(target.format, state.replacement(color)?);
                *solid.texels.get_mut(index)? = Some(texel);
            }
        }
        Some(solid)
    }

    /// Fills the pixels `coverage` of the block at first pixel (`x`, `y`).
    #[inline(always)]
    pub(super) fn fill(&self, targets: &mut TileTargets<'_>, (x, y): (u32, u32), coverage: &[u16]) {
        for (target, texel) in targets.color.iter_mut().zip(&self.texels) {
            let (Some(target), Some(texel)) = (target, texel) else { continue };
            for (row, covered) in (y..).zip(coverage) {
                let mut rest = u32::from(*covered);
                // Fills run by run; most rows have one run of covered pixels.
                while rest != 0 {
                    let first = rest.trailing_zeros();
                    let count = (rest >> first).trailing_ones();
                    if let Some(pixels) =
                        target.span_mut(x + first, row, texel.size(), count as usize)
                    {
                        texel.fill(pixels);
                    }
                    rest &= u32::MAX << (first + count);
                }
            }
        }
    }
}

/// Returns true if a program computes the same results in every fragment of a draw.
fn is_uniform(record: &DrawRecord, program: &Program<'_>) -> bool {
    record.varyings.1 == 0
        && record.special.1 == 0
        && program.samplers.is_empty()
        && !program.uses.intersects(Uses::TEXTURES | Uses::BINDLESS | Uses::INTERPOLATES)
        && !program.body.iter().any(|op| op.code.group() == Group::Lanes)
        && !record.dual_source
}

/// Returns the colour in the first lane of a program's output `source`, as the target stores it;
/// `None` if the program does not write it.
fn color<R: Lanes>(
    record: &DrawRecord,
    results: &Results,
    source: usize,
    rows: &[R],
    target: &Target<'_>,
) -> Option<[u32; 4]> {
    let color = results.color(source)?;
    let clamps = record.clamp_color && !target.format.is_pure_integer();
    Some(color.map(|row| {
        let row = row.index().and_then(|row| rows.get(row));
        let bits = row.and_then(|row| row.as_slice().first()).copied().unwrap_or(0);
        if clamps { clamp(f32::from_bits(bits), 0.0, 1.0).to_bits() } else { bits }
    }))
}
