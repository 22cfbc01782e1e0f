//! A renderer that sends its calls over UART0 (GPIO 0, 921,600 baud), with the cycles that SysTick counts.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use pipe_core::wrap::record::RecordPort;
use pipe_core::{PipeError, TilePanel};
use rp2040_hal::pac::{Peripherals, UART0};

use crate::Recorded;

/// The sink of the recording.
static PORT: RecordPort<fn(&[u8])> = RecordPort::new(send as fn(&[u8])).with_counter(cycles);

/// [`Renderer`](crate::Renderer), with recorded calls.
pub struct Renderer(crate::Renderer<Recorded>);

impl Renderer {
    /// Opens the UART, starts the counter, and creates the driver and all objects.
    pub fn new(heap: &'static mut [MaybeUninit<u8>]) -> Result<Renderer, PipeError> {
        open();
        // SAFETY: nothing else uses the SysTick.
        let mut counter = unsafe { cortex_m::Peripherals::steal() }.SYST;
        counter.set_reload(WRAP);
        counter.clear_current();
        counter.set_clock_source(SystClkSource::Core);
        counter.enable_counter();
        Ok(Renderer(crate::Renderer::recorded(heap, &PORT)?))
    }

    /// Draws a frame, and turns the cube.
    pub fn frame(&mut self, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
        self.0.frame(panel)
    }
}

/// Opens the UART, with a peripheral clock of 125 MHz.
fn open() {
    // SAFETY: nothing else uses the UART and its pin. The program has released the pins from reset.
    let p = unsafe { Peripherals::steal() };
    p.RESETS.reset().modify(|_, w| w.uart0().clear_bit());
    while p.RESETS.reset_done().read().uart0().bit_is_clear() {}
    // SAFETY: the fields take all values of their bits. 125 MHz / 16 / 921,600 is 8 + 31/64.
    unsafe {
        p.UART0.uartibrd().write(|w| w.baud_divint().bits(8));
        p.UART0.uartfbrd().write(|w| w.baud_divfrac().bits(31));
        p.UART0.uartlcr_h().write(|w| w.wlen().bits(0b11).fen().set_bit());
    }
    p.UART0.uartcr().write(|w| w.uarten().set_bit().txe().set_bit());
    p.IO_BANK0.gpio(0).gpio_ctrl().write(|w| w.funcsel().uart());
}

/// Sends bytes, and waits while the UART's buffer is full.
fn send(bytes: &[u8]) {
    // SAFETY: after its start only this function writes to the UART.
    let uart = unsafe { &*UART0::ptr() };
    for byte in bytes {
        while uart.uartfr().read().txff().bit_is_set() {}
        // SAFETY: the field takes any byte.
        uart.uartdr().write(|w| unsafe { w.data().bits(*byte) });
    }
}

/// The greatest number of the SysTick, which counts down.
const WRAP: u32 = 0xff_ffff;

/// Returns the cycles since some time, if it is called at least every 134 ms. The emulator counts
/// instructions there.
fn cycles() -> u32 {
    /// The sum, and the SysTick at that time.
    static SUM: AtomicU32 = AtomicU32::new(0);
    static LAST: AtomicU32 = AtomicU32::new(WRAP);
    let now = SYST::get_current();
    let gone = LAST.load(Ordering::Relaxed).wrapping_sub(now) & WRAP;
    LAST.store(now, Ordering::Relaxed);
    let sum = SUM.load(Ordering::Relaxed).wrapping_add(gone);
    SUM.store(sum, Ordering::Relaxed);
    sum
}
