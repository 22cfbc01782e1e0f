//! Blending: source and destination, weighted and combined, in f32 lanes.
//!
//! Every factor is a row of the batch, or one minus it: `offset + sign * row` with constants that
//! are 0, 1 or -1, which loses nothing. So add, subtract and reverse subtract with any of the
//! nineteen factors are one loop without branches, and nothing is tested per pixel.

use os_shim::simd::vectorize;
use pipe_core::state::{BlendFactor, BlendFunc, RenderTargetBlendState};
use tgsi::exec::Lanes;

use crate::texture::rows::map2_f32;

/// The row that a factor is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Row {
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
struct Factor {
    row: Row,
    inverted: bool,
}

impl Factor {
    fn of(factor: BlendFactor, alpha: bool) -> Factor {
        use BlendFactor as F;
        let (row, inverted) = match factor {
            F::Zero => (Row::Zero, false),
            F::One => (Row::Zero, true),
            F::SrcColor => (Row::Source, false),
            F::InvSrcColor => (Row::Source, true),
            F::SrcAlpha => (Row::SourceAlpha, false),
            F::InvSrcAlpha => (Row::SourceAlpha, true),
            F::DstColor => (Row::Destination, false),
            F::InvDstColor => (Row::Destination, true),
            F::DstAlpha => (Row::DestinationAlpha, false),
            F::InvDstAlpha => (Row::DestinationAlpha, true),
            F::ConstColor => (Row::Constant, false),
            F::InvConstColor => (Row::Constant, true),
            F::ConstAlpha => (Row::ConstantAlpha, false),
            F::InvConstAlpha => (Row::ConstantAlpha, true),
            F::Src1Color => (Row::Second, false),
            F::InvSrc1Color => (Row::Second, true),
            F::Src1Alpha => (Row::SecondAlpha, false),
            F::InvSrc1Alpha => (Row::SecondAlpha, true),
            // For alpha this factor is one.
            F::SrcAlphaSaturate if alpha => (Row::Zero, true),
            F::SrcAlphaSaturate => (Row::Saturate, false),
        };
        Factor { row, inverted }
    }

    /// `offset` and `sign` of `offset + sign * row`.
    #[inline(always)]
    fn affine(self) -> (f32, f32) {
        if self.inverted { (1.0, -1.0) } else { (0.0, 1.0) }
    }
}

/// How one component, or three, are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    func: BlendFunc,
    source: Factor,
    destination: Factor,
}

impl Part {
    /// The most common part by far: `source * alpha + destination * (1 - alpha)`.
    const OVER: Part = Part {
        func: BlendFunc::Add,
        source: Factor { row: Row::SourceAlpha, inverted: false },
        destination: Factor { row: Row::SourceAlpha, inverted: true },
    };

    fn uses(self, row: Row) -> bool {
        self.source.row == row || self.destination.row == row
    }
}

/// The blend equation of a render target. Derived once a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Equation {
    color: Part,
    alpha: Part,
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
            uses_constant: uses(Row::Constant) || uses(Row::ConstantAlpha),
            uses_saturate: uses(Row::Saturate),
        }
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
            let row = |factor: Factor| {
                let row = match factor.row {
                    Row::Zero => &zero,
                    Row::Source => &source[c],
                    Row::SourceAlpha => &source[3],
                    Row::Destination => &destination[c],
                    Row::DestinationAlpha => &destination[3],
                    Row::Constant => &constants[c],
                    Row::ConstantAlpha => &constants[3],
                    Row::Second => &second[c],
                    Row::SecondAlpha => &second[3],
                    Row::Saturate => &saturate,
                };
                row.as_slice()
            };
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
