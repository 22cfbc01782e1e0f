//! Direct lookups: plain lookups of a single level and layer, from rows of the register file to
//! rows. Comparisons with filtered outcomes are direct too.
//!
//! Most lookups in programs that draw windows, text and effects are direct. Their colours are never
//! copied: rows of 64 lanes are four cache lines each, and such lookups spend most time waiting for
//! stores.

use os_shim::simd::vectorize;
use pipe_core::state::TexFilter;
use tgsi::exec::{Lanes, SampleKind};
use tgsi::program::{Row, Sample};

use super::compare::clamp_reference;
use super::fetch::Texel;
use super::loads::LANES;
use super::plain::{Around, Layers};
use super::{Level, Sampler};
use crate::features::DESKTOP;

impl Sampler<'_> {
    /// Performs a lookup between rows of the register file if it is direct; otherwise writes
    /// nothing and returns false.
    pub(crate) fn sample_rows<R: Lanes>(&self, sample: &Sample, rows: &mut [R]) -> bool {
        if self.compares {
            return self.compare_rows(sample, rows);
        }
        let Some((level, filter)) = self.direct(sample.kind) else { return false };
        let Some(layout) = self.layout_of_plain::<R>(level) else { return false };
        let Some(coord) = coordinates(sample, rows) else { return false };
        let wraps = if filter == TexFilter::Nearest { &self.nearest } else { &self.linear };
        let layers = Layers::One(self.view.first_layer);
        let lookup = self.plain(level, layout.bytes, coord, sample.offset, layers, wraps);
        match filter {
            TexFilter::Nearest => {
                let mut texels = [0; LANES];
                let texels = texels.get_mut(..R::COUNT).unwrap_or_default();
                lookup.nearest(texels);
                write(rows, sample.dst, |out| layout.unpack_rows(texels, out));
            }
            TexFilter::Linear => {
                let mut around = Around::NONE;
                if !lookup.around(&mut around) {
                    return false;
                }
                write(rows, sample.dst, |out| around.mix(layout, out));
            }
        }
        true
    }

    /// Compares texels of one word around each lane's place and writes the means of the outcomes.
    /// Writes nothing and returns false if the lookup is of another kind.
    #[inline(never)]
    fn compare_rows<R: Lanes>(&self, sample: &Sample, rows: &mut [R]) -> bool {
        let Some((level, TexFilter::Linear)) = self.one_level(sample.kind) else { return false };
        let Texel::Planes(unpacker, bytes @ 1..=4) = &self.texel else { return false };
        let is_direct = self.has_plain_levels::<R>(level)
            && self.has_plain_means()
            && self.keeps_comparisons()
            && unpacker.has_plain_channels();
        let reference = sample.compare.index().and_then(|row| rows.get(row));
        let Some(reference) = reference.filter(|_| is_direct) else { return false };
        let Some(coord) = coordinates(sample, rows) else { return false };
        let layers = Layers::One(self.view.first_layer);
        let lookup = self.plain(level, *bytes as u32, coord, sample.offset, layers, &self.linear);
        let mut around = Around::NONE;
        if !lookup.around(&mut around) {
            return false;
        }
        let mut clamped = R::ZERO;
        let reference = match self.fixed_point {
            true => {
                clamp_reference(reference.as_slice(), clamped.as_mut_slice());
                &clamped
            }
            false => reference,
        };
        let mut red = R::ZERO;
        let texels = around.texels().each_ref().map(|row| row.as_slice());
        vectorize(
            #[inline(always)]
            || {
                let (reference, red) = (reference.as_slice(), red.as_mut_slice());
                self.mean_comparison(unpacker, reference, texels, around.weights(), red);
            },
        );
        for (row, color) in sample.dst.into_iter().zip([red, red, red, R::splat(1.0f32.to_bits())])
        {
            if let Some(row) = row.index().and_then(|index| rows.get_mut(index)) {
                *row = color;
            }
        }
        true
    }

    /// Returns the level that all lanes of a lookup read, and its filter, if the lookup needs no
    /// layers, footprints or swizzles.
    #[inline(always)]
    fn direct(&self, kind: SampleKind) -> Option<(&Level<'_>, TexFilter)> {
        let (level, filter) = self.one_level(kind)?;
        let is_direct = self.identity && (filter == TexFilter::Nearest || self.plain_bilinear);
        is_direct.then_some((level, filter))
    }

    /// Returns the level that all lanes of a lookup read, and its filter, if the lookup needs no
    /// layers or footprints.
    #[inline(always)]
    fn one_level(&self, kind: SampleKind) -> Option<(&Level<'_>, TexFilter)> {
        let (choice, _) = self.constant?;
        let is_filtered = matches!(
            kind,
            SampleKind::Implicit | SampleKind::Bias | SampleKind::Lod | SampleKind::Gradient
        );
        let is_filtered = is_filtered && !(DESKTOP && self.is_anisotropic(kind));
        let is_one = is_filtered && !choice.two && !self.shape.array() && !self.shape.cube();
        let level = self.view.levels.get(choice.level as usize)?;
        is_one.then_some((level, self.rule.filter(choice)))
    }
}

/// Returns the rows of s, t and r; `None` if the register file lacks one, or the lookup overwrites
/// one.
#[inline(always)]
fn coordinates<'r, R: Lanes>(sample: &Sample, rows: &'r [R]) -> Option<[&'r R; 3]> {
    let [zero, _] = R::ZERO_AND_ONE;
    let row = |row: Row| row.index().map_or(Some(zero), |index| rows.get(index));
    let [s, t, r] = sample.coord;
    let are_there = sample.dst.iter().all(|dst| row(*dst).is_some());
    if are_there { Some([row(s)?, row(t)?, row(r)?]) } else { None }
}

/// Calls `colors` with the rows of `dst`.
#[inline(always)]
fn write<R: Lanes>(rows: &mut [R], dst: [Row; 4], colors: impl FnOnce([&mut [u32]; 4])) {
    let mut spare = R::ZERO;
    match dst.map(Row::index) {
        [Some(x), Some(y), Some(z), Some(w)] => {
            if let Ok(out) = rows.get_disjoint_mut([x, y, z, w]) {
                return colors(out.map(|row| row.as_mut_slice()));
            }
        }
        [Some(x), Some(y), Some(z), None] => {
            if let Ok([x, y, z]) = rows.get_disjoint_mut([x, y, z]) {
                return colors([x, y, z, &mut spare].map(|row| row.as_mut_slice()));
            }
        }
        _ => {}
    }
    let mut out = [R::ZERO; 4];
    colors(out.each_mut().map(|row| row.as_mut_slice()));
    for (row, color) in dst.into_iter().zip(&out) {
        if let Some(row) = row.index().and_then(|index| rows.get_mut(index)) {
            *row = *color;
        }
    }
}
