//! The memory that programs of a call load from and store to. Levels that a program writes are
//! taken out of their resources; other levels are lent.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::layout::LevelLayout;
use pipe_core::{PipeError, ShaderType};
use tgsi::exec::MemorySpace;

#[cfg(feature = "desktop")]
use super::Pages;
use super::{Inputs, LevelBytes, Loans, Resource};
use crate::budget::Work;
use crate::memory::{Bytes, Image, ShaderMemory, Shape, Slot};

/// The part of a resource that is bound to a slot of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoryView {
    /// Bytes of a buffer.
    Buffer { offset: u32, size: u32 },
    /// Texels of a buffer.
    Texels { offset: u32, size: u32, format: formats::Format },
    /// Layers of a level.
    Layers { level: u32, first: u32, last: u32, format: formats::Format },
}

impl MemoryView {
    fn level(&self) -> u32 {
        match *self {
            MemoryView::Buffer { .. } | MemoryView::Texels { .. } => 0,
            MemoryView::Layers { level, .. } => level,
        }
    }

    /// Returns the shape of the view. Its level lies at `place`, and texels have `samples` samples.
    fn shape(&self, place: &LevelLayout, samples: u32) -> Shape {
        match *self {
            MemoryView::Buffer { offset, size } => {
                let left = place.size.saturating_sub(offset as usize);
                Shape::Buffer { offset: offset as usize, size: left.min(size as usize) }
            }
            MemoryView::Texels { offset, size, format } => {
                let left = place.size.saturating_sub(offset as usize);
                let texels = left.min(size as usize) / format.block_bytes().max(1);
                Shape::Image(Image {
                    format,
                    first: offset as usize,
                    width: texels as u32,
                    height: 1,
                    layers: 1,
                    row_stride: 0,
                    layer_stride: 0,
                    samples: 1,
                    sample_stride: 0,
                })
            }
            MemoryView::Layers { first, last, format, .. } => {
                let layers = place.layers.min(last.saturating_add(1)).saturating_sub(first);
                Shape::Image(Image {
                    format,
                    first: first as usize * place.layer_stride,
                    width: place.width,
                    height: place.height,
                    layers,
                    row_stride: place.row_stride,
                    layer_stride: place.layer_stride,
                    samples,
                    sample_stride: place.row_stride / samples.max(1) as usize,
                })
            }
        }
    }
}

/// A slot of a stage that the stage's program uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryBinding {
    pub(crate) stage: ShaderType,
    pub(crate) space: MemorySpace,
    pub(crate) unit: u32,
    pub(crate) resource: RawHandle,
    pub(crate) view: MemoryView,
    /// Set if the program may write to the slot.
    pub(crate) is_written: bool,
}

impl MemoryBinding {
    fn key(&self) -> (RawHandle, u32) {
        (self.resource, self.view.level())
    }
}

/// The slots that the programs of a call use.
#[derive(Debug)]
pub(crate) struct MemoryBindings<'m>(Vec<'m, MemoryBinding>);

impl<'m> MemoryBindings<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        MemoryBindings(Vec::new_in(memory))
    }

    /// Adds a slot.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn push(&mut self, binding: MemoryBinding) -> Result<(), OutOfMemory> {
        self.0.try_push(binding)
    }

    /// Returns true if no program uses memory.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The resources of the slots.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn resources(&self) -> impl Iterator<Item = RawHandle> {
        self.0.iter().map(|binding| binding.resource)
    }

    /// Returns true if no other context uses levels that the call writes, or writes levels that it
    /// reads.
    pub(crate) fn is_ready(&self, resources: &Pool<'_, Resource<'_>>) -> bool {
        self.0.iter().all(|binding| {
            resources.get(binding.resource).is_none_or(|resource| match binding.is_written {
                true => resource.is_idle(),
                false => resource.is_readable(),
            })
        })
    }

    /// Lends the read-only levels.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn lend(
        &self,
        loans: &mut Loans<'m>,
        resources: &Pool<'m, Resource<'m>>,
    ) -> Result<(), OutOfMemory> {
        for binding in self.0.iter().filter(|binding| !binding.is_written) {
            let level = binding.view.level();
            loans.lend(resources, binding.resource, level..=level)?;
        }
        Ok(())
    }

    /// Makes room for the levels of [`take`](Self::take).
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn room(&self, memory: Memory<'m>) -> Result<TakenMemory<'m>, OutOfMemory> {
        Ok(TakenMemory { levels: Vec::try_with_capacity_in(self.0.len(), memory)? })
    }

    /// Takes the levels that may be written out of their resources. A level that is drawn to at the
    /// same time stays there and reads as unbound.
    ///
    /// If `is_read` returns true for a resource, the call also reads it through bindings of another
    /// kind. Those bindings see a copy from before the call. Bytes that the call does not write
    /// match the resource; other bytes may be old or new.
    ///
    /// # Errors
    /// Out of memory for a copy; [`PipeError::Stopped`].
    pub(crate) fn take(
        &self,
        taken: &mut TakenMemory<'m>,
        resources: &mut Pool<'m, Resource<'m>>,
        work: Work<'_>,
        memory: Memory<'m>,
        is_read: impl Fn(RawHandle) -> bool,
    ) -> Result<(), PipeError> {
        for binding in self.0.iter().filter(|binding| binding.is_written) {
            let (resource, level) = binding.key();
            if taken.levels.iter().any(|taken| taken.key == (resource, level)) {
                continue;
            }
            let Some(from) = resources.get_mut(resource) else { continue };
            let Some(place) = from.place(level).copied() else { continue };
            if from.bytes(level).is_empty() {
                continue;
            }
            let bytes = match is_read(resource) {
                true => from.take_level_leaving_copy(level, work, memory)?,
                false => from.take_level(level),
            };
            if let Some(bytes) = bytes {
                let _ = taken.levels.push_within_capacity(TakenLevel {
                    key: (resource, level),
                    place,
                    samples: from.samples(),
                    bytes,
                    #[cfg(feature = "desktop")]
                    pages: from.take_pages(level),
                });
            }
        }
        Ok(())
    }

    /// Returns the slots for the taken levels and the lent levels.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn slots<'a>(
        &self,
        taken: &'a mut TakenMemory<'m>,
        inputs: Inputs<'a, 'm>,
        memory: Memory<'m>,
    ) -> Result<Slots<'m, 'a>, OutOfMemory> {
        let mut slots = Vec::try_with_capacity_in(self.0.len(), memory)?;
        let mut push = |binding: &MemoryBinding, place: &LevelLayout, samples, bytes| {
            let &MemoryBinding { stage, space, unit, .. } = binding;
            let shape = binding.view.shape(place, samples);
            let _ = slots.push_within_capacity(Slot { stage, space, unit, bytes, shape });
        };
        for binding in self.0.iter() {
            let (resource, level) = binding.key();
            if taken.levels.iter().all(|taken| taken.key != (resource, level))
                && let Some(level) = inputs.level(resource, level)
            {
                let place = LevelLayout {
                    offset: 0,
                    row_stride: level.row_stride,
                    layer_stride: level.layer_stride,
                    size: level.bytes.len(),
                    width: level.width,
                    height: level.height,
                    layers: level.depth,
                };
                push(binding, &place, level.samples(), Bytes::Read(level.bytes));
            }
        }
        for TakenLevel {
            key,
            place,
            samples,
            bytes,
            #[cfg(feature = "desktop")]
            pages,
        } in taken.levels.iter_mut()
        {
            let bytes = Bytes::Shared(bytes.words());
            #[cfg(feature = "desktop")]
            let bytes = match pages {
                Some(pages) => bytes.sparse(pages.map()),
                None => bytes,
            };
            for binding in self.0.iter().filter(|binding| binding.key() == *key) {
                push(binding, place, *samples, bytes);
            }
        }
        Ok(Slots(slots))
    }
}

/// A level taken out of its resource.
#[derive(Debug)]
struct TakenLevel<'m> {
    key: (RawHandle, u32),
    place: LevelLayout,
    samples: u32,
    bytes: LevelBytes<'m>,
    #[cfg(feature = "desktop")]
    pages: Option<Pages<'m>>,
}

/// Levels that programs may write, taken out of their resources.
#[derive(Debug)]
pub(crate) struct TakenMemory<'m> {
    levels: Vec<'m, TakenLevel<'m>>,
}

impl<'m> TakenMemory<'m> {
    /// Returns no levels.
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        TakenMemory { levels: Vec::new_in(memory) }
    }

    /// Puts the levels back.
    pub(crate) fn put_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        while let Some(taken) = self.levels.pop() {
            let (resource, level) = taken.key;
            if let Some(resource) = resources.get_mut(resource) {
                resource.put_level(level, taken.bytes);
                #[cfg(feature = "desktop")]
                resource.put_pages(level, taken.pages);
            }
        }
    }
}

/// The slots of a call that have memory bound.
#[derive(Debug)]
pub(crate) struct Slots<'m, 'a>(Vec<'m, Slot<'a>>);

impl Slots<'_, '_> {
    /// Returns the memory of the slots.
    pub(crate) fn memory(&self) -> ShaderMemory<'_> {
        ShaderMemory::of(&self.0)
    }
}
