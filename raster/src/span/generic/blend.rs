//! Blending in integers: combines a row of colours with the target's words.

use pipe_core::BlendFunc;

use super::channel::ChannelLayout;
use super::pixels::{COUNT, Row};
use super::{ONE, fixed};
use crate::lanes::UnormLayout;
use crate::output::{Equation, Factor, FactorRow, Part};

/// A row of values that a factor is made of; only the rows that this kernel supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    Zero,
    Source,
    SourceAlpha,
    Destination,
    DestinationAlpha,
    Constant,
    ConstantAlpha,
}

/// A factor: the operand, or one minus it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Weight {
    operand: Operand,
    inverted: bool,
}

impl Weight {
    /// Returns the factor's weight; `None` for factors that only the general path computes: the
    /// second colour's factors, and the saturated one.
    fn of(Factor { row, inverted }: Factor) -> Option<Weight> {
        let operand = match row {
            FactorRow::Zero => Operand::Zero,
            FactorRow::Source => Operand::Source,
            FactorRow::SourceAlpha => Operand::SourceAlpha,
            FactorRow::Destination => Operand::Destination,
            FactorRow::DestinationAlpha => Operand::DestinationAlpha,
            FactorRow::Constant => Operand::Constant,
            FactorRow::ConstantAlpha => Operand::ConstantAlpha,
            FactorRow::Second | FactorRow::SecondAlpha | FactorRow::Saturate => return None,
        };
        Some(Weight { operand, inverted })
    }
}

/// The blend equation of one component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Term {
    func: BlendFunc,
    source: Weight,
    destination: Weight,
}

impl Term {
    fn of(part: Part) -> Option<Term> {
        let (source, destination) = (Weight::of(part.source)?, Weight::of(part.destination)?);
        Some(Term { func: part.func, source, destination })
    }
}

/// A blend equation that this kernel computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terms {
    color: Term,
    alpha: Term,
}

impl Terms {
    /// Returns the equation's terms; `None` if the kernel does not support one of its factors.
    pub(super) fn of(equation: &Equation) -> Option<Terms> {
        Some(Terms { color: Term::of(equation.part(0))?, alpha: Term::of(equation.part(3))? })
    }
}

/// The blending of a draw's colours with the target's words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blend {
    terms: Terms,
    /// The blend colour; [`ONE`] is 1.0.
    constant: [i32; 4],
    /// The target's components.
    channels: [ChannelLayout; 4],
}

impl Blend {
    /// Source alpha over an RGB565 target, which has no alpha.
    pub(super) const OVER_RGB565: Blend = {
        let source = Weight { operand: Operand::SourceAlpha, inverted: false };
        let destination = Weight { inverted: true, ..source };
        let over = Term { func: BlendFunc::Add, source, destination };
        Blend {
            terms: Terms { color: over, alpha: over },
            constant: [0; 4],
            channels: ChannelLayout::all(&UnormLayout::B5G6R5),
        }
    };

    /// Derives the blending on a target of this layout; `None` if [`Terms::of`] returns `None`.
    pub(super) fn new(
        equation: &Equation,
        constant: &[f32; 4],
        layout: &UnormLayout,
    ) -> Option<Blend> {
        Some(Blend {
            terms: Terms::of(equation)?,
            // Clamped to the target's range, so that all components are numbers near 0.
            constant: constant.map(|component| fixed(component).unwrap_or(0)),
            channels: ChannelLayout::all(layout),
        })
    }

    /// Returns true if colours are weighed by their alpha, and the target by one minus it.
    pub(super) fn is_over(&self) -> bool {
        let weight = |inverted| Weight { operand: Operand::SourceAlpha, inverted };
        let (source, destination) = (weight(false), weight(true));
        self.terms.color == Term { func: BlendFunc::Add, source, destination }
    }

    /// Blends the first `count` colours of a row with the target's words `old`.
    #[inline(never)]
    pub(super) fn row(
        &self,
        layout: &UnormLayout,
        color: &mut [Row; 4],
        old: &[u32; COUNT],
        count: usize,
    ) {
        for row in color.iter_mut() {
            for value in row.iter_mut().take(count) {
                *value = (*value).clamp(0, ONE);
            }
        }
        let alphas = color[3];
        let [.., constant_alpha] = self.constant;
        let [.., alpha_channel] = &self.channels;
        let targets = self.channels.iter().zip(self.constant).enumerate();
        for (row, (component, (channel, constant))) in color.iter_mut().zip(targets) {
            if !layout.channel(component).2 {
                continue;
            }
            let term = if component == 3 { self.terms.alpha } else { self.terms.color };
            let pixels = row.iter_mut().zip(&alphas).zip(old).take(count);
            for ((value, alpha), old) in pixels {
                let (source, destination) = (*value, channel.value(*old));
                let weight = |weight: Weight| {
                    let value = match weight.operand {
                        Operand::Zero => 0,
                        Operand::Source => source,
                        Operand::SourceAlpha => *alpha,
                        Operand::Destination => destination,
                        Operand::DestinationAlpha => alpha_channel.value(*old),
                        Operand::Constant => constant,
                        Operand::ConstantAlpha => constant_alpha,
                    };
                    i64::from(if weight.inverted { ONE - value } else { value })
                };
                let s = i64::from(source) * weight(term.source);
                let d = i64::from(destination) * weight(term.destination);
                let sum = match term.func {
                    BlendFunc::Add => s + d,
                    BlendFunc::Subtract => s - d,
                    BlendFunc::ReverseSubtract => d - s,
                    // These two take no factors.
                    BlendFunc::Min => i64::from(source.min(destination)) << 24,
                    BlendFunc::Max => i64::from(source.max(destination)) << 24,
                };
                *value = ((sum + i64::from(ONE / 2)) >> 24) as i32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use formats::Format;
    use pipe_core::state::{BlendColor, BlendFactor, BlendState, RenderTargetBlendState};

    use super::super::pixels::pack;
    use super::*;
    use crate::lanes::{QuadPosition, QuadPositions, Target};
    use crate::output::{ColorState, write};

    const FACTORS: &[BlendFactor] = BlendFactor::ALL;
    const FUNCS: &[BlendFunc] = BlendFunc::ALL;

    /// Returns true for factors of the fragment's colour, its pixel's colour, and the blend colour.
    fn is_of_the_kernel(factor: BlendFactor, alpha: bool) -> bool {
        use BlendFactor as F;
        match factor {
            F::Zero | F::One | F::SrcColor | F::InvSrcColor | F::SrcAlpha | F::InvSrcAlpha => true,
            F::DstColor | F::InvDstColor | F::DstAlpha | F::InvDstAlpha => true,
            F::ConstColor | F::InvConstColor | F::ConstAlpha | F::InvConstAlpha => true,
            // 1 for alpha; min(source alpha, 1 - destination alpha) for colours.
            F::SrcAlphaSaturate => alpha,
            F::Src1Color | F::InvSrc1Color | F::Src1Alpha | F::InvSrc1Alpha => false,
        }
    }

    /// Returns a fragment and a pixel, with values at both ends of the range and in between:
    /// eighths, which are exact in fixed point.
    fn operands(seed: u32) -> ([f32; 4], u32) {
        let component = |at: u32| ((seed * 5 + at * 3) % 9) as f32 / 8.0;
        let word = seed.wrapping_mul(0x9e37_79b9) ^ seed << 9;
        let word = [0, u32::MAX, word, word.rotate_left(13)][seed as usize % 4];
        ([0, 1, 2, 3].map(component), word)
    }

    /// Tests every function with every pair of factors, on targets with and without alpha.
    #[test]
    fn every_equation_is_refused_or_drawn_as_the_general_path_does() {
        let constant = [0.25, 0.5, 0.75, 0.625];
        for format in [Format::R8G8B8A8Unorm, Format::L8Unorm] {
            let layout = UnormLayout::of(format).unwrap();
            let size = layout.bytes as usize;
            let equations = FUNCS.iter().flat_map(|func| {
                FACTORS.iter().flat_map(move |s| FACTORS.iter().map(move |d| (*func, *s, *d)))
            });
            for (func, source, destination) in equations {
                let state = RenderTargetBlendState::uniform(func, source, destination);
                let equation = Equation::of(&state);
                let accepted = [source, destination]
                    .into_iter()
                    .all(|factor| [false, true].map(|a| is_of_the_kernel(factor, a)) == [true; 2]);
                let blend = Blend::new(&equation, &constant, &layout);
                assert_eq!(blend.is_some(), accepted, "{func:?} {source:?} {destination:?}");
                let Some(blend) = blend else { continue };
                let state = ColorState::derive(
                    &BlendState::uniform(state),
                    0,
                    format,
                    &BlendColor { color: constant },
                );
                for seed in 0..12 {
                    let (fragment, word) = operands(seed);
                    let mut color = fragment.map(|value| [(value * ONE as f32) as i32; COUNT]);
                    let mut words = [0; COUNT];
                    blend.row(&layout, &mut color, &[word; COUNT], 1);
                    pack(&layout, &color, &mut words, 1);
                    let rows = fragment.map(|value| [value.to_bits(); 4]);
                    let mut bytes = word.to_le_bytes();
                    let mut target = Target {
                        bytes: &mut bytes[..size],
                        stride: size,
                        format,
                        width: 1,
                        height: 1,
                    };
                    write(
                        &state,
                        &mut target,
                        QuadPositions::packed(&[QuadPosition::default()]),
                        1,
                        rows.each_ref(),
                        None,
                    );
                    let drawn = words[0].to_le_bytes();
                    // The kernel rounds once more than floats do: a step, if the exact value is a
                    // tie.
                    for (general, kernel) in bytes[..size].iter().zip(drawn) {
                        assert!(
                            general.abs_diff(kernel) <= 1,
                            "{format:?} {func:?} {source:?} {destination:?} {fragment:?} {word:#x}: \
                             {general} {kernel}"
                        );
                    }
                }
            }
        }
    }
}
