//! Words of several small numbers.

use naga::MathFunction;
use tgsi::opcode::Opcode;
use tgsi::register::{SrcRegister, Swizzle};

use crate::code::component;
use crate::translator::Translator;

impl Translator<'_> {
    pub(super) fn pack(&mut self, fun: MathFunction, a: SrcRegister) -> SrcRegister {
        use MathFunction as F;
        match fun {
            F::Pack2x16float => {
                let dst = self.temporary();
                let one = dst.masked(crate::code::mask(1));
                self.code.emit(Opcode::Pk2h, Some(one), &[a]);
                self.read(dst, 1)
            }
            F::Pack4x8snorm => self.pack_normalized(a, 4, 127.0, true),
            F::Pack4x8unorm => self.pack_normalized(a, 4, 255.0, false),
            F::Pack2x16snorm => self.pack_normalized(a, 2, 32767.0, true),
            F::Pack2x16unorm => self.pack_normalized(a, 2, 65535.0, false),
            F::Pack4xI8Clamp => {
                let (low, high) = (self.int(-128i32 as u32), self.int(127));
                let raised = self.op(Opcode::Imax, 4, &[a, low]);
                let limited = self.op(Opcode::Imin, 4, &[raised, high]);
                self.pack_fields(limited, 4)
            }
            F::Pack4xU8Clamp => {
                let high = self.int(255);
                let limited = self.op(Opcode::Umin, 4, &[a, high]);
                self.pack_fields(limited, 4)
            }
            // Pack4xI8, Pack4xU8: the low bits.
            _ => self.pack_fields(a, 4),
        }
    }

    /// Packs numbers that are scaled and rounded as `floor(x·scale + ½)`.
    fn pack_normalized(
        &mut self,
        a: SrcRegister,
        count: u8,
        scale: f32,
        signed: bool,
    ) -> SrcRegister {
        let (low, high) = (self.float(if signed { -1.0 } else { 0.0 }), self.float(1.0));
        let raised = self.op(Opcode::Max, count, &[a, low]);
        let limited = self.op(Opcode::Min, count, &[raised, high]);
        let (scale, half) = (self.float(scale), self.float(0.5));
        let scaled = self.mad(count, limited, scale, half);
        let whole = self.op(Opcode::Flr, count, &[scaled]);
        let opcode = if signed { Opcode::F2i } else { Opcode::F2u };
        let integers = self.op(opcode, count, &[whole]);
        self.pack_fields(integers, count)
    }

    /// Packs the low bits of integers into a word.
    fn pack_fields(&mut self, integers: SrcRegister, count: u8) -> SrcRegister {
        let bits = 32 / u32::from(count.max(1));
        let width = self.int(bits);
        let mut word = component(integers, 0);
        for at in 1..u32::from(count) {
            let offset = self.int(at * bits);
            let field = component(integers, at as usize);
            word = self.op(Opcode::Bfi, 1, &[word, field, offset, width]);
        }
        word
    }

    pub(super) fn unpack(&mut self, fun: MathFunction, word: SrcRegister, size: u8) -> SrcRegister {
        use MathFunction as F;
        let opcode = match fun {
            F::Unpack4x8snorm => Opcode::Up4b,
            F::Unpack4x8unorm => Opcode::Up4ub,
            F::Unpack2x16unorm => Opcode::Up2us,
            F::Unpack2x16float => Opcode::Up2h,
            F::Unpack2x16snorm => {
                let offsets = self.code.vector(false, &[0, 16]);
                let width = self.int(16);
                let integers = self.op(Opcode::Ibfe, 2, &[word, offsets, width]);
                let floats = self.op(Opcode::I2f, 2, &[integers]);
                let (scale, low) = (self.float(32767.0), self.float(-1.0));
                let quotient = self.op(Opcode::Div, 2, &[floats, scale]);
                return self.op(Opcode::Max, 2, &[quotient, low]);
            }
            F::Unpack4xI8 => return self.bytes(word, true),
            // Unpack4xU8.
            _ => return self.bytes(word, false),
        };
        let word = word.scalar(Swizzle::X);
        self.op(opcode, size, &[word])
    }
}
