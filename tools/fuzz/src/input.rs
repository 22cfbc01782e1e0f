//! Choices and numbers read from an input's bytes.

use arbitrary::Unstructured;

/// Words that often break arithmetic on sizes and offsets.
const AWKWARD: [u32; 16] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fff0,
    0xffff_fffe,
    0xffff_ffff,
];

/// Floats that often break conversions and comparisons.
const AWKWARD_FLOATS: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-40,
    2_147_483_648.0,
    -2_147_483_904.0,
    8_388_607.5,
    1e30,
];

/// The unread rest of an input. At its end, zeros are read.
#[derive(Debug)]
pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    /// Reads `bytes` from their start.
    pub fn new(bytes: &'a [u8]) -> Self {
        Input(Unstructured::new(bytes))
    }

    /// Returns true if no byte is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all bytes that are left.
    pub fn rest(self) -> &'a [u8] {
        self.0.take_rest()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or_default()
    }

    /// Returns a number below `count`, or 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.int_in_range(0..=count.saturating_sub(1)).unwrap_or_default()
    }

    /// Returns true once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// Returns either value.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 != 0
    }

    /// Returns one of `values`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Returns a word; half of the words are from a list of awkward values.
    pub fn word(&mut self) -> u32 {
        if self.flag() { self.pick(&AWKWARD) } else { self.0.arbitrary().unwrap_or_default() }
    }

    /// Returns a number up to `most`, or sometimes any word.
    pub fn up_to(&mut self, most: u32) -> u32 {
        if self.once_in(16) { self.word() } else { self.below(most as usize + 1) as u32 }
    }

    /// Returns a float: one near 0, an awkward value, or any bits.
    pub fn float(&mut self) -> f32 {
        match self.below(4) {
            0 | 1 => f32::from(self.byte() as i8) / 32.0,
            2 => self.pick(&AWKWARD_FLOATS),
            _ => f32::from_bits(self.word()),
        }
    }

    /// Returns an array of values that `value` makes.
    pub fn array<T, const N: usize>(&mut self, mut value: impl FnMut(&mut Self) -> T) -> [T; N] {
        std::array::from_fn(|_| value(self))
    }

    /// Returns at most `most` values that `value` makes.
    pub fn list<T>(&mut self, most: usize, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| value(self)).collect()
    }

    /// Returns at most `most` bytes.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let count = self.below(most + 1).min(self.0.len());
        self.0.bytes(count).unwrap_or_default()
    }
}
