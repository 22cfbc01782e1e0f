//! Feedback: draws that sample a level that they draw to. They sample a copy of the level from
//! before the first such draw since the last barrier.
//!
//! The copy is in the resource while the level itself is taken out to be drawn to. The copy is kept
//! until the scene is rasterized, because any later draw may rasterize the scene.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;
use tgsi::program::Uses;

use super::Context;
use super::binding::FRAGMENT;
use super::cso::View;
use super::record::used_views;
use crate::device::Device;
use crate::features::BINDLESS;
use crate::frame::{ATTACHMENTS, Framebuffer, Surfaces};
use crate::profile::Profile;
use crate::resource::{LevelBytes, Resource};

/// A level of a resource.
type Key = (RawHandle, u32);

/// The levels that draws of the scene both sample and draw to.
#[derive(Debug)]
pub(super) struct Feedback<'m> {
    sampled: heapless::Vec<Key, ATTACHMENTS>,
    /// Copies of such levels; `None` while a copy is in its resource.
    copies: Vec<'m, (Key, Option<LevelBytes<'m>>)>,
}

impl<'m> Feedback<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Feedback { sampled: heapless::Vec::new(), copies: Vec::new_in(memory) }
    }

    /// Returns true if no draw of the scene samples a level that it draws to.
    #[cfg(flights)]
    pub(super) fn is_empty(&self) -> bool {
        self.sampled.is_empty()
    }

    /// Records the levels that `views` show and that draws go to.
    fn note<'v>(&mut self, framebuffer: &Framebuffer, views: impl Iterator<Item = &'v View>) {
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
    pub(super) fn leave(
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
    pub(super) fn take_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
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
    pub(super) fn forget_copies(&mut self) {
        self.copies.clear();
    }

    /// Forgets everything about a rasterized scene.
    pub(super) fn forget(&mut self) {
        self.sampled.clear();
        self.copies.clear();
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Records the levels that a draw samples and also draws to.
    pub(super) fn note_feedback(&mut self) {
        // Nothing has changed since the scene's last draw.
        if self.record.is_some() {
            return;
        }
        let mut feedback = core::mem::replace(&mut self.feedback, Feedback::new_in(self.os.memory));
        let shader = self.objects.shader(self.bound.shader(FRAGMENT));
        if let Some(program) = shader.map(|shader| shader.program()) {
            let used = used_views(&self.objects, &self.bound, FRAGMENT, &program);
            feedback.note(&self.framebuffer, used.map(|(_, view)| view));
            if BINDLESS && program.uses.contains(Uses::BINDLESS) {
                feedback.note(&self.framebuffer, self.objects.handles.views());
            }
        }
        feedback.note(&self.framebuffer, self.vertex_views());
        self.feedback = feedback;
    }
}
