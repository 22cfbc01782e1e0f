#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(target_os = "none")]
mod panic;
mod run;
mod sink;
pub mod stack;

pub use run::{Arguments, Board, FRAMES, arguments, exit, run};
pub use sink::HostFile;
