//! The scenes on a desktop: pictures, animations, a window, speeds.
//!
//! | module | contents |
//! |---|---|
//! | [`render`] | one frame of one scene by one profile, to pixels |
//! | [`picture`] | pixels, and PNG files of them |
//! | [`demo`] | the files of `cargo xtask demo` |
//! | [`grey`] | the picture of a small grey display, to compare boards' pictures with |
//! | [`window`] | a live window |
//! | [`bench`] | the host's part of `cargo xtask bench` |
//! | [`sweep`] | `cargo xtask bench --sweep`: ratios to a baseline, state by state |
#![forbid(unsafe_code)]

pub mod bench;
pub mod demo;
pub mod grey;
pub mod picture;
pub mod render;
pub mod sweep;
pub mod window;
