//! Wrap modes: from a texture coordinate to texel indices and a weight.
//!
//! Every mode takes the same few steps with different parameters, so a lane never branches:
//!
//! ```text
//!   coordinate ──reduce──► u in texels, in [-m, n+m] ──► floor ──► index
//!                                                       index < 0  ► `below`
//!                                                       index >= n ► `above`
//! ```
//!
//! | mode | reduce | below, above (linear) | nearest | m |
//! |---|---|---|---|---|
//! | `REPEAT` | fraction | last, first | last, last | 0 |
//! | `CLAMP` | none | border, border | first, last | 0 |
//! | `CLAMP_TO_EDGE` | none | first, last | first, last | 0 |
//! | `CLAMP_TO_BORDER` | none | border, border | border, border | 1 |
//! | `MIRROR_REPEAT` | triangle wave | first, last | first, last | 0 |
//! | `MIRROR_CLAMP` | absolute | first, border | first, last | 0 |
//! | `MIRROR_CLAMP_TO_EDGE` | absolute | first, last | first, last | 0 |
//! | `MIRROR_CLAMP_TO_BORDER` | absolute | first, border | first, border | 1 |
//!
//! `CLAMP` is OpenGL's legacy mode: the coordinate stops at the edge, where a linear filter takes
//! half border. The mirrored modes mirror at zero by whole texels, as OpenGL 4.6 §8.14.2 does: the
//! texel left of texel 0 is texel 0, not the border.

use os_shim::simd::vectorize;
use pipe_core::state::TexWrap;
use tgsi::exec::Lanes;

use crate::lanes::{clamp, floor};

/// The index that stands for the border colour.
pub(super) const BORDER: u32 = u32::MAX;

/// The reduction of a coordinate before it is clamped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reduce {
    None,
    Fraction,
    Triangle,
    Absolute,
}

/// The texel that replaces one outside the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edge {
    First,
    Last,
    Border,
    /// The index one texel outside: -1 or the size.
    Outside,
}

/// One wrap mode, for one image filter. Derived once per draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wrap {
    reduce: Reduce,
    below: Edge,
    above: Edge,
    /// Clamps coordinates one texel outside the image, where only the border is read, instead of at
    /// its edge.
    margin: bool,
}

impl Wrap {
    /// Leaves indices of -1 and of the size to the caller, for seamless cube faces.
    pub(super) const SEAM: Wrap =
        Wrap { reduce: Reduce::None, below: Edge::Outside, above: Edge::Outside, margin: false };

    /// Returns the parameters of a mode under `NEAREST` filtering.
    pub(super) fn nearest(mode: TexWrap) -> Wrap {
        use Edge::{Border, First, Last};
        use Reduce::{Absolute, Fraction, None, Triangle};
        let (reduce, below, above, margin) = match mode {
            // The fraction of a tiny negative coordinate rounds to 1, which means the last texel.
            TexWrap::Repeat => (Fraction, Last, Last, false),
            TexWrap::Clamp | TexWrap::ClampToEdge => (None, First, Last, false),
            TexWrap::ClampToBorder => (None, Border, Border, true),
            TexWrap::MirrorRepeat => (Triangle, First, Last, false),
            TexWrap::MirrorClamp | TexWrap::MirrorClampToEdge => (Absolute, First, Last, false),
            TexWrap::MirrorClampToBorder => (Absolute, First, Border, true),
        };
        Wrap { reduce, below, above, margin }
    }

    /// Returns the parameters of a mode under `LINEAR` filtering.
    pub(super) fn linear(mode: TexWrap) -> Wrap {
        use Edge::{Border, First, Last};
        use Reduce::{Absolute, Fraction, None, Triangle};
        let (reduce, below, above, margin) = match mode {
            TexWrap::Repeat => (Fraction, Last, First, false),
            TexWrap::Clamp => (None, Border, Border, false),
            TexWrap::ClampToEdge => (None, First, Last, false),
            TexWrap::ClampToBorder => (None, Border, Border, true),
            TexWrap::MirrorRepeat => (Triangle, First, Last, false),
            TexWrap::MirrorClamp => (Absolute, First, Border, false),
            TexWrap::MirrorClampToEdge => (Absolute, First, Last, false),
            TexWrap::MirrorClampToBorder => (Absolute, First, Border, true),
        };
        Wrap { reduce, below, above, margin }
    }

    /// Returns true if the mode can sample the border colour.
    pub(super) fn has_border(self) -> bool {
        self.below == Edge::Border || self.above == Edge::Border
    }

    /// Returns the mode on an axis of `size` texels.
    ///
    /// * `normalized`: coordinates are in images, not in texels.
    /// * `offset`: texels added to the coordinate before it is wrapped.
    #[inline(always)]
    pub(super) fn axis(self, size: u32, normalized: bool, offset: i32) -> Axis {
        // Sizes are far below 2^24. The bound keeps hostile sizes exact in f32 and in i32.
        let size = size.clamp(1, 1 << 20) as i32;
        let texels = size as f32;
        let index = |edge, outside| match edge {
            Edge::First => 0,
            Edge::Last => size - 1,
            Edge::Border => -1,
            Edge::Outside => outside,
        };
        let margin = if self.margin { 1.0 } else { 0.0 };
        // Repeating modes must add the offset before they take the fraction.
        let repeats = matches!(self.reduce, Reduce::Fraction | Reduce::Triangle);
        let offset = offset as f32;
        Axis {
            reduce: self.reduce,
            size,
            scale: if normalized { texels } else { 1.0 },
            before: if repeats && normalized { offset / texels } else { 0.0 },
            after: if repeats && normalized { 0.0 } else { offset },
            low: -margin,
            high: texels + margin,
            below: index(self.below, -1),
            above: index(self.above, size),
        }
    }
}

/// A wrap mode on an axis of known size. Derived once per batch and mip level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    reduce: Reduce,
    size: i32,
    scale: f32,
    before: f32,
    after: f32,
    low: f32,
    high: f32,
    below: i32,
    above: i32,
}

/// The two texels of a linear filter on one axis, and the second one's weight.
#[derive(Clone, Copy)]
pub(super) struct Pair<R> {
    /// Index of the first texel, or [`BORDER`].
    pub(super) first: R,
    /// Index of the second texel, or [`BORDER`].
    pub(super) second: R,
    /// Weight of the second texel, f32 in [0, 1].
    pub(super) weight: R,
}

/// Coordinates beyond this have no useful fraction. All coordinates are clamped to it.
const FAR: f32 = 4_194_304.0;

impl<R: Lanes> Pair<R> {
    /// Texel 0 alone, for an axis that a texture lacks.
    pub(super) const NONE: Pair<R> = Pair { first: R::ZERO, second: R::ZERO, weight: R::ZERO };

    /// Returns the indices of the first texels, or of the second ones where `which` is not 0.
    #[inline(always)]
    pub(super) fn texel(&self, which: usize) -> &R {
        if which == 0 { &self.first } else { &self.second }
    }

    /// Returns true if the second texel follows the first one in every lane.
    pub(super) fn are_neighbours(&self) -> bool {
        let (first, second) = (self.first.as_slice(), self.second.as_slice());
        let mut apart = 0;
        for (&first, &second) in first.iter().zip(second) {
            apart |= first.wrapping_add(1) ^ second;
        }
        apart == 0
    }

    /// Returns true if any lane reads the border.
    pub(super) fn touches_border(&self) -> bool {
        let (first, second) = (self.first.as_slice(), self.second.as_slice());
        first
            .iter()
            .zip(second)
            .fold(false, |any, (&first, &second)| any | (first == BORDER) | (second == BORDER))
    }
}

impl Axis {
    /// Wraps a texel index; the result may be [`BORDER`].
    #[inline(always)]
    pub(super) fn index(self, i: i32) -> u32 {
        // `above` may be the border (-1), which must not turn into `below`: test `i` twice.
        let inside = if i < 0 { self.below } else { i };
        (if i >= self.size { self.above } else { inside }) as u32
    }

    /// Returns the indices of the two texels around a coordinate in texels, and the weight of the
    /// second, f32 bits.
    #[inline(always)]
    pub(super) fn around(self, u: f32) -> ([u32; 2], u32) {
        let u = u - 0.5;
        let (whole, i) = floor(u);
        ([self.index(i), self.index(i + 1)], (u - whole).to_bits())
    }

    /// Calls `each` with each coordinate, reduced and clamped, in texels: [-1, size+1].
    #[inline(always)]
    pub(super) fn texels<O>(
        self,
        coord: &[u32],
        out: impl Iterator<Item = O>,
        each: impl Fn(f32, O),
    ) {
        let Axis { scale, before, after, low, high, .. } = self;
        let lanes = out.zip(coord.iter().map(|&bits| f32::from_bits(bits)));
        // One loop per kind of reduction.
        match self.reduce {
            Reduce::None => {
                for (out, s) in lanes {
                    each(clamp(s * scale + after, low, high), out);
                }
            }
            Reduce::Absolute => {
                for (out, s) in lanes {
                    let u = f32::from_bits((s * scale + after).to_bits() & 0x7fff_ffff);
                    each(clamp(u, low, high), out);
                }
            }
            Reduce::Fraction => {
                for (out, s) in lanes {
                    let s = clamp(s + before, -FAR, FAR);
                    each((s - floor(s).0) * scale + after, out);
                }
            }
            Reduce::Triangle => {
                for (out, s) in lanes {
                    let s = clamp(s + before, -FAR, FAR);
                    let (whole, period) = floor(s);
                    let fraction = s - whole;
                    let wave = if period & 1 == 0 { fraction } else { 1.0 - fraction };
                    each(wave * scale + after, out);
                }
            }
        }
    }

    /// Writes the index of the texel under each coordinate.
    pub(super) fn nearest(&self, coord: &[u32], index: &mut [u32]) {
        vectorize(
            #[inline(always)]
            || {
                // A copy, so that stores to the rows cannot change it.
                let axis = *self;
                axis.texels(coord, index.iter_mut(), |u, index| *index = axis.index(floor(u).1));
            },
        );
    }

    /// Reorders the texels of `pair` where the mode mirrors the coordinate: the first texel then
    /// precedes the second in the unwrapped image, as `TG4` returns them. Other modes have this
    /// order already.
    pub(super) fn unmirror<R: Lanes>(&self, coord: &[u32], pair: &mut Pair<R>) {
        let Axis { scale, before, after, high, .. } = *self;
        let (first, second) = (pair.first.as_mut_slice(), pair.second.as_mut_slice());
        for ((first, second), &s) in first.iter_mut().zip(second).zip(coord) {
            let s = f32::from_bits(s);
            // The coordinate in texels, and the sum of an index and its mirrored index.
            let (u, sum, mirrors) = match self.reduce {
                Reduce::None | Reduce::Fraction => return,
                Reduce::Absolute => {
                    let u = s * scale + after;
                    (clamp(u, -high, high), -1, u < 0.0)
                }
                Reduce::Triangle => {
                    let s = clamp(s + before, -FAR, FAR);
                    let (whole, period) = floor(s);
                    ((s - whole) * scale + after, self.size - 1, period & 1 != 0)
                }
            };
            if mirrors {
                let i = floor(u - 0.5).1;
                (*first, *second) = (self.index(sum - i), self.index(sum - (i + 1)));
            }
        }
    }

    /// Writes the indices of the two texels around each coordinate, and the weight of the second.
    pub(super) fn linear(
        &self,
        coord: &[u32],
        first: &mut [u32],
        second: &mut [u32],
        weight: &mut [u32],
    ) {
        vectorize(
            #[inline(always)]
            || {
                let axis = *self;
                let out = first.iter_mut().zip(second).zip(weight);
                axis.texels(coord, out, |u, ((first, second), weight)| {
                    ([*first, *second], *weight) = axis.around(u);
                });
            },
        );
    }
}
