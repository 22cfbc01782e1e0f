//! Setup: the exact pixels of a primitive, and the weights of its vertices at a pixel.

mod area;
mod samples;
mod shape;
mod stroke;
mod weights;

pub(crate) use self::area::{AreaRule, MAX_DILATION};
pub(crate) use self::samples::{MAX_SAMPLES, Samples, has_sample_count, standard_place};
pub(crate) use self::shape::{Bounds, FillRule, Shape};
pub(crate) use self::stroke::{Falloff, LineRule, MAX_STROKE, PointRule};
pub(crate) use self::weights::Weights;

/// One pixel in the fixed point of window positions, Q24.8.
pub(crate) const PIXEL: i32 = 256;
