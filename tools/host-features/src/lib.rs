//! Nothing: this package is its build dependencies.
#![no_std]
