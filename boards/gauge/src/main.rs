//! The gauge's firmware for a Raspberry Pi Pico (`thumbv6m-none-eabi`), a Pico 2 (`thumbv8m.main-none-eabihf`) and an
//! emulated STM32F405 (`thumbv7em-none-eabihf`).
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(all(target_os = "none", feature = "soft-floats"))]
gallium::os_shim::soft_floats!();

#[cfg(all(target_os = "none", f405))]
mod f405;
#[cfg(all(target_os = "none", not(f405)))]
mod pico;

#[cfg(all(target_os = "none", not(feature = "by-hand")))]
use gallium_gauge::Gauge;
#[cfg(all(target_os = "none", feature = "by-hand"))]
use gallium_gauge::by_hand::Gauge;

/// On a PC, the example `host` draws the frames.
#[cfg(not(target_os = "none"))]
fn main() {}
