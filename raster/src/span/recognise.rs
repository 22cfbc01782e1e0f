//! Recognises the fragment programs and states that a span kernel draws.

use pipe_core::resource::TextureTarget;
use pipe_core::state::{ReductionMode, TexCompare, TexFilter, TexMipFilter};
use tgsi::declaration::SemanticName;
use tgsi::exec::Lanes;
use tgsi::exec::{Op, OpCode, SampleKind};
use tgsi::program::{Output, Program, Row, Sample};

use super::kernel_for;
use crate::features::{
    Case, DESKTOP, SPANS_BILINEAR, SPANS_FILTERED, SPANS_GENERIC, SPANS_PROGRAMS, TEXTURES,
};
use crate::output::ColorState;
use crate::profile::Profile;
use crate::resource::TextureBinding;
use crate::scene::recognised::Kernel;
use crate::scene::recognised::{Lookup, Recognised, Source};
use crate::scene::{DrawRecord, Scene, Special, Varying};

/// The most rows that a recognised body may write.
const MAX_WRITTEN: usize = 16;

/// The sources of the rows of a program's register file.
struct RegisterRows<'a> {
    program: &'a Program<'a>,
    varyings: &'a [Varying],
    special: &'a [Special],
    /// The rows that the ops so far have written.
    written: heapless::Vec<(Row, Source), MAX_WRITTEN>,
}

impl RegisterRows<'_> {
    /// Returns the source of a row; `None` if a kernel cannot compute it.
    fn read(&self, row: Row) -> Option<Source> {
        if let Some((_, source)) = self.written.iter().rev().find(|(written, _)| *written == row) {
            return Some(*source);
        }
        if let Some(index) = self.varyings.iter().position(|varying| varying.row == row) {
            return Some(Source { varying: Some(u8::try_from(index).ok()?), ..Source::ONE });
        }
        let mut inputs = self.program.inputs.iter().map(|input| input.rows);
        let mut system = self.program.system_values.iter().map(|value| value.rows);
        let mut special = self.special.iter().map(|special| special.rows);
        let changes = row == Row::NONE
            || inputs.any(|rows| rows.contains(&row))
            || system.any(|rows| rows.contains(&row))
            || special.any(|rows| rows.contains(&row));
        (!changes).then_some(Source { uniform: row, ..Source::ONE })
    }

    /// Returns the varying that a row holds unchanged.
    fn varying(&self, row: Row) -> Option<u8> {
        let source = self.read(row)?;
        source.varying.filter(|_| source.is_single())
    }

    fn write(&mut self, row: Row, source: Source) -> Option<()> {
        self.written.push((row, source)).ok()
    }

    /// Follows the ops of a body and returns its lookup; `None` if no kernel has an op.
    #[inline(always)]
    fn follow(&mut self, body: &[Op], textures: &[TextureBinding]) -> Option<Option<Lookup>> {
        let mut lookup = None;
        for op in body {
            match op.code {
                OpCode::Sample if TEXTURES && lookup.is_none() => {
                    let sample = self.program.samples.get(usize::from(op.aux))?;
                    lookup = Some(self.lookup(sample, textures)?);
                    for (component, row) in (0..).zip(sample.dst) {
                        if row != Row::NONE {
                            self.write(row, Source { texel: Some(component), ..Source::ONE })?;
                        }
                    }
                }
                OpCode::Mul if SPANS_GENERIC || SPANS_FILTERED => {
                    let product = self.read(op.a)?.times(self.read(op.b)?)?;
                    self.write(op.dst, product)?;
                }
                _ => return None,
            }
        }
        Some(lookup)
    }

    /// Returns the lookup of a sample instruction if it reads a 2D texture at coordinates that are
    /// varyings.
    #[inline(never)]
    fn lookup(&self, sample: &Sample, textures: &[TextureBinding]) -> Option<Lookup> {
        let implicit = sample.kind == SampleKind::Implicit
            && sample.target == tgsi::shader::TextureTarget::Texture2D
            && sample.offset == [0; 3]
            && sample.offset_rows == [Row::NONE; 3]
            && sample.view_row == Row::NONE
            && sample.sampler_row == Row::NONE
            && sample.compare == Row::NONE;
        if !implicit {
            return None;
        }
        let (view, sampler) = (sample.view.into(), sample.sampler.into());
        let index = textures.iter().position(|binding| binding.is_at(view, sampler))?;
        let binding = textures.get(index)?;
        let (view, sampler) = (&binding.view, &binding.sampler);
        let linear = sampler.min_img_filter == TexFilter::Linear;
        let mipmapped = sampler.min_mip_filter != TexMipFilter::None;
        let has_filter = !linear
            || ((SPANS_BILINEAR || SPANS_FILTERED)
                && !(DESKTOP && sampler.max_anisotropy > 1)
                && sampler.reduction_mode == ReductionMode::WeightedAverage);
        let fits = has_filter
            && sampler.mag_img_filter == sampler.min_img_filter
            && (!mipmapped || (SPANS_FILTERED && linear))
            && view.target == TextureTarget::Texture2D
            && sampler.compare_mode == TexCompare::None
            && sampler.normalized_coords;
        fits.then_some(Lookup {
            binding: u8::try_from(index).ok()?,
            s: self.varying(sample.coord[0])?,
            t: self.varying(sample.coord[1])?,
            wrap: [sampler.wrap_s, sampler.wrap_t],
            linear,
            mipmapped,
            swizzle: view.swizzle,
        })
    }
}

/// Recognises a draw; `None` if it must take the general path. The record's `span` is not read.
pub(crate) fn recognise<P: Profile>(
    record: &DrawRecord,
    program: &Program<'_>,
    scene: &Scene<'_, P>,
) -> Option<Recognised> {
    let (first, count) = record.color;
    let (1, Some(target)) = (count, scene.color.get(first as usize)) else { return None };
    if record.dual_source
        || record.counts_pixels
        || record.alpha_to_coverage
        || record.stipple.words != 0
        || record.clip.depth_range.is_some()
        || !(record.early_depth || (SPANS_GENERIC && record.alpha.is_some()))
    {
        return None;
    }
    let range = |(first, count): (u32, u32)| first as usize..(first + count) as usize;
    let rows = RegisterRows {
        program,
        varyings: scene.varyings.get(range(record.varyings))?,
        special: scene.special.get(range(record.special))?,
        written: heapless::Vec::new(),
    };
    let textures = scene.textures().get(range(record.textures))?;
    // Wide lanes are for vector units, which are faster than one pixel at a time.
    let called = match SPANS_PROGRAMS && P::Row::COUNT <= 16 {
        true => by_call(record, target, &rows),
        false => None,
    };
    let found = by_values(record, target, rows, textures).or(called);
    found.filter(|found| takes_samples(record, found))
}

/// Returns true if a kernel draws the samples of a draw's pixels: interpolated colours on RGB565,
/// and every draw with one sample per pixel.
fn takes_samples(record: &DrawRecord, found: &Recognised) -> bool {
    let samples = record.samples.rule();
    samples.count == 1 || !samples.per_sample && is_drawn_in_planes(found)
}

/// Returns true if a kernel draws planes of samples.
fn is_drawn_in_planes(found: &Recognised) -> bool {
    matches!(found.kernel, Kernel::Rgb565(_)) && found.lookup.is_none()
}

/// Recognises a draw if its program has a pixel function.
fn by_call(
    record: &DrawRecord,
    target: &ColorState,
    rows: &RegisterRows<'_>,
) -> Option<Recognised> {
    let depth = super::rgb565::depth_test(record, target)?;
    let fits =
        rows.special.is_empty() && super::rgb565::program::takes(rows.program, rows.varyings);
    let kernel = Case::new(depth).filter(|_| fits).map(Kernel::Rgb565Calls)?;
    Some(Recognised { color: [Source::ONE; 4], lookup: None, kernel })
}

/// A draw with a colour that consists of constants, varyings and a texel.
pub(super) struct Candidate<'a> {
    pub(super) record: &'a DrawRecord,
    pub(super) target: &'a ColorState,
    /// The sources of red, green and blue.
    pub(super) color: [Source; 3],
    /// The source of alpha; `None` if it is none of these.
    pub(super) alpha: Option<Source>,
    pub(super) lookup: Option<&'a Lookup>,
    pub(super) textures: &'a [TextureBinding],
    pub(super) varyings: &'a [Varying],
}

/// Recognises a draw if its colour consists of constants, varyings and a texel.
#[inline(always)]
fn by_values(
    record: &DrawRecord,
    target: &ColorState,
    mut rows: RegisterRows<'_>,
    textures: &[TextureBinding],
) -> Option<Recognised> {
    let program = rows.program;
    let lookup = rows.follow(program.body, textures)?;
    let [r, g, b, a] = color_output(program)?.rows;
    let color = [rows.read(r)?, rows.read(g)?, rows.read(b)?];
    let alpha = rows.read(a);
    let draw = Candidate {
        record,
        target,
        color,
        alpha,
        lookup: lookup.as_ref(),
        textures,
        varyings: rows.varyings,
    };
    let kernel = kernel_for(&draw)?;
    let [r, g, b] = color;
    // A kernel that takes a draw without this alpha does not read it: any value will do.
    let color = [r, g, b, alpha.unwrap_or(Source::ONE)];
    Some(Recognised { color, lookup, kernel })
}

/// Returns a program's colour; `None` if it also writes depth, stencil or a sample mask.
#[inline(always)]
fn color_output<'a>(program: &Program<'a>) -> Option<&'a Output> {
    let output = |name| {
        program
            .outputs
            .iter()
            .find(|output| output.semantic.name == name && output.semantic.index == 0)
    };
    if output(SemanticName::Position).is_some()
        || output(SemanticName::Stencil).is_some()
        || output(SemanticName::SampleMask).is_some()
    {
        return None;
    }
    output(SemanticName::Color)
}
