//! What a panic does: it ends the emulator with status 101, and says where it was if there is flash
//! for that. Its message's formatting would cost more.

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
