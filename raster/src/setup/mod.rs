//! Setup: from window vertices to edges and planes.

mod area;
mod edge;
mod plane;
mod plane32;
mod samples;
mod shape;
mod stroke;

pub(crate) use area::AreaRule;
pub(crate) use edge::{Edge, FillRule};
pub(crate) use plane::FixedPlane;
pub(crate) use plane::{Gradient, Plane, Position};
pub(crate) use plane::{LONG, PARALLEL, area, reach};
pub(crate) use plane32::Plane32;
pub(crate) use samples::{MAX_SAMPLES, MaskRead, SamplePlaces, SampleRule};
pub(crate) use samples::{has_sample_count, sample_place};
pub(crate) use shape::{Bounds, Shape};
pub(crate) use stroke::{Falloff, LINE_WIDTH_GRANULARITY, LineRule, MAX_STROKE, Point, PointRule};

/// The largest `conservative_raster_dilate`, in pixels.
pub(crate) const MAX_DILATION: f32 = 0.75;
