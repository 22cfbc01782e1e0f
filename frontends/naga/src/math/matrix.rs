//! Functions of matrices, which are given by their columns.

use naga::MathFunction;
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::code::component;
use crate::error::Result;
use crate::translator::{Translator, Value};

impl Translator<'_> {
    pub(super) fn matrix_function(
        &mut self,
        fun: MathFunction,
        value: &Value,
        columns: u8,
        rows: u8,
    ) -> Result<Value> {
        match fun {
            MathFunction::Transpose => Ok((0..usize::from(rows))
                .map(|row| {
                    let parts: Vec<SrcRegister> =
                        value.iter().map(|column| component(*column, row)).collect();
                    self.gather(&parts)
                })
                .collect()),
            MathFunction::Determinant if rows == columns => Ok(vec![self.determinant(value)]),
            MathFunction::Inverse if rows == columns => Ok(self.inverse(value)),
            _ => {
                let message = format!("the function {fun:?} on a matrix is not supported");
                Err(self.code.refuse(message))
            }
        }
    }

    /// Returns the determinant of the rows and columns that are left.
    fn minor(&mut self, value: &[SrcRegister], columns: &[usize], rows: &[usize]) -> SrcRegister {
        let at = |column: usize, row: usize| {
            component(value.get(column).copied().unwrap_or(SrcRegister::NULL), row)
        };
        match (columns, rows) {
            ([column], [row]) => at(*column, *row),
            ([a, b], [top, bottom]) => {
                let product = self.mul(1, at(*b, *top), at(*a, *bottom));
                let other = at(*b, *bottom);
                self.mad(1, at(*a, *top), other, product.neg())
            }
            ([first, rest @ ..], _) => {
                let mut sum: Option<SrcRegister> = None;
                for (number, &row) in rows.iter().enumerate() {
                    let others: Vec<usize> = rows.iter().copied().filter(|&it| it != row).collect();
                    let minor = self.minor(value, rest, &others);
                    let factor = at(*first, row);
                    let factor = if number % 2 == 1 { factor.neg() } else { factor };
                    sum = Some(match sum {
                        None => self.mul(1, factor, minor),
                        Some(sum) => self.mad(1, factor, minor, sum),
                    });
                }
                sum.unwrap_or_else(|| self.float(1.0))
            }
            ([], _) => self.float(1.0),
        }
    }

    fn determinant(&mut self, value: &[SrcRegister]) -> SrcRegister {
        let all: Vec<usize> = (0..value.len()).collect();
        self.minor(value, &all, &all)
    }

    fn inverse(&mut self, value: &[SrcRegister]) -> Value {
        let count = value.len();
        let determinant = self.determinant(value);
        let scale = self.each(Opcode::Rcp, 1, &[determinant]);
        let without =
            |left_out: usize| -> Vec<usize> { (0..count).filter(|&at| at != left_out).collect() };
        let mut columns = Value::new();
        for column in 0..count {
            let mut parts = Vec::new();
            for row in 0..count {
                // The cofactor of the transposed place.
                let minor = self.minor(value, &without(row), &without(column));
                let minor = if (row + column) % 2 == 1 { minor.neg() } else { minor };
                parts.push(self.mul(1, minor, scale));
            }
            columns.push(self.gather(&parts));
        }
        columns
    }
}
