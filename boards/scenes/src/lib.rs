#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod asset;
#[rustfmt::skip]
mod data;
mod matrix;
mod scene;
mod shaders;
mod stage;
mod stream;

pub use asset::{Attribute, CHECKER, Kind, Mesh, QUAD, Texture};
pub use data::{BABOON, BUNNY, BUNNY_SMALL, CUBE, TEAPOT, TORUS, TRIANGLES};
pub use matrix::{Mat4, normalize, sin_turns};
pub use scene::{ALL, Constants, DEMOS, Filter, MEASURED, SMALL_HEIGHT, Scene, View, find};
pub use stage::{Stage, Surface};
pub use stream::{NoPanel, Sink, StreamPanel};
