//! Shader buffers, images and atomic counters: bound slots, and the slots that a call's programs
//! use.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::{
    ImageAccess, ImageRange, ImageView, PipeError, ResourceHandle, ShaderBuffer, ShaderType,
};
use tgsi::exec::{HANDLE, MemoryKind, MemorySpace};
use tgsi::program::{Program, Row, Uses};

use super::bindless::Handles;
use super::bound::{Bound, set_range};
use super::objects::Objects;
use super::stage_table::StageTable;
use crate::device::{Device, hold, release, resource};
use crate::features::{DESKTOP, OfMemory, Only, SHADER_MEMORY};
use crate::resource::{MemoryBinding, MemoryBindings, MemoryView, Resource};

/// The part of a resource in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundSlot {
    pub(crate) resource: RawHandle,
    pub(crate) view: MemoryView,
    /// Set if programs may write to it.
    pub(crate) is_writable: bool,
}

pub(crate) type Slots<'m> = Vec<'m, Option<BoundSlot>>;

/// The bound memory.
#[derive(Debug)]
pub(crate) struct BoundMemory<'m>(OfMemory<Lists<'m>>);

/// The lists of slots.
#[derive(Debug)]
pub(crate) struct Lists<'m> {
    pub(crate) buffers: StageTable<Slots<'m>>,
    pub(crate) images: StageTable<Slots<'m>>,
    /// Counters, shared by all stages.
    pub(crate) counters: Slots<'m>,
    /// Global memory of compute programs.
    pub(crate) globals: Slots<'m>,
}

impl<'m> BoundMemory<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        BoundMemory(Only::with(|| Lists {
            buffers: StageTable::from_fn(|| Vec::new_in(memory)),
            images: StageTable::from_fn(|| Vec::new_in(memory)),
            counters: Vec::new_in(memory),
            globals: Vec::new_in(memory),
        }))
    }

    /// Returns the resources that slots hold.
    #[inline(always)]
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let slots = self.0.iter().flat_map(|lists| {
            let shared = [&lists.counters, &lists.globals];
            lists.buffers.iter().chain(lists.images.iter()).chain(shared)
        });
        slots.flatten().flatten().map(|slot| slot.resource)
    }

    /// Appends the slots and handles of a stage that the stage's program uses.
    fn add(
        &self,
        stage: ShaderType,
        program: &Program<'_>,
        handles: &Handles<'m>,
        bindings: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        let Some(lists) = self.0.get() else { return Ok(()) };
        let lists = [
            (MemorySpace::Buffer, lists.buffers.get(stage)),
            (MemorySpace::Image, lists.images.get(stage)),
            (MemorySpace::Counter, Some(&lists.counters)),
            (MemorySpace::Global, Some(&lists.globals)),
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
        if let Some(writes) = uses(program, MemorySpace::Image, HANDLE.into()).filter(|_| DESKTOP) {
            handles.add_images(stage, writes, bindings)?;
        }
        Ok(())
    }

    /// Binds checked slots in one of the lists.
    ///
    /// # Errors
    /// No such stage; out of memory.
    pub(crate) fn set(
        &mut self,
        device: &Device<'m>,
        start: usize,
        new: &[Option<BoundSlot>],
        list: impl for<'a> FnOnce(&'a mut Lists<'m>) -> Option<&'a mut Slots<'m>>,
    ) -> Result<(), PipeError> {
        let Some(slots) = self.0.get_mut().and_then(list) else {
            return match new.iter().all(Option::is_none) {
                true => Ok(()),
                false => Err(PipeError::Unsupported("shader memory of this stage")),
            };
        };
        let end = start + new.len();
        if slots.len() < end {
            slots.try_resize(end, None)?;
        }
        let resources = &mut device.shared.lock().resources;
        for slot in new.iter().flatten() {
            hold(resources, slot.resource);
        }
        for old in slots.iter().skip(start).take(new.len()).flatten() {
            release(resources, old.resource);
        }
        Ok(set_range(slots, start, new.iter().copied())?)
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

impl<'m> BoundMemory<'m> {
    /// Returns the memory that the bound programs of these stages use.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub(crate) fn bindings(
        &self,
        objects: &Objects<'m>,
        bound: &Bound<'m>,
        stages: &[ShaderType],
        memory: Memory<'m>,
    ) -> Result<MemoryBindings<'m>, OutOfMemory> {
        let mut bindings = MemoryBindings::new_in(memory);
        for &stage in stages.iter().filter(|_| SHADER_MEMORY) {
            let Some(shader) = objects.shader(bound.shader(stage)) else { continue };
            let program = shader.program();
            if program.uses.contains(Uses::MEMORY) {
                self.add(stage, &program, &objects.handles, &mut bindings)?;
            }
        }
        Ok(bindings)
    }
}

/// Checks a resource and makes a slot of it.
///
/// # Errors
/// A stale handle; a resource without memory, or that must not be written; the errors of `view`.
pub(crate) fn slot<'m>(
    device: &Device<'m>,
    handle: ResourceHandle,
    is_writable: bool,
    view: impl FnOnce(&Resource<'m>) -> Result<MemoryView, PipeError>,
) -> Result<BoundSlot, PipeError> {
    let shared = device.shared.lock();
    let resource = resource(&shared.resources, handle)?;
    if resource.is_streamed() || (is_writable && !resource.is_writable()) {
        return Err(PipeError::Unsupported("shader memory without storage of its own"));
    }
    Ok(BoundSlot { resource: handle.raw(), view: view(resource)?, is_writable })
}

/// Checks a part of a buffer and makes a slot of it.
///
/// # Errors
/// A stale handle; a resource that is no buffer; an offset within a word.
pub(crate) fn buffer_slot(
    device: &Device<'_>,
    buffer: &ShaderBuffer,
    writable: bool,
) -> Result<BoundSlot, PipeError> {
    let &ShaderBuffer { resource, buffer_offset: offset, buffer_size: size } = buffer;
    slot(device, resource, writable, |resource| {
        if !resource.template.is_buffer() {
            return Err(PipeError::Invalid("the shader buffer is a texture"));
        }
        whole_words(offset)?;
        Ok(MemoryView::Buffer { offset, size })
    })
}

/// Checks an image and makes a slot of it.
///
/// # Errors
/// A stale handle; a format or range that the resource lacks.
pub(crate) fn image_slot(device: &Device<'_>, image: &ImageView) -> Result<BoundSlot, PipeError> {
    let &ImageView { resource, format, access, range } = image;
    slot(device, resource, access.contains(ImageAccess::WRITE), |resource| {
        let texel = format.is_texel() && format.block_bytes() <= 16;
        if !texel || format.is_depth_or_stencil() {
            return Err(PipeError::UnsupportedFormat { format, usage: "shader images" });
        }
        match (range, resource.template.is_buffer()) {
            (ImageRange::Buffer { offset, size }, true) => {
                whole_words(offset)?;
                Ok(MemoryView::Texels { offset, size, format })
            }
            (ImageRange::Texture { level, first_layer, last_layer, single_layer_view }, false) => {
                let alike = resource.template.format.block_bytes() == format.block_bytes();
                if !alike || resource.place(level).is_none() {
                    return Err(PipeError::Invalid("the image exceeds its resource"));
                }
                let last = if single_layer_view { first_layer } else { last_layer };
                Ok(MemoryView::Layers { level, first: first_layer, last, format })
            }
            _ => Err(PipeError::Invalid("the image is of another kind than its resource")),
        }
    })
}

/// Checks that a byte offset is a multiple of 4.
fn whole_words(offset: u32) -> Result<(), PipeError> {
    if offset.is_multiple_of(4) {
        Ok(())
    } else {
        Err(PipeError::Invalid("the shader memory's offset is not a multiple of 4"))
    }
}

/// Makes slots of all views, or returns an error and makes none.
pub(crate) fn checked<T, const MOST: usize>(
    views: &[Option<T>],
    start: usize,
    slot: impl Fn(usize, &T) -> Result<BoundSlot, PipeError>,
) -> Result<heapless::Vec<Option<BoundSlot>, MOST>, PipeError> {
    let end = start.saturating_add(views.len());
    PipeError::at_most("slots of shader memory", end as u64, MOST as u64)?;
    let slots = views.iter().enumerate();
    slots.map(|(index, view)| view.as_ref().map(|view| slot(index, view)).transpose()).collect()
}
