//! Tests of the translator.

mod common;
mod corpus;
