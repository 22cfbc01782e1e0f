#![doc = include_str!("../README.md")]
//!
//! # Features
//!
//! - `std`: uses the instruction sets of the host, detected at run time.
//! - `primitive-effects`: two-sided colour, polygons drawn as lines or points, depth offset, line
//!   stipple.
//! - `stream-output`: `PrimitiveSink::capture`.
//! - `all-formats`: attributes of all plain and packed formats.
//! - `geometry-shaders`: geometry shaders; primitives choose layer and viewport.
//! - `tessellation`: tessellation shaders, and the [`tessellator`].
//! - `interpreter` (default): runs vertex programs that have no machine code.
//! - `primitive-types` (default): strips, fans, quads, polygons, lines and points, and restarts.
//! - `user-clip-planes` (default): the user's clip planes, clip and cull distances.
//! - `full`: all of these.
//! - `log`, `defmt`: the backend of os-shim's log. `defmt` also derives `Format` for state.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
// Comparisons are negated where a NaN has to count as outside.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod assemble;
mod attribute;
#[cfg(feature = "stages")]
mod chain;
pub mod direct;
pub mod error;
mod features;
mod fetch;
mod groups;
pub mod index;
pub mod indices;
pub mod limits;
pub mod neighbours;
mod outcode;
mod outputs;
pub mod pipeline;
mod primitive;
mod project;
mod section;
mod segment;
mod shade;
pub mod sink;
pub mod state;
pub mod statistics;
mod stop;
mod tail;
#[cfg(feature = "tessellation")]
pub mod tessellator;
pub mod translate;
mod user_clip;
mod vertex;

pub use attribute::{Instance, is_attribute, is_common_attribute};
#[cfg(feature = "stages")]
pub use chain::geometry::{MAX_EMITTED, MAX_INVOCATIONS};
pub use error::DrawError;
pub use index::IndexBytes;
pub use limits::Limits;
pub use pipeline::Pipeline;
pub use section::{Section, Sections};
pub use shade::is_vertex_system_value;
pub use sink::{Origin, Phase, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
pub use state::{DepthStep, Draw, DrawState, OutputModes, Stage, Stages, VertexBytes};
pub use statistics::{Counters, STREAMS, Statistics, Streamed};
