//! What differs between the two chips: the crate with their peripherals, what the boot ROM looks for, the timer.

#[cfg(target_abi = "eabihf")]
pub(crate) use rp235x_hal as hal;
#[cfg(target_abi = "eabi")]
pub(crate) use rp2040_hal as hal;

/// The second-stage boot loader, which the RP2040's boot ROM looks for.
#[cfg(target_abi = "eabi")]
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// The image definition, which the RP2350's boot ROM looks for.
#[cfg(target_abi = "eabihf")]
#[unsafe(link_section = ".start_block")]
#[used]
static IMAGE: hal::block::ImageDef = hal::block::ImageDef::secure_exe();

/// Returns the chip's first timer, from its peripherals and clocks.
#[cfg(target_abi = "eabi")]
macro_rules! timer {
    ($p:ident, $clocks:ident) => {
        hal::Timer::new($p.TIMER, &mut $p.RESETS, &$clocks)
    };
}

/// Returns the chip's first timer, from its peripherals and clocks.
#[cfg(target_abi = "eabihf")]
macro_rules! timer {
    ($p:ident, $clocks:ident) => {
        hal::Timer::new_timer0($p.TIMER0, &mut $p.RESETS, &$clocks)
    };
}

pub(crate) use timer;
