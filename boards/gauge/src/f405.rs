//! The board support of an STM32F405, as QEMU's `netduinoplus2` emulates it: prints a hash and the
//! instructions of each frame.

use core::mem::MaybeUninit;

use gallium::prelude::*;
use gallium_gauge::{HEAP_BYTES, Hash};
use semihosting::{eprintln, process};

use crate::Gauge;

/// Returns the instructions since the start: QEMU runs TIM2 at 1 GHz, and with
/// `-icount shift=0` an instruction takes a nanosecond.
fn instructions() -> u32 {
    // SAFETY: these are registers of the chip's RCC and TIM2, which nothing else uses.
    unsafe {
        (0x4002_3840 as *mut u32).write_volatile(1);
        (0x4000_0000 as *mut u32).write_volatile(1);
        (0x4000_0024 as *const u32).read_volatile()
    }
}

fn run(heap: &'static mut [MaybeUninit<u8>]) -> Result<(), PipeError> {
    let mut gauge = Gauge::new(heap)?;
    for frame in 0..4 {
        let mut hash = Hash(0);
        let start = instructions();
        gauge.frame(&mut hash)?;
        let count = instructions().wrapping_sub(start);
        #[cfg(feature = "by-hand")]
        let used = gauge.memory.usage().peak;
        #[cfg(not(feature = "by-hand"))]
        let used = gauge.driver.memory.usage().peak;
        eprintln!("frame {frame} {:08x} {count} instructions, {used} bytes", hash.0);
    }
    Ok(())
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let outcome = heap.map_or(Ok(()), |heap| run(heap));
    if let Err(error) = outcome {
        eprintln!("{error}");
        process::exit(1)
    }
    process::exit(0)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    process::exit(2)
}
