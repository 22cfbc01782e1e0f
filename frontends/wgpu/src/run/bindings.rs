//! Bind groups and immediates in the context's slots.

use naga_frontend::SlotKind;
use pipe_core::{
    ConstantBuffer, ImageView, PipeError, SamplerHandle, SamplerViewHandle, ShaderBuffer,
};
use wgpu_hal::MAX_BIND_GROUPS;

use crate::bind::{BindGroup, Bound, Class, Entry, PipelineLayout};
use crate::caps::MAX_IMMEDIATES;
use crate::run::Run;
use crate::state::STAGES;

/// A group as it is set.
#[derive(Clone, Copy)]
struct Group<'c> {
    layout: &'c PipelineLayout,
    group: &'c BindGroup,
    offsets: &'c [u32],
    is_dirty: bool,
}

/// The bindings of the current pass.
pub(super) struct Bindings<'c> {
    groups: [Option<Group<'c>>; MAX_BIND_GROUPS],
    immediates: [u8; MAX_IMMEDIATES],
    immediates_are_dirty: bool,
    /// The stages of the pass, as indices into [`STAGES`].
    stages: &'static [usize],
    /// The numbers of slots in use of each table, in each stage.
    used: [Used; 3],
}

/// The number of slots in use of each table that can make a resource busy.
#[derive(Clone, Copy, Default)]
struct Used {
    buffers: usize,
    views: usize,
    images: usize,
}

impl Default for Bindings<'_> {
    fn default() -> Self {
        Bindings {
            groups: [None; MAX_BIND_GROUPS],
            immediates: [0; MAX_IMMEDIATES],
            immediates_are_dirty: false,
            stages: &[],
            used: [Used::default(); 3],
        }
    }
}

impl<'c> Bindings<'c> {
    /// Begins a pass: nothing is bound.
    pub(super) fn begin(&mut self, is_compute: bool) {
        *self = Bindings {
            stages: if is_compute { &[2] } else { &[0, 1] },
            used: self.used,
            immediates_are_dirty: true,
            ..Bindings::default()
        };
    }

    /// Sets a group for the next draws.
    pub(super) fn set(
        &mut self,
        index: u32,
        layout: &'c PipelineLayout,
        group: &'c BindGroup,
        offsets: &'c [u32],
    ) {
        if let Some(slot) = self.groups.get_mut(index as usize) {
            *slot = Some(Group { layout, group, offsets, is_dirty: true });
        }
    }

    /// Sets words of the immediates, from `offset` bytes on.
    pub(super) fn immediates(&mut self, offset: u32, data: &[u32]) {
        let rest = self.immediates.get_mut(offset as usize..).unwrap_or_default();
        for (bytes, word) in rest.chunks_exact_mut(4).zip(data) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        self.immediates_are_dirty = true;
    }

    /// Makes the next draw set the immediates: another program reads them from another slot.
    pub(super) fn touch_immediates(&mut self) {
        self.immediates_are_dirty = true;
    }
}

/// Bindings of consecutive slots.
struct Slots<T> {
    start: usize,
    items: Vec<Option<T>>,
}

impl<T> Slots<T> {
    const fn new() -> Slots<T> {
        Slots { start: 0, items: Vec::new() }
    }

    fn push(&mut self, slot: u8, item: T) {
        if self.items.is_empty() {
            self.start = slot.into();
        }
        self.items.push(Some(item));
    }

    fn end(&self) -> usize {
        self.start.saturating_add(self.items.len())
    }
}

/// The slots of one group in one stage, except constant buffers.
struct StageSlots {
    buffers: Slots<ShaderBuffer>,
    writable: u32,
    views: Slots<SamplerViewHandle>,
    samplers: Slots<SamplerHandle>,
    images: Slots<ImageView>,
}

impl<'c> Run<'c> {
    /// Binds the groups and immediates that changed.
    pub(super) fn apply_bindings(&mut self, immediates: [Option<u8>; 3]) -> Result<(), PipeError> {
        for index in 0..MAX_BIND_GROUPS {
            let Some(Some(group)) = self.bindings.groups.get_mut(index) else { continue };
            if !group.is_dirty {
                continue;
            }
            group.is_dirty = false;
            let group = *group;
            for &stage in self.bindings.stages {
                self.apply_group(index, group, stage)?;
            }
        }
        if !self.bindings.immediates_are_dirty {
            return Ok(());
        }
        self.bindings.immediates_are_dirty = false;
        for ((_, stage), slot) in STAGES.into_iter().zip(immediates) {
            if let Some(slot) = slot {
                let bytes = ConstantBuffer::User(&self.bindings.immediates);
                self.context.set_constant_buffer(stage, slot.into(), Some(bytes))?;
            }
        }
        Ok(())
    }

    fn apply_group(
        &mut self,
        index: usize,
        group: Group<'c>,
        stage: usize,
    ) -> Result<(), PipeError> {
        let Some(&(_, shader)) = STAGES.get(stage) else { return Ok(()) };
        let mut slots = StageSlots {
            buffers: Slots::new(),
            writable: 0,
            views: Slots::new(),
            samplers: Slots::new(),
            images: Slots::new(),
        };
        let mut offsets = group.offsets.iter();
        for (entry, bound) in group.layout.group(index).iter().zip(group.group.bound()) {
            let offset = if entry.is_dynamic { offsets.next().copied().unwrap_or(0) } else { 0 };
            let Some(&Some(slot)) = entry.slots.get(stage) else { continue };
            self.add(entry, bound, slot, offset, stage, &mut slots)?;
        }
        if let Some(used) = self.bindings.used.get_mut(stage) {
            used.buffers = used.buffers.max(slots.buffers.end());
            used.views = used.views.max(slots.views.end());
            used.images = used.images.max(slots.images.end());
        }
        let StageSlots { buffers, writable, views, samplers, images } = slots;
        if !buffers.items.is_empty() {
            self.context.set_shader_buffers(shader, buffers.start, &buffers.items, writable)?;
        }
        if !views.items.is_empty() {
            self.context.set_sampler_views(shader, views.start, &views.items)?;
        }
        if !samplers.items.is_empty() {
            self.context.bind_sampler_states(shader, samplers.start, &samplers.items)?;
        }
        if !images.items.is_empty() {
            self.context.set_shader_images(shader, images.start, &images.items)?;
        }
        Ok(())
    }

    /// Adds one binding to the slots of its stage. Constant buffers are bound at once.
    fn add(
        &mut self,
        entry: &Entry,
        bound: &Bound,
        slot: u8,
        dynamic: u32,
        stage: usize,
        slots: &mut StageSlots,
    ) -> Result<(), PipeError> {
        match (entry.class, bound) {
            (Class::Uniform, Bound::Buffer { buffer, offset, size }) => {
                let Some(&(_, shader)) = STAGES.get(stage) else { return Ok(()) };
                let buffer = ConstantBuffer::Resource {
                    resource: buffer.resource()?,
                    buffer_offset: offset.saturating_add(dynamic),
                    buffer_size: *size,
                };
                self.context.set_constant_buffer(shader, slot.into(), Some(buffer))?;
            }
            (Class::Storage { writable }, Bound::Buffer { buffer, offset, size }) => {
                let at = slots.buffers.items.len();
                slots.writable |= u32::from(writable).checked_shl(at as u32).unwrap_or(0);
                let buffer = ShaderBuffer {
                    resource: buffer.resource()?,
                    buffer_offset: offset.saturating_add(dynamic),
                    buffer_size: *size,
                };
                slots.buffers.push(slot, buffer);
            }
            (Class::View, Bound::Texture(view)) => {
                slots.views.push(slot, view.sampler_view(self.context)?);
            }
            (Class::Sampler, Bound::Sampler(sampler)) => {
                slots.samplers.push(slot, sampler.handle());
            }
            (Class::Image(access), Bound::Texture(view)) => {
                slots.images.push(slot, view.image(access));
            }
            _ => {}
        }
        Ok(())
    }

    /// Unbinds at the end of a pass what would make textures and buffers of later passes busy.
    pub(super) fn unbind(&mut self) -> Result<(), PipeError> {
        for &stage in self.bindings.stages {
            let Some(&(_, shader)) = STAGES.get(stage) else { continue };
            let Some(used) = self.bindings.used.get_mut(stage).map(std::mem::take) else {
                continue;
            };
            let nothing = |used: usize, kind: SlotKind| used.min(kind.count().into());
            let buffers = nothing(used.buffers, SlotKind::ShaderBuffer);
            if buffers > 0 {
                self.context.set_shader_buffers(shader, 0, &vec![None; buffers], 0)?;
            }
            let views = nothing(used.views, SlotKind::SamplerView);
            if views > 0 {
                self.context.set_sampler_views(shader, 0, &vec![None; views])?;
            }
            let images = nothing(used.images, SlotKind::Image);
            if images > 0 {
                self.context.set_shader_images(shader, 0, &vec![None; images])?;
            }
        }
        Ok(())
    }
}
