//! Numbers without a pattern for unit tests: the same on every host.

/// A linear congruential generator. Its low bits repeat soon, so tests use the high bits.
pub(crate) struct Random(pub(crate) u32);

impl Random {
    /// Returns the next 32 bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0
    }

    /// Returns a number from 0 to `limit` - 1.
    pub(crate) fn below(&mut self, limit: i32) -> i32 {
        (self.bits() >> 8) as i32 % limit
    }
}
