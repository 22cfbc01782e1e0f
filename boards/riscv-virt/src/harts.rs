//! The second core waits until the first one has initialised the memory, and then draws tiles for
//! it.

#![expect(unsafe_code, reason = "a symbol that the runtime calls")]

use core::sync::atomic::{AtomicU32, Ordering};

use os_shim::threads::SecondCore;
use riscv::register::mhartid;

/// Both cores, as workers of the driver.
pub(crate) static CORES: SecondCore = SecondCore::new();

/// The value of [`READY`] after memory is initialised. Before that, memory may contain any other
/// value.
const IS_READY: u32 = 0x600d_c0de;

/// The word that the second core waits for. It means that statics have their values.
static READY: AtomicU32 = AtomicU32::new(0);

/// Returns true on the core that initialises the memory. The other core waits for that.
#[unsafe(no_mangle)]
fn _mp_hook(hart: usize) -> bool {
    while hart != 0 && READY.load(Ordering::Acquire) != IS_READY {
        core::hint::spin_loop();
    }
    hart == 0
}

/// Releases the second core. On the second core, draws tiles and never returns.
pub(crate) fn share() {
    if mhartid::read() != 0 {
        CORES.serve();
    }
    READY.store(IS_READY, Ordering::Release);
}
