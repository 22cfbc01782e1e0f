#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
//!
//! # Map
//! [`server`] listens and starts a thread a client, or by [`isolate`] a process, whose [`ending`] it
//! explains; [`memory`] bounds what each of them takes, [`peer`] and [`files`] what the connections of
//! one program take together; [`newcomers`] wait for a place; [`turns`] lets those draw first that have drawn least, [`processor`] counts
//! their time; [`watch`] stops commands that nobody waits for, and reads the [`diary`] of each process;
//! [`link`] is a client's socket, [`client`] frames its messages; [`submit`] walks the command stream
//! inside them; a [`context`] holds the objects and bindings of one OpenGL context, with a file for each
//! kind of command; [`resource`] and [`transfer`] move bytes between the client's shared memory and the
//! driver; [`caps`] announces the driver's capabilities.

pub mod caps;
pub mod client;
pub mod clock;
pub mod context;
pub mod diary;
pub mod ending;
pub mod error;
pub mod files;
pub mod frames;
pub mod generators;
pub mod isolate;
pub mod link;
pub mod log_rate;
pub mod memory;
pub mod newcomers;
pub mod notes;
pub mod peer;
pub mod processor;
pub mod reader;
pub mod replay;
pub mod resource;
pub mod server;
pub mod shared_memory;
pub mod stats;
pub mod submit;
pub mod transfer;
pub mod turns;
pub mod watch;
pub mod wire;
