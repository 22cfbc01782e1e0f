//! The wire to the display: takes a tile, is busy for as long as its bits take, then interrupts.
//!
//! QEMU has neither the chip's DMA nor a display, so SysTick stands in for the transfer: its interrupt
//! ends it, as the DMA's would. The tile goes to the host's `stream.bin`.

use board_support::HostFile;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use formats::Format;
use pipe_core::{Area, PanelError, TilePanel as _};
use scenes::StreamPanel;

/// Cycles of SysTick, at 168 MHz, for a byte. The chip's SPI1 needs 32 at its fastest, 42 Mbit/s; QEMU
/// executes six instructions a cycle, so the wire is as much faster.
const CYCLES_A_BYTE: u32 = 32 / 6;

/// Raised by the interrupt that ends a transfer: for the task that sends, and for another one.
static SENT: Signal<CriticalSectionRawMutex, ()> = Signal::new();
static ENDED: Signal<CriticalSectionRawMutex, ()> = Signal::new();

/// A wire on which at most one tile is under way.
pub(crate) struct Wire {
    timer: SYST,
    stream: Option<StreamPanel<HostFile>>,
    busy: bool,
}

impl Wire {
    /// Returns the idle wire; `stream` receives what it sends.
    pub(crate) fn new(mut timer: SYST, stream: StreamPanel<HostFile>) -> Self {
        timer.set_clock_source(SystClkSource::Core);
        timer.enable_interrupt();
        Wire { timer, stream: Some(stream), busy: false }
    }

    /// Begins a picture of `width`×`height` pixels.
    pub(crate) fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        self.stream.as_mut().map_or(Ok(()), |stream| stream.begin(width, height))
    }

    /// Starts to send a tile; `pixels` must stay as they are until the wire [is idle](Self::idle).
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

    /// Waits for the end of the transfer under way, if there is one. Other tasks run meanwhile.
    pub(crate) async fn idle(&mut self) {
        if core::mem::take(&mut self.busy) {
            SENT.wait().await;
        }
    }

    /// Ends the picture and returns its stream; later ones go to nobody.
    pub(crate) fn finish(&mut self) -> Result<StreamPanel<HostFile>, PanelError> {
        let mut stream = self.stream.take().ok_or(PanelError(0))?;
        stream.finish()?;
        Ok(stream)
    }
}

/// Waits for the end of a transfer, in another task than the one that sends.
pub(crate) async fn ended() {
    ENDED.wait().await;
}

/// Ends a transfer.
#[exception]
fn SysTick() {
    // SAFETY: the counter's enable bit is all that changes; `start` sets it again after this.
    let timer = unsafe { &mut cortex_m::Peripherals::steal().SYST };
    timer.disable_counter();
    SENT.signal(());
    ENDED.signal(());
}
