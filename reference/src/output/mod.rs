//! The end of the pipeline: depth and stencil tests, blending, stores. One pixel at a time.

mod blend;
mod color;
mod depth_stencil;

pub(crate) use self::color::{ColorOutput, store_color};
pub(crate) use self::depth_stencil::{DepthStencilFormat, DepthStencilTest};
