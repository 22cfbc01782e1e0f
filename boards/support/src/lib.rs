#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "failures")]
mod failures;
#[cfg(all(target_arch = "arm", target_os = "none"))]
mod fault;
#[cfg(target_os = "none")]
mod panic;
mod run;
mod sink;
pub mod stack;

#[cfg(feature = "failures")]
pub use failures::every_failure;
pub use run::{Arguments, Board, FRAMES, arguments, exit, run, shown};
pub use sink::HostFile;
