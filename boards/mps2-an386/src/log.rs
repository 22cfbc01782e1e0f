//! `info!`: logs to defmt over the semihosting console with the feature `chip-log`, otherwise
//! nothing.

#[cfg(feature = "chip-log")]
use defmt_semihosting as _;

#[cfg(feature = "chip-log")]
macro_rules! info {
    ($($argument:tt)*) => { defmt::info!($($argument)*) };
}

#[cfg(not(feature = "chip-log"))]
macro_rules! info {
    ($format:literal $(, $argument:expr)*) => { { $( let _ = &$argument; )* } };
}
