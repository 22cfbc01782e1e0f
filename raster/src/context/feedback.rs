//! Draws that sample what they draw to: they see it as it was when the first of them since the last
//! barrier came, in a copy.
//!
//! The copy lies in the resource's place while the level itself is taken out to be drawn to. It is
//! kept until the scene is rasterized, as every draw of a scene may be rasterized by a later one.

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
    /// Copies of such levels; none while they are in their resources.
    copies: Vec<'m, (Key, Option<LevelBytes<'m>>)>,
}

impl<'m> Feedback<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Feedback { sampled: heapless::Vec::new(), copies: Vec::new_in(memory) }
    }

    /// Returns true if no draw of the scene samples what it draws to.
    #[cfg(flights)]
    pub(super) fn is_empty(&self) -> bool {
        self.sampled.is_empty()
    }

    /// Takes note of the levels that `views` show and draws go to.
    fn note<'v>(&mut self, framebuffer: &Framebuffer, views: impl Iterator<Item = &'v View>) {
        for view in views {
            let (first, last) = view.state.first_and_last_level();
            for attachment in framebuffer.attachments.iter().flatten() {
                let key = (attachment.resource, attachment.level);
                let is_sampled = view.resource == key.0 && (first..=last).contains(&key.1);
                if is_sampled && !attachment.streamed && !self.sampled.contains(&key) {
                    // Those of earlier framebuffers are in the way of none of this one.
                    if self.sampled.is_full() {
                        self.sampled.clear();
                    }
                    let _ = self.sampled.push(key);
                }
            }
        }
    }

    /// Leaves copies of levels that are sampled in the place of those that `surfaces` took.
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

    /// Takes the copies out of their resources again, for the next draw of the scene.
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

    /// Forgets copies: no draw of the scene is left that samples them.
    pub(super) fn forget_copies(&mut self) {
        self.copies.clear();
    }

    /// Forgets the scene, which was rasterized.
    pub(super) fn forget(&mut self) {
        self.sampled.clear();
        self.copies.clear();
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Takes note of the levels that a draw samples and draws to.
    pub(super) fn note_feedback(&mut self) {
        // Nothing changed since the scene's last draw.
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
