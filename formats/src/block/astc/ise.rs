//! Integer sequence encoding: values of 2ⁿ, 3·2ⁿ or 5·2ⁿ levels.
//!
//! The base-3 and base-5 digits of several values share bits: five base-3 digits take 8 bits, three
//! base-5 digits take 7. These bits are interleaved with the low bits of each value.

/// The factor in the number of levels that is not a power of two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digit {
    One,
    /// 0 to 2.
    Trit,
    /// 0 to 4.
    Quint,
}

/// The number of levels of a value: the digit's levels times 2^`low`.
#[derive(Clone, Copy)]
pub(super) struct Range {
    digit: Digit,
    low: u32,
}

const fn range(digit: Digit, low: u32) -> Range {
    Range { digit, low }
}

/// All ranges, 2 to 256 levels. Weights use the first twelve, colours start at the fifth.
const RANGES: [Range; 21] = {
    use Digit::{One, Quint, Trit};
    [
        range(One, 1),
        range(Trit, 0),
        range(One, 2),
        range(Quint, 0),
        range(Trit, 1),
        range(One, 3),
        range(Quint, 1),
        range(Trit, 2),
        range(One, 4),
        range(Quint, 2),
        range(Trit, 3),
        range(One, 5),
        range(Quint, 3),
        range(Trit, 4),
        range(One, 6),
        range(Quint, 4),
        range(Trit, 5),
        range(One, 7),
        range(Quint, 5),
        range(Trit, 6),
        range(One, 8),
    ]
};

/// Index of the first range of colours: six levels.
const FIRST_COLORS: usize = 4;

impl Range {
    /// Returns the range of the weights in a block mode: `level` is 2 to 7, precision low or high.
    pub(super) fn of_weights(level: u32, high: bool) -> Option<Range> {
        let index = level.checked_sub(2)? + if high { 6 } else { 0 };
        RANGES.get(index as usize).copied()
    }

    /// Returns the largest range for which `count` values fit in `bits` bits.
    pub(super) fn of_colors(count: usize, bits: usize) -> Option<Range> {
        RANGES[FIRST_COLORS..].iter().rev().find(|range| range.bits(count) <= bits).copied()
    }

    /// Returns the number of bits that `count` values take.
    pub(super) fn bits(self, count: usize) -> usize {
        let digits = match self.digit {
            Digit::One => 0,
            Digit::Trit => (8 * count).div_ceil(5),
            Digit::Quint => (7 * count).div_ceil(3),
        };
        digits + count * self.low as usize
    }

    /// Reads a sequence from bit 0 up. Calls `each` with the digit and the low bits of each value.
    fn read(self, word: u128, values: &mut [u8], each: fn(Range, u32, u32) -> u32) {
        // Bits after the end of the sequence count as 0.
        let bits = self.bits(values.len());
        let mut word = if bits < 128 { word & ((1 << bits) - 1) } else { word };
        let mut take = |bits: u32| {
            let value = word as u32 & ((1 << bits) - 1);
            word >>= bits;
            value
        };
        // Number of bits of the shared digits that follow the low bits of each value.
        let (group, shares): (usize, [u32; 5]) = match self.digit {
            Digit::One => (1, [0; 5]),
            Digit::Trit => (5, [2, 2, 1, 2, 1]),
            Digit::Quint => (3, [3, 2, 2, 0, 0]),
        };
        for values in values.chunks_mut(group) {
            let (mut low, mut shared, mut at) = ([0; 5], 0, 0);
            for (low, share) in low.iter_mut().zip(shares).take(group) {
                *low = take(self.low);
                shared |= take(share) << at;
                at += share;
            }
            let digits = match self.digit {
                Digit::One => [0; 5],
                Digit::Trit => trits(shared),
                Digit::Quint => quints(shared),
            };
            for ((value, low), digit) in values.iter_mut().zip(low).zip(digits) {
                *value = each(self, digit, low) as u8;
            }
        }
    }

    /// Returns a weight, 0 to 64.
    pub(super) fn weights(self, word: u128, values: &mut [u8]) {
        self.read(word, values, weight);
    }

    /// Returns a colour, 0 to 255.
    pub(super) fn colors(self, word: u128, values: &mut [u8]) {
        self.read(word, values, color);
    }
}

/// Returns five base-3 digits from 8 bits.
fn trits(t: u32) -> [u32; 5] {
    let bits = |low: u32, count: u32| t >> low & ((1 << count) - 1);
    let (c, t3, t4) = if bits(2, 3) == 7 {
        (bits(5, 3) << 2 | bits(0, 2), 2, 2)
    } else if bits(5, 2) == 3 {
        (bits(0, 5), bits(7, 1), 2)
    } else {
        (bits(0, 5), bits(5, 2), bits(7, 1))
    };
    // Two bits; the lower one is ignored if the higher one is set.
    let two = |low: u32| {
        let (low, high) = (c >> low & 1, c >> (low + 1) & 1);
        high << 1 | (low & !high)
    };
    if c & 3 == 3 {
        [two(2), c >> 4, 2, t3, t4]
    } else if c >> 2 & 3 == 3 {
        [c & 3, 2, 2, t3, t4]
    } else {
        [two(0), c >> 2 & 3, c >> 4, t3, t4]
    }
}

/// Returns three base-5 digits from 7 bits.
fn quints(q: u32) -> [u32; 5] {
    let bits = |low: u32, count: u32| q >> low & ((1 << count) - 1);
    if bits(1, 2) == 3 && bits(5, 2) == 0 {
        let first = bits(0, 1);
        let rest = if first == 0 { bits(3, 2) } else { 0 };
        return [4, 4, first << 2 | rest, 0, 0];
    }
    let (c, q2) = if bits(1, 2) == 3 {
        (bits(3, 2) << 3 | (!bits(5, 2) & 3) << 1 | bits(0, 1), 4)
    } else {
        (bits(0, 5), bits(5, 2))
    };
    if c & 7 == 5 { [c >> 3, 4, q2, 0, 0] } else { [c & 7, c >> 3, q2, 0, 0] }
}

/// Repeats a pattern of `count` bits until it has `to` bits.
const fn repeat(value: u32, count: u32, to: u32) -> u32 {
    let mut wide = 0;
    let mut at = to as i32 - count as i32;
    while at > -(count as i32) {
        wide |= if at >= 0 { value << at } else { value >> -at };
        at -= count as i32;
    }
    wide
}

/// Sets bits according to a pattern such as `"b000b0bb0"`: letter `a` stands for bit 0 of `low`.
fn spread(pattern: &[u8], low: u32) -> u32 {
    pattern.iter().fold(0, |word, &letter| {
        let bit = if letter == b'0' { 0 } else { low >> (letter - b'a') & 1 };
        word << 1 | bit
    })
}

/// Returns a colour of 0 to 255.
fn color(range: Range, digit: u32, low: u32) -> u32 {
    let (factor, pattern): (u32, &[u8]) = match (range.digit, range.low) {
        (Digit::One, bits) => return repeat(low, bits, 8),
        (Digit::Trit, 1) => (204, b"0"),
        (Digit::Trit, 2) => (93, b"b000b0bb0"),
        (Digit::Trit, 3) => (44, b"cb000cbcb"),
        (Digit::Trit, 4) => (22, b"dcb000dcb"),
        (Digit::Trit, 5) => (11, b"edcb000ed"),
        (Digit::Trit, _) => (5, b"fedcb000f"),
        (Digit::Quint, 1) => (113, b"0"),
        (Digit::Quint, 2) => (54, b"b0000bb00"),
        (Digit::Quint, 3) => (26, b"cb0000cbc"),
        (Digit::Quint, 4) => (13, b"dcb0000dc"),
        (Digit::Quint, _) => (6, b"edcb0000e"),
    };
    let mirror = if low & 1 != 0 { 0x1ff } else { 0 };
    let value = (digit * factor + spread(pattern, low)) ^ mirror;
    (mirror & 0x80) | value >> 2
}

/// Returns a weight of 0 to 64.
fn weight(range: Range, digit: u32, low: u32) -> u32 {
    let (factor, pattern): (u32, &[u8]) = match (range.digit, range.low) {
        (Digit::Trit, 0) => return 32 * (digit % 3),
        (Digit::Quint, 0) => return 16 * (digit % 5),
        (Digit::One, bits) => {
            let value = repeat(low, bits, 6);
            return value + (value > 32) as u32;
        }
        (Digit::Trit, 1) => (50, b"0"),
        (Digit::Trit, 2) => (23, b"b000b0b"),
        (Digit::Trit, _) => (11, b"cb000cb"),
        (Digit::Quint, 1) => (28, b"0"),
        (Digit::Quint, _) => (13, b"b0000b0"),
    };
    let mirror = if low & 1 != 0 { 0x7f } else { 0 };
    let value = (digit * factor + spread(pattern, low)) ^ mirror;
    let value = (mirror & 0x20) | value >> 2;
    value + (value > 32) as u32
}
