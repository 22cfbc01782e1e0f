//! Comparisons of the depth, stencil, alpha and shadow tests.

use crate::numbered::numbered;

numbered! {
    /// A comparison of an incoming value (left) with a stored or reference value (right).
    /// `PIPE_FUNC_*`; numbers are Gallium's and the virgl wire's.
    #[derive(Default)]
    pub enum CompareFunc {
        /// Never passes.
        Never = 0,
        /// Passes when less.
        Less = 1,
        /// Passes when equal.
        Equal = 2,
        /// Passes when less or equal.
        LessEqual = 3,
        /// Passes when greater.
        Greater = 4,
        /// Passes when not equal.
        NotEqual = 5,
        /// Passes when greater or equal.
        GreaterEqual = 6,
        /// Always passes.
        #[default]
        Always = 7,
    }
}

impl CompareFunc {
    /// Returns true if `incoming` passes against `stored`. With a NaN only `NotEqual` and `Always`
    /// pass.
    #[inline(always)]
    pub fn passes<T: PartialOrd>(self, incoming: T, stored: T) -> bool {
        match self {
            Self::Never => false,
            Self::Less => incoming < stored,
            Self::Equal => incoming == stored,
            Self::LessEqual => incoming <= stored,
            Self::Greater => incoming > stored,
            Self::NotEqual => incoming != stored,
            Self::GreaterEqual => incoming >= stored,
            Self::Always => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_on_less_equal_greater() {
        for (func, expected) in [
            (CompareFunc::Never, [false, false, false]),
            (CompareFunc::Less, [true, false, false]),
            (CompareFunc::Equal, [false, true, false]),
            (CompareFunc::LessEqual, [true, true, false]),
            (CompareFunc::Greater, [false, false, true]),
            (CompareFunc::NotEqual, [true, false, true]),
            (CompareFunc::GreaterEqual, [false, true, true]),
            (CompareFunc::Always, [true, true, true]),
        ] {
            assert_eq!([1, 2, 3].map(|value| func.passes(value, 2)), expected, "{func:?}");
            assert_eq!(CompareFunc::from_number(func.number()), Some(func));
        }
        assert_eq!(CompareFunc::from_number(8), None);
    }

    #[test]
    fn nan_differs_from_everything() {
        for func in CompareFunc::ALL {
            let expected = matches!(func, CompareFunc::NotEqual | CompareFunc::Always);
            assert_eq!(func.passes(f32::NAN, 0.5), expected, "{func:?}");
        }
    }
}
