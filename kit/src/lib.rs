#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports only from lines below it:
//!
//! | modules | purpose |
//! |---|---|
//! | `sprites`, [`solids`], `backdrop` | many rectangles of a texture; meshes; backgrounds |
//! | [`material`] | ready shaders with their constants, for a camera, light and fog |
//! | `target` | pictures: panels and textures |
//! | `pipeline`, `mesh`, `texture`, `camera`, `light` | values for draws |
//! | [`shaders`] | the programs |
//! | `device` | a screen with its context |

#[cfg(any(test, feature = "std"))]
extern crate std;

mod backdrop;
mod camera;
mod device;
mod light;
pub mod material;
mod mesh;
mod pipeline;
pub mod shaders;
pub mod solids;
mod sprites;
mod target;
mod texture;

pub use backdrop::{Backdrop, BackdropCorner};
pub use camera::{Camera, Transform, frustum, orthographic, perspective};
pub use device::{Device, Raster, Recorded};
pub use glam;
pub use light::{Fog, Lamp, Light};
pub use material::{Material, View};
pub use mesh::{Layout, Mesh, MeshData};
pub use pipeline::{Pipeline, PipelineState, Surface};
pub use sprites::{SPRITES_PER_DRAW, Sprite, Sprites};
pub use target::Target;
pub use texture::{Texture, TextureData, bilinear, nearest, nearest_level, trilinear};
