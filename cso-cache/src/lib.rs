#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! # Map
//! - [`CsoContext`]: set state by value; objects are made once and bound when they change.
//! - [`Saved`]: which state [`CsoContext::save`] puts aside.
//! - [`Limits`]: how many objects of each kind are kept.
//!
//! `cache` is the bounded map behind it, `state` what is bound, `set` the setters, `save` the
//! stack of what was put aside.

#[cfg(any(feature = "std", test))]
extern crate std;

mod cache;
mod context;
mod save;
mod set;
mod state;

pub use context::{CsoContext, Limits, Statistics};
pub use pipe_core;
pub use state::Saved;
