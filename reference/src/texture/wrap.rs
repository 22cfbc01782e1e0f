//! Wrap modes: from a coordinate to the texels of a filter (OpenGL 4.6, section 8.14.2).

use pipe_core::TexWrap;

/// The index of a texel along an axis; `None` is the border.
pub(super) type Index = Option<u32>;

/// One axis of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) mode: TexWrap,
    /// In texels.
    pub(super) size: u32,
    /// True if coordinates are normalized, that is, not in texels.
    pub(super) normalized: bool,
    /// Added to texel indices before wrapping.
    pub(super) offset: i32,
}

/// Mirrors `a` at -½, so that -1 becomes 0.
fn mirror(a: i64) -> i64 {
    if a >= 0 { a } else { -(1 + a) }
}

impl Axis {
    /// Converts a coordinate to texels.
    fn texels(&self, coordinate: f64) -> f64 {
        let size = f64::from(self.size);
        let texels = if self.normalized { coordinate * size } else { coordinate };
        let texels = texels + f64::from(self.offset);
        // Legacy modes clamp the coordinate, so that filters blend half of the border in. The offset
        // counts before, as piglit's `texwrap` expects of every driver.
        let clamped = match self.mode {
            TexWrap::Clamp => texels.max(0.0).min(size),
            TexWrap::MirrorClamp => texels.max(-size).min(size),
            _ => texels,
        };
        // Beyond these limits coordinates have no useful fraction; a NaN becomes 0.
        if clamped.is_nan() { 0.0 } else { clamped.clamp(-1e15, 1e15) }
    }

    /// Wraps a texel index; `linear` is set for linear filters.
    fn wrap(&self, i: i64, linear: bool) -> Index {
        let size = i64::from(self.size);
        let inside = |i: i64| (0..size).contains(&i).then_some(i as u32);
        let edge = |i: i64| Some(i.clamp(0, size - 1) as u32);
        match self.mode {
            TexWrap::Repeat => edge(i.rem_euclid(size)),
            TexWrap::MirrorRepeat => edge((size - 1) - mirror(i.rem_euclid(2 * size) - size)),
            TexWrap::ClampToEdge => edge(i),
            TexWrap::ClampToBorder => inside(i),
            TexWrap::Clamp => {
                if linear {
                    inside(i)
                } else {
                    edge(i)
                }
            }
            TexWrap::MirrorClampToEdge => edge(mirror(i)),
            TexWrap::MirrorClampToBorder => inside(mirror(i)),
            TexWrap::MirrorClamp => {
                if linear {
                    inside(mirror(i))
                } else {
                    edge(mirror(i))
                }
            }
        }
    }

    /// Returns the texel at a coordinate.
    pub(super) fn nearest(&self, coordinate: f64) -> Index {
        self.wrap(self.texels(coordinate).floor() as i64, false)
    }

    /// Returns the indices of the two texels around a coordinate, before wrapping, and the weight
    /// of the second.
    pub(super) fn pair(&self, coordinate: f64) -> ([i64; 2], f64) {
        let texels = self.texels(coordinate) - 0.5;
        let first = texels.floor();
        ([first as i64, first as i64 + 1], texels - first)
    }

    /// Returns the two texels around a coordinate, and the weight of the second.
    pub(super) fn linear(&self, coordinate: f64) -> ([Index; 2], f64) {
        let (numbers, weight) = self.pair(coordinate);
        (numbers.map(|i| self.wrap(i, true)), weight)
    }
}

/// Returns the layer nearest to a coordinate, among `count` ones.
pub(super) fn layer(coordinate: f64, count: u32) -> u32 {
    (coordinate + 0.5).floor().max(0.0).min(f64::from(count - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the texels that indices -5 to 8 wrap to, in an image of 4 texels.
    fn wrapped(mode: TexWrap, linear: bool) -> Vec<i64> {
        let axis = Axis { mode, size: 4, normalized: false, offset: 0 };
        (-5..9).map(|i| axis.wrap(i, linear).map_or(-1, i64::from)).collect()
    }

    #[test]
    fn legacy_clamps_come_after_the_offset() {
        // Texel 1.5 of four, moved by 3, lies beyond the image; by -3, before it.
        for (mode, offset, texel) in
            [(TexWrap::Clamp, 3, 3), (TexWrap::Clamp, -3, 0), (TexWrap::MirrorClamp, -3, 1)]
        {
            let axis = Axis { mode, size: 4, normalized: false, offset };
            assert_eq!(axis.nearest(1.5), Some(texel), "{mode:?} {offset}");
        }
    }

    #[test]
    fn texel_numbers_wrap_as_the_specification_says() {
        for (mode, expected) in [
            (TexWrap::Repeat, [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]),
            (TexWrap::MirrorRepeat, [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]),
            (TexWrap::ClampToEdge, [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]),
            (TexWrap::ClampToBorder, [-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1]),
            (TexWrap::MirrorClampToEdge, [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]),
            (TexWrap::MirrorClampToBorder, [-1, 3, 2, 1, 0, 0, 1, 2, 3, -1, -1, -1, -1, -1]),
        ] {
            assert_eq!(wrapped(mode, false), expected, "{mode:?}");
        }
    }
}
