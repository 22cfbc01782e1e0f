//! Textures of builds whose shaders sample nothing: the first level, for integer spans.

use pipe_core::state::SamplerState;
use tgsi::exec::{Lanes, SampleRequest};

use super::{Level, TextureView};
#[cfg(feature = "spans-generic")]
use crate::lanes::UnormLayout;

/// The stand-in for a [`Sampler`](super::Sampler) where no shader runs lookups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfiltered<'a> {
    #[cfg_attr(not(spans), expect(dead_code, reason = "spans read it"))]
    base: Option<Level<'a>>,
    #[cfg(feature = "spans-generic")]
    layout: Option<UnormLayout>,
}

impl<'a> Unfiltered<'a> {
    /// Returns the stand-in of a view. Spans evaluate the sampler state themselves.
    pub(crate) fn new(view: &TextureView<'a>, _: &SamplerState) -> Unfiltered<'a> {
        Unfiltered {
            base: view.levels.first().copied(),
            #[cfg(feature = "spans-generic")]
            layout: UnormLayout::of(view.format),
        }
    }

    /// Returns the first level that the view shows.
    #[cfg(spans)]
    pub(crate) fn base(&self) -> Option<&Level<'a>> {
        self.base.as_ref()
    }

    /// Returns the layout of unsigned normalised texels; `None` for other formats.
    #[cfg(feature = "spans-generic")]
    pub(crate) fn layout(&self) -> Option<&UnormLayout> {
        self.layout.as_ref()
    }

    /// Returns opaque black. Not reached: shaders with lookups are refused when created.
    pub(crate) fn sample<R: Lanes>(&self, _: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = [R::ZERO, R::ZERO, R::ZERO, R::splat(1.0f32.to_bits())];
    }
}
