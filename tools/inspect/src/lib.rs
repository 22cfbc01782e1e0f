#![doc = include_str!("../README.md")]
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

#[cfg(target_family = "wasm")]
mod abi;
pub mod answer;
pub mod bytes;
pub mod cost;
pub mod debug;
pub mod desk;
#[cfg(feature = "serve")]
pub mod edited;
#[cfg(feature = "serve")]
pub mod export;
pub mod history;
#[cfg(feature = "serve")]
pub mod inspector;
pub mod listing;
#[cfg(feature = "serve")]
pub mod live;
pub mod mesh;
pub mod picture;
pub mod playback;
pub mod probe;
mod query;
pub mod samples;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "serve")]
pub mod serve_live;
pub mod session;
pub mod shaders;
mod shown;
pub mod snapshots;
pub mod state;
pub mod views;
pub mod why;

#[cfg(feature = "serve")]
pub use inspector::Inspector;
pub use listing::{Described, Listing};
pub use session::{Limits, Progress, Session};
