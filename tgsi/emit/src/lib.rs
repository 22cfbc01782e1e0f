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

/// The reason why machine code cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason, a clause.
    pub reason: String,
    /// The index of the op in the body that is the reason; `None` if the whole program is.
    pub op: Option<usize>,
}

impl std::error::Error for Refusal {}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal { reason, op: None }
    }
}

/// The machine code that a program gets besides its lane code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// Numbers of lanes to make machine code for, each of [`WIDTHS`].
    pub native: Vec<usize>,
    /// Make machine code for one pixel.
    pub pixel: bool,
}
