#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! [`scene`] is what can be drawn, [`generate`] draws lots, `samples` of several a pixel, `widen` stages, layers,
//! memory and more, [`render`] makes the calls, [`judge`]
//! compares by [`bounds`], [`shrink`] finds the smallest scene that differs, [`image`] shows it.
//! [`replay`] plays traces of any program on the drivers, [`frames`] compares those that boards played.
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

/// Returns the driver in the profile that a seed chooses: tiles and lanes of three sizes.
pub fn driver(seed: u64) -> Box<dyn Screen<'static>> {
    AnyProfile::ALL[(seed % 3) as usize].screen(Os::host(), Config::default())
}
