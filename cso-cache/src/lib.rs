#![no_std]
#![forbid(unsafe_code)]
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
//! - [`CsoContext`]: sets state by value, creates each object once, binds only changes.
//! - [`Saved`]: the kinds of state that [`CsoContext::save`] saves.
//! - [`Limits`]: the numbers of objects kept, by kind.
//!
//! Modules, from the top: `save` is the stack of saved state, `set_memory` and `set` are the
//! setters, `context` is the type, `cache` is the bounded map of objects, `state` is the tracked
//! state, `slots` is its numbered slots. Each module imports from later ones only.

#[cfg(any(feature = "std", test))]
extern crate std;

mod cache;
mod context;
mod save;
mod set;
mod set_memory;
mod slots;
mod state;

pub use context::{CsoContext, Limits, Statistics};
pub use pipe_core;
pub use state::{ConstantRange, Saved};
