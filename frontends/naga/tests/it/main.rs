//! Tests of the translator.

mod common;
mod corpus;
mod draw;
mod floats;
mod flow;
mod integers;
mod memory;
mod robust;
mod run;
