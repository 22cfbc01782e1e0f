#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "transfers")]
mod blit;
mod caps;
mod clear;
mod context;
mod debug;
pub mod depth;
pub mod fixed;
mod fragment;
pub mod output;
pub mod profile;
mod resource;
mod scene;
mod screen;
pub mod setup;
mod shader;
#[cfg(feature = "spans")]
mod span;
pub mod texture;
mod tile;

/// Whether any fragment program can be run; if not, draws that spans do not recognise are refused.
pub(crate) const FRAGMENTS: bool = cfg!(feature = "fragments");

/// Whether textures are sampled in vertex shaders.
pub(crate) const VERTEX_TEXTURES: bool = cfg!(feature = "vertex-textures");

/// Whether there may be more workers than one.
pub(crate) const WORKERS: bool = cfg!(feature = "workers");

pub use context::Context;
pub use profile::{Host, Profile, Small, Tiny};
pub use screen::{Config, Screen};
