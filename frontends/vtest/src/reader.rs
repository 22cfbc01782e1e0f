//! Little-endian words, read one after the other without a panic.

/// The stream ended before the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truncated;

/// The unread rest of a payload.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads `bytes` from the start.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Whole words that are left.
    pub const fn len(&self) -> usize {
        self.0.len() / 4
    }

    /// Returns true if no whole word is left.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next word.
    ///
    /// # Errors
    /// There is none.
    pub fn word(&mut self) -> Result<u32, Truncated> {
        let (word, rest) = self.0.split_first_chunk::<4>().ok_or(Truncated)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*word))
    }

    /// The next `N` words.
    ///
    /// # Errors
    /// There are fewer.
    pub fn words<const N: usize>(&mut self) -> Result<[u32; N], Truncated> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Ok(words)
    }

    /// The next word as a float.
    ///
    /// # Errors
    /// There is none.
    pub fn float(&mut self) -> Result<f32, Truncated> {
        self.word().map(f32::from_bits)
    }

    /// The next `N` words as floats.
    ///
    /// # Errors
    /// There are fewer.
    pub fn floats<const N: usize>(&mut self) -> Result<[f32; N], Truncated> {
        self.words().map(|words| words.map(f32::from_bits))
    }

    /// The next two words as a double, low word first.
    ///
    /// # Errors
    /// There are fewer.
    pub fn double(&mut self) -> Result<f64, Truncated> {
        let [low, high] = self.words()?;
        Ok(f64::from_bits(u64::from(high) << 32 | u64::from(low)))
    }

    /// The next `count` words as bytes.
    ///
    /// # Errors
    /// There are fewer.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Truncated> {
        let bytes = count.checked_mul(4).ok_or(Truncated)?;
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Everything that is left.
    pub const fn rest(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_order_and_end() {
        let bytes = [1, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 240, 63, 7, 8, 9];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.len(), 4);
        assert_eq!(reader.word(), Ok(1));
        assert_eq!(reader.float(), Ok(1.0));
        assert_eq!(reader.double(), Ok(1.0));
        assert!(reader.is_empty());
        assert_eq!(reader.word(), Err(Truncated));
        assert_eq!(reader.rest(), [7, 8, 9]);
        assert_eq!(reader.take(usize::MAX), Err(Truncated));
    }
}
