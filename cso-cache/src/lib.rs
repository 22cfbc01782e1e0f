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
//! - [`CsoContext`]: sets state by value, creates each object once, binds where state changes.
//! - [`Saved`]: the kinds of state that [`CsoContext::save`] puts aside.
//! - [`Limits`]: the numbers of objects kept, by kind.
//!
//! Modules, from the top: `save` is the stack of saved state, `set_memory` and `set` the setters, `context` the
//! type, `cache` the bounded map of objects, `state` the tracked state, `slots` its numbered slots. Each
//! imports from later ones only.

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
