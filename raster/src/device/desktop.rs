//! The objects that only frontends of desktops make, shared by the contexts of a screen.

use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};

use super::fences::Fence;
#[cfg(flights)]
use super::flights::UnderWay;
use super::vertex_states::VertexState;
use crate::resource::OutsideMemory;

/// The objects that only frontends of desktops make.
pub(crate) struct DesktopObjects<'m> {
    /// The number of the next bindless handle.
    pub(crate) next_handle: u32,
    pub(super) fences: Pool<'m, Fence<'m>>,
    /// The fence of all flushes that returned with their work done.
    pub(super) signalled: Option<RawHandle>,
    #[cfg(flights)]
    pub(super) flights: UnderWay<'m>,
    pub(super) vertex_states: Pool<'m, VertexState>,
    pub(crate) memory_objects: Pool<'m, OutsideMemory<'m>>,
}

impl<'m> DesktopObjects<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        DesktopObjects {
            next_handle: tgsi::exec::FIRST_HANDLE,
            fences: Pool::new_in(memory),
            signalled: None,
            #[cfg(flights)]
            flights: UnderWay::new_in(memory),
            vertex_states: Pool::new_in(memory),
            memory_objects: Pool::new_in(memory),
        }
    }
}
