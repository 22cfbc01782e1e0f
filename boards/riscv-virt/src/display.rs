//! The display: QEMU's `bochs-display`, a PCI device with its own memory, in RGB565.
//!
//! (`ramfb` would do as well, but the RISC-V machine of QEMU 7.2 creates `fw_cfg` too late for it.)
//! Source: QEMU's `docs/specs/standard-vga.rst`.

use formats::Format;
use pipe_core::{PanelError, TilePanel};

const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;

/// The configuration space of device 1 on bus 0, and offsets of its registers.
const PCI: usize = 0x3000_0000 + (1 << 15);
const COMMAND: usize = 0x04;
const BAR0: usize = 0x10;
const BAR2: usize = 0x18;
/// The vendor and device of a `bochs-display`.
const IDENTITY: u32 = 0x1111_1234;

/// Addresses that this module assigns to the display's memory and registers, within the machine's
/// window for PCI devices.
const PIXELS: usize = 0x4000_0000;
const REGISTERS: usize = 0x4100_0000;

/// 16-bit registers: width, height, bits per pixel, enable flags.
const MODE: usize = REGISTERS + 0x500;
const X_RESOLUTION: usize = 1;
const Y_RESOLUTION: usize = 2;
const BITS: usize = 3;
const ENABLE: usize = 4;
/// Enabled, with linear memory.
const ENABLED: u16 = 0x41;

/// The error for QEMU without `-device bochs-display,addr=1`.
const ABSENT: PanelError = PanelError(1);
/// The error for a format other than RGB565, or a tile outside the display.
const UNSUITED: PanelError = PanelError(2);

fn write<T>(address: usize, value: T) {
    // SAFETY: only the addresses above are passed; they are device registers of that width.
    unsafe { (address as *mut T).write_volatile(value) }
}

/// The display as a panel for `B5G6R5_UNORM` surfaces.
pub(crate) struct Display(());

impl Display {
    /// Turns the display on.
    pub(crate) fn new() -> Result<Display, PanelError> {
        // SAFETY: reads the first word of a configuration space; absent devices read as ones.
        if unsafe { (PCI as *const u32).read_volatile() } != IDENTITY {
            return Err(ABSENT);
        }
        write(PCI + BAR0, PIXELS as u32);
        write(PCI + BAR2, REGISTERS as u32);
        // Makes the device respond at these addresses.
        write(PCI + COMMAND, 1u16 << 1);
        write(MODE + ENABLE * 2, 0u16);
        write(MODE + X_RESOLUTION * 2, WIDTH as u16);
        write(MODE + Y_RESOLUTION * 2, HEIGHT as u16);
        write(MODE + BITS * 2, 16u16);
        write(MODE + ENABLE * 2, ENABLED);
        Ok(Display(()))
    }
}

impl TilePanel for Display {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        if format != Format::B5G6R5Unorm || x + width > WIDTH || y + height > HEIGHT {
            return Err(UNSUITED);
        }
        for (row, from) in (y..y + height).zip(pixels.chunks(stride_bytes.max(1))) {
            let start = PIXELS + ((row * WIDTH + x) * 2) as usize;
            for (column, texel) in from.as_chunks::<2>().0.iter().take(width as usize).enumerate() {
                write(start + column * 2, u16::from_le_bytes(*texel));
            }
        }
        Ok(())
    }
}
