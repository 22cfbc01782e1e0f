//! The board support of a Raspberry Pi Pico or Pico 2: clocks, SPI, DMA and the display.
//!
//! ST7789, 240×240: SCK on GPIO 18, SDA on 19, D/C on 16, CS on 17, reset tied high.
#![no_std]
#![no_main]

mod chip;
mod display;

use core::mem::MaybeUninit;

use embedded_hal::spi::MODE_0;
use embedded_hal_bus::spi::ExclusiveDevice;
#[cfg(not(any(feature = "kit", feature = "record")))]
use gallium_pico::Renderer;
#[cfg(feature = "kit")]
use gallium_pico::kit::Renderer;
#[cfg(all(feature = "record", not(feature = "kit")))]
use gallium_pico::record::Renderer;
use gallium_pico::{HEAP_BYTES, TILE_BYTES};
use mipidsi::interface::SpiInterface;
use mipidsi::{Builder, models::ST7789, options::ColorInversion};
use pipe_core::panel::{ByteOrder, InFlight};

use crate::chip::hal;
use crate::chip::hal::dma::DMAExt;
use crate::chip::hal::fugit::RateExtU32;
use crate::chip::hal::{Clock, Sio, Spi, Watchdog, clocks, gpio::Pins, pac};

#[cfg(feature = "soft-floats")]
os_shim::soft_floats!();

#[hal::entry]
fn main() -> ! {
    let mut p = pac::Peripherals::take().unwrap();
    let mut watchdog = Watchdog::new(p.WATCHDOG);
    let (xosc, sys, usb) = (p.XOSC, p.PLL_SYS, p.PLL_USB);
    let clocks = clocks::init_clocks_and_plls(
        12_000_000,
        xosc,
        p.CLOCKS,
        sys,
        usb,
        &mut p.RESETS,
        &mut watchdog,
    );
    let clocks = clocks.ok().unwrap();
    let mut timer = chip::timer!(p, clocks);
    let sio = Sio::new(p.SIO);
    let pins = Pins::new(p.IO_BANK0, p.PADS_BANK0, sio.gpio_bank0, &mut p.RESETS);
    let wires = (pins.gpio19.into_function(), pins.gpio18.into_function());
    let (mut dc, cs) = (pins.gpio16.into_push_pull_output(), pins.gpio17.into_push_pull_output());
    let (clock, rate) = (clocks.peripheral_clock.freq(), 62_500_000u32.Hz());
    let mut spi = Spi::<_, _, _, 8>::new(p.SPI0, wires).init(&mut p.RESETS, clock, rate, MODE_0);

    let mut words = [0; 2];
    let device = ExclusiveDevice::new_no_delay(&mut spi, cs).unwrap();
    let interface = SpiInterface::new(device, &mut dc, &mut words);
    let display = Builder::new(ST7789, interface).display_size(240, 240);
    display.invert_colors(ColorInversion::Inverted).init(&mut timer).ok().unwrap();

    // Pixels are sent in words of 16 bits, high byte first, as the display expects.
    let (spi, wires) = spi.disable().free();
    let spi = Spi::<_, _, _, 16>::new(spi, wires).init(&mut p.RESETS, clock, rate, MODE_0);
    let cable = display::St7789::new(dc, spi, p.DMA.split(&mut p.RESETS).ch0);
    let tiles = [
        &mut cortex_m::singleton!(: [u16; TILE_BYTES / 2] = [0; TILE_BYTES / 2]).unwrap()[..],
        &mut cortex_m::singleton!(: [u16; TILE_BYTES / 2] = [0; TILE_BYTES / 2]).unwrap()[..],
    ];
    let mut panel = InFlight::new(cable, ByteOrder::Little, tiles.map(bytemuck::cast_slice_mut));
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let mut renderer = Renderer::new(heap.unwrap()).ok().unwrap();
    loop {
        renderer.frame(&mut panel).ok().unwrap();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        cortex_m::asm::bkpt();
    }
}
