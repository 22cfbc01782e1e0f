#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
// Code of disabled features is checked and then dropped. Builds with all features find dead code and
// unused imports.
#![cfg_attr(not(all(feature = "full", flights)), allow(dead_code, unused_imports))]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "es2")]
mod blit;
mod budget;
mod calls;
#[cfg(feature = "check")]
mod checked;
mod clear;
mod context;
mod debug;
mod depth;
mod device;
#[cfg(feature = "spans-565")]
pub mod direct;
mod features;
mod fixed;
mod fragment;
mod frame;
mod generator;
#[cfg(feature = "shader-memory")]
mod grid;
mod lanes;
mod memory;
mod output;
pub mod profile;
#[cfg(test)]
mod random;
mod record;
#[cfg_attr(not(feature = "check"), allow(unreachable_pub, reason = "only `check` exports it"))]
mod report;
mod resource;
mod scene;
mod screen;
mod setup;
mod shader;
mod span;
mod state;
mod submit;
mod texture;
mod tile;

#[cfg(feature = "check")]
pub use checked::{CheckedProfile, Context};
#[cfg(not(feature = "check"))]
pub use context::Context;
pub use device::Config;
pub use profile::{Host, Profile, Small, Tiny};
#[cfg(feature = "check")]
pub use report::FeatureReport;
#[cfg(feature = "any-profile")]
pub use screen::AnyProfile;
pub use screen::Screen;
