#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! * `program`: a program as Rust code
//! * `pixel`: its body as Rust code for one pixel
//! * `native`: its body as Rust code

#![forbid(unsafe_code)]

mod native;
mod pixel;
mod program;

pub use native::WIDTHS;
pub use program::program;

/// The machine code that a program gets besides its lane code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// Numbers of lanes to make machine code for, each of [`WIDTHS`].
    pub native: Vec<usize>,
    /// Make machine code for one pixel.
    pub pixel: bool,
}
