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
mod same;
mod samples;
mod textures;
