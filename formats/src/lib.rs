//! Every pixel format of Gallium: name, layout, fetch, store, pack, unpack, convert.
//!
#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! - [`Format`] names a format and answers questions about it; [`Format::desc`] returns its
//! [`Description`]: block, channels, swizzle, colour space.
//! - One texel: [`Format::fetch_rgba_f32`], [`Format::store_rgba_f32`] and their variants for other
//! types; [`Format::fetch_rgba_f32_at`] within a block.
//! - Rectangles: [`unpack_rgba_f32`] and [`pack_rgba_f32`], variants for `u8`, `u32` and `i32`, and
//! [`convert`] from any format to any other.
//! - Structure of arrays, for rasterizers: [`lanes`].
//! - Depth and stencil: [`depth`]. The sRGB curve by itself: [`srgb`]. Grey panels: [`grey`].
//! - YUV: `yuv`, planes of video: `planar` (feature `video`).
//!
//! Inside, modules import downward only: `rect` and `texel`; `block` (compressed and subsampled);
//! `bytes`, [`depth`], [`grey`], `planar`; [`lanes`]; `packed` and `plain`; `rows`, [`srgb`],
//! `yuv`; `error`; `format` with the list of formats; `channel`.
//!
//! # Features
//!
//! - `names` (default): names of formats. Without it no program holds their text, and a format
//! prints as its number.
//! - `s3tc`, `rgtc`, `bptc`, `etc`, `astc`, `atc`, `fxt1`: blocks of these families;
//!   `compressed`: all of them.
//! - `video`: subsampled formats, packed YUV, planes.
//! - `std`: loops on the instruction sets that are found at run time (AVX2 on x86-64).
//! - `full`: all of the above but `std`.
//! - `defmt`: the public types implement `defmt::Format`.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

#[cfg(test)]
extern crate std;

mod block;
mod bytes;
mod channel;
pub mod depth;
mod error;
mod features;
mod format;
pub mod grey;
mod index;
pub mod lanes;
mod packed;
mod plain;
#[cfg(feature = "video")]
pub mod planar;
mod rect;
mod rows;
mod simd;
pub mod srgb;
mod texel;
#[cfg(feature = "video")]
pub mod yuv;

pub use block::{BlockDecoder, DecodedBlock};
pub use error::Error;
pub use format::{
    Block, Channel, ChannelKind, ColorSpace, Description, Format, Layout, Packing, Swizzle,
    UnknownFormat,
};
pub use rect::{
    convert, pack_rgba_f32, pack_rgba_i32, pack_rgba_u8, pack_rgba_u32, unpack_rgba_f32,
    unpack_rgba_i32, unpack_rgba_u8, unpack_rgba_u32,
};
pub use rows::Rect;
