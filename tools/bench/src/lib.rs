//! The scenes on a desktop with every profile: pictures for golden images, and speeds.
//!
//! | module | contents |
//! |---|---|
//! | [`screens`] | a screen of any profile, which records its calls and is shown on a page if asked to |
//! | [`golden`] | the pictures that `cargo xtask golden` compares |
//! | [`grey`] | the picture of a small grey display, to compare boards' pictures with |
//! | [`bench`] | the host's part of `cargo xtask bench` |
//! | [`sweep`] | `cargo xtask bench --sweep`: ratios to a baseline, state by state |
#![forbid(unsafe_code)]

pub mod bench;
pub mod golden;
pub mod grey;
pub mod screens;
pub mod sweep;
