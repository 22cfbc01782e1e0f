//! Ends the emulator with status 102 on a fault of a Cortex-M core.
//!
//! `cargo xtask firmware` explains the status, because a text here would take flash.

use core::arch::asm;

use cortex_m_rt::exception;
use semihosting::process;

use crate::stack::_stack_start;

extern "C" fn fault() -> ! {
    process::exit(102)
}

#[exception(trampoline = false)]
unsafe fn HardFault() -> ! {
    // SAFETY: this function never returns, so the frames of the stack are no longer needed. The
    // stack pointer, which has left the RAM after an overflow, restarts at the top.
    unsafe {
        asm!(
            "movw r0, :lower16:{top}",
            "movt r0, :upper16:{top}",
            "mov sp, r0",
            "b {fault}",
            top = sym _stack_start,
            fault = sym fault,
            options(noreturn),
        )
    }
}

unsafe extern "C" {
    /// The handler of cortex-m-rt for interrupts without a handler.
    fn DefaultHandler();
}

/// The vector table of the chip's interrupts, reduced to one entry: no board enables an interrupt,
/// and the full table takes a kilobyte.
// SAFETY: cortex-m-rt requires this section and name for a device's table.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [unsafe extern "C" fn(); 1] = [DefaultHandler];
