#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! [`scene`] describes everything that can be drawn. [`generate`] makes random scenes; `samples`
//! adds several samples per pixel, and `widen` adds stages, layers, memory and more. [`render`]
//! makes the calls. [`judge`] compares the pictures within [`bounds`]. [`shrink`] finds the
//! smallest scene that differs, and [`image`] shows it. [`replay`] plays traces of any program on
//! the drivers, and [`frames`] compares traces that boards played.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod frames;
pub mod generate;
pub mod image;
pub mod judge;
pub mod kernel;
pub mod render;
pub mod replay;
pub mod rng;
mod samples;
pub mod scene;
pub mod shaders;
pub mod shrink;
pub mod stages;
mod widen;

use os_shim::Os;
use pipe_core::Screen;
use raster::{AnyProfile, Config};

/// Returns the driver in the profile that a seed chooses: one of three sizes of tiles and lanes.
pub fn driver(seed: u64) -> Box<dyn Screen<'static>> {
    AnyProfile::ALL[(seed % 3) as usize].screen(Os::host(), Config::default())
}
