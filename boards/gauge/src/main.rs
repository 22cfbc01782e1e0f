//! The gauge's firmware for a Raspberry Pi Pico (`thumbv6m-none-eabi`) and for an emulated STM32F405
//! (`thumbv7em-none-eabihf`).
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(all(target_os = "none", target_abi = "eabihf"))]
mod f405;
#[cfg(all(target_os = "none", not(target_abi = "eabihf")))]
mod pico;

#[cfg(all(target_os = "none", not(feature = "by-hand")))]
use gallium_gauge::Gauge;
#[cfg(all(target_os = "none", feature = "by-hand"))]
use gallium_gauge::by_hand::Gauge;

/// On a PC, the example `host` draws the frames.
#[cfg(not(target_os = "none"))]
fn main() {}
