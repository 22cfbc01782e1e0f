//! Textures in builds without lookups in shaders: the first level, for integer spans.

use pipe_core::state::SamplerState;
use tgsi::exec::{Lanes, SampleKind, SampleRequest};
use tgsi::program::Sample;

use super::LodRule;
use super::{Level, TextureView};
use crate::features::{Only, PALETTES, SPANS_FILTERED, SPANS_GENERIC};
use crate::lanes::Indexed;
use crate::lanes::UnormLayout;

/// The stand-in for a [`Sampler`](super::Sampler) in builds without lookups in shaders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfiltered<'a> {
    levels: &'a [Level<'a>],
    rule: Only<LodRule, { SPANS_FILTERED as usize }>,
    layout: Only<Option<UnormLayout>, { SPANS_GENERIC as usize }>,
    /// The bits of a texel that is an index into a palette.
    index_bits: Only<Option<u32>, { PALETTES as usize }>,
}

impl<'a> Unfiltered<'a> {
    /// Returns the stand-in for a view. Spans evaluate the sampler state themselves.
    pub(crate) fn new(view: &TextureView<'a>, state: &SamplerState) -> Unfiltered<'a> {
        Unfiltered {
            levels: view.levels,
            rule: Only::with(|| LodRule::new(state, view.levels.len())),
            layout: Only::with(|| UnormLayout::of(view.format)),
            index_bits: Only::default(),
        }
    }

    /// Returns the stand-in for a view of a palette with indices of so many bits, if there are any.
    pub(crate) fn with_indices(self, index_bits: Option<u32>) -> Unfiltered<'a> {
        Unfiltered { index_bits: Only::new(index_bits), ..self }
    }

    /// Returns the colours that the first level's indices select, if its texels are indices.
    pub(crate) fn indexed(&self) -> Option<Indexed<'a>> {
        Some(Indexed::new(
            self.base()?,
            self.index_bits.get().copied().flatten()?,
            self.layout()?.bytes,
        ))
    }

    /// Returns false, because it samples nothing.
    pub(crate) fn sample_rows<R: Lanes>(&self, _sample: &Sample, _rows: &mut [R]) -> bool {
        false
    }

    /// Returns the first level that the view shows.
    pub(crate) fn base(&self) -> Option<&Level<'a>> {
        self.levels.first()
    }

    /// Returns the levels that the view shows, and the rule that chooses among them.
    pub(crate) fn mip_levels(&self) -> Option<(&'a [Level<'a>], LodRule)> {
        Some((self.levels, *self.rule.get()?))
    }

    /// Returns the layout of unsigned normalised texels; `None` for other formats.
    pub(crate) fn layout(&self) -> Option<&UnormLayout> {
        self.layout.get()?.as_ref()
    }

    /// Returns no units of work, because nothing is looked up.
    pub(crate) fn units(&self, _: SampleKind, _: u32) -> u32 {
        0
    }

    /// Returns opaque black. Never called: shaders with lookups are rejected when created.
    pub(crate) fn sample<R: Lanes>(&self, _: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = [R::ZERO, R::ZERO, R::ZERO, R::splat(1.0f32.to_bits())];
    }
}
