#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! A module imports from the modules below it only:
//!
//! ```text
//! shrink
//! judge
//! mesa
//! run
//! check
//! generate   evaluate   print
//! function   choices
//! ast
//! ```
#![forbid(unsafe_code)]

pub mod ast;
pub mod check;
pub mod choices;
pub mod evaluate;
mod function;
pub mod generate;
pub mod judge;
pub mod mesa;
pub mod print;
pub mod run;
pub mod shrink;
