//! Functions of vectors.

use naga::{MathFunction, ScalarKind};
use tgsi::opcode::Opcode;
use tgsi::register::{SrcRegister, Swizzle};

use super::Arguments;
use crate::code::component;
use crate::translator::{Translator, Value};

impl Translator<'_> {
    pub(super) fn geometry(&mut self, fun: MathFunction, it: Arguments) -> SrcRegister {
        use MathFunction as F;
        let Arguments { kind, size, a, b, c, .. } = it;
        match fun {
            F::Dot if kind == ScalarKind::Float => self.dot(size, a, b),
            F::Dot => self.integer_dot(size, a, b),
            F::Cross => self.cross(a, b),
            F::Length => self.length(size, a),
            F::Distance => {
                let difference = self.sub(size, a, b);
                self.length(size, difference)
            }
            F::Normalize => {
                let square = self.dot(size, a, a);
                let inverse = self.each(Opcode::Rsq, 1, &[square]);
                self.mul(size, a, inverse)
            }
            F::FaceForward => {
                let along = self.dot(size, b, c);
                let zero = self.float(0.0);
                let faces = self.op(Opcode::Fslt, 1, &[along, zero]);
                let back = self.copy(size, a.neg());
                self.choose(size, faces, a, back)
            }
            F::Reflect => {
                let along = self.dot(size, b, a);
                let twice = self.add(1, along, along);
                self.sub_mul(size, a, twice, b)
            }
            _ => self.refract(size, a, b, c),
        }
    }

    fn length(&mut self, size: u8, a: SrcRegister) -> SrcRegister {
        if size == 1 {
            return self.copy(1, a.abs());
        }
        let square = self.dot(size, a, a);
        self.each(Opcode::Sqrt, 1, &[square])
    }

    fn integer_dot(&mut self, size: u8, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        let mut sum = self.op(Opcode::Umul, 1, &[component(a, 0), component(b, 0)]);
        for at in 1..usize::from(size) {
            sum = self.op(Opcode::Umad, 1, &[component(a, at), component(b, at), sum]);
        }
        sum
    }

    fn cross(&mut self, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        use Swizzle::{X, Y, Z};
        let (next, after) = ([Y, Z, X, X], [Z, X, Y, Y]);
        let product = self.mul(3, a.swizzled(after), b.swizzled(next));
        self.mad(3, a.swizzled(next), b.swizzled(after), product.neg())
    }

    fn refract(
        &mut self,
        size: u8,
        incident: SrcRegister,
        normal: SrcRegister,
        ratio: SrcRegister,
    ) -> SrcRegister {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let along = self.dot(size, normal, incident);
        // k = 1 - η²·(1 - (N·I)²)
        let rest = self.sub_mul(1, one, along, along);
        let square = self.mul(1, ratio, ratio);
        let k = self.sub_mul(1, one, square, rest);
        let reflects = self.op(Opcode::Fslt, 1, &[k, zero]);
        let root = self.each(Opcode::Sqrt, 1, &[k]);
        let factor = self.mad(1, ratio, along, root);
        let straight = self.mul(size, incident, ratio);
        let refracted = self.sub_mul(size, straight, factor, normal);
        self.choose(size, reflects, zero, refracted)
    }

    /// Returns the columns of the outer product of a column and a row.
    pub(super) fn outer(&mut self, it: Arguments, rows: u8, columns: u8) -> Value {
        (0..usize::from(columns)).map(|at| self.mul(rows, it.a, component(it.b, at))).collect()
    }
}
