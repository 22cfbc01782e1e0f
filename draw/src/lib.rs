#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! | module | what it does |
//! |---|---|
//! | [`pipeline`] | runs a draw through all of the below |
//! | [`state`] | what a draw reads: programs, state, bytes |
//! | [`index`], [`assemble`] | indices from bytes; points, lines and triangles from indices |
//! | `segment` | which vertices wait to be shaded, which are still there |
//! | `fetch`, `shade` | attributes to lanes; the vertex shader over lanes |
//! | `project`, `user_clip`, `code` | outcodes, viewport, snapping |
//! | `stage` | reject, clip, cull, effects, hand over |
//! | [`sink`] | the trait that a rasterizer implements |
//! | [`limits`], [`error`], [`statistics`] | sizes, failures, counts |
//!
//! # Features
//!
//! - `std`: uses the host's instruction sets found at run time.
//! - `stages`: two-sided colour, polygons drawn as lines or points, depth offset, line stipple.
//! - `stream-output`: `PrimitiveSink::capture`.
//! - `full`: all of these that are not about the surroundings.
//! - `log`, `defmt`: where os-shim's log goes. `defmt` also derives `Format` for state.
#![no_std]
#![forbid(unsafe_code)]
// Comparisons are negated where a NaN has to count as outside.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod assemble;
mod code;
pub mod error;
mod fetch;
pub mod index;
pub mod limits;
pub mod pipeline;
mod project;
mod segment;
mod shade;
pub mod sink;
mod stage;
pub mod state;
pub mod statistics;
mod user_clip;

pub use error::DrawError;
pub use fetch::is_attribute;
pub use index::IndexBytes;
pub use limits::Limits;
pub use pipeline::Pipeline;
pub use sink::{Origin, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
pub use state::{DepthStep, Draw, DrawState, OutputModes, VertexBytes};
pub use statistics::Statistics;
