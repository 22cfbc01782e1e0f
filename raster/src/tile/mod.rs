//! Coverage: the pixels of a tile that a primitive covers.

mod coverage;
#[cfg(test)]
mod watertight;

pub(crate) use coverage::{Coverage, walk};
