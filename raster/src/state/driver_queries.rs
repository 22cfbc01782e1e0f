//! Driver-specific queries: counts of the driver's work, and the memory in use.

use pipe_core::{
    DriverQueryFlags, DriverQueryGroupInfo, DriverQueryInfo, DriverQueryResultType,
    DriverQueryType, PipeError,
};

use crate::device::Device;
use crate::frame::Part;
use crate::profile::Profile;
use crate::resource::Resource;
use crate::scene::{Scene, TileAddress};

/// The counters, in the order of the first queries of [`DRIVER_QUERIES`].
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
const RESOURCE_BYTES: u32 = 5;
const MEMORY_BYTES: u32 = 6;

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
pub(crate) const DRIVER_QUERIES: [DriverQueryInfo; COUNTERS + 2] = [
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

/// The counts of rasterized scenes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SceneCounts {
    scenes: u64,
    tiles: u64,
    entries: u64,
}

impl SceneCounts {
    /// Adds a scene that is rasterized: all of it, or only `part`.
    pub(crate) fn add<P: Profile>(&mut self, scene: &Scene<'_, P>, part: Option<&Part>) {
        let layers = scene.layers.max(1);
        let (columns, rows) = (scene.bins.columns(), scene.height.div_ceil(P::TILE_HEIGHT));
        for layer in 0..layers {
            for row in 0..rows {
                for column in 0..columns {
                    let tile = TileAddress { layer, column, row };
                    let entries = scene.bins.entries(tile, &scene.arena).count() as u64;
                    if entries > 0 && part.is_none_or(|part| part.has::<P>(tile)) {
                        self.tiles += 1;
                        self.entries += entries;
                    }
                }
            }
        }
        self.scenes += 1;
    }
}

/// The totals of a context, and the number of queries that use them.
#[derive(Debug, Default)]
pub(crate) struct DriverCounts {
    totals: [u64; COUNTERS],
    /// Running driver-specific queries.
    running: u32,
}

impl DriverCounts {
    /// Returns true if scenes must be counted.
    pub(crate) fn counts_scenes(&self) -> bool {
        self.running > 0
    }

    /// Counts a query that begins or ends.
    pub(crate) fn note_running(&mut self, begins: bool) {
        self.running = match begins {
            true => self.running.saturating_add(1),
            false => self.running.saturating_sub(1),
        };
    }

    /// Returns the current value of a driver query.
    pub(crate) fn value(&self, index: u32, device: &Device<'_>) -> u64 {
        match index {
            RESOURCE_BYTES => {
                let shared = device.shared.lock();
                shared.resources.iter().map(|(_, resource)| Resource::held_bytes(resource)).sum()
            }
            MEMORY_BYTES => device.os.memory.usage().used as u64,
            counter => self.totals.get(counter as usize).copied().unwrap_or(0),
        }
    }

    fn total(&mut self, counter: Counter) -> Option<&mut u64> {
        self.totals.get_mut(counter as usize)
    }

    fn add(&mut self, counter: Counter, count: u64) {
        if let Some(total) = self.total(counter) {
            *total = total.wrapping_add(count);
        }
    }

    /// Counts a part of a draw.
    pub(crate) fn add_draw(&mut self) {
        self.add(Counter::Draws, 1);
    }

    /// Counts a launch.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn add_launch(&mut self) {
        self.add(Counter::Launches, 1);
    }

    /// Counts scenes.
    pub(crate) fn add_scenes(&mut self, counts: SceneCounts) {
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
    match DRIVER_QUERIES.get(index as usize) {
        Some(_) => Ok(()),
        None => Err(PipeError::Unsupported("a driver query of this number")),
    }
}

/// Returns the result of a query that read the value `start` at its beginning.
pub(crate) fn result(index: u32, start: u64, now: u64) -> u64 {
    let info = DRIVER_QUERIES.get(index as usize);
    match info.map(|info| info.result_type) {
        Some(DriverQueryResultType::Average) => now,
        _ => now.wrapping_sub(start),
    }
}
