//! Ends the emulator with status 101 on a panic.
//!
//! With the feature `messages` it prints the location in the source. The message itself would need
//! `core::fmt`, which takes more flash than the boards have.

use core::panic::PanicInfo;

use semihosting::process;

#[cfg(feature = "messages")]
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    if let Some(place) = info.location() {
        semihosting::eprintln!("panic at {}:{}", place.file(), place.line());
    }
    process::exit(101)
}

#[cfg(not(feature = "messages"))]
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    process::exit(101)
}
