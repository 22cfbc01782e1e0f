#![doc = include_str!("../README.md")]
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

#[cfg(target_family = "wasm")]
mod exchange;

#[cfg(target_family = "wasm")]
pub use exchange::reply;
