//! `TG4`: one component of each of the four texels that a bilinear filter would mix.

use tgsi::exec::{Lanes, Mask};

use super::compare::complete;
use super::wrap::Pair;
use super::{Coordinates, Level, Sampler, Source};

impl Sampler<'_> {
    /// Returns the texels around each coordinate, in the order they have in the image before
    /// wrapping.
    fn neighbours<R: Lanes>(&self, level: &Level<'_>, at: &Coordinates<'_, R>) -> [Pair<R>; 3] {
        let mut pairs = self.pairs(level, at);
        let sizes = [level.width, level.height, level.depth];
        let axes = self.linear.iter().zip(sizes).zip(at.offset).zip(at.coord);
        for ((((wrap, size), offset), coord), pair) in axes.zip(&mut pairs).take(self.shape.dims())
        {
            let axis = wrap.axis(size, self.normalized, i32::from(offset));
            axis.unmirror(coord.as_slice(), pair);
        }
        pairs
    }

    /// Gathers component `component` (after the view's swizzle) of the texels (i0, j1), (i1, j1),
    /// (i1, j0) and (i0, j0) of `level`, or their comparisons if the sampler compares.
    pub(super) fn gather<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        component: u8,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        let [s, t, r] = self.neighbours(level, at);
        // A comparison has the same value in the first three components.
        let component = if at.reference.is_some() { 0 } else { component };
        #[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
        let source = self.swizzle[usize::from(component & 3)];
        for (corner, out) in out.iter_mut().enumerate() {
            let x = if matches!(corner, 1 | 2) { &s.second } else { &s.first };
            let y = if corner < 2 { &t.second } else { &t.first };
            let mut color = [R::ZERO; 4];
            let fetch = |index: [&R; 3], out: &mut [R; 4]| self.colors(level, index, mask, out);
            self.corner_colors(level, [x, y, &r.first], at, mask, fetch, &mut color);
            complete(at, &mut color);
            *out = match source {
                Source::Component(c) => color.get(c).copied().unwrap_or(R::ZERO),
                Source::Constant(bits) => R::splat(bits),
            };
        }
    }
}
