//! Blending: source and destination, weighted and combined, in f32 lanes.
//!
//! Every factor is a row of the batch, or one minus it: `offset + sign * row` with constants that
//! are 0, 1 or -1, which is exact. So one loop without branches computes add, subtract and reverse
//! subtract with any of the nineteen factors, and no state is tested per pixel.

use os_shim::simd::vectorize;
use pipe_core::state::{BlendFactor, BlendFunc, RenderTargetBlendState};
use tgsi::exec::Lanes;

use crate::lanes::map2_f32;

/// The row of a batch that a factor is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FactorRow {
    Zero,
    Source,
    SourceAlpha,
    Destination,
    DestinationAlpha,
    Constant,
    ConstantAlpha,
    Second,
    SecondAlpha,
    Saturate,
}

/// A factor: `row`, or one minus it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Factor {
    pub(crate) row: FactorRow,
    pub(crate) inverted: bool,
}

impl Factor {
    #[inline(never)]
    fn of(factor: BlendFactor, alpha: bool) -> Factor {
        use BlendFactor as F;
        let (row, inverted) = match factor {
            F::Zero => (FactorRow::Zero, false),
            F::One => (FactorRow::Zero, true),
            F::SrcColor => (FactorRow::Source, false),
            F::InvSrcColor => (FactorRow::Source, true),
            F::SrcAlpha => (FactorRow::SourceAlpha, false),
            F::InvSrcAlpha => (FactorRow::SourceAlpha, true),
            F::DstColor => (FactorRow::Destination, false),
            F::InvDstColor => (FactorRow::Destination, true),
            F::DstAlpha => (FactorRow::DestinationAlpha, false),
            F::InvDstAlpha => (FactorRow::DestinationAlpha, true),
            F::ConstColor => (FactorRow::Constant, false),
            F::InvConstColor => (FactorRow::Constant, true),
            F::ConstAlpha => (FactorRow::ConstantAlpha, false),
            F::InvConstAlpha => (FactorRow::ConstantAlpha, true),
            F::Src1Color => (FactorRow::Second, false),
            F::InvSrc1Color => (FactorRow::Second, true),
            F::Src1Alpha => (FactorRow::SecondAlpha, false),
            F::InvSrc1Alpha => (FactorRow::SecondAlpha, true),
            // For alpha this factor is one.
            F::SrcAlphaSaturate if alpha => (FactorRow::Zero, true),
            F::SrcAlphaSaturate => (FactorRow::Saturate, false),
        };
        Factor { row, inverted }
    }

    /// Returns `offset` and `sign` of `offset + sign * row`.
    #[inline(always)]
    fn affine(self) -> (f32, f32) {
        if self.inverted { (1.0, -1.0) } else { (0.0, 1.0) }
    }
}

/// The equation of colour or of alpha: `source * factor FUNC destination * factor`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) func: BlendFunc,
    pub(crate) source: Factor,
    pub(crate) destination: Factor,
}

impl Part {
    /// `source * alpha + destination * (1 - alpha)`, the most common equation by far.
    const OVER: Part = Part {
        func: BlendFunc::Add,
        source: Factor { row: FactorRow::SourceAlpha, inverted: false },
        destination: Factor { row: FactorRow::SourceAlpha, inverted: true },
    };

    fn uses(self, row: FactorRow) -> bool {
        self.source.row == row || self.destination.row == row
    }
}

/// The blend equation of a render target. Derived once per draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Equation {
    pub(super) color: Part,
    pub(super) alpha: Part,
    uses_constant: bool,
    uses_saturate: bool,
}

/// The operands of a batch.
pub(crate) struct Operands<'a, R> {
    /// The fragments' colours.
    pub(crate) source: &'a [R; 4],
    /// The target's colours; alpha is 1 where the format has none.
    pub(crate) destination: &'a [R; 4],
    /// The fragments' second colours.
    pub(crate) second: &'a [R; 4],
}

impl Equation {
    pub(crate) fn of(state: &RenderTargetBlendState) -> Equation {
        let color = Part {
            func: state.rgb_func,
            source: Factor::of(state.rgb_src_factor, false),
            destination: Factor::of(state.rgb_dst_factor, false),
        };
        let alpha = Part {
            func: state.alpha_func,
            source: Factor::of(state.alpha_src_factor, true),
            destination: Factor::of(state.alpha_dst_factor, true),
        };
        let uses = |row| color.uses(row) || alpha.uses(row);
        Equation {
            color,
            alpha,
            uses_constant: uses(FactorRow::Constant) || uses(FactorRow::ConstantAlpha),
            uses_saturate: uses(FactorRow::Saturate),
        }
    }

    /// Returns the equation of a component.
    #[inline]
    pub(crate) fn part(&self, component: usize) -> Part {
        if component == 3 { self.alpha } else { self.color }
    }

    /// Blends a batch. `constant` is the blend colour.
    pub(crate) fn blend<R: Lanes>(
        &self,
        operands: &Operands<'_, R>,
        constant: &[f32; 4],
        result: &mut [R; 4],
    ) {
        let Operands { source, destination, second } = operands;
        let zero = R::ZERO;
        let mut constants = [R::ZERO; 4];
        if self.uses_constant {
            constants = constant.map(|component| R::splat(component.to_bits()));
        }
        let mut saturate = R::ZERO;
        if self.uses_saturate {
            let (s, d) = (source[3].as_slice(), destination[3].as_slice());
            map2_f32(s, d, saturate.as_mut_slice(), |s, d| if s < 1.0 - d { s } else { 1.0 - d });
        }
        for (c, out) in result.iter_mut().enumerate() {
            let part = if c == 3 { self.alpha } else { self.color };
            #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
            let row = |factor: Factor| {
                let row = match factor.row {
                    FactorRow::Zero => &zero,
                    FactorRow::Source => &source[c],
                    FactorRow::SourceAlpha => &source[3],
                    FactorRow::Destination => &destination[c],
                    FactorRow::DestinationAlpha => &destination[3],
                    FactorRow::Constant => &constants[c],
                    FactorRow::ConstantAlpha => &constants[3],
                    FactorRow::Second => &second[c],
                    FactorRow::SecondAlpha => &second[3],
                    FactorRow::Saturate => &saturate,
                };
                row.as_slice()
            };
            #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
            let (s, d) = (source[c].as_slice(), destination[c].as_slice());
            let out = out.as_mut_slice();
            if part == Part::OVER {
                over(s, d, source[3].as_slice(), out);
            } else {
                combine(part, s, d, row(part.source), row(part.destination), out);
            }
        }
    }
}

/// [`Part::OVER`], in the same order of operations as [`combine`].
fn over(source: &[u32], destination: &[u32], alpha: &[u32], out: &mut [u32]) {
    vectorize(
        #[inline(always)]
        || {
            for (((out, &s), &d), &a) in out.iter_mut().zip(source).zip(destination).zip(alpha) {
                let (s, d, a) = (f32::from_bits(s), f32::from_bits(d), f32::from_bits(a));
                *out = (s * a + d * (1.0 - a)).to_bits();
            }
        },
    );
}

/// One component of any [`Part`].
fn combine(
    part: Part,
    source: &[u32],
    destination: &[u32],
    source_row: &[u32],
    destination_row: &[u32],
    out: &mut [u32],
) {
    let (s_func, d_func) = match part.func {
        BlendFunc::Add => (1.0, 1.0),
        BlendFunc::Subtract => (1.0, -1.0),
        BlendFunc::ReverseSubtract => (-1.0, 1.0),
        BlendFunc::Min => {
            return map2_f32(source, destination, out, |s, d| if s < d { s } else { d });
        }
        BlendFunc::Max => {
            return map2_f32(source, destination, out, |s, d| if s > d { s } else { d });
        }
    };
    let (s_offset, s_sign) = part.source.affine();
    let (d_offset, d_sign) = part.destination.affine();
    vectorize(
        #[inline(always)]
        || {
            let lanes = out.iter_mut().zip(source).zip(destination);
            for ((((out, &s), &d), &s_row), &d_row) in lanes.zip(source_row).zip(destination_row) {
                let s = f32::from_bits(s) * (s_offset + s_sign * f32::from_bits(s_row));
                let d = f32::from_bits(d) * (d_offset + d_sign * f32::from_bits(d_row));
                *out = (s_func * s + d_func * d).to_bits();
            }
        },
    );
}
