//! Tests of the inspector: recordings of small scenes with results computed by hand.

mod board;
mod cost;
mod damaged;
mod debug;
mod exported;
mod history;
mod jumps;
mod live;
mod mesh;
mod page;
mod scene;
mod serve;
mod views;
mod why;
