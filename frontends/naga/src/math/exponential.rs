//! Exponentials, logarithms, hyperbolic functions.

use std::f32::consts::{LN_2, LOG2_E};

use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::translator::Translator;

impl Translator<'_> {
    pub(super) fn exp(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let scaled = self.scale(size, a, LOG2_E);
        self.each(Opcode::Ex2, size, &[scaled])
    }

    pub(super) fn log(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let log = self.each(Opcode::Lg2, size, &[a]);
        self.scale(size, log, LN_2)
    }

    /// Returns e^a/2 ± e^-a/2, halved before the sum so that it is infinite no earlier.
    fn half_sum(&mut self, size: u8, a: SrcRegister, plus: bool) -> SrcRegister {
        let one = self.float(1.0);
        let scaled = self.scale(size, a, LOG2_E);
        let up = self.sub(size, scaled, one);
        let down = self.op(Opcode::Add, size, &[scaled.neg(), one.neg()]);
        let rising = self.each(Opcode::Ex2, size, &[up]);
        let falling = self.each(Opcode::Ex2, size, &[down]);
        if plus { self.add(size, rising, falling) } else { self.sub(size, rising, falling) }
    }

    pub(super) fn cosh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        self.half_sum(size, a, true)
    }

    pub(super) fn sinh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let far = self.half_sum(size, a, false);
        // Near 0 the difference would lose its digits: x + x³/6 + x⁵/120 + x⁷/5040.
        self.near_zero(size, a, 1.0, &[1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0, 1.0], far)
    }

    pub(super) fn tanh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        // 1 - 2 / (e^2|x| + 1) with the sign of x: infinite exponentials give 1.
        let scaled = self.scale(size, a, 2.0 * LOG2_E);
        let scaled = self.copy(size, scaled.abs());
        let power = self.each(Opcode::Ex2, size, &[scaled]);
        let (one, two) = (self.float(1.0), self.float(2.0));
        let sum = self.add(size, power, one);
        let quotient = self.op(Opcode::Div, size, &[two, sum]);
        let magnitude = self.sub(size, one, quotient);
        let far = self.with_sign(size, magnitude, a);
        // Near 0: x - x³/3 + 2x⁵/15 - 17x⁷/315.
        self.near_zero(size, a, 0.25, &[-17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0, 1.0], far)
    }

    /// Returns the odd series `a·p(a²)` where |a| is below `limit`, and `far` elsewhere. `coefficients` are
    /// p's, highest power first.
    fn near_zero(
        &mut self,
        size: u8,
        a: SrcRegister,
        limit: f32,
        coefficients: &[f32],
        far: SrcRegister,
    ) -> SrcRegister {
        let square = self.mul(size, a, a);
        let series = self.polynomial(size, square, coefficients);
        let near = self.mul(size, a, series);
        let limit = self.float(limit);
        let is_near = self.op(Opcode::Fslt, size, &[a.abs(), limit]);
        self.choose(size, is_near, near, far)
    }

    /// Returns a magnitude with the sign bit of `of`.
    pub(super) fn with_sign(
        &mut self,
        size: u8,
        magnitude: SrcRegister,
        of: SrcRegister,
    ) -> SrcRegister {
        let bit = self.int(0x8000_0000);
        let sign = self.op(Opcode::And, size, &[of, bit]);
        self.op(Opcode::Or, size, &[magnitude, sign])
    }

    pub(super) fn asinh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let (one, large) = (self.float(1.0), self.float(1e9));
        let magnitude = self.copy(size, a.abs());
        // For large x the square is beyond f32, and √(x² + 1) is x.
        let limited = self.op(Opcode::Min, size, &[magnitude, large]);
        let square = self.mad(size, limited, limited, one);
        let root = self.each(Opcode::Sqrt, size, &[square]);
        let is_large = self.op(Opcode::Fsge, size, &[magnitude, large]);
        let root = self.choose(size, is_large, magnitude, root);
        let half = self.float(0.5);
        // ln(2·(x/2 + r/2)) stays finite for all x.
        let half_root = self.mul(size, root, half);
        let sum = self.mad(size, magnitude, half, half_root);
        let log = self.log(size, sum);
        let ln2 = self.float(LN_2);
        let far = self.add(size, log, ln2);
        let far = self.with_sign(size, far, a);
        // Near 0: x - x³/6 + 3x⁵/40 - 15x⁷/336.
        self.near_zero(size, a, 0.25, &[-15.0 / 336.0, 3.0 / 40.0, -1.0 / 6.0, 1.0], far)
    }

    pub(super) fn acosh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        // √(x² - 1) as √(x - 1)·√(x + 1) neither cancels nor overflows.
        let one = self.float(1.0);
        let (below, above) = (self.sub(size, a, one), self.add(size, a, one));
        let below = self.each(Opcode::Sqrt, size, &[below]);
        let above = self.each(Opcode::Sqrt, size, &[above]);
        let half = self.float(0.5);
        let root = self.mul(size, below, above);
        let half_root = self.mul(size, root, half);
        let sum = self.mad(size, a, half, half_root);
        let log = self.log(size, sum);
        let ln2 = self.float(LN_2);
        self.add(size, log, ln2)
    }

    pub(super) fn atanh(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        let one = self.float(1.0);
        let magnitude = self.copy(size, a.abs());
        let (above, below) = (self.add(size, one, magnitude), self.sub(size, one, magnitude));
        let quotient = self.op(Opcode::Div, size, &[above, below]);
        let log = self.each(Opcode::Lg2, size, &[quotient]);
        let far = self.scale(size, log, LN_2 / 2.0);
        let far = self.with_sign(size, far, a);
        // Near 0: x + x³/3 + x⁵/5 + x⁷/7 + x⁹/9.
        self.near_zero(size, a, 0.25, &[1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0], far)
    }
}
