//! The sizes of a pipeline: its memory, and the range of window coordinates.

/// The most outputs of a program: [`OutputModes`](crate::OutputModes) has one bit per output.
pub(crate) const MAX_OUTPUTS: u16 = 64;

/// The largest guard band, in pixels: with 8 subpixel bits, differences of coordinates have 24
/// bits, exact in `f32`, and products of them are exact in `i64`.
pub const MAX_GUARD_BAND: u32 = 1 << 14;

/// The sizes that a [`Pipeline`](crate::Pipeline) is made for.
///
/// For a program with `o` outputs and `r` rows of `n` lanes, a pipeline takes
/// `segment_vertices * (2 * (28 + 16 * o) + 16 + 16) + 16 * o + 4 * n * r` bytes, a little more if
/// the vertex cache's table is rounded up to a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of vertices shaded together, from 3 to 16384. A multiple of the lanes is best.
    ///
    /// The same number of vertices is kept after shading, for later primitives to share.
    pub segment_vertices: u16,
    /// The largest absolute window coordinate, in pixels: from 2 to [`MAX_GUARD_BAND`], and no less
    /// than the target's width and height.
    ///
    /// Triangles and lines that cross the viewport's sides, but stay within the band, are not
    /// clipped there: the rasterizer confines them to the viewport.
    pub guard_band: u32,
}

impl Limits {
    /// For a microcontroller: about 5 KB with 6 outputs and 16 lanes, without the shader's rows.
    pub const SMALL: Limits = Limits { segment_vertices: 16, guard_band: MAX_GUARD_BAND };
    /// For a host: fits into a second-level cache.
    pub const HOST: Limits = Limits { segment_vertices: 256, guard_band: MAX_GUARD_BAND };

    /// Returns the bytes that a pipeline takes for a program with `outputs` outputs and `rows` rows
    /// of `lanes` lanes, by the formula above.
    #[must_use]
    pub const fn bytes(&self, lanes: usize, rows: usize, outputs: usize) -> usize {
        let vertex = outputs.saturating_mul(16);
        let slots = (self.segment_vertices as usize).saturating_mul(2);
        let segment = slots.saturating_mul(vertex.saturating_add(28 + 16));
        let registers = lanes.saturating_mul(rows).saturating_mul(4);
        segment.saturating_add(vertex).saturating_add(registers)
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn bytes_are_those_of_the_formula() {
        // 16 * (2 * (28 + 16 * 6) + 32) + 16 * 6 + 4 * 16 * 10.
        assert_eq!(Limits::SMALL.bytes(16, 10, 6), 16 * (2 * 124 + 32) + 96 + 640);
    }
}
