//! What a panic does: it says where, and ends the emulator with status 101.
//!
//! No panic message: its formatting would cost flash.

use core::panic::PanicInfo;

use semihosting::{eprintln, process};

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    if let Some(place) = info.location() {
        eprintln!("panic at {}:{}", place.file(), place.line());
    }
    process::exit(101)
}
