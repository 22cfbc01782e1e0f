//! Parts of the developer commands: other programs, and files of strangers (which fuzz targets read).
#![cfg(feature = "commands")]
#![expect(unreachable_pub, reason = "parts of a program: `pub` says who may use it within")]

pub mod assets;
pub mod picture;
pub mod progress;
pub mod shell;
