//! The executor's cargo features as constants.

/// `interpreter`: programs without machine code of their own run too.
pub(super) const INTERPRETER: bool = cfg!(feature = "interpreter");
/// `budget`: programs count their work, and ask whether it may go on.
pub(super) const BUDGET: bool = cfg!(feature = "budget");
