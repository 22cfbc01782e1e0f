#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
//!
//! # Map
//! * [`server`] listens and starts one thread per client. With [`isolate`] it starts one process
//!   per client, and [`ending`] explains why a process ended.
//! * [`memory`] limits the memory of each client. [`peer`] and [`files`] limit the places and the
//!   open files of all connections of one program. [`newcomers`] are connections that wait for a
//!   place.
//! * [`turns`] lets the programs that have drawn least draw first. [`processor`] counts their time.
//!   Processes [ask](asks) the server for turns.
//! * [`watch`] stops commands of clients that hung up, and reads the [`diary`] of each process.
//! * [`link`] is a client's socket, and [`client`] reads the messages from it. [`submit`] executes
//!   the command stream inside a message.
//! * A [`context`] holds the objects and bindings of one OpenGL context, with one file per kind of
//!   command.
//! * [`resource`] and [`transfer`] move bytes between the client's shared memory and the driver.
//! * [`caps`] announces the driver's capabilities.

pub mod asks;
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
