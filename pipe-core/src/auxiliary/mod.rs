//! Helpers for frontends, usable with any driver's context (the manual's "Auxiliary").

mod bands;
#[cfg(feature = "embedded-graphics")]
mod draw_on;
mod map_bytes;
mod pool;
mod tiles;
mod uploader;

pub use bands::{Bands, PART_ROWS};
#[cfg(feature = "embedded-graphics")]
pub use draw_on::draw_on;
pub use map_bytes::MapBytes;
pub use pool::ResourcePool;
pub use tiles::Tiles;
pub use uploader::Uploader;
