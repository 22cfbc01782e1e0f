//! The scenes on a desktop: pictures, an animation, a window.
//!
//! | module | contents |
//! |---|---|
//! | [`render`] | one frame of one scene, to pixels |
//! | [`picture`] | pixels, and PNG files of them |
//! | [`demo`] | the files of `cargo xtask demo` |
//! | [`window`] | a live window |
#![forbid(unsafe_code)]

pub mod demo;
pub mod picture;
pub mod render;
pub mod window;
