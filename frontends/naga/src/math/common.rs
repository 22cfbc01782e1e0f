//! Comparison, blending, decomposition.

use naga::{MathFunction, ScalarKind};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use super::Arguments;
use crate::translator::{Translator, Value};

impl Translator<'_> {
    /// Adds `abs`, `min`, `max`, `clamp`, `sign` or `saturate`.
    pub(super) fn common(&mut self, fun: MathFunction, it: Arguments) -> SrcRegister {
        use MathFunction as F;
        let Arguments { kind, size, a, b, c, .. } = it;
        let (min, max) = match kind {
            ScalarKind::Float => (Opcode::Min, Opcode::Max),
            ScalarKind::Sint => (Opcode::Imin, Opcode::Imax),
            _ => (Opcode::Umin, Opcode::Umax),
        };
        match (fun, kind) {
            (F::Min, _) => self.op(min, size, &[a, b]),
            (F::Max, _) => self.op(max, size, &[a, b]),
            (F::Clamp, _) => {
                let raised = self.op(max, size, &[a, b]);
                self.op(min, size, &[raised, c])
            }
            (F::Saturate, _) => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                let raised = self.op(max, size, &[a, zero]);
                self.op(min, size, &[raised, one])
            }
            (F::Sign, ScalarKind::Float) => self.op(Opcode::Ssg, size, &[a]),
            (F::Sign, ScalarKind::Sint) => self.op(Opcode::Issg, size, &[a]),
            (F::Sign, _) => {
                let one = self.int(1);
                self.op(Opcode::Umin, size, &[a, one])
            }
            (_, ScalarKind::Float) => self.copy(size, a.abs()),
            (_, ScalarKind::Sint) => self.op(Opcode::Iabs, size, &[a]),
            _ => a,
        }
    }

    /// Adds `mix`, `step` or `smoothstep`.
    pub(super) fn blend(&mut self, fun: MathFunction, it: Arguments) -> SrcRegister {
        let Arguments { size, a, b, c, .. } = it;
        match fun {
            MathFunction::Mix => self.op(Opcode::Lrp, size, &[c, b, a]),
            MathFunction::Step => {
                let above = self.op(Opcode::Fsge, size, &[b, a]);
                let one = self.float(1.0);
                self.op(Opcode::And, size, &[above, one])
            }
            _ => {
                let from_low = self.sub(size, c, a);
                let width = self.sub(size, b, a);
                let quotient = self.op(Opcode::Div, size, &[from_low, width]);
                let (zero, one) = (self.float(0.0), self.float(1.0));
                let raised = self.op(Opcode::Max, size, &[quotient, zero]);
                let t = self.op(Opcode::Min, size, &[raised, one]);
                let (two, three) = (self.float(2.0), self.float(3.0));
                let slope = self.sub_mul(size, three, two, t);
                let square = self.mul(size, t, t);
                self.mul(size, square, slope)
            }
        }
    }

    /// Returns `a - b·c`.
    pub(super) fn sub_mul(
        &mut self,
        size: u8,
        a: SrcRegister,
        b: SrcRegister,
        c: SrcRegister,
    ) -> SrcRegister {
        self.mad(size, b.neg(), c, a)
    }

    /// Returns a vector of floats times a number.
    pub(super) fn scale(&mut self, size: u8, a: SrcRegister, factor: f32) -> SrcRegister {
        let factor = self.float(factor);
        self.mul(size, a, factor)
    }

    /// Evaluates a polynomial, the highest coefficient first.
    pub(super) fn polynomial(
        &mut self,
        size: u8,
        x: SrcRegister,
        coefficients: &[f32],
    ) -> SrcRegister {
        let mut sum: Option<SrcRegister> = None;
        for &coefficient in coefficients {
            let term = self.float(coefficient);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.mad(size, sum, x, term),
            });
        }
        sum.unwrap_or(x)
    }

    /// Adds `modf` or `frexp`: two members.
    pub(super) fn split(&mut self, fun: MathFunction, it: Arguments) -> Value {
        let Arguments { size, a, .. } = it;
        if fun == MathFunction::Modf {
            let whole = self.op(Opcode::Trunc, size, &[a]);
            let fraction = self.sub(size, a, whole);
            // Infinity less infinity is no number; its fraction is 0.
            let (zero, infinity) = (self.float(0.0), self.float(f32::INFINITY));
            let infinite = self.op(Opcode::Fseq, size, &[a.abs(), infinity]);
            let fraction = self.choose(size, infinite, zero, fraction);
            return vec![fraction, whole];
        }
        // Subnormal numbers are made normal first: 2^24 times as large.
        let (smallest, factor) = (self.float(f32::MIN_POSITIVE), self.float(16777216.0));
        let tiny = self.op(Opcode::Fslt, size, &[a.abs(), smallest]);
        let larger = self.mul(size, a, factor);
        let normal = self.choose(size, tiny, larger, a);
        let (plain, less) = (self.int(-126i32 as u32), self.int(-150i32 as u32));
        let bias = self.choose(size, tiny, less, plain);
        let (start, width) = (self.int(23), self.int(8));
        let exponent = self.op(Opcode::Ubfe, size, &[normal, start, width]);
        let exponent = self.op(Opcode::Uadd, size, &[exponent, bias]);
        let (kept, half) = (self.int(0x807f_ffff), self.int(0x3f00_0000));
        let bits = self.op(Opcode::And, size, &[normal, kept]);
        let fraction = self.op(Opcode::Or, size, &[bits, half]);
        let zero = self.float(0.0);
        let is_zero = self.op(Opcode::Fseq, size, &[a, zero]);
        let none = self.int(0);
        vec![self.choose(size, is_zero, a, fraction), self.choose(size, is_zero, none, exponent)]
    }
}
