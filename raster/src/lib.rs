#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

#[cfg(any(test, feature = "std"))]
extern crate std;

// The rooms, from the top: a room imports only rooms of a lower rank (`cargo xtask layers`).

// Resources, contexts, and the driver's caps.
mod screen;

// The contract's calls, one file per chapter: turns bound state and draws into records of a scene.
mod context;

// Rasterizes a scene: hands bands of tiles to workers, or tiles to a panel.
mod frame;

// Runs the blocks of compute programs.
#[cfg(feature = "shader-memory")]
mod grid;

// A pipeline composed when the firmware is built, from the rooms below.
#[cfg(feature = "spans-565")]
pub mod direct;

// Shades quads of fragments by lane code. It ranks above `span` because it offers each triangle to
// it.
mod fragment;

// Shades rows of pixels in integers, for the programs and states that it recognises.
#[cfg(spans)]
mod span;

// Lane programs, compiled at run time or with the firmware. It ranks above `scene`: records define
// which system values have a value.
mod shader;

// Draws and primitives since the last flush, in bins of tiles. It ranks above `depth`, `output` and
// `resource`, because a draw's record holds their derived states.
mod scene;

// Copies one layer of a resource to another: scaled, mirrored, converted.
#[cfg(feature = "es2")]
mod blit;
// Fills rectangles of texels with one value.
mod clear;
// The device that a screen and its contexts share: memory, options, and resources behind a lock.
mod device;

// Buffers and textures, the places of their bytes, and the parts that views show.
mod resource;

// Depth and stencil tests, and the subset that an integer kernel can run.
pub mod depth;
// Colour output: blend, logic operation, colour mask, pack.
pub mod output;
// Loads, stores and atomics of a batch of lanes.
#[cfg(feature = "shader-memory")]
mod memory;
#[cfg(not(feature = "shader-memory"))]
#[path = "memory/none.rs"]
mod memory;
// Texture sampling: lookups of a batch of lanes.
pub mod texture;
// The pixels of a tile that a primitive covers, in exact integers.
mod tile;

// From window positions to edges, planes and bounds; fill rules; shapes of lines and points.
pub mod setup;

// The option `RASTER_DEBUG`.
mod debug;
// Loops over rows of lanes, and conversion between lanes and texels.
mod lanes;

// Cargo features as constants.
mod features;
// The generator of machine code at run time.
mod generator;
// The budget of a device's work.
mod budget;
// Fixed-point formats of positions and depth.
pub mod fixed;
// Profiles: lanes, tile size, limits.
pub mod profile;

pub use context::Context;
pub use device::Config;
pub use profile::{Host, Profile, Small, Tiny};
#[cfg(feature = "any-profile")]
pub use screen::AnyProfile;
pub use screen::Screen;
