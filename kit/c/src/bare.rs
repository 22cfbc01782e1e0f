//! A panic handler and locks, for programs on bare metal that are C otherwise.

use core::panic::PanicInfo;

/// Stops. No input of the driver leads here; the message would take more flash than boards have.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Critical sections that exclude nothing.
struct OneThread;

critical_section::set_impl!(OneThread);

// SAFETY: locks guard the memory, screen and context of one `gallium`, and no static value. By the
// header's rules one thread at a time calls functions with one `gallium`.
unsafe impl critical_section::Impl for OneThread {
    unsafe fn acquire() -> critical_section::RawRestoreState {}

    unsafe fn release(_: critical_section::RawRestoreState) {}
}
