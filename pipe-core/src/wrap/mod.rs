//! Drivers that need only the contract.
//!
//! [`null`] is a driver of its own that draws nothing. [`trace`] and [`check`] are drivers
//! around a driver: they implement the same traits, so they can be stacked in any order.

pub mod check;
pub mod null;
pub mod trace;

pub use check::{Check, CheckScreen};
pub use null::{NullContext, NullScreen};
pub use trace::{Trace, TraceScreen, TraceSink, WriteSink};
