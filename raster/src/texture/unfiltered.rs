//! Textures in builds without lookups in shaders: the first level, for integer spans.

use pipe_core::state::SamplerState;
use tgsi::exec::{Lanes, SampleRequest};
use tgsi::program::Sample;

#[cfg(feature = "spans-filtered")]
use super::LodRule;
use super::{Level, TextureView};
#[cfg(feature = "spans-generic")]
use crate::lanes::UnormLayout;

/// The stand-in for a [`Sampler`](super::Sampler) in builds without lookups in shaders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfiltered<'a> {
    #[cfg_attr(not(spans), expect(dead_code, reason = "spans read it"))]
    levels: &'a [Level<'a>],
    #[cfg(feature = "spans-filtered")]
    rule: LodRule,
    #[cfg(feature = "spans-generic")]
    layout: Option<UnormLayout>,
}

impl<'a> Unfiltered<'a> {
    /// Returns the stand-in for a view. Spans evaluate the sampler state themselves.
    pub(crate) fn new(view: &TextureView<'a>, _state: &SamplerState) -> Unfiltered<'a> {
        Unfiltered {
            levels: view.levels,
            #[cfg(feature = "spans-filtered")]
            rule: LodRule::new(_state, view.levels.len()),
            #[cfg(feature = "spans-generic")]
            layout: UnormLayout::of(view.format),
        }
    }

    /// Returns false, because it samples nothing.
    pub(crate) fn sample_rows<R: Lanes>(&self, _sample: &Sample, _rows: &mut [R]) -> bool {
        false
    }

    /// Returns the first level that the view shows.
    #[cfg(spans)]
    pub(crate) fn base(&self) -> Option<&Level<'a>> {
        self.levels.first()
    }

    /// Returns the levels that the view shows, and the rule that chooses among them.
    #[cfg(feature = "spans-filtered")]
    pub(crate) fn mip_levels(&self) -> (&'a [Level<'a>], LodRule) {
        (self.levels, self.rule)
    }

    /// Returns the layout of unsigned normalised texels; `None` for other formats.
    #[cfg(feature = "spans-generic")]
    pub(crate) fn layout(&self) -> Option<&UnormLayout> {
        self.layout.as_ref()
    }

    /// Returns opaque black. Never called: shaders with lookups are rejected when created.
    pub(crate) fn sample<R: Lanes>(&self, _: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = [R::ZERO, R::ZERO, R::ZERO, R::splat(1.0f32.to_bits())];
    }
}
