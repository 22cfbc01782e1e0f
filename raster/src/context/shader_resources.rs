//! Shader buffers, images and atomic counters: bound slots, and the slots that a call's programs
//! use.

use core::ops::Range;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::context::ShaderResources;
use pipe_core::limits::{MAX_HW_ATOMIC_BUFFERS, MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES};
use pipe_core::{
    ImageAccess, ImageRange, ImageView, PipeError, ResourceHandle, ShaderBuffer, ShaderType,
};
use tgsi::exec::{HANDLE, MemoryKind, MemorySpace};
use tgsi::program::{Program, Row, Uses};

use super::Context;
use super::binding::{STAGES, set_range, stage_index};
use super::bindless::Handles;
use crate::device::{hold, release, resource};
use crate::features::BINDLESS;
use crate::profile::Profile;
use crate::resource::{MemoryBinding, MemoryBindings, MemoryView, Resource};

/// The part of a resource in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundSlot {
    pub(super) resource: RawHandle,
    pub(super) view: MemoryView,
    /// Set if programs may write to it.
    pub(super) is_writable: bool,
}

type Slots<'m> = Vec<'m, Option<BoundSlot>>;

/// The bound memory.
#[derive(Debug)]
pub(super) struct BoundMemory<'m> {
    buffers: [Slots<'m>; STAGES],
    images: [Slots<'m>; STAGES],
    /// Counters, shared by all stages.
    counters: Slots<'m>,
    /// Global memory of compute programs.
    pub(super) globals: Slots<'m>,
}

impl<'m> BoundMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        BoundMemory {
            buffers: core::array::from_fn(|_| Vec::new_in(memory)),
            images: core::array::from_fn(|_| Vec::new_in(memory)),
            counters: Vec::new_in(memory),
            globals: Vec::new_in(memory),
        }
    }

    /// Returns the resources that slots hold.
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let lists = self.buffers.iter().chain(&self.images).chain([&self.counters, &self.globals]);
        lists.flatten().flatten().map(|slot| slot.resource)
    }

    /// Appends the slots and handles of a stage that the stage's program uses.
    fn add(
        &self,
        stage: usize,
        program: &Program<'_>,
        handles: &Handles<'m>,
        bindings: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        let lists = [
            (MemorySpace::Buffer, self.buffers.get(stage)),
            (MemorySpace::Image, self.images.get(stage)),
            (MemorySpace::Counter, Some(&self.counters)),
            (MemorySpace::Global, Some(&self.globals)),
        ];
        for (space, slots) in lists {
            for (unit, slot) in (0..).zip(slots.into_iter().flatten()) {
                let (Some(slot), Some(writes)) = (slot, uses(program, space, unit)) else {
                    continue;
                };
                let &BoundSlot { resource, view, is_writable } = slot;
                let is_written = writes && is_writable;
                let binding = MemoryBinding { stage, space, unit, resource, view, is_written };
                bindings.push(binding)?;
            }
        }
        if let Some(writes) = uses(program, MemorySpace::Image, HANDLE.into()).filter(|_| BINDLESS)
        {
            handles.add_images(stage, writes, bindings)?;
        }
        Ok(())
    }
}

/// Returns true if a program may write to a slot, false if it may only read it, and `None` if it
/// does not use it. A computed slot or a global address may refer to any slot.
fn uses(program: &Program<'_>, space: MemorySpace, unit: u32) -> Option<bool> {
    let any = space == MemorySpace::Global;
    let accesses = program.memory.iter().filter(|access| {
        let named = u32::from(access.unit) == unit || access.unit_row != Row::NONE;
        access.space == space && (named || any)
    });
    let writes = accesses.map(|access| match access.kind {
        MemoryKind::Store | MemoryKind::Atomic(_) => true,
        MemoryKind::Load | MemoryKind::Size => false,
    });
    writes.reduce(|a, b| a || b)
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns the memory that the bound programs of these stages use.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn memory_bindings(
        &self,
        stages: Range<usize>,
    ) -> Result<MemoryBindings<'m>, OutOfMemory> {
        let mut bindings = MemoryBindings::new_in(self.os.memory);
        for stage in stages {
            let Some(shader) = self.objects.shader(self.bound.shader(stage)) else { continue };
            let program = shader.program();
            if program.uses.contains(Uses::MEMORY) {
                self.memory.add(stage, &program, &self.objects.handles, &mut bindings)?;
            }
        }
        Ok(bindings)
    }

    /// Checks a resource and makes a slot of it.
    pub(super) fn slot(
        &self,
        handle: ResourceHandle,
        is_writable: bool,
        view: impl FnOnce(&Resource<'m>) -> Result<MemoryView, PipeError>,
    ) -> Result<BoundSlot, PipeError> {
        let shared = self.device.shared.lock();
        let resource = resource(&shared.resources, handle)?;
        if resource.is_streamed() || (is_writable && !resource.is_writable()) {
            return Err(PipeError::Unsupported("shader memory without storage of its own"));
        }
        Ok(BoundSlot { resource: handle.raw(), view: view(resource)?, is_writable })
    }

    fn buffer_slot(&self, buffer: &ShaderBuffer, writable: bool) -> Result<BoundSlot, PipeError> {
        let &ShaderBuffer { resource, buffer_offset: offset, buffer_size: size } = buffer;
        self.slot(resource, writable, |resource| {
            if !resource.template.is_buffer() {
                return Err(PipeError::Invalid("a shader buffer that is a texture"));
            }
            whole_words(offset)?;
            Ok(MemoryView::Buffer { offset, size })
        })
    }

    pub(super) fn image_slot(&self, image: &ImageView) -> Result<BoundSlot, PipeError> {
        let &ImageView { resource, format, access, range } = image;
        self.slot(resource, access.contains(ImageAccess::WRITE), |resource| {
            let texel = format.is_texel() && format.block_bytes() <= 16;
            if !texel || format.is_depth_or_stencil() {
                return Err(PipeError::UnsupportedFormat { format, usage: "shader images" });
            }
            match (range, resource.template.is_buffer()) {
                (ImageRange::Buffer { offset, size }, true) => {
                    whole_words(offset)?;
                    Ok(MemoryView::Texels { offset, size, format })
                }
                (
                    ImageRange::Texture { level, first_layer, last_layer, single_layer_view },
                    false,
                ) => {
                    let alike = resource.template.format.block_bytes() == format.block_bytes();
                    if !alike || resource.place(level).is_none() {
                        return Err(PipeError::Invalid("an image outside of its resource"));
                    }
                    let last = if single_layer_view { first_layer } else { last_layer };
                    Ok(MemoryView::Layers { level, first: first_layer, last, format })
                }
                _ => Err(PipeError::Invalid("an image of another kind of resource")),
            }
        })
    }

    /// Binds checked slots in one of the lists.
    pub(super) fn set_slots(
        &mut self,
        start: usize,
        new: &[Option<BoundSlot>],
        list: impl for<'a> FnOnce(&'a mut BoundMemory<'m>) -> Option<&'a mut Slots<'m>>,
    ) -> Result<(), PipeError> {
        let Some(slots) = list(&mut self.memory) else {
            return match new.iter().all(Option::is_none) {
                true => Ok(()),
                false => Err(PipeError::Unsupported("shader memory of this stage")),
            };
        };
        let end = start + new.len();
        if slots.len() < end {
            slots.try_resize(end, None)?;
        }
        let resources = &mut self.device.shared.lock().resources;
        for slot in new.iter().flatten() {
            hold(resources, slot.resource);
        }
        for old in slots.iter().skip(start).take(new.len()).flatten() {
            release(resources, old.resource);
        }
        Ok(set_range(slots, start, new.iter().copied())?)
    }
}

/// Checks that a byte offset is a multiple of 4.
fn whole_words(offset: u32) -> Result<(), PipeError> {
    if offset.is_multiple_of(4) {
        Ok(())
    } else {
        Err(PipeError::Invalid("shader memory at an offset that is no multiple of 4"))
    }
}

/// Makes slots of all views, or returns an error and makes none.
pub(super) fn checked<T, const MOST: usize>(
    views: &[Option<T>],
    start: usize,
    slot: impl Fn(usize, &T) -> Result<BoundSlot, PipeError>,
) -> Result<heapless::Vec<Option<BoundSlot>, MOST>, PipeError> {
    let end = start.saturating_add(views.len());
    PipeError::at_most("slots of shader memory", end as u64, MOST as u64)?;
    let slots = views.iter().enumerate();
    slots.map(|(index, view)| view.as_ref().map(|view| slot(index, view)).transpose()).collect()
}

impl<P: Profile> ShaderResources for Context<'_, '_, P> {
    fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let new = checked::<_, MAX_SHADER_BUFFERS>(buffers, start, |index, buffer| {
            self.buffer_slot(buffer, writable >> (index & 31) & 1 != 0)
        })?;
        self.set_slots(start, &new, |memory| memory.buffers.get_mut(stage_index(stage)?))
    }

    fn set_shader_images(
        &mut self,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        let new =
            checked::<_, MAX_SHADER_IMAGES>(images, start, |_, image| self.image_slot(image))?;
        self.set_slots(start, &new, |memory| memory.images.get_mut(stage_index(stage)?))
    }

    fn set_hw_atomic_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        let new = checked::<_, MAX_HW_ATOMIC_BUFFERS>(buffers, start, |_, buffer| {
            self.buffer_slot(buffer, true)
        })?;
        self.set_slots(start, &new, |memory| Some(&mut memory.counters))
    }
}
