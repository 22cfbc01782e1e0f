//! Halves (`f16`): registers hold them as f32, rounded after every expression that may need it.
//!
//! An f32 has more than twice the digits of a half and two more. So the result of `+ - * /` or of a square
//! root, rounded to f32 and then to a half, is the same as if it had been rounded once.

use naga::{Expression, Handle, MathFunction, TypeInner};
use tgsi::opcode::Opcode;
use tgsi::register::{SrcRegister, Swizzle, WriteMask};

use crate::code::{component, mask};
use crate::error::Result;
use crate::translator::{Translator, Value};
use crate::types::is_half;

impl Translator<'_> {
    /// Rounds the value of an expression to halves, if its type is made of them.
    pub(crate) fn rounded(&mut self, of: Handle<Expression>, value: Value) -> Result<Value> {
        let inner = self.type_of(of)?;
        let size = match *inner {
            TypeInner::Scalar(scalar) if is_half(scalar) => 1,
            TypeInner::Vector { size, scalar } if is_half(scalar) => size as u8,
            TypeInner::Matrix { rows, scalar, .. } if is_half(scalar) => rows as u8,
            _ => return Ok(value),
        };
        Ok(value.into_iter().map(|src| self.round_half(size, src)).collect())
    }

    /// Returns the nearest halves to floats, ties to even, as floats.
    pub(crate) fn round_half(&mut self, size: u8, src: SrcRegister) -> SrcRegister {
        let (packed, dst) = (self.temporary().masked(mask(1)), self.temporary());
        for first in (0..size).step_by(2) {
            let last = (first + 1).min(size - 1);
            let [low, high] = [first, last].map(|at| Swizzle::from_bits(at.into()));
            self.code.emit(Opcode::Pk2h, Some(packed), &[src.swizzled([low, high, high, high])]);
            // UP2H gives the low half in x and z, the high one in y and w.
            let written = WriteMask::from_bits_truncate(1 << first | 1 << last);
            let word = component(packed.as_src(), 0);
            self.code.emit(Opcode::Up2h, Some(dst.masked(written)), &[word]);
        }
        self.read(dst, size)
    }
}

/// Returns true if a function of halves, computed in floats, gives halves without rounding.
pub(crate) fn keeps_halves(fun: MathFunction) -> bool {
    use MathFunction as F;
    matches!(
        fun,
        F::Abs
            | F::Min
            | F::Max
            | F::Clamp
            | F::Saturate
            | F::Sign
            | F::Ceil
            | F::Floor
            | F::Round
            | F::Trunc
            | F::Step
            | F::FaceForward
            | F::Transpose
            | F::Modf
            | F::Frexp
    )
}
