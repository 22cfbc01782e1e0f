//! Log macros: messages go to `log`, to `defmt`, or nowhere.
//!
//! The feature `log` or `defmt` of this crate selects the receiver. Without either, the compiler
//! checks arguments but never evaluates them, and no text reaches the binary.
//!
//! A format string must be valid for both: only `{}` and positional arguments, `{:#x}` and `{:#b}`
//! for integers, `{:?}` if the type has `defmt::Format` under the feature `defmt`. Captured
//! variables (`{name}`) are not allowed, because `defmt` does not know them.
//!
//! [`say!`] prints output that the user requested by an option. On hosts it prints whatever the log
//! level is.

#[doc(inline)]
pub use crate::{debug, error, info, say, trace, warn};

#[cfg(all(feature = "log", feature = "defmt"))]
compile_error!("gallium-os-shim: choose the feature `log` or `defmt`, not both");

/// The crates that the macros' expansions name; not part of the API.
#[doc(hidden)]
pub mod backend {
    #[cfg(feature = "defmt")]
    pub use defmt;
    #[cfg(feature = "log")]
    pub use log;
}

/// Logs an error that the user must know: a result is missing or wrong.
#[macro_export]
macro_rules! error {
    ($($message:tt)+) => { $crate::__log!(error, $($message)+) };
}

/// Logs a problem that does not change the result.
#[macro_export]
macro_rules! warn {
    ($($message:tt)+) => { $crate::__log!(warn, $($message)+) };
}

/// Logs a rare fact that is worth knowing.
///
/// ```
/// gallium_os_shim::info!("{} tiles of {:#x} bytes", 12, 4096);
/// ```
#[macro_export]
macro_rules! info {
    ($($message:tt)+) => { $crate::__log!(info, $($message)+) };
}

/// Logs a fact that helps to find a bug.
#[macro_export]
macro_rules! debug {
    ($($message:tt)+) => { $crate::__log!(debug, $($message)+) };
}

/// Logs a frequent event.
#[macro_export]
macro_rules! trace {
    ($($message:tt)+) => { $crate::__log!(trace, $($message)+) };
}

/// Prints output that the user requested by an option: a line on standard error with the feature
/// `std`, otherwise a message of level `info`.
///
/// ```
/// gallium_os_shim::say!("CPU: {}, {} workers", "AVX2", 4);
/// ```
#[cfg(feature = "std")]
#[macro_export]
macro_rules! say {
    ($($message:tt)+) => { $crate::log::print(format_args!($($message)+)) };
}

/// Prints output that the user requested by an option: a message of level `info`.
#[cfg(not(feature = "std"))]
#[macro_export]
macro_rules! say {
    ($($message:tt)+) => { $crate::info!($($message)+) };
}

/// Writes a line to standard error; for [`say!`].
#[cfg(feature = "std")]
#[doc(hidden)]
pub fn print(message: core::fmt::Arguments<'_>) {
    use std::io::Write;
    // A program continues even if its standard error is closed.
    let _ = writeln!(std::io::stderr(), "{message}");
}

#[cfg(all(feature = "log", not(feature = "defmt")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:ident, $format:literal $(, $argument:expr)* $(,)?) => {
        $crate::log::backend::log::$level!($format $(, $argument)*)
    };
}

#[cfg(feature = "defmt")]
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:ident, $format:literal $(, $argument:expr)* $(,)?) => {{
        // Expansions of defmt's macros name `defmt`; this import saves the caller a dependency on
        // it.
        use $crate::log::backend::defmt;
        defmt::$level!($format $(, $argument)*)
    }};
}

#[cfg(not(any(feature = "log", feature = "defmt")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:ident, $format:literal $(, $argument:expr)* $(,)?) => {{
        // Uses the arguments without evaluating them, so that the compiler does not warn.
        if false {
            $( let _ = &$argument; )*
        }
    }};
}

#[cfg(test)]
mod tests {
    #[cfg(not(any(feature = "log", feature = "defmt")))]
    #[test]
    fn arguments_are_not_evaluated_when_off() {
        let mut count = 0;
        let mut next = || {
            count += 1;
            count
        };
        crate::error!("{} {}", next(), 2);
        crate::warn!("{}", next(),);
        crate::debug!("nothing");
        crate::trace!("{:#x}", next());
        assert_eq!(count, 0);
    }

    #[cfg(feature = "log")]
    #[test]
    fn messages_reach_log() {
        use std::string::{String, ToString};
        use std::sync::Mutex;
        use std::vec::Vec;

        static SEEN: Mutex<Vec<(log::Level, String)>> = Mutex::new(Vec::new());
        struct Recorder;
        impl log::Log for Recorder {
            fn enabled(&self, _: &log::Metadata<'_>) -> bool {
                true
            }
            fn log(&self, record: &log::Record<'_>) {
                if record.target().ends_with("log::tests") {
                    SEEN.lock().unwrap().push((record.level(), record.args().to_string()));
                }
            }
            fn flush(&self) {}
        }
        log::set_logger(&Recorder).unwrap();
        log::set_max_level(log::LevelFilter::Debug);
        crate::error!("{} of {}", 1, "two");
        crate::info!("{:#x}", 255,);
        crate::trace!("too much");
        let seen = SEEN.lock().unwrap();
        let expected =
            [(log::Level::Error, "1 of two".to_string()), (log::Level::Info, "0xff".to_string())];
        assert_eq!(*seen, expected);
    }
}
