//! Converts the values of a triangle's corners to integer planes.

use os_shim::math::{to_i32, to_u32};

use super::shade::NearestSmallW;
use super::{Component, Rgb565, Texels};
use crate::features::{ARMV6M, GOURAUD_ALONE};
use crate::fixed::SUBPIXEL_BITS;
use crate::lanes::quantise;
use crate::scene::is_channel;
use crate::setup::{Bounds, Gradient, Plane32};
use crate::span::Corners;
use crate::span::attributes::Attributes;
use crate::span::float_planes::FloatPlanes;

/// The largest integers of red, green and blue.
pub(super) const MAX: [f32; 3] = [31.0, 63.0, 31.0];

/// The width (Q24.8) from which a triangle is painted in pairs of pixels.
const WIDE: i32 = 64 << SUBPIXEL_BITS;

/// 1.0 in the fixed point of channels, Q8.24.
pub(super) const CHANNEL: f32 = (1 << 24) as f32;

/// The limit of the ratio of w over a triangle that is painted in perspective.
const MAX_W_RATIO: f32 = 16.0;

/// Returns the least and the greatest of three.
#[inline(always)]
fn range([a, b, c]: [f32; 3]) -> [f32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [if c < low { c } else { low }, if c > high { c } else { high }]
}

/// Returns the fraction of a number below 2³¹, times 2³², with the number's sign.
#[inline(always)]
fn fraction(x: f32) -> i32 {
    let fraction = x - to_i32(x) as f32;
    let word = to_u32(fraction.abs() * 4_294_967_296.0) as i32;
    if fraction < 0.0 { word.wrapping_neg() } else { word }
}

/// Returns true if colours interpolated without a division lie within a quarter of a step of the
/// target of the colours in perspective.
///
/// Along an edge, let the ends' values differ by `d`, and w by a factor of `r`. Then the two
/// interpolations differ by at most `d (r - 1) / 4`.
#[cfg_attr(any(armv6m, feature = "gouraud-alone"), inline(never))]
#[cfg_attr(not(any(armv6m, feature = "gouraud-alone")), inline(always))]
#[expect(clippy::indexing_slicing, reason = "the numbers of channels are 0 to 2")]
pub(super) fn is_nearly_linear(w: &[f32; 3], [a, b, c]: &[[f32; 3]; 3]) -> bool {
    let [low, high] = range(*w);
    let most = 2.0 * low / (high - low);
    if ARMV6M && are_alike(most, [a, b, c]) {
        return true;
    }
    let little = |channel: usize| {
        let [a, b, c] = [a[channel], b[channel], c[channel]];
        // The sum is twice the greatest difference; NaN fails the comparison.
        ((b - a).abs() + (c - a).abs() + (c - b).abs()) * MAX[channel] <= most
    };
    little(0) && little(1) && little(2)
}

/// Returns true if colours surely pass the comparison in [`is_nearly_linear`], by integers alone:
/// floats take long without an FPU. False for values that are not from 0 to 1.
fn are_alike(most: f32, corners: [&[f32; 3]; 3]) -> bool {
    // Q9.23. The margin is greater than the errors of both ways.
    const ONE: f32 = (1 << 23) as f32;
    const MARGIN: i32 = 1 << 11;
    // No channel can fail beyond; NaN is 0 then.
    let most = to_i32(most * ONE).min(128 << 23) - MARGIN;
    let [a, b, c] = corners;
    a.iter().zip(b).zip(c).all(|((a, b), c)| {
        let [a, b, c] = [a.to_bits(), b.to_bits(), c.to_bits()];
        if !(is_channel(a) && is_channel(b) && is_channel(c)) {
            return false;
        }
        let [a, b, c] = [channel_bits(a), channel_bits(b), channel_bits(c)];
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        // Twice the greatest difference, times the greatest integer of all channels.
        (high - low) * 126 <= most
    })
}

/// Converts the bits of a float from 0 to 1 to Q9.23, rounded down.
#[inline(always)]
fn channel_bits(bits: u32) -> i32 {
    let shift = 127u32.wrapping_sub(bits >> 23).min(31);
    ((bits & 0x7f_ffff | 1 << 23) >> shift) as i32
}

/// Derives the planes of a triangle.
pub(super) struct Setup<'s, 'a> {
    kernel: &'s Rgb565<'a>,
    pub(super) attributes: Attributes<'s>,
    gradient: Gradient,
    /// The offset from the gradient's reference pixel to the region's first.
    right: i32,
    down: i32,
    /// 1/w of the corners.
    w: [f32; 3],
}

impl<'s, 'a> Setup<'s, 'a> {
    #[inline(always)]
    pub(super) fn new(
        kernel: &'s Rgb565<'a>,
        corners: &'s Corners<'s>,
        gradient: &Gradient,
        region: &Bounds,
        w: [f32; 3],
    ) -> Setup<'s, 'a> {
        let attributes = Attributes::new(corners, kernel.varyings);
        let (right, down) = (region.x0 - gradient.x, region.y0 - gradient.y);
        Setup { kernel, attributes, gradient: *gradient, right, down, w }
    }
}

impl Setup<'_, '_> {
    /// Returns true if no input needs a division per pixel.
    pub(super) fn is_linear(&self) -> bool {
        let [a, b, c] = self.w;
        (a == b && b == c) || !self.kernel.perspective()
    }

    /// Returns true if colours interpolated without a division are as good, see
    /// [`is_nearly_linear`].
    #[inline(always)]
    pub(super) fn is_nearly_linear(&self) -> bool {
        match &self.attributes.first {
            Some(first) if self.kernel.direct() => is_nearly_linear(&self.w, first),
            _ if GOURAUD_ALONE => false,
            _ => {
                let [r, g, b] = [0, 1, 2].map(|channel| self.channel(channel));
                let corners = [[r[0], g[0], b[0]], [r[1], g[1], b[1]], [r[2], g[2], b[2]]];
                is_nearly_linear(&self.w, &corners)
            }
        }
    }

    /// Scales 1/w so that its greatest value is 1; `false` if w changes by [`MAX_W_RATIO`] or more.
    pub(super) fn normalise_w(&mut self) -> bool {
        let [least, most] = range(self.w);
        let scale = 1.0 / most;
        self.w = self.w.map(|w| w * scale);
        least > 0.0 && most < least * MAX_W_RATIO
    }

    /// Returns a channel of the colour at the corners.
    #[inline(always)]
    pub(super) fn channel(&self, channel: usize) -> [f32; 3] {
        match &self.attributes.first {
            Some(first) if self.kernel.direct() => {
                first.map(|values| values.get(channel).copied().unwrap_or(0.0))
            }
            _ if GOURAUD_ALONE => [0.0; 3],
            _ => {
                let component = self.kernel.color.get(channel);
                self.component(component.copied().unwrap_or(Component::Constant(0.0)))
            }
        }
    }

    /// Returns a component at the corners.
    #[inline(never)]
    pub(super) fn component(&self, component: Component) -> [f32; 3] {
        match component {
            Component::Constant(value) => [value; 3],
            Component::Varying(index) => self.attributes.varying(index),
        }
    }

    /// Returns true if a channel of the colour is in perspective.
    pub(super) fn is_in_perspective(&self, channel: usize) -> bool {
        GOURAUD_ALONE
            || matches!(self.kernel.color.get(channel),
                Some(Component::Varying(index)) if self.attributes.is_perspective(*index))
    }

    /// Returns the number of the draw's varyings.
    pub(super) fn varyings(&self) -> usize {
        self.kernel.varyings.len()
    }

    /// Derives planes in floats, as [`FloatPlanes::new`] does.
    #[inline(always)]
    pub(super) fn float_planes<const N: usize>(
        &self,
        w: [f32; 3],
        count: usize,
        value: impl Fn(usize) -> ([f32; 3], bool),
    ) -> FloatPlanes<N> {
        FloatPlanes::new(&self.gradient, [self.right, self.down], w, count, value)
    }

    /// Returns the packed colour of a triangle with only one colour.
    #[inline(always)]
    pub(super) fn constant(&self) -> Option<u16> {
        (self.kernel.flat() && self.kernel.texture().is_none()).then(|| self.flat_color())
    }

    #[inline(never)]
    fn flat_color(&self) -> u16 {
        let [r, g, b] = self.kernel.color.map(|component| self.component(component)[0]);
        (quantise(r, MAX[0]) << 11 | quantise(g, MAX[1]) << 5 | quantise(b, MAX[2])) as u16
    }

    /// Returns the planes of the colour's channels in Q8.24, rounding included, and, unless the
    /// colour is `linear`, of 1/w in Q2.30; `None` if one is too steep.
    #[inline(always)]
    pub(super) fn color(&self, linear: bool) -> Option<[Plane32; 4]> {
        let (mut planes, mut steep) = ([Plane32::default(); 4], 0);
        for ((channel, max), plane) in MAX.iter().enumerate().zip(&mut planes) {
            steep |= self.channel_plane(self.channel(channel), *max, linear, plane);
        }
        if !linear {
            steep |= self.plane(self.w, (1 << 30) as f32, 0.0, &mut planes[3]);
        }
        (steep >= 0).then_some(planes)
    }

    /// Returns true if all channels are from 0 to 1 at the corners, and therefore everywhere.
    #[inline(always)]
    fn stays_in_range(&self) -> bool {
        let fits = |x: &f32| (0.0..=1.0).contains(x);
        (0..3).all(|channel| self.channel(channel).iter().all(fits))
    }

    /// Returns true if colours without a division are painted in pairs of pixels: the triangle is
    /// wide, and its channels stay in their range.
    #[inline(always)]
    pub(super) fn is_in_pairs(&self, [a, b, c]: &[[i32; 2]; 3]) -> bool {
        let [left, right] = [i32::min, i32::max].map(|of| of(of(a[0], b[0]), c[0]));
        right - left >= WIDE && self.stays_in_range()
    }

    /// Derives a channel's plane; returns a negative number if it is too steep.
    #[inline(never)]
    fn channel_plane(
        &self,
        mut values: [f32; 3],
        max: f32,
        linear: bool,
        plane: &mut Plane32,
    ) -> i32 {
        // Half a step, so that the shift per pixel rounds.
        if !linear {
            for (value, w) in values.iter_mut().zip(&self.w) {
                *value = (*value * max + 0.5) * w;
            }
            return self.plane(values, CHANNEL, 0.0, plane);
        }
        self.plane(values, max * CHANNEL, 0.5 * CHANNEL, plane)
    }

    /// Returns the planes of texture coordinates. The fraction of a coordinate fills its word.
    #[inline(always)]
    pub(super) fn texture(&self, texels: &Texels<'_>) -> Option<[Plane32; 2]> {
        let plane = |varying| self.wrapping_plane(self.component(Component::Varying(varying)));
        Some([plane(texels.s)?, plane(texels.t)?])
    }

    /// Returns the planes of texture coordinates over w and of 1/w, and true if they are planes for
    /// [`NearestSmallW`].
    #[inline(always)]
    pub(super) fn texture_w(&self, texels: &Texels<'_>) -> Option<([Plane32; 3], bool)> {
        let axes = [(texels.s, texels.log2_width), (texels.t, texels.log2_height)];
        let mut axes = axes.map(|(varying, log2_size)| self.coordinate(varying, log2_size));
        // NaN fails this comparison.
        let within =
            |[s, t]: &[[f32; 3]; 2], reach: f32| s.iter().chain(t).all(|value| value.abs() < reach);
        let width = (1u32 << texels.log2_width) as f32;
        let rows = [axes[0], axes[1].map(|value| value * width)];
        let small =
            range(self.w)[0] >= NearestSmallW::LEAST_W && within(&rows, NearestSmallW::REACH);
        let mut scale = 65_536.0;
        if small {
            (axes, scale) = (rows, NearestSmallW::SCALE);
        } else if !within(&axes, 16_384.0) {
            return None;
        }
        let (mut planes, mut steep) = ([Plane32::default(); 3], 0);
        for (plane, mut values) in planes.iter_mut().zip(axes) {
            values.iter_mut().zip(&self.w).for_each(|(value, w)| *value *= w);
            steep |= self.plane(values, scale, 0.0, plane);
        }
        steep |= self.plane(self.w, (1 << 30) as f32, 0.0, &mut planes[2]);
        (steep >= 0).then_some((planes, small))
    }

    /// Returns a texture coordinate at the corners, in texels, near 0.
    #[inline(never)]
    pub(super) fn coordinate(&self, varying: usize, log2_size: u32) -> [f32; 3] {
        let values = self.component(Component::Varying(varying));
        // Subtracting whole repeats does not change the texel and brings values near 0.
        let first = os_shim::math::floor(values[0]);
        let size = (1u32 << log2_size) as f32;
        values.map(|value| (value - first) * size)
    }

    /// Derives the plane through the corners' values; `scale` is the integer for 1.0, `plus` is
    /// added. Returns a negative number if the plane is too steep for 32 bits.
    #[inline(always)]
    fn plane(&self, v: [f32; 3], scale: f32, plus: f32, to: &mut Plane32) -> i32 {
        let plane = self.gradient.plane(v[0], v[1], v[2]);
        // Casts saturate, and the tests of steepness detect saturated values.
        let (dx, dy) = (to_i32(plane.dadx * scale), to_i32(plane.dady * scale));
        let plane = Plane32 { value: to_i32(plane.a * scale + plus), dx, dy };
        *to = plane.moved(self.right, self.down);
        plane.steepness() | plane.saturation()
    }

    /// Returns the plane of a coordinate with a fraction that fills its word; `None` from 1024 on.
    #[inline(never)]
    fn wrapping_plane(&self, v: [f32; 3]) -> Option<Plane32> {
        let plane = self.gradient.plane(v[0], v[1], v[2]);
        // NaN fails this comparison.
        let near = |x: f32| x.abs() < 1024.0;
        if !(near(plane.a) && near(plane.dadx) && near(plane.dady)) {
            return None;
        }
        let [a, dx, dy] = [plane.a, plane.dadx, plane.dady].map(fraction);
        Some(Plane32 { value: a, dx, dy }.moved(self.right, self.down))
    }
}

#[cfg(test)]
mod tests {
    use super::{are_alike, fraction, is_nearly_linear};
    use crate::random::Random;

    #[test]
    fn colors_that_are_alike_are_nearly_linear() {
        let mut random = Random(9);
        let mut channel = |spread: u32| {
            let bits = random.bits();
            0.5 + (bits >> 8) as f32 / (1 << 24) as f32 / (1 << (bits & spread)) as f32 / 2.0
        };
        let mut found = 0;
        for case in 0..40_000 {
            let w = [channel(7), channel(7), channel(7)];
            let corners = [(); 3].map(|()| [(); 3].map(|()| channel(15)));
            let [low, high] = super::range(w);
            let [a, b, c] = &corners;
            if are_alike(2.0 * low / (high - low), [a, b, c]) {
                found += 1;
                assert!(is_nearly_linear(&w, &corners), "{case}: {w:?} {corners:?}");
            }
        }
        assert!(found > 1000, "{found}");
        let (black, grey) = ([0.0; 3], [0.5; 3]);
        assert!(are_alike(f32::INFINITY, [&black, &grey, &[1.0; 3]]));
        assert!(
            are_alike(64.0, [&black, &grey, &grey]) && !are_alike(62.0, [&black, &grey, &grey])
        );
        assert!(!are_alike(f32::NAN, [&grey; 3]) && !are_alike(1e9, [&grey, &grey, &[1.5; 3]]));
    }

    #[test]
    fn fractions_are_those_of_doubles() {
        for exponent in -40..10 {
            for mantissa in [1.0f32, 1.25, 1.000_000_1, 1.999_999_9] {
                let x = mantissa * f32::powi(2.0, exponent);
                for x in [x, -x] {
                    assert_eq!(fraction(x), (f64::from(x) * 4_294_967_296.0) as i64 as i32, "{x}");
                }
            }
        }
        assert_eq!((fraction(0.0), fraction(-0.0), fraction(-7.0)), (0, 0, 0));
    }
}
