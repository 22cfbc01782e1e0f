//! `RASTER_DEBUG`: prints of the driver's work, and shortcuts that it can be told not to take.
//!
//! It is behind the feature `debug`: small boards have no options to read and no flash for names.

#![cfg_attr(
    not(all(feature = "debug", feature = "compile")),
    allow(dead_code, reason = "there is less to say where less is built")
)]

use os_shim::options::Options;

use crate::features::DEBUG;

/// The flags that are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Debug(u64);

impl Debug {
    /// Log every shader that is created: its text, and the size of its lane code.
    pub(crate) const SHADERS: Debug = Debug(1);
    /// Log every scene that is rasterized: draws, primitives' words, surfaces.
    pub(crate) const SCENES: Debug = Debug(2);
    /// Rasterize after every draw, so that a mistake shows where it was made.
    pub(crate) const FLUSH: Debug = Debug(4);

    /// Draw everything by lane code, nothing in integer spans.
    pub(crate) const NO_SPANS: Debug = Debug(8);

    /// Reads the option.
    #[cfg(not(feature = "debug"))]
    pub(crate) fn read(_options: &dyn Options) -> Debug {
        Debug::default()
    }

    /// Reads the option.
    #[cfg(feature = "debug")]
    pub(crate) fn read(options: &dyn Options) -> Debug {
        use os_shim::options::{Flag, flags_option, names};
        let flag = |name, Debug(value), help| Flag { name, value, help };
        let flags = [
            flag(
                "shaders",
                Self::SHADERS,
                "print every shader: its text, the size of its lane code",
            ),
            flag("scenes", Self::SCENES, "print every scene that is rasterized"),
            flag("flush", Self::FLUSH, "rasterize after every draw"),
            flag("nospans", Self::NO_SPANS, "draw nothing in integer spans"),
        ];
        Debug(flags_option(options, names::RASTER_DEBUG, &flags, 0))
    }

    /// Returns whether a flag is set.
    #[inline]
    pub(crate) fn has(self, Debug(flag): Debug) -> bool {
        DEBUG && self.0 & flag != 0
    }
}

#[cfg(all(test, feature = "debug"))]
mod tests {
    use os_shim::options::Table;

    use super::*;

    #[test]
    fn flags_come_by_name() {
        let debug = Debug::read(&Table(&[("RASTER_DEBUG", "scenes,flush")]));
        assert!(debug.has(Debug::SCENES) && debug.has(Debug::FLUSH) && !debug.has(Debug::SHADERS));
        assert_eq!(Debug::read(&Table(&[])), Debug::default());
    }
}
