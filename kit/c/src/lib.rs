#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::arithmetic_side_effects
    )
)]
#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports only from lines below it:
//!
//! | modules | purpose |
//! |---|---|
//! | [`calls`] | the functions of the header: the one place of `unsafe`, except locks without content |
//! | `object` | the device and its objects in the memory that C handed over |
//! | [`data`] | structs and enums of the header, and the kit's values from them |
//! | `shader` | shaders of headers for C |
//! | [`error`] | error codes and their texts |
//!
//! With the feature `bare`, the archive has a panic handler, and locks that do nothing (`bare`).

#[cfg(feature = "std")]
extern crate std;

#[cfg(all(feature = "bare", target_os = "none"))]
#[allow(unsafe_code, reason = "the trait of locks is unsafe")]
mod bare;
#[allow(unsafe_code, reason = "C hands over pointers")]
pub mod calls;
pub mod data;
pub mod error;
mod object;
mod shader;

pub use object::{Gallium, Material, Mesh, Pipeline, Sprites, Target, Texture};
