//! Drivers that need only the contract: one that draws nothing, and three that wrap another driver.
//!
//! [`null`] is a driver that draws nothing. [`check`], [`trace`] and [`record`] wrap a driver. They
//! implement the same traits as the driver, so you can stack them in any order.

mod calls;
pub mod check;
pub mod null;
pub mod record;
mod screen;
mod shadow;
pub mod trace;

pub use check::{Check, CheckScreen};
pub use null::{NullContext, NullScreen};
pub use trace::{Trace, TraceScreen, TraceSink, WriteSink};
