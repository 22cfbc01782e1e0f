//! Cargo features as constants, for `if`; `cfg` attributes leave out whole modules.

/// `std`: the target is a host, so batches are large and loops are inlined for vector instructions.
pub(crate) const STD: bool = cfg!(feature = "std");

/// `astc`: blocks of up to 12×12 texels are decoded.
pub(crate) const ASTC: bool = cfg!(feature = "astc");
