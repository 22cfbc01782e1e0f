//! Tests of the driver from outside, against pictures and numbers computed by hand.

mod areas;
mod bench;
mod memory;
mod pictures;
mod stages;
mod streamed;
