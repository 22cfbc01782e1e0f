#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "failures")]
mod failures;
#[cfg(all(target_arch = "arm", target_os = "none"))]
mod fault;
#[cfg(target_os = "none")]
mod panic;
#[cfg(feature = "record")]
mod record;
#[cfg(feature = "replay")]
mod replay;
mod run;
mod sink;
pub mod stack;

#[cfg(feature = "failures")]
pub use failures::every_failure;
#[cfg(feature = "replay")]
pub use replay::{load, replay};
pub use run::{Arguments, Board, FRAMES, arguments, exit, run, shown};
pub use sink::HostFile;
