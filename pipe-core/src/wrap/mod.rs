//! Drivers that need only the contract: one that draws nothing, and four that wrap another driver.
//!
//! [`null`] is a driver that draws nothing. [`check`], [`trace`], [`record`] and [`Layered`] wrap a
//! driver. They implement the same traits as the driver, so you can stack them in any order.

mod calls;
pub mod check;
mod layer;
pub mod null;
pub mod record;
mod screen;
mod shadow;
pub mod trace;

pub use check::{Check, CheckScreen};
pub use layer::{Layer, LayerScreen, Layered, Layers};
pub use null::{NullContext, NullScreen};
pub use trace::{Trace, TraceScreen, TraceSink, WriteSink};
