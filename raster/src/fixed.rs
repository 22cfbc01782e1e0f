//! Fixed-point formats of subpixel positions and depth, and the grid on which both are exact.

/// Fraction bits of window positions (Q24.8: 1/256 pixel).
pub(crate) const SUBPIXEL_BITS: u32 = 8;

/// One pixel in Q24.8.
pub(crate) const SUBPIXEL_ONE: i32 = 1 << SUBPIXEL_BITS;

/// Edge of a block in pixels. Blocks lie on a fixed grid of the surface, whatever the tile size. So
/// values computed once per block (depth bases) are the same in every profile.
pub(crate) const BLOCK: u32 = 16;

/// Positions that a sink receives lie within ± this many pixels.
pub(crate) const GUARD_BAND: i32 = 1 << 14;

/// Fraction bits of interpolated depth (Q2.30: 1.0 is `1 << 30`; overshoot cannot wrap).
pub(crate) const DEPTH_BITS: u32 = 30;

/// Converts a Q2.30 depth to the 32-bit unsigned normalised number that depth buffers take. Clamps
/// it to 0 to 1.
///
/// The two lowest bits are repeated: 1.0 becomes `u32::MAX`, 0.5 becomes `0x8000_0000`, and the map
/// is monotonic.
#[inline(always)]
pub(crate) fn depth_unorm32(z: i32) -> u32 {
    let z = z.clamp(0, (1 << DEPTH_BITS) - 1) as u32;
    z << 2 | z & 3
}

/// Converts a depth that a shader wrote to a 32-bit unsigned normalised number. Clamps it to 0…1;
/// NaN becomes 0.
#[inline(always)]
pub(crate) fn depth_from_f32(z: f32) -> u32 {
    // `as` saturates, which clamps, and turns NaN into 0.
    os_shim::math::to_u32(z * 4_294_967_296.0)
}

/// Converts a Q2.30 depth to the float that a shader reads, 0 to 1.
#[inline(always)]
pub(crate) fn depth_to_f32(z: i32) -> f32 {
    z.clamp(0, 1 << DEPTH_BITS) as f32 * (1.0 / (1u32 << DEPTH_BITS) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_ends_are_exact() {
        assert_eq!(depth_unorm32(0), 0);
        assert_eq!(depth_unorm32(1 << 30), u32::MAX);
        assert_eq!(depth_unorm32((1 << 30) + 77), u32::MAX);
        assert_eq!(depth_unorm32(-5), 0);
        // Half of 2^32 - 1 lies between 0x7fff_ffff and 0x8000_0000: no other number is a unorm32
        // of 0.5.
        assert_eq!(depth_unorm32(1 << 29), 0x8000_0000);
        assert_eq!(depth_from_f32(1.0), u32::MAX);
        assert_eq!(depth_from_f32(f32::NAN), 0);
        assert_eq!(depth_from_f32(-1.0), 0);
        assert_eq!(depth_from_f32(0.5), 1 << 31);
        assert_eq!(depth_to_f32(1 << 30), 1.0);
    }
}
