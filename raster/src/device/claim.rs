//! The claim of a call: the resources that the call reads and writes while it works.
//!
//! With the feature `threads` a claim is made under the lock of the resources, which is held
//! briefly, and continues without it: written levels are taken out, and read levels are lent. A
//! claim waits until no other context writes what it reads or uses what it writes. It waits before
//! it holds anything, so claims cannot deadlock. Without the feature the claim is the lock.

use os_shim::memory::OutOfMemory;
use os_shim::pool::Pool;
use os_shim::sync::Guard;
use pipe_core::PipeError;

use super::{Device, Shared};
use crate::resource::{Inputs, Loans, Resource, TextureBinding};

/// The resources of a running call.
pub(crate) struct Claim<'d, 'm> {
    #[cfg(feature = "threads")]
    device: &'d Device<'m>,
    /// The lock, while it is held.
    #[cfg(feature = "threads")]
    guard: Option<Guard<'d, Shared<'m>>>,
    #[cfg(feature = "threads")]
    loans: Loans<'m>,
    #[cfg(not(feature = "threads"))]
    guard: Guard<'d, Shared<'m>>,
}

/// The levels that a scene reads, lent in the middle of a draw until this is dropped.
pub(crate) struct SceneLoans<'c, 'm> {
    #[cfg(feature = "threads")]
    device: &'c Device<'m>,
    #[cfg(feature = "threads")]
    loans: Loans<'m>,
    #[cfg(not(feature = "threads"))]
    inputs: Inputs<'c, 'm>,
}

#[cfg(feature = "threads")]
impl<'d, 'm> Claim<'d, 'm> {
    /// Locks the resources as soon as they are `ready`. The claim stores its loans in the memory of
    /// `loans`.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped one of them directly, so its CPU holds the
    /// memory.
    pub(crate) fn when(
        device: &'d Device<'m>,
        loans: Loans<'m>,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Self, PipeError> {
        let guard = Some(device.lock_when(ready)?);
        Ok(Claim { device, guard, loans })
    }

    /// Ends the loans; returns their memory.
    pub(crate) fn end(&mut self) -> Loans<'m> {
        self.resources();
        self.loans.clear();
        self.take_loans()
    }

    /// Returns the loans, which the caller ends with [`Device::end_loans`].
    pub(crate) fn take_loans(&mut self) -> Loans<'m> {
        core::mem::replace(&mut self.loans, Loans::new_in(self.device.os.memory))
    }

    /// Runs `fetch` on the resources in the middle of a draw.
    #[cfg(flights)]
    pub(crate) fn fetch(&self, fetch: impl FnOnce(&mut Pool<'m, Resource<'m>>)) {
        fetch(&mut self.device.shared.lock().resources);
    }

    /// Returns the resources, and locks them if they were unlocked.
    pub(crate) fn resources(&mut self) -> &mut Pool<'m, Resource<'m>> {
        let device = self.device;
        &mut self.guard.get_or_insert_with(|| device.shared.lock()).resources
    }

    /// Lends levels through `lend` and unlocks the resources.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn lend(
        &mut self,
        lend: impl FnOnce(&mut Loans<'m>, &Pool<'m, Resource<'m>>) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        if let Some(guard) = &self.guard {
            lend(&mut self.loans, &guard.resources)?;
        }
        self.loans.sort();
        self.guard = None;
        Ok(())
    }

    /// Returns the lent levels.
    pub(crate) fn inputs(&self) -> Inputs<'_, 'm> {
        self.loans.inputs()
    }

    /// Lends the levels of a scene in the middle of a draw. A level that another context draws to
    /// at that moment reads as empty, because waiting for it could deadlock.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn lend_scene(
        &self,
        textures: &[TextureBinding],
    ) -> Result<SceneLoans<'_, 'm>, OutOfMemory> {
        let device = self.device;
        let mut scene = SceneLoans { device, loans: Loans::new_in(device.os.memory) };
        scene.loans.lend_textures(&device.shared.lock().resources, textures)?;
        scene.loans.sort();
        Ok(scene)
    }
}

#[cfg(feature = "threads")]
impl<'m> SceneLoans<'_, 'm> {
    /// Returns the lent levels.
    pub(crate) fn inputs(&self) -> Inputs<'_, 'm> {
        self.loans.inputs()
    }
}

#[cfg(feature = "threads")]
impl Drop for SceneLoans<'_, '_> {
    fn drop(&mut self) {
        self.device.end_loans(self.device.shared.lock(), &mut self.loans);
    }
}

#[cfg(feature = "threads")]
impl Drop for Claim<'_, '_> {
    /// Ends the loans, puts written levels back, and wakes the contexts that wait for either.
    fn drop(&mut self) {
        let device = self.device;
        let guard = self.guard.take().unwrap_or_else(|| device.shared.lock());
        device.end_loans(guard, &mut self.loans);
    }
}

#[cfg(feature = "threads")]
impl<'m> Device<'m> {
    /// Locks the resources as soon as they are `ready`.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped one of them directly, so its CPU holds the
    /// memory.
    pub(crate) fn lock_when(
        &self,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Guard<'_, Shared<'m>>, PipeError> {
        self.lock_by(&ready)
    }

    /// Locks the resources for [`lock_when`](Self::lock_when). Compiled once for all its callers.
    fn lock_by(
        &self,
        ready: &dyn Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Guard<'_, Shared<'m>>, PipeError> {
        let mut guard = self.shared.lock();
        while !ready(&guard.resources) {
            guard.check_lent(ready)?;
            guard = self.freed.wait(guard);
        }
        Ok(guard)
    }

    /// Ends loans under the lock, unlocks, and wakes the threads that wait for resources. (Without
    /// the lock, a thread that has just seen the loans could miss the notification.)
    pub(crate) fn end_loans(&self, guard: Guard<'_, Shared<'m>>, loans: &mut Loans<'_>) {
        loans.clear();
        drop(guard);
        self.freed.notify_all();
    }
}

#[cfg(not(feature = "threads"))]
impl<'d, 'm> Claim<'d, 'm> {
    /// Locks the resources, which must be `ready`.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped one of them directly, so its CPU holds the
    /// memory.
    #[inline(always)]
    pub(crate) fn when(
        device: &'d Device<'m>,
        _loans: Loans<'m>,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Self, PipeError> {
        Ok(Claim { guard: device.lock_when(ready)? })
    }

    /// Does nothing: there are no loans.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with threads the claim has loans")]
    pub(crate) fn end(&mut self) -> Loans<'m> {
        Loans::NONE
    }

    /// Returns the resources.
    #[inline(always)]
    pub(crate) fn resources(&mut self) -> &mut Pool<'m, Resource<'m>> {
        &mut self.guard.resources
    }

    /// Does nothing: the claim keeps the lock.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn lend(
        &mut self,
        _lend: impl FnOnce(&mut Loans<'m>, &Pool<'m, Resource<'m>>) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Returns all resources.
    #[inline(always)]
    pub(crate) fn inputs(&self) -> Inputs<'_, 'm> {
        Inputs::of(&self.guard.resources)
    }

    /// Lends nothing: the claim keeps the lock.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub(crate) fn lend_scene(
        &self,
        _textures: &[TextureBinding],
    ) -> Result<SceneLoans<'_, 'm>, OutOfMemory> {
        Ok(SceneLoans { inputs: self.inputs() })
    }
}

#[cfg(not(feature = "threads"))]
impl<'m> SceneLoans<'_, 'm> {
    /// Returns all resources.
    #[inline(always)]
    pub(crate) fn inputs(&self) -> Inputs<'_, 'm> {
        self.inputs
    }
}

#[cfg(not(feature = "threads"))]
impl<'m> Device<'m> {
    /// Locks the resources, which must be `ready`: no call of another context runs.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped one of them directly, so its CPU holds the
    /// memory.
    #[inline(always)]
    pub(crate) fn lock_when(
        &self,
        ready: impl Fn(&Pool<'m, Resource<'m>>) -> bool,
    ) -> Result<Guard<'_, Shared<'m>>, PipeError> {
        let mut guard = self.shared.lock();
        guard.check_lent(ready)?;
        Ok(guard)
    }
}
