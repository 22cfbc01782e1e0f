//! Bit fields and counts of bits.

use naga::{MathFunction, ScalarKind};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use super::Arguments;
use crate::code::component;
use crate::translator::Translator;

impl Translator<'_> {
    pub(super) fn bits(&mut self, fun: MathFunction, it: Arguments) -> SrcRegister {
        use MathFunction as F;
        let Arguments { kind, size, a, b, c, d } = it;
        let signed = kind == ScalarKind::Sint;
        match fun {
            F::CountOneBits => self.op(Opcode::Popc, size, &[a]),
            F::ReverseBits => self.op(Opcode::Brev, size, &[a]),
            F::FirstTrailingBit => self.op(Opcode::Lsb, size, &[a]),
            F::FirstLeadingBit if signed => self.op(Opcode::Imsb, size, &[a]),
            F::FirstLeadingBit => self.op(Opcode::Umsb, size, &[a]),
            F::CountTrailingZeros => {
                // No bit is number -1, the largest word.
                let lowest = self.op(Opcode::Lsb, size, &[a]);
                let all = self.int(32);
                self.op(Opcode::Umin, size, &[lowest, all])
            }
            F::CountLeadingZeros => {
                let highest = self.op(Opcode::Umsb, size, &[a]);
                let back = self.op(Opcode::Ineg, size, &[highest]);
                let last = self.int(31);
                self.op(Opcode::Uadd, size, &[back, last])
            }
            F::ExtractBits => {
                let (offset, count) = self.field(b, c);
                let opcode = if signed { Opcode::Ibfe } else { Opcode::Ubfe };
                self.op(opcode, size, &[a, offset, count])
            }
            // InsertBits.
            _ => {
                let (offset, count) = self.field(c, d);
                self.op(Opcode::Bfi, size, &[a, b, offset, count])
            }
        }
    }

    /// Limits a bit field to the word.
    fn field(&mut self, offset: SrcRegister, count: SrcRegister) -> (SrcRegister, SrcRegister) {
        let all = self.int(32);
        let offset = self.op(Opcode::Umin, 1, &[offset, all]);
        let negative = self.op(Opcode::Ineg, 1, &[offset]);
        let left = self.op(Opcode::Uadd, 1, &[negative, all]);
        (offset, self.op(Opcode::Umin, 1, &[count, left]))
    }

    /// Returns the dot product of four bytes of two words.
    pub(super) fn dot_packed(
        &mut self,
        a: SrcRegister,
        b: SrcRegister,
        signed: bool,
    ) -> SrcRegister {
        let (a, b) = (self.bytes(a, signed), self.bytes(b, signed));
        let mut sum = self.op(Opcode::Umul, 1, &[component(a, 0), component(b, 0)]);
        for at in 1..4 {
            sum = self.op(Opcode::Umad, 1, &[component(a, at), component(b, at), sum]);
        }
        sum
    }

    /// Returns the four bytes of a word as integers.
    pub(super) fn bytes(&mut self, word: SrcRegister, signed: bool) -> SrcRegister {
        let offsets = self.code.vector(false, &[0, 8, 16, 24]);
        let width = self.int(8);
        let opcode = if signed { Opcode::Ibfe } else { Opcode::Ubfe };
        self.op(opcode, 4, &[word, offsets, width])
    }
}
