//! Blend kernels for unsigned normalised texels: the equations most programs use, from texels to
//! texels in one loop over lanes. The arithmetic and its order are the same as in [`super::blend`].

use os_shim::simd::vectorize;
use pipe_core::state::BlendFunc;

use super::blend::{Equation, Factor, FactorRow, Part};
use crate::lanes::{UnormLayout, clamp, quantise};

/// An equation that has its own loop. It adds source and destination, with the same weights for all
/// four components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kernel {
    /// Weights alpha and 1 - alpha.
    Over,
    /// Weights 1 and 1 - alpha, as for premultiplied colours.
    Premultiplied,
    /// Weights alpha and 1.
    AddWeighted,
    /// Weights 1 and 1.
    Add,
}

impl Kernel {
    /// Returns the kernel of an equation; `None` if the equation has no kernel.
    #[inline(always)]
    pub(super) fn of(equation: &Equation) -> Option<Kernel> {
        const ONE: Factor = Factor { row: FactorRow::Zero, inverted: true };
        const ALPHA: Factor = Factor { row: FactorRow::SourceAlpha, inverted: false };
        const REST: Factor = Factor { row: FactorRow::SourceAlpha, inverted: true };
        let Part { func, source, destination } = equation.color;
        if equation.alpha != equation.color || func != BlendFunc::Add {
            return None;
        }
        match (source, destination) {
            (ALPHA, REST) => Some(Kernel::Over),
            (ONE, REST) => Some(Kernel::Premultiplied),
            (ALPHA, ONE) => Some(Kernel::AddWeighted),
            (ONE, ONE) => Some(Kernel::Add),
            _ => None,
        }
    }

    /// Blends colours, clamped to 0…1, with `texels`.
    pub(super) fn blend(self, layout: &UnormLayout, color: [&[u32]; 4], texels: &mut [u32]) {
        match self {
            Kernel::Over => run(layout, color, texels, |s, d, a| s * a + d * (1.0 - a)),
            Kernel::Premultiplied => run(layout, color, texels, |s, d, a| s + d * (1.0 - a)),
            Kernel::AddWeighted => run(layout, color, texels, |s, d, a| s * a + d),
            Kernel::Add => run(layout, color, texels, |s, d, _| s + d),
        }
    }
}

/// Blends by `blend(source, destination, source alpha)`.
#[inline(always)]
fn run(
    layout: &UnormLayout,
    [r, g, b, a]: [&[u32]; 4],
    texels: &mut [u32],
    blend: impl Fn(f32, f32, f32) -> f32,
) {
    vectorize(
        #[inline(always)]
        || {
            let channels = layout.channels();
            for ((((texel, &r), &g), &b), &a) in texels.iter_mut().zip(r).zip(g).zip(b).zip(a) {
                let old = *texel;
                let source = |bits: u32| clamp(f32::from_bits(bits), 0.0, 1.0);
                let (r, g, b, a) = (source(r), source(g), source(b), source(a));
                #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
                let part = |c: usize, source: f32| {
                    let (channel, max, stored) = channels[c];
                    let destination = channel.scaled(channel.integer(old));
                    (quantise(blend(source, destination, a), max) & stored) << channel.shift
                };
                *texel = part(0, r) | part(1, g) | part(2, b) | part(3, a);
            }
        },
    );
}
