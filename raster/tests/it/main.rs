//! The driver through its contract. One binary: the code of three profiles is generated once.

#[macro_use]
mod common;

mod allocation;
mod bad_input;
mod bilinear;
mod blits;
mod drawing;
mod exports;
mod frames;
mod hidden;
mod parts;
mod profiles;
mod resources;
#[cfg(feature = "debug")]
mod spans;
mod stages;
mod streaming;
mod streams;
mod strokes;
