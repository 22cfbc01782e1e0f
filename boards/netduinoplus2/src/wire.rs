//! The wire to the display: takes a tile, is busy for the duration of the transfer, then
//! interrupts.
//!
//! QEMU has neither the chip's DMA nor a display, so SysTick replaces the transfer: its interrupt
//! ends the transfer, like the DMA's would. The tile is written to the host's `stream.bin`.

use board_support::HostFile;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use formats::Format;
use pipe_core::{Area, PanelError, TilePanel as _};
use scenes::StreamPanel;

/// SysTick cycles, at 168 MHz, per byte. The chip's SPI1 needs 32 at its maximum of 42 Mbit/s. QEMU
/// executes six instructions per cycle, so the wire is made six times as fast.
const CYCLES_A_BYTE: u32 = 32 / 6;

/// Raised by the interrupt that ends a transfer: for the sending task, and for another task.
static SENT: Signal<CriticalSectionRawMutex, ()> = Signal::new();
static ENDED: Signal<CriticalSectionRawMutex, ()> = Signal::new();

/// A wire with at most one tile in transfer.
pub(crate) struct Wire {
    timer: SYST,
    stream: Option<StreamPanel<HostFile>>,
    busy: bool,
}

impl Wire {
    /// Returns the idle wire; `stream` receives the tiles that it sends.
    pub(crate) fn new(mut timer: SYST, stream: StreamPanel<HostFile>) -> Self {
        timer.set_clock_source(SystClkSource::Core);
        timer.enable_interrupt();
        Wire { timer, stream: Some(stream), busy: false }
    }

    /// Begins a picture of `width`×`height` pixels.
    pub(crate) fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.stream.as_mut().map_or(Ok(()), |stream| stream.begin(width, height))
    }

    /// Starts to send a tile; `pixels` must not change until the wire [is idle](Self::idle).
    pub(crate) fn start(&mut self, area: Area, pixels: &[u8]) -> Result<(), PanelError> {
        let Area { x, y, width, height } = area;
        let row = width as usize * 2;
        if let Some(stream) = &mut self.stream {
            stream.tile(x, y, width, height, Format::B5G6R5Unorm, pixels, row)?;
        }
        SENT.reset();
        let cycles = (width * height * 2).saturating_mul(CYCLES_A_BYTE);
        self.timer.set_reload(cycles.clamp(1, 0x00FF_FFFF));
        self.timer.clear_current();
        self.timer.enable_counter();
        self.busy = true;
        Ok(())
    }

    /// Waits for the end of the current transfer, if there is one. Meanwhile other tasks run.
    pub(crate) async fn idle(&mut self) {
        if core::mem::take(&mut self.busy) {
            SENT.wait().await;
        }
    }

    /// Ends the picture and returns its stream; tiles of later pictures are dropped.
    pub(crate) fn finish(&mut self) -> Result<StreamPanel<HostFile>, PanelError> {
        let mut stream = self.stream.take().ok_or(PanelError(0))?;
        stream.finish()?;
        Ok(stream)
    }
}

/// Waits for the end of a transfer, in another task than the sending one.
pub(crate) async fn ended() {
    ENDED.wait().await;
}

/// Ends a transfer.
#[exception]
fn SysTick() {
    // SAFETY: only the counter's enable bit changes; `start` sets it again later.
    let timer = unsafe { &mut cortex_m::Peripherals::steal().SYST };
    timer.disable_counter();
    SENT.signal(());
    ENDED.signal(());
}
