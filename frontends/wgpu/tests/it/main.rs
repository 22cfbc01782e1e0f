//! wgpu programs on the backend. Expected pictures and values are computed here.

mod buffers;
mod common;
mod compute;
mod draws;
mod features;
mod formats;
mod lost;
mod pictures;
mod queries;
#[cfg(feature = "rbug")]
mod rbug;
mod same;
mod samples;
mod textures;
