#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "failures")]
mod failures;
#[cfg(target_os = "none")]
mod panic;
mod run;
mod sink;
pub mod stack;

#[cfg(feature = "failures")]
pub use failures::every_failure;
pub use run::{Arguments, Board, FRAMES, HEAP_BYTES, arguments, exit, run, scene_bytes, shown};
pub use sink::HostFile;
