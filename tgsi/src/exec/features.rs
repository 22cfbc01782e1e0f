//! The executor's cargo features as constants.

/// `interpreter`: the executor also runs programs without native machine code.
pub(super) const INTERPRETER: bool = cfg!(feature = "interpreter");
/// `budget`: programs count their work, and ask whether it may continue.
pub(super) const BUDGET: bool = cfg!(feature = "budget");
