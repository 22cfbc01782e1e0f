//! Parses the numbers of immediates.

use super::cursor::Cursor;
use super::error::TextError;
use crate::shader::ImmediateType;

impl Cursor<'_> {
    /// Reads the bits of one value of an immediate; 32-bit values are in the low half.
    pub(super) fn immediate_value(&mut self, kind: ImmediateType) -> Result<u64, TextError> {
        match kind {
            ImmediateType::Float32 => self.float32().map(u64::from),
            ImmediateType::Uint32 => self.int32(false).map(u64::from),
            ImmediateType::Int32 => self.int32(true).map(u64::from),
            ImmediateType::Float64 => self.float64(),
            ImmediateType::Uint64 | ImmediateType::Int64 => self.int64(),
        }
    }

    fn float32(&mut self) -> Result<u32, TextError> {
        let start = *self;
        let expected = "a float, or 0x and eight hexadecimal digits";
        if self.eat_text("0x") {
            let digits = self.digits(16);
            let bits = u32::from_str_radix(digits, 16).ok();
            return match bits {
                Some(bits) if digits.len() == 8 && self.ends_number() => Ok(bits),
                _ => Err(start.error(expected)),
            };
        }
        let value = self.decimal().and_then(|text| text.parse::<f32>().ok());
        value.map(f32::to_bits).ok_or_else(|| start.error(expected))
    }

    fn float64(&mut self) -> Result<u64, TextError> {
        let start = *self;
        let expected = "a float";
        if let Some(text) = self.decimal() {
            return text.parse().map(f64::to_bits).map_err(|_| start.error(expected));
        }
        *self = start;
        let sign = match self.peek() {
            Some(b'-') => 1u64 << 63,
            _ => 0,
        };
        if !self.eat(b'-') {
            self.eat(b'+');
        }
        if self.eat_text("0x") {
            let value = u64::from_str_radix(self.digits(16), 16);
            return match value {
                Ok(value) if self.ends_number() => Ok((value as f64).to_bits() | sign),
                _ => Err(start.error(expected)),
            };
        }
        if self.eat_text("infinity") || self.eat_text("inf") {
            return Ok(f64::INFINITY.to_bits() | sign);
        }
        if self.eat_text("nan") {
            return Ok(self.nan_payload(&start)? | f64::INFINITY.to_bits() | sign);
        }
        Err(start.error(expected))
    }

    /// Reads the payload of a NaN as C writes it: `nan(0x8000000000001)`. Without a payload the NaN
    /// is quiet.
    fn nan_payload(&mut self, start: &Self) -> Result<u64, TextError> {
        if !self.eat(b'(') {
            return Ok(1 << 51);
        }
        self.eat_text("0x");
        match u64::from_str_radix(self.digits(16), 16) {
            Ok(payload) if payload != 0 && payload < 1 << 52 && self.eat(b')') => Ok(payload),
            _ => Err(start.error("a NaN with a payload of 52 bits")),
        }
    }

    /// Reads an integer, signed or unsigned, modulo 2^32 if it fits 32 bits either way.
    fn int32(&mut self, signed: bool) -> Result<u32, TextError> {
        let start = *self;
        let negative = signed && self.peek() == Some(b'-');
        if signed && !self.eat(b'-') {
            self.eat(b'+');
        }
        let value = self.digits(10).parse::<u32>().ok();
        match value {
            Some(value) if self.ends_number() && !negative => Ok(value),
            Some(value) if self.ends_number() && value <= 1 << 31 => Ok(value.wrapping_neg()),
            _ => Err(start.error("an integer of 32 bits")),
        }
    }

    /// Reads a 64-bit integer as C's `strtoll` with base 0 does: decimal, `0x`, or octal after 0.
    fn int64(&mut self) -> Result<u64, TextError> {
        let start = *self;
        let negative = self.peek() == Some(b'-');
        if !self.eat(b'-') {
            self.eat(b'+');
        }
        let value = if self.eat_text("0x") {
            u64::from_str_radix(self.digits(16), 16)
        } else {
            let digits = self.digits(10);
            let octal = digits.len() > 1 && digits.starts_with('0');
            u64::from_str_radix(digits, if octal { 8 } else { 10 })
        };
        match value {
            Ok(value) if self.ends_number() && !negative => Ok(value),
            Ok(value) if self.ends_number() && value <= 1 << 63 => Ok(value.wrapping_neg()),
            _ => Err(start.error("an integer of 64 bits")),
        }
    }

    /// Reads `[+-] digits [. digits] [e [+-] digits]` with a digit before the exponent.
    fn decimal(&mut self) -> Option<&str> {
        let start = *self;
        if !self.eat(b'-') {
            self.eat(b'+');
        }
        let mut count = self.digits(10).len();
        if self.eat(b'.') {
            count += self.digits(10).len();
        }
        if count > 0 && (self.eat(b'e') || self.eat(b'E')) {
            if !self.eat(b'-') {
                self.eat(b'+');
            }
            count = self.digits(10).len();
        }
        (count > 0 && self.ends_number()).then(|| self.since(&start))
    }

    fn ends_number(&self) -> bool {
        self.peek_word().is_empty() && self.peek() != Some(b'.')
    }
}
