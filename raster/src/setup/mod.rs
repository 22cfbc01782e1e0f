//! Setup: from window vertices to edges and planes.

mod edge;
mod plane;
mod plane32;
mod shape;
mod stroke;

pub use edge::{Edge, FillRule};
#[cfg(armv6m)]
pub(crate) use plane::FixedPlane;
#[cfg(spans)]
pub(crate) use plane::area;
pub(crate) use plane::{Gradient, Plane, Position};
pub(crate) use plane32::Plane32;
pub use shape::{Bounds, Shape};
pub(crate) use stroke::{Falloff, LineRule, MAX_STROKE, Point, PointRule};
