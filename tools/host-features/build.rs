//! Nothing: cargo compiles build dependencies for a build script.

fn main() {}
