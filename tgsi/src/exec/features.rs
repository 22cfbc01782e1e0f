//! The executor's cargo features as constants.

/// `interpreter`: programs without machine code of their own run too.
pub(super) const INTERPRETER: bool = cfg!(feature = "interpreter");
