//! Tests the driver through its public interface, against pictures and numbers computed by hand.

mod areas;
mod bench;
mod memory;
mod pictures;
mod stages;
mod streamed;
