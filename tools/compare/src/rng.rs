//! Random choices, the same on every machine.

/// A generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.bits() as u32) * u64::from(limit)) >> 32) as u32
    }

    /// Returns a number in the range, ends included.
    pub fn within(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as u32) as i32
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Returns a number in the range, with 24 random bits.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.below(1 << 24) as f32 / (1 << 24) as f32
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If `items` is empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }
}
