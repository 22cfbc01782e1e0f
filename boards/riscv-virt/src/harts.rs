//! The second core: it waits until the first one has set memory up, and then draws tiles for it.

#![expect(unsafe_code, reason = "a symbol that the runtime calls")]

use core::sync::atomic::{AtomicU32, Ordering};

use os_shim::threads::SecondCore;
use riscv::register::mhartid;

/// Both cores, as workers of the driver.
pub(crate) static CORES: SecondCore = SecondCore::new();

/// What [`READY`] holds once memory is set up: before that, memory may hold anything else.
const IS_READY: u32 = 0x600d_c0de;

/// The word that the second core waits for: statics have their values.
static READY: AtomicU32 = AtomicU32::new(0);

/// Returns true on the core that sets memory up; the other one waits for that.
#[unsafe(no_mangle)]
extern "C" fn _mp_hook(hart: usize) -> bool {
    while hart != 0 && READY.load(Ordering::Acquire) != IS_READY {
        core::hint::spin_loop();
    }
    hart == 0
}

/// Lets the second core go; on that core, draws tiles and never returns.
pub(crate) fn share() {
    if mhartid::read() != 0 {
        CORES.serve();
    }
    READY.store(IS_READY, Ordering::Release);
}
