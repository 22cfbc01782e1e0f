//! Trigonometric functions that have no opcode.

use std::f32::consts::{FRAC_PI_2, PI};

use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::translator::Translator;

/// (asin x - x) / x³ for 0 ≤ x ≤ ½, as a polynomial of x²: relative error below 2e-7.
const ASIN: [f32; 5] = [0.042_163_2, 0.024_181_31, 0.045_470_024, 0.074_953_004, 0.166_667_52];

/// (atan x - x) / x³ for 0 ≤ x ≤ tan 22.5°, as a polynomial of x²: relative error below 2e-7.
const ATAN: [f32; 4] = [0.080_537_45, -0.138_776_86, 0.199_777_1, -0.333_329_5];

impl Translator<'_> {
    pub(super) fn tan(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let sine = self.each(Opcode::Sin, size, &[a]);
        let cosine = self.each(Opcode::Cos, size, &[a]);
        self.op(Opcode::Div, size, &[sine, cosine])
    }

    /// Returns asin of the magnitude: `(is_far, asin x or asin √((1 - x) / 2))`.
    fn asin_parts(&mut self, size: u8, a: SrcRegister) -> (SrcRegister, SrcRegister) {
        let half = self.float(0.5);
        let magnitude = self.copy(size, a.abs());
        let is_far = self.op(Opcode::Fslt, size, &[half, magnitude]);
        let rest = self.sub_mul(size, half, half, magnitude);
        let root = self.each(Opcode::Sqrt, size, &[rest]);
        let x = self.choose(size, is_far, root, magnitude);
        let square = self.mul(size, x, x);
        let series = self.polynomial(size, square, &ASIN);
        let cube = self.mul(size, square, x);
        (is_far, self.mad(size, series, cube, x))
    }

    pub(super) fn asin(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let (is_far, near) = self.asin_parts(size, a);
        let (quarter, two) = (self.float(FRAC_PI_2), self.float(2.0));
        let far = self.sub_mul(size, quarter, two, near);
        let magnitude = self.choose(size, is_far, far, near);
        self.with_sign(size, magnitude, a)
    }

    pub(super) fn acos(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let (is_far, part) = self.asin_parts(size, a);
        let (quarter, half, zero) = (self.float(FRAC_PI_2), self.float(PI), self.float(0.0));
        let negative = self.op(Opcode::Fslt, size, &[a, zero]);
        let twice = self.add(size, part, part);
        let back = self.sub(size, half, twice);
        let far = self.choose(size, negative, back, twice);
        let signed = self.with_sign(size, part, a);
        let near = self.sub(size, quarter, signed);
        self.choose(size, is_far, far, near)
    }

    /// Returns atan of a quotient from 0 to 1.
    fn atan_unit(&mut self, size: u8, x: SrcRegister) -> SrcRegister {
        // Beyond tan 22.5°: π/4 + atan((x - 1) / (x + 1)).
        let (one, limit) = (self.float(1.0), self.float(0.414_213_57));
        let is_far = self.op(Opcode::Fslt, size, &[limit, x]);
        let (below, above) = (self.sub(size, x, one), self.add(size, x, one));
        let quotient = self.op(Opcode::Div, size, &[below, above]);
        let reduced = self.choose(size, is_far, quotient, x);
        let square = self.mul(size, reduced, reduced);
        let series = self.polynomial(size, square, &ATAN);
        let cube = self.mul(size, square, reduced);
        let near = self.mad(size, series, cube, reduced);
        let eighth = self.float(PI / 4.0);
        let far = self.add(size, near, eighth);
        self.choose(size, is_far, far, near)
    }

    pub(super) fn atan(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let one = self.float(1.0);
        let magnitude = self.copy(size, a.abs());
        let is_large = self.op(Opcode::Fslt, size, &[one, magnitude]);
        let inverse = self.op(Opcode::Div, size, &[one, magnitude]);
        let x = self.choose(size, is_large, inverse, magnitude);
        let angle = self.atan_unit(size, x);
        let quarter = self.float(FRAC_PI_2);
        let rest = self.sub(size, quarter, angle);
        let angle = self.choose(size, is_large, rest, angle);
        self.with_sign(size, angle, a)
    }

    /// Returns the angle of the point (`x`, `y`).
    pub(super) fn atan2(&mut self, size: u8, y: SrcRegister, x: SrcRegister) -> SrcRegister {
        let (far, near) = (
            self.op(Opcode::Max, size, &[x.abs(), y.abs()]),
            self.op(Opcode::Min, size, &[x.abs(), y.abs()]),
        );
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let quotient = self.op(Opcode::Div, size, &[near, far]);
        // The quotient of equal numbers is 1, if they are infinite too; at the origin it is 0.
        let equal = self.op(Opcode::Fseq, size, &[near, far]);
        let quotient = self.choose(size, equal, one, quotient);
        let origin = self.op(Opcode::Fseq, size, &[far, zero]);
        let quotient = self.choose(size, origin, zero, quotient);
        let angle = self.atan_unit(size, quotient);
        let (quarter, half) = (self.float(FRAC_PI_2), self.float(PI));
        let steep = self.op(Opcode::Fslt, size, &[x.abs(), y.abs()]);
        let rest = self.sub(size, quarter, angle);
        let angle = self.choose(size, steep, rest, angle);
        // The sign bit, so that -0 counts as left.
        let shift = self.int(31);
        let left = self.op(Opcode::Ishr, size, &[x, shift]);
        let back = self.sub(size, half, angle);
        let angle = self.choose(size, left, back, angle);
        self.with_sign(size, angle, y)
    }
}
