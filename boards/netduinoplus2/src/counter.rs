//! Counts instructions with the chip's timer TIM2.
//!
//! QEMU runs the timer at 1 GHz; the prescaler divides this to 25 MHz. Under `-icount shift=0` an
//! instruction takes one nanosecond, so a tick is 40 instructions. (QEMU has no DWT cycle counter.)

/// TIM2: control register 1, event generation, counter, prescaler, auto-reload.
const CONTROL: *mut u32 = 0x4000_0000 as *mut u32;
const EVENTS: *mut u32 = 0x4000_0014 as *mut u32;
const COUNTER: *mut u32 = 0x4000_0024 as *mut u32;
const PRESCALER: *mut u32 = 0x4000_0028 as *mut u32;
const RELOAD: *mut u32 = 0x4000_002C as *mut u32;

/// Starts the timer.
pub(crate) fn start() {
    // SAFETY: these are the registers of a timer that nothing else in this program touches.
    unsafe {
        PRESCALER.write_volatile(39);
        RELOAD.write_volatile(u32::MAX);
        // An update loads the prescaler and resets the counter.
        EVENTS.write_volatile(1);
        CONTROL.write_volatile(1);
    }
}

/// Returns the ticks since the start; wraps after 171 seconds.
pub(crate) fn ticks() -> u32 {
    // SAFETY: reading the counter has no effect.
    unsafe { COUNTER.read_volatile() }
}
