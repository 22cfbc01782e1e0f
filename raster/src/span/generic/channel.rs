//! The channels of texels and targets.

use pipe_core::surface::Swizzle;

use super::ONE;
use crate::lanes::UnormLayout;

/// The place of one component in a texel, and the value of its steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ChannelLayout {
    shift: u32,
    /// The largest integer; 0 if the component is constant.
    max: u32,
    /// 2³¹ divided by `max`.
    step: u32,
    /// The position of the integer's highest bit. Adding that bit rounds the product with `step`
    /// up.
    top: u32,
    /// The value of a constant component, else 0.
    constant: i32,
}

impl ChannelLayout {
    /// Returns the components of a layout in their order.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub(super) const fn all(layout: &UnormLayout) -> [ChannelLayout; 4] {
        let mut all = [ChannelLayout::constant(0); 4];
        let mut component = 0;
        while component < 4 {
            all[component] = ChannelLayout::of(layout, Swizzle::IDENTITY[component]);
            component += 1;
        }
        all
    }

    /// Finds the component that a view's swizzle selects.
    pub(super) const fn of(layout: &UnormLayout, swizzle: Swizzle) -> ChannelLayout {
        let component = match swizzle {
            Swizzle::X => 0,
            Swizzle::Y => 1,
            Swizzle::Z => 2,
            Swizzle::W => 3,
            Swizzle::One => return ChannelLayout::constant(ONE),
            Swizzle::Zero | Swizzle::None => return ChannelLayout::constant(0),
        };
        let (shift, max, _) = layout.channel(component);
        if max == 0 {
            // A channel that the format lacks reads 0 or 1.
            let is_zero = layout.constant(component).to_bits() == 0;
            return ChannelLayout::constant(if is_zero { 0 } else { ONE });
        }
        let step = ((ONE as u32 - 1) << 7).div_ceil(max);
        ChannelLayout { shift, max, step, top: max.ilog2(), constant: 0 }
    }

    const fn constant(constant: i32) -> ChannelLayout {
        ChannelLayout { shift: 0, max: 0, step: 0, top: 0, constant }
    }

    /// Returns the component of a texel; [`ONE`] is 1.0. The result is the nearest value for 8
    /// bits, and exact for 0 and 1 with any number of bits.
    #[inline(always)]
    pub(super) fn value(&self, texel: u32) -> i32 {
        let integer = self.integer(texel);
        (((integer * self.step) >> 7) + (integer >> self.top)) as i32 + self.constant
    }

    /// Returns the component's stored integer.
    #[inline(always)]
    pub(super) fn integer(&self, texel: u32) -> u32 {
        texel >> self.shift & self.max
    }

    /// Converts a mean of integers in Q8.24 as [`value`](Self::value) converts an integer.
    #[inline(always)]
    pub(super) fn scaled(&self, mean: u32) -> i32 {
        let scaled = (u64::from(mean) * u64::from(self.step << 1)) >> 32;
        scaled as i32 + (mean >> (24 + self.top)) as i32 + self.constant
    }
}
