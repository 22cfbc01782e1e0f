//! The context: one file per chapter of the contract. Every call is complete when it returns.

mod binding;
mod blitting;
mod clearing;
mod compute;
mod cso;
mod drawing;
mod flushing;
mod parameters;
mod queries;
mod shader_resources;
mod streams;
mod transfers;
mod views;

pub(crate) use self::compute::{MAX_BLOCK, MAX_GLOBALS, MAX_SHARED};

use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;
use pipe_core::context::{Bindless, Context as PipeContext, DeviceReset, Fences};
use pipe_core::handle::{Handle, Kind};

use self::binding::Bound;
use self::cso::Objects;
use self::queries::QueryState;
use self::streams::StreamState;
use self::transfers::OpenTransfer;
use crate::device::Device;

/// A rendering context of a [`Screen`](crate::Screen).
#[derive(Debug)]
pub struct Context<'s, 'm> {
    device: &'s Device<'m>,
    objects: Objects<'m>,
    bound: Bound<'m>,
    transfers: Pool<'m, OpenTransfer<'m>>,
    queries: QueryState<'m>,
    streams: StreamState<'m>,
    /// Number of primitives drawn so far. Nudges depend on it.
    primitives: u32,
}

impl<'s, 'm> Context<'s, 'm> {
    pub(crate) fn new(device: &'s Device<'m>) -> Self {
        let memory = device.os.memory;
        Context {
            device,
            objects: Objects::new_in(memory),
            bound: Bound::default(),
            transfers: Pool::new_in(memory),
            queries: QueryState::new_in(memory),
            streams: StreamState::new_in(memory),
            primitives: 0,
        }
    }
}

/// Returns the object that a handle names.
///
/// # Errors
/// The handle is stale.
fn object<'a, K: Kind, T>(pool: &'a Pool<'_, T>, handle: Handle<K>) -> Result<&'a T, PipeError> {
    pool.get(handle.raw()).ok_or_else(|| PipeError::stale(handle))
}

/// Binds optional handles to `slots`, from `start` on.
///
/// # Errors
/// A handle is stale, or a slot is beyond the last; then nothing changes.
fn bind_range<K: Kind, T>(
    what: &'static str,
    pool: &Pool<'_, T>,
    slots: &mut [Option<RawHandle>],
    start: usize,
    handles: &[Option<Handle<K>>],
) -> Result<(), PipeError> {
    let (end, limit) = (start.saturating_add(handles.len()), slots.len());
    PipeError::at_most(what, end as u64, limit as u64)?;
    for handle in handles.iter().flatten() {
        object(pool, *handle)?;
    }
    for (slot, handle) in slots.iter_mut().skip(start).zip(handles) {
        *slot = handle.map(Handle::raw);
    }
    Ok(())
}

/// Returns the error [`PipeError::Unsupported`] with `what`, if `asked`.
fn refuse(asked: bool, what: &'static str) -> Result<(), PipeError> {
    if asked { Err(PipeError::Unsupported(what)) } else { Ok(()) }
}

impl<'m> PipeContext<'m> for Context<'_, 'm> {}
impl Fences for Context<'_, '_> {}
impl DeviceReset for Context<'_, '_> {}
impl Bindless for Context<'_, '_> {}
