//! What a fault does: it ends the emulator with status 102.

use core::arch::asm;

use cortex_m_rt::exception;
use semihosting::process;

unsafe extern "C" {
    /// One past the highest address of the stack (memory.x).
    static _stack_start: u32;
}

extern "C" fn fault() -> ! {
    // No words: formatting and printing them would cost flash.
    process::exit(102)
}

#[exception(trampoline = false)]
unsafe fn HardFault() -> ! {
    // SAFETY: nothing returns from here, so the stack, which may be what is wrong, starts over.
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
    /// What cortex-m-rt does when an interrupt comes that nobody handles.
    fn DefaultHandler();
}

/// The chip's interrupts: none is used, so none but the first has an entry, for a kilobyte less.
// SAFETY: the section and the name are those that cortex-m-rt asks for.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [unsafe extern "C" fn(); 1] = [DefaultHandler];
