//! The state that calls set and draws read: objects, bindings, queries, maps. It knows no context
//! and no scene, except for the counts of rasterized scenes.

mod bindings;
mod bindless;
mod bound;
#[cfg(feature = "shader-memory")]
mod compute;
mod diagnostics;
mod driver_queries;
#[cfg(feature = "shader-memory")]
mod entries;
mod feedback;
mod fences;
mod lent;
mod objects;
mod queries;
mod reset;
mod shader_memory;
mod stage_table;
mod streams;
mod transfers;
pub(crate) mod unsupported;
mod views;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::handle::{Handle, Kind};
use pipe_core::{PipeError, ShaderType};

use crate::features::{DESKTOP, OfEs2, Only, SHADER_MEMORY};
use crate::resource::{Loans, MemoryBindings};

pub(crate) use self::bindings::{Bindings, bound_state};
pub(crate) use self::bound::{Bound, Constants, VIEWPORTS, set_range};
#[cfg(feature = "shader-memory")]
pub(crate) use self::compute::{ComputeProgram, ComputePrograms};
use self::diagnostics::Diagnostics;
pub(crate) use self::driver_queries::SceneCounts;
#[cfg(feature = "desktop")]
pub(crate) use self::driver_queries::listed::{DRIVER_QUERIES, DRIVER_QUERY_GROUPS};
#[cfg(feature = "shader-memory")]
pub(crate) use self::entries::Entries;
pub(crate) use self::feedback::Feedback;
use self::fences::UnsignalledFences;
pub(crate) use self::lent::{Lent, maps_directly};
pub(crate) use self::objects::{Objects, SurfaceObject, View};
pub(crate) use self::queries::QueryState;
pub(crate) use self::reset::ResetState;
use self::shader_memory::BoundMemory;
pub(crate) use self::shader_memory::{buffer_slot, checked, image_slot, slot};
pub(crate) use self::stage_table::{DRAW_STAGES, has_stage};
pub(crate) use self::streams::{Capture, StreamState};
pub(crate) use self::transfers::{BoxPlace, Maps, OpenTransfer, Persistent, copy_rows};

/// The error of builds without maps.
const NO_MAPS: PipeError = PipeError::Unsupported("maps of resources");

/// The state of a context.
pub(crate) struct State<'m> {
    pub(crate) objects: Objects<'m>,
    pub(crate) bound: Bound<'m>,
    pub(crate) memory: BoundMemory<'m>,
    #[cfg(feature = "shader-memory")]
    pub(crate) programs: ComputePrograms<'m>,
    /// Set if the context launches grids and does not draw.
    pub(crate) compute_only: Only<bool, { SHADER_MEMORY as usize }>,
    maps: OfEs2<Maps<'m>>,
    /// Set while drawing with the indices that a vertex state holds, even if their handle is
    /// destroyed.
    pub(crate) holds_indices: Only<bool, { DESKTOP as usize }>,
    pub(crate) reset: ResetState,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) fences: UnsignalledFences<'m>,
    pub(crate) queries: QueryState<'m>,
    pub(crate) streams: StreamState<'m>,
    pub(crate) feedback: Feedback<'m>,
    /// The memory for the next claim's loans.
    pub(crate) loans: Loans<'m>,
}

impl<'m> State<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        State {
            objects: Objects::new_in(memory),
            bound: Bound::new_in(memory),
            memory: BoundMemory::new_in(memory),
            #[cfg(feature = "shader-memory")]
            programs: ComputePrograms::new_in(memory),
            compute_only: Only::new(false),
            maps: Only::with(|| Maps::new_in(memory)),
            holds_indices: Only::new(false),
            reset: ResetState::default(),
            diagnostics: Diagnostics::default(),
            fences: UnsignalledFences::new_in(memory),
            queries: QueryState::new_in(memory),
            streams: StreamState::new_in(memory),
            feedback: Feedback::new_in(memory),
            loans: Loans::new_in(memory),
        }
    }

    /// Returns the resources that objects and bindings hold.
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let held = self.objects.held().chain(self.bound.held()).chain(self.streams.held());
        held.chain(self.memory.held()).chain(self.queries.held())
    }

    /// Returns the maps of the CPU.
    ///
    /// # Errors
    /// The build has none.
    #[inline(always)]
    pub(crate) fn maps(&self) -> Result<&Maps<'m>, PipeError> {
        self.maps.get().ok_or(NO_MAPS)
    }

    /// Returns the maps of the CPU, to change them.
    ///
    /// # Errors
    /// The build has none.
    #[inline(always)]
    pub(crate) fn maps_mut(&mut self) -> Result<&mut Maps<'m>, PipeError> {
        self.maps.get_mut().ok_or(NO_MAPS)
    }

    /// Returns the objects and bindings.
    #[inline(always)]
    pub(crate) fn bindings(&self) -> Bindings<'_, 'm> {
        Bindings { objects: &self.objects, bound: &self.bound }
    }

    /// Returns the memory that the bound programs of these stages use.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub(crate) fn memory_bindings(
        &self,
        stages: &[ShaderType],
        memory: Memory<'m>,
    ) -> Result<MemoryBindings<'m>, OutOfMemory> {
        self.memory.bindings(&self.objects, &self.bound, stages, memory)
    }
}

/// Returns the object that a handle names.
///
/// # Errors
/// The handle is stale.
pub(crate) fn object<'a, K: Kind, T>(
    pool: &'a Pool<'_, T>,
    handle: Handle<K>,
) -> Result<&'a T, PipeError> {
    pool.get(handle.raw()).ok_or_else(|| PipeError::stale(handle))
}

/// Checks that a handle, if there is one, names an object.
///
/// # Errors
/// The handle is stale.
pub(crate) fn check<K: Kind, T>(
    pool: &Pool<'_, T>,
    handle: Option<Handle<K>>,
) -> Result<(), PipeError> {
    match handle {
        Some(handle) => object(pool, handle).map(|_| ()),
        None => Ok(()),
    }
}
