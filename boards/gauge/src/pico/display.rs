//! The connection to the display: commands by the processor, pixels by DMA.

use cortex_m::peripheral::NVIC;
use embedded_hal::{digital::OutputPin, spi::SpiBus};
use gallium::pipe_core::{Area, PanelError, panel::Cable};

use super::chip::hal::dma::single_buffer::{Config, Transfer};
use super::chip::hal::dma::{CH0, Channel, ReadTarget, SingleChannel};
use super::chip::hal::gpio::{FunctionSioOutput, FunctionSpi, Pin, PullDown, bank0};
use super::chip::hal::pac::{DMA, SPI0, interrupt};
use super::chip::hal::{Spi, spi::Enabled};

type Wires = (Pin<bank0::Gpio19, FunctionSpi, PullDown>, Pin<bank0::Gpio18, FunctionSpi, PullDown>);
type Bus = Spi<Enabled, SPI0, Wires, 16>;
type DataCommand = Pin<bank0::Gpio16, FunctionSioOutput, PullDown>;

/// An ST7789 after its start-up.
pub(crate) struct St7789 {
    dc: DataCommand,
    idle: Option<(Channel<CH0>, Bus)>,
    sending: Option<Transfer<Channel<CH0>, Pixels, Bus>>,
}

/// The first `bytes` bytes of a buffer, as words of 16 bits.
struct Pixels {
    buffer: &'static mut [u8],
    bytes: usize,
}

// SAFETY: the buffer is borrowed forever and owned by the transfer, and the count is within it.
unsafe impl ReadTarget for Pixels {
    type ReceivedWord = u16;

    fn rx_treq() -> Option<u8> {
        None
    }

    fn rx_address_count(&self) -> (u32, u32) {
        (self.buffer.as_ptr() as u32, (self.bytes.min(self.buffer.len()) / 2) as u32)
    }

    fn rx_increment(&self) -> bool {
        true
    }
}

impl St7789 {
    pub(crate) fn new(dc: DataCommand, spi: Bus, mut channel: Channel<CH0>) -> Self {
        channel.enable_irq0();
        // SAFETY: the interrupt runs only the handler below.
        unsafe { NVIC::unmask(interrupt::DMA_IRQ_0) };
        St7789 { dc, idle: Some((channel, spi)), sending: None }
    }

    /// Sends a command and its parameters. The upper byte of the command's word counts as a
    /// command, too: 0, no operation.
    fn command(&mut self, bus: &mut Bus, command: u16, parameters: &[u16]) {
        let Ok(()) = self.dc.set_low();
        let Ok(()) = bus.write(&[command]);
        let Ok(()) = bus.flush();
        let Ok(()) = self.dc.set_high();
        let Ok(()) = bus.write(parameters);
        let Ok(()) = bus.flush();
    }
}

#[interrupt]
fn DMA_IRQ_0() {
    // SAFETY: writes the bit of channel 0 to a register that clears bits.
    unsafe { (*DMA::ptr()).ints0().write(|bits| bits.bits(1)) };
}

impl Cable<'static> for St7789 {
    fn start(
        &mut self,
        area: Area,
        buffer: &'static mut [u8],
        bytes: usize,
    ) -> Result<(), (PanelError, &'static mut [u8])> {
        let Some((channel, mut bus)) = self.idle.take() else {
            return Err((PanelError(1), buffer));
        };
        let last = |first: u32, count: u32| [first as u16, (first + count - 1) as u16];
        self.command(&mut bus, 0x2a, &last(area.x, area.width));
        self.command(&mut bus, 0x2b, &last(area.y, area.height));
        self.command(&mut bus, 0x2c, &[]);
        self.sending = Some(Config::new(channel, Pixels { buffer, bytes }, bus).start());
        Ok(())
    }

    fn wait(&mut self) -> Result<Option<&'static mut [u8]>, PanelError> {
        let Some(transfer) = self.sending.take() else { return Ok(None) };
        // The event is the end of the transfer, or an interrupt of it before this check.
        while !transfer.is_done() {
            cortex_m::asm::wfe();
        }
        let (channel, pixels, mut bus) = transfer.wait();
        let Ok(()) = bus.flush();
        self.idle = Some((channel, bus));
        Ok(Some(pixels.buffer))
    }
}
