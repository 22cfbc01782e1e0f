//! Coverage: the pixels of a tile that a primitive covers.

mod coverage;
mod samples;
mod stamps;
#[cfg(test)]
mod watertight;
mod windows;

pub(crate) use coverage::{Coverage, walk};
pub(crate) use samples::{Planes, walk_samples};
pub(crate) use stamps::{StampSamples, walk_sample_stamps};
pub(crate) use stamps::{is_small, walk_stamps};
pub(crate) use windows::keep_windows;
