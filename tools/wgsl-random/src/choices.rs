//! Random choices, the same on every machine.

/// A source of numbers below a limit.
pub struct Choices<'c>(pub &'c mut dyn FnMut(u32) -> u32);

impl Choices<'_> {
    /// Returns a number below `limit`, or 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        if limit < 2 { 0 } else { (self.0)(limit).min(limit - 1) }
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Returns a word; half of the words are awkward.
    pub fn word(&mut self) -> u32 {
        const AWKWARD: [u32; 12] =
            [0, 1, 2, 7, 31, 32, 0xff, 0x7fff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
        match self.below(4) {
            0 | 1 => self.pick(&AWKWARD),
            2 => self.below(100),
            _ => self.below(1 << 16) << 16 | self.below(1 << 16),
        }
    }
}

/// Returns the choices of a seed, by SplitMix64.
pub fn seeded(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    move |limit| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (((bits & 0xffff_ffff) * u64::from(limit)) >> 32) as u32
    }
}
