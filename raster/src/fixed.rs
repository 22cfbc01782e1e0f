//! Fixed point: subpixel positions, depth, and the grid both are exact on.

/// Fraction bits of window positions (Q24.8: 1/256 pixel).
pub const SUBPIXEL_BITS: u32 = 8;

/// One pixel in Q24.8.
pub const SUBPIXEL_ONE: i32 = 1 << SUBPIXEL_BITS;

/// Edge of a block in pixels. Blocks lie on a fixed grid of the surface, whatever the tile size,
/// so what is computed once a block (depth bases) is the same in every profile.
pub const BLOCK: u32 = 16;

/// Positions a sink is given stay within ± this many pixels.
pub const GUARD_BAND: i32 = 1 << 14;

/// Fraction bits of interpolated depth (Q2.30: 1.0 is `1 << 30`, overshoot cannot wrap).
pub const DEPTH_BITS: u32 = 30;

/// Returns a depth in Q2.30, clamped to 0 to 1, as the 32-bit unsigned normalised number that depth
/// buffers take.
///
/// The two lowest bits occur twice: 1.0 becomes `u32::MAX`, 0.5 becomes `0x8000_0000`, and the map is
/// monotonic.
#[inline(always)]
pub fn depth_unorm32(z: i32) -> u32 {
    let z = z.clamp(0, (1 << DEPTH_BITS) - 1) as u32;
    z << 2 | z & 3
}

/// Returns a depth that a shader wrote (clamped to 0…1; NaN is 0) as a 32-bit unsigned normalised
/// number.
#[inline(always)]
pub fn depth_from_f32(z: f32) -> u32 {
    // `as` saturates, which is the clamp, and takes NaN to 0.
    os_shim::math::to_u32(z * 4_294_967_296.0)
}

/// Returns a Q2.30 depth as a shader reads it, 0 to 1.
#[inline(always)]
pub fn depth_to_f32(z: i32) -> f32 {
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
        // Half of 2^32 - 1 lies between 0x7fff_ffff and 0x8000_0000: nothing else is a unorm32 of 0.5.
        assert_eq!(depth_unorm32(1 << 29), 0x8000_0000);
        assert_eq!(depth_from_f32(1.0), u32::MAX);
        assert_eq!(depth_from_f32(f32::NAN), 0);
        assert_eq!(depth_from_f32(-1.0), 0);
        assert_eq!(depth_from_f32(0.5), 1 << 31);
        assert_eq!(depth_to_f32(1 << 30), 1.0);
    }
}
