#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "transfers")]
mod blit;
mod clear;
mod context;
mod debug;
pub mod depth;
mod device;
mod features;
pub mod fixed;
mod fragment;
mod frame;
mod lanes;
pub mod output;
pub mod profile;
mod resource;
mod scene;
mod screen;
pub mod setup;
mod shader;
#[cfg(spans)]
mod span;
pub mod texture;
mod tile;

pub use context::Context;
pub use device::Config;
pub use profile::{Host, Profile, Small, Tiny};
pub use screen::Screen;
