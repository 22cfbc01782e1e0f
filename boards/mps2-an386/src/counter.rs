//! Counts instructions with the board's first timer.
//!
//! The timer counts down at 25 MHz on AN386, at 20 MHz on AN505. Under QEMU's `-icount shift=0` an
//! instruction takes one nanosecond, so a tick is exactly 40 or 50 instructions. (QEMU has no DWT
//! cycle counter.)

/// CMSDK APB timer 0; AN505 has it at a secure address.
const TIMER: usize = if cfg!(an505) { 0x5000_0000 } else { 0x4000_0000 };

/// Instructions per tick.
#[cfg(feature = "record")]
const INSTRUCTIONS: u32 = if cfg!(an505) { 50 } else { 40 };

/// Its registers: control, value, reload.
const CONTROL: *mut u32 = TIMER as *mut u32;
const VALUE: *mut u32 = (TIMER + 4) as *mut u32;
const RELOAD: *mut u32 = (TIMER + 8) as *mut u32;

/// Starts the timer at its maximum.
pub(crate) fn start() {
    // SAFETY: these are the registers of a timer that nothing else in this program touches.
    unsafe {
        CONTROL.write_volatile(0);
        RELOAD.write_volatile(u32::MAX);
        VALUE.write_volatile(u32::MAX);
        CONTROL.write_volatile(1);
    }
}

/// Returns the ticks since the start; wraps after 171 seconds.
pub(crate) fn ticks() -> u32 {
    // SAFETY: as above; reading has no effect.
    let value = unsafe { VALUE.read_volatile() };
    u32::MAX - value
}

/// Returns the instructions since the start; wraps around.
#[cfg(feature = "record")]
pub(crate) fn instructions() -> u32 {
    ticks().wrapping_mul(INSTRUCTIONS)
}
