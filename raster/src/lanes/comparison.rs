//! Compare functions of depth, stencil, alpha and shadow tests, without a branch per lane.

use pipe_core::state::CompareFunc;

/// A compare function as a table of outcomes: each lane takes a shift and a mask instead of a
/// branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Comparison(u32);

impl Comparison {
    /// Returns the table of `func`.
    pub(crate) const fn new(func: CompareFunc) -> Comparison {
        // Bit 0: unordered (a NaN); bit 1: less; bit 2: equal; bit 4: greater.
        Comparison(match func {
            CompareFunc::Never => 0b00000,
            CompareFunc::Less => 0b00010,
            CompareFunc::Equal => 0b00100,
            CompareFunc::LessEqual => 0b00110,
            CompareFunc::Greater => 0b10000,
            CompareFunc::NotEqual => 0b10011,
            CompareFunc::GreaterEqual => 0b10100,
            CompareFunc::Always => 0b10111,
        })
    }

    /// Returns the outcomes for values that are unordered, less, equal and greater: all ones if
    /// they pass, otherwise 0.
    #[inline(always)]
    pub(crate) fn outcomes(self) -> [u32; 4] {
        let mask = |outcome: u32| (self.0 >> outcome & 1).wrapping_neg();
        [mask(0), mask(1), mask(2), mask(4)]
    }

    /// Returns the outcome of `left FUNC right`.
    #[inline(always)]
    pub(crate) fn passes<T: PartialOrd>(self, left: T, right: T) -> bool {
        let outcome =
            u32::from(left < right) | u32::from(left == right) << 1 | u32::from(left > right) << 2;
        self.0 >> outcome & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_those_of_the_contract() {
        let values = [-1.0, 0.0, -0.0, 0.5, f32::INFINITY, f32::NAN];
        for &func in CompareFunc::ALL {
            for (a, b) in values.into_iter().flat_map(|a| values.map(|b| (a, b))) {
                let passes = Comparison::new(func).passes(a, b);
                assert_eq!(passes, func.passes(a, b), "{a} {func:?} {b}");
            }
        }
    }
}
