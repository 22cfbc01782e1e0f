#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports only from the modules below it (`cargo xtask layers` checks this):
//!
//! ```text
//! transform
//! builder   scan   compile
//! text   token   sanity   exec
//! shader
//! instruction   format_name
//! declaration   property
//! opcode   register   processor   texture_target   position
//! math   names
//! ```
//!
//! The IR. Text and tokens are two notations for it:
//! * [`shader`]: a stage, and lists of declarations, immediates and instructions
//! * [`declaration`]: the registers of a shader; semantics, interpolation
//! * [`register`]: files, operands, swizzles, masks
//! * [`opcode`]: the table of opcodes
//! * [`property`]: settings of a whole shader
//!
//! Input and output:
//! * [`text`]: parses and prints (feature `text`)
//! * [`token`]: reads and writes the binary form
//! * [`builder`]: builds shaders from Rust code
//! * [`transform`]: builds shaders from shaders
//!
//! Inspecting a shader:
//! * [`sanity`]: checks that it is well formed
//! * [`scan`]: lists its inputs, outputs, units and effects
//!
//! Running it:
//! * [`compile`]: compiles IR to lane code (feature `compile`)
//! * [`exec`]: runs lane code, which [`program`] defines
//! * [`math`]: the functions that lane code calls
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
