#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::unreachable
    )
)]
#![doc = include_str!("../README.md")]

mod bind;
mod budget;
mod buffer;
mod caps;
mod command;
mod formats;
mod hal;
#[cfg(feature = "rbug")]
mod live;
mod machine;
mod memory;
mod options;
mod pipeline;
mod query;
mod run;
mod sampler;
mod shader;
mod state;
mod texture;

pub use hal::{Api, Instance, instance, instance_with};
pub use options::Options;
pub use wgpu;
