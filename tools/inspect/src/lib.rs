#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

pub mod answer;
pub mod bytes;
pub mod debug;
pub mod edited;
pub mod history;
pub mod listing;
pub mod live;
pub mod mesh;
pub mod picture;
pub mod probe;
pub mod serve;
pub mod serve_live;
pub mod session;
pub mod shaders;
pub mod state;
pub mod views;
pub mod why;

pub use listing::{Described, Listing};
pub use session::{Inspector, Limits, Session};
