#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! From top to bottom. A module imports only from rows below it (`cargo xtask layers`).
//!
//! | module | purpose |
//! |---|---|
//! | `screen` | resources, contexts, capabilities |
//! | `context` | the calls of a context, one file per chapter of the contract |
//! | `paint` | a draw: primitives to pixels, pixels to quads, quads through the fragment shader |
//! | `grid` | a compute launch, block by block |
//! | `reach` | what the programs of a stage can access: textures and memory |
//! | `texture`, `memory` | lookups, in `f64`; loads, stores and atomics |
//! | `shader` | shaders, compiled |
//! | `output` | alpha, depth and stencil tests, blending, one pixel at a time |
//! | `target`, `device` | texels of a surface; data shared by screen and contexts |
//! | `resource`, `setup`, `streamed` | bytes; shapes and weights of primitives; stream output's layout |
//! | `nudge` | errors added on purpose |
#![forbid(unsafe_code)]
#![allow(
    clippy::manual_clamp,
    reason = "`max` and `min` turn a NaN into a bound, `clamp` keeps it"
)]

mod context;
mod device;
mod grid;
mod memory;
mod nudge;
mod output;
mod paint;
mod reach;
mod resource;
mod screen;
mod setup;
mod shader;
mod streamed;
mod target;
mod texture;

pub use context::Context;
pub use device::Config;
pub use nudge::Nudge;
pub use screen::Screen;
