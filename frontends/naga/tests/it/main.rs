//! Tests of the translator.

mod common;
mod corpus;
mod draw;
mod features;
mod floats;
mod flow;
mod halves;
mod integers;
mod layout;
mod machine;
mod memory;
mod overrides;
mod robust;
mod run;
