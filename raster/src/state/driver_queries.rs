//! Driver-specific queries: counts of the driver's work, and the memory in use. Only builds with the
//! feature `desktop` have them.

use pipe_core::PipeError;

use crate::device::Device;
use crate::features::{DESKTOP, OfDesktop};
use crate::frame::Part;
use crate::profile::Profile;
use crate::resource::Resource;
use crate::scene::{Scene, TileAddress};

/// The counters, in the order of the first queries.
#[derive(Clone, Copy, Debug)]
enum Counter {
    Draws,
    Launches,
    Scenes,
    Tiles,
    Entries,
}

/// The number of counters.
const COUNTERS: usize = 5;

/// The numbers of the queries that report a current value.
const RESOURCE_BYTES: u32 = COUNTERS as u32;
const MEMORY_BYTES: u32 = RESOURCE_BYTES + 1;

/// The number of queries.
const QUERIES: u32 = if DESKTOP { MEMORY_BYTES + 1 } else { 0 };

/// The counts of rasterized scenes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SceneCounts(OfDesktop<Counted>);

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    scenes: u64,
    tiles: u64,
    entries: u64,
}

impl SceneCounts {
    /// Adds a scene that is rasterized: all of it, or only `part`.
    #[inline]
    pub(crate) fn add<P: Profile>(&mut self, scene: &Scene<'_, P>, part: Option<&Part>) {
        let Some(counted) = self.0.get_mut() else { return };
        let layers = scene.layers.max(1);
        let (columns, rows) = (scene.bins.columns(), scene.height.div_ceil(P::TILE_HEIGHT));
        for layer in 0..layers {
            for row in 0..rows {
                for column in 0..columns {
                    let tile = TileAddress { layer, column, row };
                    let entries = scene.bins.entries(tile, &scene.arena).count() as u64;
                    if entries > 0 && part.is_none_or(|part| part.has::<P>(tile)) {
                        counted.tiles += 1;
                        counted.entries += entries;
                    }
                }
            }
        }
        counted.scenes += 1;
    }
}

/// The totals of a context, and the number of queries that use them.
#[derive(Debug, Default)]
pub(crate) struct DriverCounts {
    totals: OfDesktop<[u64; COUNTERS]>,
    /// Running driver-specific queries.
    running: OfDesktop<u32>,
}

impl DriverCounts {
    /// Returns true if scenes must be counted.
    #[inline(always)]
    pub(crate) fn counts_scenes(&self) -> bool {
        self.running.number() > 0
    }

    /// Counts a query that begins or ends.
    pub(crate) fn note_running(&mut self, begins: bool) {
        let running = self.running.number();
        self.running.set(match begins {
            true => running.saturating_add(1),
            false => running.saturating_sub(1),
        });
    }

    /// Returns the current value of a driver query.
    pub(crate) fn value(&self, index: u32, device: &Device<'_>) -> u64 {
        match index {
            _ if !DESKTOP => 0,
            RESOURCE_BYTES => {
                let shared = device.shared.lock();
                shared.resources.iter().map(|(_, resource)| Resource::held_bytes(resource)).sum()
            }
            MEMORY_BYTES => device.os.memory.usage().used as u64,
            counter => {
                let total = self.totals.get().and_then(|totals| totals.get(counter as usize));
                total.copied().unwrap_or(0)
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, counter: Counter, count: u64) {
        let totals = self.totals.get_mut();
        if let Some(total) = totals.and_then(|totals| totals.get_mut(counter as usize)) {
            *total = total.wrapping_add(count);
        }
    }

    /// Counts a part of a draw.
    #[inline(always)]
    pub(crate) fn add_draw(&mut self) {
        self.add(Counter::Draws, 1);
    }

    /// Counts a launch.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn add_launch(&mut self) {
        self.add(Counter::Launches, 1);
    }

    /// Counts scenes.
    #[inline(always)]
    pub(crate) fn add_scenes(&mut self, counts: SceneCounts) {
        let Some(counts) = counts.0.get() else { return };
        self.add(Counter::Scenes, counts.scenes);
        self.add(Counter::Tiles, counts.tiles);
        self.add(Counter::Entries, counts.entries);
    }
}

/// Checks that a query of this number exists.
///
/// # Errors
/// No such query exists.
pub(crate) fn check_number(index: u32) -> Result<(), PipeError> {
    if (0..QUERIES).contains(&index) {
        return Ok(());
    }
    Err(PipeError::Unsupported(match DESKTOP {
        true => "a driver query of this number",
        false => "driver queries (the feature `desktop` has them)",
    }))
}

/// Returns the result of a query that read the value `start` at its beginning.
pub(crate) fn result(index: u32, start: u64, now: u64) -> u64 {
    match index {
        RESOURCE_BYTES | MEMORY_BYTES => now,
        _ => now.wrapping_sub(start),
    }
}

/// The queries and their groups, as callers see them.
#[cfg(feature = "desktop")]
pub(crate) mod listed {
    use pipe_core::{
        DriverQueryFlags, DriverQueryGroupInfo, DriverQueryInfo, DriverQueryResultType,
        DriverQueryType,
    };

    use super::{COUNTERS, QUERIES};

    const fn counter(name: &'static str) -> DriverQueryInfo {
        DriverQueryInfo {
            name,
            max_value: 0,
            unit: DriverQueryType::Uint64,
            result_type: DriverQueryResultType::Cumulative,
            group_id: 0,
            flags: DriverQueryFlags::empty(),
        }
    }

    const fn bytes(name: &'static str) -> DriverQueryInfo {
        DriverQueryInfo {
            unit: DriverQueryType::Bytes,
            result_type: DriverQueryResultType::Average,
            group_id: 1,
            ..counter(name)
        }
    }

    /// The queries, indexed by their numbers.
    pub(crate) const DRIVER_QUERIES: [DriverQueryInfo; QUERIES as usize] = [
        // Parts of draws that ran through Draw.
        counter("draws"),
        // Launched grids that have blocks.
        counter("compute-launches"),
        // Rasterized scenes; a part of a frame counts as one.
        counter("scenes"),
        // Their tiles with anything in the bins.
        counter("tiles"),
        // Primitives, and clears between draws, counted once per tile that they may touch.
        counter("bin-entries"),
        // Levels of resources that the driver allocated.
        bytes("resource-bytes"),
        // Everything that is allocated from the device's memory.
        bytes("memory-used"),
    ];

    /// The groups of queries: work, and memory in use.
    pub(crate) const DRIVER_QUERY_GROUPS: [DriverQueryGroupInfo; 2] = [
        DriverQueryGroupInfo {
            name: "work",
            max_active_queries: u32::MAX,
            num_queries: COUNTERS as u32,
        },
        DriverQueryGroupInfo { name: "memory", max_active_queries: u32::MAX, num_queries: 2 },
    ];
}
