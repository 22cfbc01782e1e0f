//! Tests of the inspector: recordings of small scenes with results computed by hand.

mod damaged;
mod debug;
mod history;
mod live;
mod page;
mod scene;
mod serve;
mod why;
