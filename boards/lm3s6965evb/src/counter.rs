//! Counts instructions with the core's SysTick at 50 MHz.
//!
//! Under QEMU's `-icount shift=0` an instruction takes one nanosecond, so a tick is exactly 20
//! instructions.

use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// SysTick has 24 bits, which last a third of a second.
const TOP: u32 = 0xff_ffff;

/// Instructions per tick.
pub(crate) const INSTRUCTIONS_PER_TICK: u32 = 20;

/// Starts the counter from its maximum.
pub(crate) fn start() {
    // SAFETY: nothing else in this program uses SysTick.
    let mut systick = unsafe { Peripherals::steal() }.SYST;
    systick.disable_counter();
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(TOP);
    systick.clear_current();
    systick.enable_counter();
}

/// Returns the ticks since the start; wraps after a third of a second.
pub(crate) fn ticks() -> u32 {
    TOP - SYST::get_current()
}
