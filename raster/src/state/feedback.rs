//! Feedback: draws that sample a level that they draw to. They sample a copy of the level from
//! before the first such draw since the last barrier.
//!
//! The copy is in the resource while the level itself is taken out to be drawn to. The copy is kept
//! until the scene is rasterized, because any later draw may rasterize the scene.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use super::objects::View;
use crate::device::Device;
use crate::frame::{ATTACHMENTS, Framebuffer, Surfaces};
use crate::resource::{LevelBytes, Resource};

/// A level of a resource.
type Key = (RawHandle, u32);

/// The levels that draws of the scene both sample and draw to.
#[derive(Debug)]
pub(crate) struct Feedback<'m> {
    sampled: heapless::Vec<Key, ATTACHMENTS>,
    /// Copies of such levels; `None` while a copy is in its resource.
    copies: Vec<'m, (Key, Option<LevelBytes<'m>>)>,
}

impl<'m> Feedback<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Feedback { sampled: heapless::Vec::new(), copies: Vec::new_in(memory) }
    }

    /// Returns true if no draw of the scene samples a level that it draws to.
    #[cfg(flights)]
    pub(crate) fn is_empty(&self) -> bool {
        self.sampled.is_empty()
    }

    /// Records the levels that `views` show and that draws go to.
    pub(crate) fn note<'v>(
        &mut self,
        framebuffer: &Framebuffer,
        views: impl Iterator<Item = &'v View>,
    ) {
        for view in views {
            let (first, last) = view.state.first_and_last_level();
            for attachment in framebuffer.attachments.iter().flatten() {
                let key = (attachment.resource, attachment.level);
                let is_sampled = view.resource == key.0 && (first..=last).contains(&key.1);
                if is_sampled && !attachment.streamed && !self.sampled.contains(&key) {
                    // A framebuffer has at most as many levels as the list: entries of earlier
                    // framebuffers can go.
                    if self.sampled.is_full() {
                        self.sampled.clear();
                    }
                    let _ = self.sampled.push(key);
                }
            }
        }
    }

    /// Puts copies of sampled levels into the resources from which `surfaces` took these levels.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    pub(crate) fn leave(
        &mut self,
        surfaces: &Surfaces<'m>,
        resources: &mut Pool<'m, Resource<'m>>,
        device: &Device<'m>,
    ) -> Result<(), PipeError> {
        if self.sampled.is_empty() {
            return Ok(());
        }
        for (resource, level, bytes) in surfaces.levels() {
            let key = (resource, level);
            if !self.sampled.contains(&key) {
                continue;
            }
            let place = match self.copies.iter().position(|(copied, _)| *copied == key) {
                Some(place) => place,
                None => {
                    let copy = bytes.copy(device.work, device.os.memory)?;
                    self.copies.try_push((key, Some(copy)))?;
                    self.copies.len() - 1
                }
            };
            let copy = self.copies.get_mut(place).and_then(|(_, copy)| copy.take());
            if let (Some(copy), Some(resource)) = (copy, resources.get_mut(resource)) {
                resource.leave_level(level, copy);
            }
        }
        Ok(())
    }

    /// Takes the copies out of their resources, for the next draw of the scene.
    pub(crate) fn take_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        let memory = self.copies.memory();
        for ((resource, level), copy) in self.copies.iter_mut() {
            if copy.is_none()
                && let Some(resource) = resources.get_mut(*resource)
            {
                *copy = Some(resource.take_left_level(*level, memory));
            }
        }
    }

    /// Drops the copies: no draw of the scene samples them any more.
    pub(crate) fn forget_copies(&mut self) {
        self.copies.clear();
    }

    /// Forgets everything about a rasterized scene.
    pub(crate) fn forget(&mut self) {
        self.sampled.clear();
        self.copies.clear();
    }
}
