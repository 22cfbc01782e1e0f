//! The driver through its contract. One binary: the code of three profiles is generated once.

mod allocation;
mod bad_input;
mod common;
mod drawing;
mod profiles;
mod resources;
