//! How much memory a pipeline takes, and how far off-screen a primitive may reach.

/// The largest guard band, in pixels: with 8 subpixel bits and 24 bits of sums, differences of
/// coordinates stay exact in `f32` and products of them in `i64`.
pub const MAX_GUARD_BAND: u32 = 1 << 14;

/// The sizes a [`Pipeline`](crate::Pipeline) is made for.
///
/// Its memory is, for a program with `o` outputs and `r` rows of `n` lanes,
/// `segment_vertices * (2 * (28 + 16 * o) + 16 + 16) + 16 * o + 4 * n * r` bytes, a little
/// more where the last factor is rounded up to a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Vertices shaded together, best a multiple of the lanes; from 3 to 16384.
    ///
    /// As many again are remembered, so that primitives find vertices that were shaded before.
    pub segment_vertices: u16,
    /// How far window coordinates may reach beyond 0, in pixels, either way; at most
    /// [`MAX_GUARD_BAND`].
    ///
    /// Triangles and lines that cross the viewport's sides, but stay within the band, are not
    /// clipped there: whoever rasterizes confines them to the viewport.
    pub guard_band: u32,
}

impl Limits {
    /// For a microcontroller: about 5 KB with 6 outputs and 16 lanes, rows apart.
    pub const SMALL: Limits = Limits { segment_vertices: 16, guard_band: MAX_GUARD_BAND };
    /// For a host: fits a second-level cache.
    pub const HOST: Limits = Limits { segment_vertices: 256, guard_band: MAX_GUARD_BAND };
}
