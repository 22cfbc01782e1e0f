//! The device that a screen and its contexts share: operating system, configuration, and the
//! resources behind a lock.

mod claim;
#[cfg(feature = "desktop")]
mod desktop;
#[cfg(feature = "desktop")]
mod external_fences;
#[cfg(feature = "desktop")]
mod fences;
#[cfg(flights)]
mod flights;
mod lendable;
mod lent;
#[cfg(feature = "desktop")]
mod vertex_states;

use os_shim::Os;
use os_shim::pool::{Pool, RawHandle};
#[cfg(feature = "threads")]
use os_shim::sync::Condvar;
use os_shim::sync::Mutex;
use pipe_core::{PipeError, ResourceHandle};

pub(crate) use self::claim::Claim;
#[cfg(feature = "desktop")]
pub(crate) use self::external_fences::External;
#[cfg(feature = "desktop")]
pub(crate) use self::fences::Fence;
pub(crate) use self::lendable::Lendable;
use crate::budget::Work;
use crate::debug::{Debug, Timer, Times};
use crate::features::{OfCheck, OfEs2, Only};
use crate::generator::Generator;
use crate::report::{FeatureReport, Features};
use crate::resource::Resource;

/// The configuration of a driver, in addition to its profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Bytes of each context's scene buffer; 0 selects the profile's number. A frame that does not
    /// fit is drawn in several passes. On a streamed surface it is refused. `Tiny` and `Small`
    /// address up to 262,144 bytes; making a context with more is an error.
    pub scene_bytes: usize,
}

/// The state that contexts share, behind one lock.
pub(crate) struct Shared<'m> {
    pub(crate) resources: Pool<'m, Resource<'m>>,
    /// The number of contexts.
    pub(crate) contexts: OfEs2<u32>,
    /// The number of levels that CPUs hold.
    pub(crate) lent: OfEs2<u32>,
    #[cfg(feature = "desktop")]
    pub(crate) desktop: desktop::DesktopObjects<'m>,
}

impl core::fmt::Debug for Shared<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").field("resources", &self.resources).finish_non_exhaustive()
    }
}

/// A screen without its profile.
#[derive(Debug)]
pub(crate) struct Device<'m> {
    pub(crate) os: Os<'m>,
    pub(crate) config: Config,
    pub(crate) debug: Debug,
    /// The time spent in each phase by all contexts.
    pub(crate) times: Times,
    pub(crate) work: Work<'m>,
    pub(crate) generator: Generator<'m>,
    pub(crate) shared: Mutex<Shared<'m>>,
    /// The features that draws used and refusals named. Its lock is separate,
    /// because draws hold that of the resources.
    pub(crate) report: OfCheck<Mutex<FeatureReport>>,
    /// Notified when resources are put back or no longer read, and when fences are signalled.
    #[cfg(feature = "threads")]
    freed: Condvar,
}

impl<'m> Device<'m> {
    /// Notes the features that a refused call names, in builds that report features.
    #[inline(always)]
    pub(crate) fn note_refusal<T>(&self, result: Result<T, PipeError>) -> Result<T, PipeError> {
        if let (Some(report), Err(error)) = (self.report.get(), &result) {
            report.lock().note_refusal(error);
        }
        result
    }

    /// Notes features that a call uses, in builds that report features.
    #[inline(always)]
    pub(crate) fn note_used(&self, used: impl FnOnce() -> Features) {
        if let Some(report) = self.report.get() {
            report.lock().note_used(used());
        }
    }

    /// Makes a device and reads its debug flags; allocates nothing.
    pub(crate) fn new(os: Os<'m>, config: Config) -> Self {
        let shared = Mutex::new(Shared {
            resources: Pool::new_in(os.memory),
            contexts: Only::new(0),
            lent: Only::new(0),
            #[cfg(feature = "desktop")]
            desktop: desktop::DesktopObjects::new_in(os.memory),
        });
        let debug = Debug::read(os.options);
        Device {
            os,
            config,
            work: Work::timed_by(&os),
            debug,
            times: Times::new(debug, os.options),
            generator: Generator::default(),
            shared,
            report: Only::with(|| Mutex::new(FeatureReport::default())),
            #[cfg(feature = "threads")]
            freed: Condvar::new(),
        }
    }
}

impl Device<'_> {
    /// Returns the timer of the device's phases.
    #[inline]
    pub(crate) fn timer(&self) -> Timer<'_> {
        self.times.timer(self.os.clock)
    }
}

impl Device<'_> {
    /// Wakes the threads that wait for resources or fences.
    #[cfg(feature = "threads")]
    fn notify(&self) {
        self.freed.notify_all();
    }

    /// Does nothing: no thread waits.
    #[cfg(not(feature = "threads"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature threads wait")]
    fn notify(&self) {}

    /// Does nothing: there are no fences.
    #[cfg(not(feature = "desktop"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature it signals fences")]
    pub(crate) fn signal(&self, _: &[RawHandle]) {}

    /// Checks that a handle names a resource.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn check_resource(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        resource(&self.shared.lock().resources, handle).map(|_| ())
    }

    /// Returns true if a resource has no memory: tiles go to a panel. Its handle may be destroyed.
    ///
    /// # Errors
    /// The resource is freed.
    #[inline(always)]
    pub(crate) fn is_streamed(&self, handle: ResourceHandle) -> Result<bool, PipeError> {
        let shared = self.shared.lock();
        let shown = shared.resources.get(handle.raw());
        Ok(shown.ok_or_else(|| PipeError::stale(handle))?.is_streamed())
    }

    /// Copies a resource to its imported memory, if it has any.
    ///
    /// # Errors
    /// The handle is stale; the memory no longer exists.
    #[cfg(feature = "desktop")]
    pub(crate) fn give_copy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let shared = self.lock_when(|resources| is_readable(resources, handle.raw()))?;
        resource(&shared.resources, handle)?.give_copy()
    }
}

/// Converts a pool's error to the contract's error.
pub(crate) fn pool_error(error: os_shim::pool::PoolError) -> PipeError {
    match error {
        os_shim::pool::PoolError::OutOfMemory(error) => error.into(),
        _ => PipeError::Unsupported("more objects than handles can name"),
    }
}

/// Returns the resource that a handle names; an error once its handle is destroyed.
pub(crate) fn resource<'a, 'm>(
    resources: &'a Pool<'m, Resource<'m>>,
    handle: ResourceHandle,
) -> Result<&'a Resource<'m>, PipeError> {
    resources
        .get(handle.raw())
        .filter(|resource| resource.named)
        .ok_or_else(|| PipeError::stale(handle))
}

/// Returns the resource that a handle names, to change it; see [`resource`].
pub(crate) fn resource_mut<'a, 'm>(
    resources: &'a mut Pool<'m, Resource<'m>>,
    handle: ResourceHandle,
) -> Result<&'a mut Resource<'m>, PipeError> {
    resources
        .get_mut(handle.raw())
        .filter(|resource| resource.named)
        .ok_or_else(|| PipeError::stale(handle))
}

/// Returns true if a resource can be read now: it is freed, or no call of another context draws to
/// it.
pub(crate) fn is_readable(resources: &Pool<'_, Resource<'_>>, handle: RawHandle) -> bool {
    resources.get(handle).is_none_or(Resource::is_readable)
}

/// Returns true if a resource can be written now: it is freed, or no call of another context uses
/// it.
pub(crate) fn is_idle(resources: &Pool<'_, Resource<'_>>, handle: RawHandle) -> bool {
    resources.get(handle).is_none_or(Resource::is_idle)
}

/// Adds a holder to a resource.
pub(crate) fn hold<'m>(resources: &mut Pool<'m, Resource<'m>>, handle: RawHandle) {
    if let Some(resource) = resources.get_mut(handle) {
        resource.hold();
    }
}

/// Removes a holder from a resource, and frees the resource after the last.
pub(crate) fn release<'m>(resources: &mut Pool<'m, Resource<'m>>, handle: RawHandle) {
    if resources.get_mut(handle).is_some_and(Resource::release) {
        resources.remove(handle);
    }
}
