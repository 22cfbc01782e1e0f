//! The few LM3S6965 registers that this program writes.

/// System control: raw interrupts, run-mode clock, clock gates of peripherals and ports.
const RIS: *mut u32 = 0x400f_e050 as *mut u32;
const RCC: *mut u32 = 0x400f_e060 as *mut u32;
const RCGC1: *mut u32 = 0x400f_e104 as *mut u32;
const RCGC2: *mut u32 = 0x400f_e108 as *mut u32;

/// GPIO ports A (SSI), C (the display's data/command line), D (its select line).
const PORT_A: usize = 0x4000_4000;
const PORT_C: usize = 0x4000_6000;
const PORT_D: usize = 0x4000_7000;
const DIRECTION: usize = 0x400;
const ALTERNATE: usize = 0x420;
const DIGITAL: usize = 0x51c;

/// SSI0 (PL022): control 0 and 1, data, status, clock prescale.
const SSI: usize = 0x4000_8000;
const CR0: usize = 0x00;
const CR1: usize = 0x04;
const DATA: usize = 0x08;
const STATUS: usize = 0x0c;
const PRESCALE: usize = 0x10;

fn write(address: usize, value: u32) {
    // SAFETY: only the addresses above are passed; this module alone uses these registers.
    unsafe { (address as *mut u32).write_volatile(value) }
}

fn read(address: usize) -> u32 {
    // SAFETY: as above; reading these registers does not affect Rust's memory.
    unsafe { (address as *const u32).read_volatile() }
}

/// Runs the core at 50 MHz: the PLL's 200 MHz divided by 4, with the 8 MHz crystal.
pub(crate) fn clock() {
    const BYPASS: u32 = 1 << 11;
    const DIVIDED: u32 = 3 << 23 | 1 << 22 | 0xe << 6;
    const LOCKED: u32 = 1 << 6;
    write(RCC as usize, DIVIDED | BYPASS);
    while read(RIS as usize) & LOCKED == 0 {}
    write(RCC as usize, DIVIDED);
}

/// Sets up the display's wires: SSI0 at 8 bits, 25 MHz at most, and two GPIO lines.
pub(crate) fn display_wires() {
    write(RCGC1 as usize, 1 << 4);
    write(RCGC2 as usize, 1 << 0 | 1 << 2 | 1 << 3);
    write(PORT_A + ALTERNATE, 0x34);
    write(PORT_A + DIGITAL, 0x34);
    write(PORT_C + DIRECTION, 1 << 7);
    write(PORT_C + DIGITAL, 1 << 7);
    write(PORT_D + DIRECTION, 1 << 0);
    write(PORT_D + DIGITAL, 1 << 0);
    // The OLED listens while this line is high; the line selects the SD card when low.
    write(PORT_D + (1 << 2), 1);
    write(SSI + CR1, 0);
    write(SSI + PRESCALE, 8);
    write(SSI + CR0, 7);
    write(SSI + CR1, 1 << 1);
}

/// Selects whether the display takes the next bytes as data or as a command.
pub(crate) fn display_data(data: bool) {
    // The address masks writes to a GPIO port: only line 7 changes.
    write(PORT_C + (0x80 << 2), if data { 0x80 } else { 0 });
}

/// Sends a byte to the display, and waits until it has gone.
pub(crate) fn display_send(byte: u8) {
    const BUSY: u32 = 1 << 4;
    const RECEIVED: u32 = 1 << 2;
    write(SSI + DATA, byte.into());
    while read(SSI + STATUS) & BUSY != 0 {}
    // SSI receives a byte for each byte sent. If they are not read, they fill the queue.
    while read(SSI + STATUS) & RECEIVED != 0 {
        read(SSI + DATA);
    }
}
