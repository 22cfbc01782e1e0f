//! A tile: which of its pixels a primitive covers.

mod coverage;
#[cfg(test)]
mod watertight;

pub(crate) use coverage::{Coverage, walk};
