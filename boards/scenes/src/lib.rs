#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod asset;
#[rustfmt::skip]
mod data;
#[cfg(feature = "compute")]
mod life;
mod matrix;
#[cfg(feature = "overlay")]
mod overlay;
#[cfg(feature = "tessellation")]
mod patch_shaders;
mod renderer;
mod scene;
mod shaders;
mod stream;

pub use asset::{Attribute, CHECKER, Kind, Mesh, QUAD, Texture};
pub use data::{
    BABOON, BABOON_GREY, BUNNY, BUNNY_SMALL, CUBE, TEAPOT, TEAPOT_PATCHES, TEAPOT_SMALL, TORUS,
    TRIANGLES,
};
pub use matrix::{Mat4, normalize, sin_turns};
#[cfg(feature = "overlay")]
pub use overlay::{COUNT_BOUNDS, count_overlay};
pub use renderer::{SceneRenderer, Surface};
#[cfg(feature = "tessellation")]
pub use scene::Patches;
#[cfg(feature = "samples")]
pub use scene::TEAPOT_GREY_SAMPLES;
pub use scene::{
    ALL, Constants, DEMOS, Filter, MEASURED, S3, SMALL_HEIGHT, Scene, TEAPOT_GREY, View, find,
};
pub use stream::{NoPanel, Sink, StreamPanel};
