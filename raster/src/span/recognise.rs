//! What a fragment program computes, if spans can compute it too.

use formats::Format;
use pipe_core::resource::TextureTarget;
use pipe_core::state::{TexCompare, TexFilter, TexMipFilter, TexWrap};
use pipe_core::surface::Swizzle;
use tgsi::declaration::SemanticName;
use tgsi::exec::{OpCode, SampleKind};
use tgsi::program::{Program, Row};

use super::DepthTest;
use crate::profile::Profile;
use crate::scene::{DrawRecord, Scene, TextureBinding};

/// A draw that spans can draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recognised {
    /// Red, green, blue; not read where there is a texture.
    pub(super) color: [Factor; 3],
    pub(super) texture: Option<Texture>,
    pub(super) depth: DepthTest,
}

/// What a component is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Factor {
    /// The same for the whole draw: a row that nothing in the program's body writes.
    Uniform(Row),
    /// A varying of the draw, by its place in the vertex.
    Varying(u8),
}

/// A lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Texture {
    /// Which of the draw's texture bindings.
    pub(super) binding: u8,
    /// The varyings that are its coordinates.
    pub(super) s: u8,
    pub(super) t: u8,
}

/// Recognises a draw; the record's `span` does not matter yet.
pub(crate) fn recognise<P: Profile>(
    record: &DrawRecord,
    program: &Program<'_>,
    scene: &Scene<'_, P>,
) -> Option<Recognised> {
    let (first, count) = record.color;
    let (1, Some(target)) = (count, scene.color.get(first as usize)) else { return None };
    if !target.replaces()
        || target.format != Format::B5G6R5Unorm
        || record.dual_source
        || record.count_samples
        || record.alpha.is_some()
        || record.stipple.words != 0
        || record.depth_range.is_some()
        || !record.early_depth
    {
        return None;
    }
    let depth = match record.depth.plain16() {
        Some((func, write)) => DepthTest::Z16(func, write),
        None if record.depth.is_none() => DepthTest::None,
        None => return None,
    };
    let range = |(first, count): (u32, u32)| first as usize..(first + count) as usize;
    let varyings = scene.varyings.get(range(record.varyings))?;
    let special = scene.special.get(range(record.special))?;
    let output = |name| {
        program
            .outputs
            .iter()
            .find(|output| output.semantic.name == name && output.semantic.index == 0)
    };
    let color = output(SemanticName::Color)?.rows;
    // Other outputs would be depth, or go nowhere.
    if output(SemanticName::Position).is_some() || color[..3].contains(&Row::NONE) {
        return None;
    }
    let varying = |row: Row| varyings.iter().position(|varying| varying.row == row);
    let factor = |row: Row| {
        if let Some(index) = varying(row) {
            return Some(Factor::Varying(u8::try_from(index).ok()?));
        }
        let mut inputs = program.inputs.iter().map(|input| input.rows);
        let mut system = program.system_values.iter().map(|value| value.rows);
        let mut special = special.iter().map(|special| special.rows);
        let changes = inputs.any(|rows| rows.contains(&row))
            || system.any(|rows| rows.contains(&row))
            || special.any(|rows| rows.contains(&row));
        (!changes).then_some(Factor::Uniform(row))
    };
    match program.body {
        [] => Some(Recognised {
            color: [factor(color[0])?, factor(color[1])?, factor(color[2])?],
            texture: None,
            depth,
        }),
        [op] if op.code == OpCode::Sample => {
            let sample = program.samples.get(usize::from(op.aux))?;
            let plain = sample.kind == SampleKind::Implicit
                && sample.target == tgsi::shader::TextureTarget::Texture2D
                && sample.offset == [0; 3]
                && sample.offset_rows == [Row::NONE; 3]
                && sample.unit_row == Row::NONE
                && sample.compare == Row::NONE
                && sample.view == sample.sampler;
            if !plain || sample.dst[..3] != color[..3] {
                return None;
            }
            let textures = scene.textures.get(range(record.textures))?;
            let binding = textures.iter().position(|binding| binding.unit == sample.view)?;
            let s = u8::try_from(varying(sample.coord[0])?).ok()?;
            let t = u8::try_from(varying(sample.coord[1])?).ok()?;
            if !is_plain(textures.get(binding)?) {
                return None;
            }
            let texture = Texture { binding: u8::try_from(binding).ok()?, s, t };
            let color = [Factor::Uniform(Row::NONE); 3];
            Some(Recognised { color, texture: Some(texture), depth })
        }
        _ => None,
    }
}

/// Whether spans can look a texture up: the nearest texel of one level, repeated.
fn is_plain(binding: &TextureBinding) -> bool {
    let (view, sampler) = (&binding.view, &binding.sampler);
    view.format == Format::B5G6R5Unorm
        && view.target == TextureTarget::Texture2D
        && view.swizzle == Swizzle::IDENTITY
        && sampler.min_img_filter == TexFilter::Nearest
        && sampler.mag_img_filter == TexFilter::Nearest
        && sampler.min_mip_filter == TexMipFilter::None
        && sampler.compare_mode == TexCompare::None
        && sampler.normalized_coords
        && (sampler.wrap_s, sampler.wrap_t) == (TexWrap::Repeat, TexWrap::Repeat)
}
