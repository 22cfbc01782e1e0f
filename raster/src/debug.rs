//! `RASTER_DEBUG`: prints about the driver's work, and switches that disable shortcuts. llvmpipe's
//! `LP_DEBUG` sets the flags that have a counterpart here.
//!
//! The option needs the feature `desktop`: small boards have no options to read and no flash for
//! names.

#![cfg_attr(
    not(all(feature = "desktop", feature = "compile")),
    allow(dead_code, reason = "there is less to say where less is built")
)]

mod times;

use os_shim::options::{Flag, Options, flags_option, names};

pub(crate) use self::times::{Stopwatch, Timer, Times};
use crate::features::DESKTOP;

/// Returns the names; none without the feature `desktop`, which alone prints them.
const fn named(names: &'static [&'static str]) -> &'static [&'static str] {
    if DESKTOP { names } else { &[] }
}

/// A phase of the driver's work. A thread is in one phase at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Waits for other threads, or runs code outside of the driver; not counted.
    Waiting,
    /// Turns indices into primitives, and gives vertices places in a segment.
    Assembly,
    /// Fetches and shades vertices, and transforms them to window coordinates.
    Vertices,
    /// Clips, culls and bins primitives.
    Primitives,
    /// Appends workers' recordings to the scene.
    Appending,
    /// Clears surfaces.
    Clearing,
    /// Finds the coverage of primitives in tiles, and runs early depth and stencil tests.
    Rasterizing,
    /// Interpolates inputs and shades fragments.
    Shading,
    /// Runs late tests, blends, and writes pixels.
    Output,
    /// Hands pixels to a panel.
    Presenting,
    /// Runs blocks of a grid.
    Computing,
}

impl Phase {
    /// The printed name of each phase.
    const NAMES: &'static [&'static str] = named(&[
        "waiting",
        "index assembly",
        "vertex fetch and shading",
        "clipping, culling and binning",
        "appending workers' recordings to the scene",
        "clears",
        "coverage and early tests",
        "fragment shading",
        "late tests, blending and output",
        "presenting",
        "blocks of grids",
    ]);
}

/// A count of the driver's work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    Draws,
    /// Draws that ran their geometry on all workers.
    #[cfg_attr(not(feature = "workers"), expect(dead_code, reason = "there is one"))]
    SharedDraws,
    Vertices,
    Primitives,
    Scenes,
    Tiles,
    Batches,
}

impl Counter {
    const NAMES: &'static [&'static str] = named(&[
        "draws",
        "draws with geometry on all workers",
        "vertices shaded",
        "primitives after clipping",
        "scenes rasterized",
        "tiles drawn",
        "batches of fragments",
    ]);
}

/// The flags that are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Debug(u64);

impl Debug {
    /// Log every shader that is created: its text, and the size of its lane code.
    pub(crate) const SHADERS: Debug = Debug(1);
    /// Log every scene that is rasterized: its draws, words of primitives, and surfaces.
    pub(crate) const SCENES: Debug = Debug(2);
    /// Rasterize after every draw, so that a fault shows in the draw that made it.
    pub(crate) const FLUSH: Debug = Debug(4);

    /// Draw everything by lane code and nothing in integer spans.
    pub(crate) const NO_SPANS: Debug = Debug(8);
    /// Print the time of each phase when a context ends.
    pub(crate) const TIMES: Debug = Debug(16);
    /// Run the geometry of all large draws on all workers, not only where it was measured to pay. It pays only if
    /// workers are idle, because a round of sections ends after the last worker has woken up.
    pub(crate) const GEOMETRY: Debug = Debug(32);
    /// Print the bound state when a budget stops a command.
    pub(crate) const RESETS: Debug = Debug(64);

    /// Leave out draws: no vertex is shaded.
    pub(crate) const TOSS_DRAWS: Debug = Debug(128);
    /// Leave out primitives: vertices are shaded, and nothing is binned.
    pub(crate) const TOSS_PRIMITIVES: Debug = Debug(256);
    /// Leave out tiles: they are cleared, and nothing is drawn to them.
    pub(crate) const TOSS_TILES: Debug = Debug(512);
    /// Leave out batches: coverage and early tests run, and no fragment is shaded.
    pub(crate) const TOSS_BATCHES: Debug = Debug(1024);

    /// Reads the flags from the options. Without the feature `desktop`, there are no flags.
    pub(crate) fn read(options: &dyn Options) -> Debug {
        if !DESKTOP {
            return Debug::default();
        }
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
            flag("times", Self::TIMES, "print the time of each phase when a context ends"),
            flag("geometry", Self::GEOMETRY, "run the geometry of all large draws on all workers"),
            flag("resets", Self::RESETS, "print the bound state where a budget stops a command"),
            flag("tossdraws", Self::TOSS_DRAWS, "leave out draws: shade no vertex"),
            flag("tossprimitives", Self::TOSS_PRIMITIVES, "leave out primitives: bin nothing"),
            flag("tosstiles", Self::TOSS_TILES, "leave out tiles: clear them, and draw nothing"),
            flag("tossbatches", Self::TOSS_BATCHES, "leave out batches: shade no fragment"),
        ];
        let llvmpipe = [
            flag("tgsi", Self::SHADERS, "RASTER_DEBUG=shaders"),
            flag("fs", Self::SHADERS, "RASTER_DEBUG=shaders"),
            flag("cs", Self::SHADERS, "RASTER_DEBUG=shaders"),
            flag("scene", Self::SCENES, "RASTER_DEBUG=scenes"),
            flag("counters", Self::TIMES, "RASTER_DEBUG=times"),
            flag("no_fastpath", Self::NO_SPANS, "RASTER_DEBUG=nospans"),
        ];
        let theirs = flags_option(options, names::LP_DEBUG, &llvmpipe, 0);
        Debug(flags_option(options, names::RASTER_DEBUG, &flags, 0) | theirs)
    }

    /// Returns true if a flag is set.
    #[inline]
    pub(crate) fn has(self, Debug(flag): Debug) -> bool {
        DESKTOP && self.0 & flag != 0
    }
}

impl core::ops::BitOr for Debug {
    type Output = Debug;

    fn bitor(self, Debug(other): Debug) -> Debug {
        Debug(self.0 | other)
    }
}

#[cfg(all(test, feature = "desktop"))]
mod tests {
    use os_shim::options::Table;

    use super::*;

    #[test]
    fn flags_come_by_name() {
        let debug = Debug::read(&Table(&[("RASTER_DEBUG", "scenes,flush")]));
        assert!(debug.has(Debug::SCENES) && debug.has(Debug::FLUSH) && !debug.has(Debug::SHADERS));
        let debug = Debug::read(&Table(&[("RASTER_DEBUG", "times,geometry")]));
        assert!(debug.has(Debug::TIMES) && debug.has(Debug::GEOMETRY));
        assert_eq!(Debug::read(&Table(&[])), Debug::default());
    }

    #[test]
    fn flags_of_llvmpipe_add_to_ours() {
        let read = |table| Debug::read(&Table(table));
        assert_eq!(read(&[("LP_DEBUG", "tgsi,no_fastpath")]), Debug(1 | 8));
        assert_eq!(read(&[("LP_DEBUG", "scene"), ("RASTER_DEBUG", "flush")]), Debug(2 | 4));
        // The driver has no counterpart of `linear` and names it on standard error; `help` lists
        // the flags.
        assert_eq!(read(&[("LP_DEBUG", "linear,help,counters")]), Debug(16));
    }
}
