#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports only from lines below it:
//!
//! | modules | purpose |
//! |---|---|
//! | `builder` | files, and the Rust that includes them |
//! | [`mesh`], [`texture`] | conversions with options |
//! | [`cache`], [`decimate`], [`gltf`], [`obj`], `palette`, `resize` | their steps |
//! | [`soup`], `polygon`, `picture`, `error` | meshes and pictures in memory |

mod builder;
pub mod cache;
pub mod decimate;
mod error;
pub mod gltf;
pub mod mesh;
pub mod obj;
mod palette;
mod picture;
mod polygon;
mod resize;
pub mod soup;
pub mod texture;

pub use builder::{Builder, Names};
pub use error::{Error, Result};
pub use formats::Format;
pub use mesh::{
    ColorFormat, IndexSize, Keep, Kind, MeshBytes, MeshOptions, NormalFormat, Normals, Placement,
    PositionFormat, UvFormat,
};
pub use soup::Projection;
pub use texture::{TextureBytes, TextureOptions};
