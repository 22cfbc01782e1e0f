//! What a fragment program computes, if spans can compute it too.

use formats::Format;
use pipe_core::resource::TextureTarget;
use pipe_core::state::{ReductionMode, TexCompare, TexFilter, TexMipFilter, TexWrap};
use pipe_core::surface::Swizzle;
use tgsi::declaration::SemanticName;
use tgsi::exec::{OpCode, SampleKind};
use tgsi::program::{Program, Row, Sample};

use crate::features::{SPANS_565, SPANS_BILINEAR, SPANS_GENERIC};
use crate::output::ColorState;
use crate::profile::Profile;
use crate::resource::TextureBinding;
use crate::scene::recognised::{DepthTest, Recognised, Source, Texture};
use crate::scene::{DrawRecord, Scene, Special, Varying};

/// What the loops of 565 draw to.
const LOOPS_DRAW_TO: Format = Format::B5G6R5Unorm;

/// Rows that a body may write before it is no longer recognised.
const MAX_WRITTEN: usize = 16;

/// What is in the rows of a program's register file.
struct Rows<'a> {
    program: &'a Program<'a>,
    varyings: &'a [Varying],
    special: &'a [Special],
    /// What the ops so far have written.
    written: heapless::Vec<(Row, Source), MAX_WRITTEN>,
}

impl Rows<'_> {
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

    /// The varying that is in a row unchanged.
    fn varying(&self, row: Row) -> Option<u8> {
        let source = self.read(row)?;
        source.varying.filter(|_| source.is_simple())
    }

    fn write(&mut self, row: Row, source: Source) -> Option<()> {
        self.written.push((row, source)).ok()
    }
}

/// Recognises a draw; the record's `span` does not matter yet.
pub(crate) fn recognise<P: Profile>(
    record: &DrawRecord,
    program: &Program<'_>,
    scene: &Scene<'_, P>,
) -> Option<Recognised> {
    let (first, count) = record.color;
    let (1, Some(target)) = (count, scene.color.get(first as usize)) else { return None };
    if record.dual_source
        || record.count_samples
        || record.alpha_to_coverage
        || record.stipple.words != 0
        || record.depth_range.is_some()
        || !(record.early_depth || (SPANS_GENERIC && record.alpha.is_some()))
    {
        return None;
    }
    let range = |(first, count): (u32, u32)| first as usize..(first + count) as usize;
    let mut rows = Rows {
        program,
        varyings: scene.varyings.get(range(record.varyings))?,
        special: scene.special.get(range(record.special))?,
        written: heapless::Vec::new(),
    };
    let textures = scene.textures.get(range(record.textures))?;
    let mut texture = None;
    for op in program.body {
        match op.code {
            OpCode::Sample if texture.is_none() => {
                let sample = program.samples.get(usize::from(op.aux))?;
                texture = Some(lookup(sample, &rows, textures)?);
                for (component, row) in (0..).zip(sample.dst) {
                    if row != Row::NONE {
                        rows.write(row, Source { texel: Some(component), ..Source::ONE })?;
                    }
                }
            }
            OpCode::Mul if SPANS_GENERIC => {
                let product = rows.read(op.a)?.times(rows.read(op.b)?)?;
                rows.write(op.dst, product)?;
            }
            _ => return None,
        }
    }
    let output = |name| {
        program
            .outputs
            .iter()
            .find(|output| output.semantic.name == name && output.semantic.index == 0)
    };
    // Other outputs would be depth, or go nowhere.
    if output(SemanticName::Position).is_some()
        || output(SemanticName::Stencil).is_some()
        || output(SemanticName::SampleMask).is_some()
    {
        return None;
    }
    let [r, g, b, a] = output(SemanticName::Color)?.rows;
    let color = [rows.read(r)?, rows.read(g)?, rows.read(b)?];
    let plain = plain(record, target, color, texture.as_ref(), textures);
    if plain.is_none() && !is_for_stages(record, target, texture.as_ref(), textures) {
        return None;
    }
    let [r, g, b] = color;
    // Alpha that nobody reads may be anything.
    let a = match rows.read(a) {
        Some(a) => a,
        None if plain.is_some() => Source::ONE,
        None => return None,
    };
    Some(Recognised { color: [r, g, b, a], texture, plain })
}

/// What a lookup looks up, if it is of the plainest kind.
fn lookup(sample: &Sample, rows: &Rows<'_>, textures: &[TextureBinding]) -> Option<Texture> {
    let plain = sample.kind == SampleKind::Implicit
        && sample.target == tgsi::shader::TextureTarget::Texture2D
        && sample.offset == [0; 3]
        && sample.offset_rows == [Row::NONE; 3]
        && sample.unit_row == Row::NONE
        && sample.compare == Row::NONE
        && sample.view == sample.sampler;
    if !plain {
        return None;
    }
    let index = textures.iter().position(|binding| binding.unit == sample.view)?;
    let binding = textures.get(index)?;
    let (view, sampler) = (&binding.view, &binding.sampler);
    let linear = match (sampler.min_img_filter, sampler.mag_img_filter) {
        (TexFilter::Nearest, TexFilter::Nearest) => false,
        (TexFilter::Linear, TexFilter::Linear)
            if SPANS_BILINEAR && sampler.reduction_mode == ReductionMode::WeightedAverage =>
        {
            true
        }
        _ => return None,
    };
    let plain = view.target == TextureTarget::Texture2D
        && sampler.min_mip_filter == TexMipFilter::None
        && sampler.compare_mode == TexCompare::None
        && sampler.normalized_coords;
    plain.then_some(Texture {
        binding: u8::try_from(index).ok()?,
        s: rows.varying(sample.coord[0])?,
        t: rows.varying(sample.coord[1])?,
        wrap: [sampler.wrap_s, sampler.wrap_t],
        linear,
        swizzle: view.swizzle,
    })
}

/// The depth test, if the loops of 565 can draw this: an opaque colour, or the texel of a 565
/// texture that repeats.
fn plain(
    record: &DrawRecord,
    target: &ColorState,
    color: [Source; 3],
    texture: Option<&Texture>,
    textures: &[TextureBinding],
) -> Option<DepthTest> {
    if !SPANS_565
        || !target.replaces()
        || target.format != LOOPS_DRAW_TO
        || record.alpha.is_some()
        || !record.early_depth
    {
        return None;
    }
    let fits = match texture {
        None => color.into_iter().all(Source::is_simple),
        Some(Texture { binding, wrap, linear, swizzle, .. }) => {
            let binding = textures.get(usize::from(*binding));
            binding.is_some_and(|binding| binding.view.format == Format::B5G6R5Unorm)
                && !linear
                && *swizzle == Swizzle::IDENTITY
                && *wrap == [TexWrap::Repeat; 2]
                && (0..).zip(color).all(|(component, source)| {
                    source == Source { texel: Some(component), ..Source::ONE }
                })
        }
    };
    match record.depth.plain16() {
        _ if !fits => None,
        Some((func, write)) => Some(DepthTest::Z16(func, write)),
        None => record.depth.is_none().then_some(DepthTest::None),
    }
}

/// Whether spans draw to targets of the format.
pub(crate) fn can_draw_to(format: Format) -> bool {
    SPANS_565 && format == LOOPS_DRAW_TO || is_target_of_stages(format)
}

/// Whether the stages draw to targets of the format.
#[cfg(feature = "spans-generic")]
fn is_target_of_stages(format: Format) -> bool {
    (crate::features::SPANS_ALL_TARGETS || format.block_bytes() == 1)
        && super::stages::has_bytes(format)
}

/// Whether the stages draw to targets of the format: there are none.
#[cfg(not(feature = "spans-generic"))]
fn is_target_of_stages(_: Format) -> bool {
    false
}

/// Whether the stages can draw this.
#[cfg(feature = "spans-generic")]
fn is_for_stages(
    record: &DrawRecord,
    target: &ColorState,
    texture: Option<&Texture>,
    textures: &[TextureBinding],
) -> bool {
    let format = texture.and_then(|texture| textures.get(usize::from(texture.binding)));
    is_target_of_stages(target.format)
        && target.parts().is_some_and(|parts| super::stages::can_blend(&parts))
        && (record.depth.is_none() || record.depth.plain().is_some())
        && format.is_none_or(|binding| super::stages::has_bytes(binding.view.format))
        && texture.is_none_or(|Texture { wrap, linear, .. }| {
            wrap.iter().all(|wrap| super::stages::can_wrap(*wrap, *linear))
        })
}

/// Whether the stages can draw this: there are none.
#[cfg(not(feature = "spans-generic"))]
fn is_for_stages(
    _: &DrawRecord,
    _: &ColorState,
    _: Option<&Texture>,
    _: &[TextureBinding],
) -> bool {
    false
}
