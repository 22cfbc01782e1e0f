//! The server, spoken to as clients do.
#![expect(unreachable_pub, reason = "a program: `pub` says who may use it within")]

mod captures;
mod connection;
mod drawing;
mod handshake;
mod hangup;
mod hostile;
mod isolate;
mod jail;
mod limits;
mod log;
mod pieces;
mod sessions;
mod socket;
mod stream;
