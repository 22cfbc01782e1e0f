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
#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports from the modules below it only:
//!
//! ```text
//! owned
//! module
//! interface
//! entry
//! call
//! statement
//! expression
//! image   math
//! texture   operator   half
//! memory
//! access   unroll
//! translator
//! declarations   place   slots
//! code   format   types
//! error
//! ```

mod access;
mod call;
mod code;
mod declarations;
mod entry;
mod error;
mod expression;
mod format;
mod half;
mod image;
mod interface;
mod math;
mod memory;
mod module;
mod operator;
mod owned;
mod place;
mod slots;
mod statement;
mod texture;
mod translator;
mod types;
mod unroll;

pub use error::{Error, ErrorKind};
pub use interface::{
    Interface, Member, MemberType, Resource, ResourceKind, Scalar, Varying, VertexInput,
};
pub use module::{CAPABILITIES, DepthMap, Module, Options, Translation, glsl_stage};
pub use naga;
pub use owned::{OwnedShader, shader};
pub use slots::{Bindings, SlotKind};
