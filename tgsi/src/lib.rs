#![doc = include_str!("../README.md")]
//!
//! # Features
//!
//! * `text` (default): shaders from and to text.
//! * `compile` (default): shaders to lane code. Without it only programs made at build time run.
//! * `interpreter` (default): runs programs without a native body. Without it only programs from
//!   `tgsi!(native; …)` run; [`Program::runs`](program::Program::runs) returns true for them.
//! * `functions` (default), `integers`, `memory`, `doubles`, `shader-stages`, `lanes`: parts of the
//!   executor, see [`exec::Group`].
//! * `full`: all of these.
//! * `record`: programs of `tgsi!` and `wgsl!` have a name by which a host finds their text in the
//!   firmware's ELF file; see [`program::SourceText`].
//! * `std`, `log`, `defmt`: as in `gallium-os-shim`.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::unreachable
    )
)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod format_name;
mod instruction;
mod names;
mod position;
mod processor;
mod texture_target;

pub mod builder;
#[cfg(feature = "compile")]
pub mod compile;
pub mod declaration;
pub mod exec;
pub mod math;
pub mod opcode;
pub mod property;
pub mod register;
pub mod sanity;
pub mod scan;
pub mod shader;
#[cfg(feature = "text")]
pub mod text;
pub mod token;
pub mod transform;

pub use exec::program;
