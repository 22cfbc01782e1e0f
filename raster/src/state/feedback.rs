//! Feedback: draws that sample a level that they draw to. They sample a copy of the level from
//! before the first such draw since the last barrier.
//!
//! The copy is in the resource while the level itself is taken out to be drawn to. The copy is kept
//! until the scene is rasterized, because any later draw may rasterize the scene. Without the feature
//! `desktop` there are no copies, and a level that is drawn to reads as unbound.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use super::objects::View;
use crate::device::Device;
use crate::features::{OfDesktop, Only};
use crate::frame::{ATTACHMENTS, Framebuffer, Surfaces};
use crate::resource::{LevelBytes, Resource};

/// A level of a resource.
type Key = (RawHandle, u32);

/// The levels that draws of the scene both sample and draw to.
#[derive(Debug)]
pub(crate) struct Feedback<'m> {
    sampled: OfDesktop<heapless::Vec<Key, ATTACHMENTS>>,
    /// Copies of such levels; `None` while a copy is in its resource.
    copies: OfDesktop<Vec<'m, (Key, Option<LevelBytes<'m>>)>>,
}

impl<'m> Feedback<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Feedback {
            sampled: Only::with(heapless::Vec::new),
            copies: Only::with(|| Vec::new_in(memory)),
        }
    }

    /// Returns true if no draw of the scene samples a level that it draws to.
    #[cfg(flights)]
    pub(crate) fn is_empty(&self) -> bool {
        self.sampled.get().is_none_or(|sampled| sampled.is_empty())
    }

    /// Records the levels that `views` show and that draws go to.
    #[inline]
    pub(crate) fn note<'v>(
        &mut self,
        framebuffer: &Framebuffer,
        views: impl Iterator<Item = &'v View>,
    ) {
        let Some(sampled) = self.sampled.get_mut() else { return };
        for view in views {
            let (first, last) = view.state.first_and_last_level();
            for attachment in framebuffer.attachments.iter().flatten() {
                let key = (attachment.resource, attachment.level);
                let is_sampled = view.resource == key.0 && (first..=last).contains(&key.1);
                if is_sampled && !attachment.streamed && !sampled.contains(&key) {
                    // A framebuffer has at most as many levels as the list: entries of earlier
                    // framebuffers can go.
                    if sampled.is_full() {
                        sampled.clear();
                    }
                    let _ = sampled.push(key);
                }
            }
        }
    }

    /// Puts copies of sampled levels into the resources from which `surfaces` took these levels.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    #[inline]
    pub(crate) fn leave(
        &mut self,
        surfaces: &Surfaces<'m>,
        resources: &mut Pool<'m, Resource<'m>>,
        device: &Device<'m>,
    ) -> Result<(), PipeError> {
        let (Some(sampled), Some(copies)) = (self.sampled.get(), self.copies.get_mut()) else {
            return Ok(());
        };
        if sampled.is_empty() {
            return Ok(());
        }
        for (resource, level, bytes) in surfaces.levels() {
            let key = (resource, level);
            if !sampled.contains(&key) {
                continue;
            }
            let place = match copies.iter().position(|(copied, _)| *copied == key) {
                Some(place) => place,
                None => {
                    let copy = bytes.copy(device.work, device.os.memory)?;
                    copies.try_push((key, Some(copy)))?;
                    copies.len() - 1
                }
            };
            let copy = copies.get_mut(place).and_then(|(_, copy)| copy.take());
            if let (Some(copy), Some(resource)) = (copy, resources.get_mut(resource)) {
                resource.leave_level(level, copy);
            }
        }
        Ok(())
    }

    /// Takes the copies out of their resources, for the next draw of the scene.
    #[inline]
    pub(crate) fn take_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        let Some(copies) = self.copies.get_mut() else { return };
        let memory = copies.memory();
        for ((resource, level), copy) in copies.iter_mut() {
            if copy.is_none()
                && let Some(resource) = resources.get_mut(*resource)
            {
                *copy = Some(resource.take_left_level(*level, memory));
            }
        }
    }

    /// Drops the copies: no draw of the scene samples them any more.
    #[inline(always)]
    pub(crate) fn forget_copies(&mut self) {
        if let Some(copies) = self.copies.get_mut() {
            copies.clear();
        }
    }

    /// Forgets everything about a rasterized scene.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        if let Some(sampled) = self.sampled.get_mut() {
            sampled.clear();
        }
        self.forget_copies();
    }
}
