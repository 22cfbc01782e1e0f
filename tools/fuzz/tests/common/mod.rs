//! Random numbers for tests.

/// Returns bytes that look random, the same for the same seed.
pub(crate) fn random(seed: u64, count: usize) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}
