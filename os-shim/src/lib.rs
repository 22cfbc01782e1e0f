#![doc = include_str!("../README.md")]
//!
//! # Features
//!
//! No feature is on by default: a board needs none of them.
//!
//! * `std`: uses a hosted system: its memory, environment, clock, blocking locks, a
//!   `critical-section` on a lock, and AVX2 detected at run time. Without `std` and without `spin`,
//!   the board links a `critical-section`.
//! * `threads`: a pool of worker threads, on rayon, and threads for background jobs. Turns on
//!   `std`.
//! * `shared`: values with several holders, and memory and fences shared with other devices and
//!   processes; needs compare-and-swap.
//! * `event-fds`: a fence that crosses between processes, on Linux. Turns on `std`.
//! * `second-core`: `threads::SecondCore`, for a core that polls a mailbox. Needs compare-and-swap.
//! * `spin`: locks spin on an atomic instead of entering critical sections; needs compare-and-swap.
//! * `log`, `defmt`: the receiver of log messages. Choose at most one; without either, messages are
//!   discarded.
//!
//! # Unsafe code
//! Every crate above this one forbids unsafe code. This one denies it except in `memory`, `boxed`,
//! `shared`, `vec`, `words`, `sync`, `SecondCore`, and for single instructions in `math::{sqrt,
//! to_i32, to_u32}`.

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

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod boxed;
pub mod budget;
pub mod clock;
pub mod events;
pub mod log;
pub mod math;
pub mod memory;
pub mod options;
mod os;
pub mod pool;
#[cfg(any(feature = "std", feature = "shared", test))]
pub mod shared;
#[cfg(feature = "shared")]
pub mod sharing;
pub mod simd;
pub mod sync;
pub mod threads;
pub mod vec;
mod words;

pub use boxed::Box;
#[cfg(any(feature = "std", test))]
pub use memory::System;
pub use memory::{Bump, FailAt, Heap, Memory, OutOfMemory, Region, Usage};
pub use os::Os;
pub use vec::Vec;
pub use words::Words;
