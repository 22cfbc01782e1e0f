//! The driver through its contract. One binary: the code of three profiles is generated once.

#[macro_use]
mod common;

mod allocation;
mod bad_input;
mod blits;
#[cfg(feature = "budget")]
mod budget;
#[cfg(all(feature = "budget", feature = "threads"))]
mod contexts;
mod direct;
mod drawing;
mod exports;
#[cfg(feature = "framebuffer-fetch")]
mod framebuffer_fetch;
mod frames;
#[cfg(feature = "generated")]
mod generated;
mod largest_target;
mod occlusion;
mod parts;
mod profiles;
mod resources;
#[cfg(feature = "debug")]
mod spans_565;
mod spans_bilinear;
mod spans_generic;
mod stamps;
mod streaming;
mod streams;
mod strokes;
mod system_values;
mod unsupported;
mod vertex_cache;
