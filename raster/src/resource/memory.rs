//! The memory that programs of a call load from and store to. Levels that a program writes are
//! taken out of their resources; other levels are lent.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::layout::LevelLayout;
use pipe_core::{PipeError, ShaderType};
use tgsi::exec::MemorySpace;

use super::{Inputs, LevelBytes, Loans, Pages, Resource};
use crate::budget::Work;
use crate::features::{OfDesktop, OfMemory, Only};
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
pub(crate) struct MemoryBindings<'m>(OfMemory<Vec<'m, MemoryBinding>>);

impl<'m> MemoryBindings<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        MemoryBindings(Only::with(|| Vec::new_in(memory)))
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &MemoryBinding> {
        self.0.get().into_iter().flatten()
    }

    /// Adds a slot.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn push(&mut self, binding: MemoryBinding) -> Result<(), OutOfMemory> {
        self.0.get_mut().map_or(Ok(()), |bindings| bindings.try_push(binding))
    }

    /// Returns true if no program uses memory.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.get().is_none_or(|bindings| bindings.is_empty())
    }

    /// The resources of the slots.
    pub(crate) fn resources(&self) -> impl Iterator<Item = RawHandle> {
        self.iter().map(|binding| binding.resource)
    }

    /// Returns true if no other context uses levels that the call writes, or writes levels that it
    /// reads.
    #[inline]
    pub(crate) fn is_ready(&self, resources: &Pool<'_, Resource<'_>>) -> bool {
        self.iter().all(|binding| {
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
    #[inline]
    pub(crate) fn lend(
        &self,
        loans: &mut Loans<'m>,
        resources: &Pool<'m, Resource<'m>>,
    ) -> Result<(), OutOfMemory> {
        for binding in self.iter().filter(|binding| !binding.is_written) {
            let level = binding.view.level();
            loans.lend(resources, binding.resource, level..=level)?;
        }
        Ok(())
    }

    /// Makes room for the levels of [`take`](Self::take).
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub(crate) fn room(&self, memory: Memory<'m>) -> Result<TakenMemory<'m>, OutOfMemory> {
        let mut taken = TakenMemory::new_in(memory);
        if let (Some(levels), Some(bindings)) = (taken.levels.get_mut(), self.0.get()) {
            levels.try_reserve(bindings.len())?;
        }
        Ok(taken)
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
    #[inline]
    pub(crate) fn take(
        &self,
        taken: &mut TakenMemory<'m>,
        resources: &mut Pool<'m, Resource<'m>>,
        work: Work<'_>,
        memory: Memory<'m>,
        is_read: impl Fn(RawHandle) -> bool,
    ) -> Result<(), PipeError> {
        let Some(levels) = taken.levels.get_mut() else { return Ok(()) };
        for binding in self.iter().filter(|binding| binding.is_written) {
            let (resource, level) = binding.key();
            if levels.iter().any(|taken| taken.key == (resource, level)) {
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
                let _ = levels.push_within_capacity(TakenLevel {
                    key: (resource, level),
                    place,
                    samples: from.samples(),
                    bytes,
                    pages: Only::with(|| from.take_pages(level)),
                });
            }
        }
        Ok(())
    }

    /// Returns the slots for the taken levels and the lent levels.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub(crate) fn slots<'a>(
        &self,
        taken: &'a mut TakenMemory<'m>,
        inputs: Inputs<'a, 'm>,
        memory: Memory<'m>,
    ) -> Result<Slots<'m, 'a>, OutOfMemory> {
        let mut all = Slots(Only::with(|| Vec::new_in(memory)));
        let (Some(slots), Some(bindings), Some(levels)) =
            (all.0.get_mut(), self.0.get(), taken.levels.get_mut())
        else {
            return Ok(all);
        };
        slots.try_reserve(bindings.len())?;
        let mut push = |binding: &MemoryBinding, place: &LevelLayout, samples, bytes| {
            let &MemoryBinding { stage, space, unit, .. } = binding;
            let shape = binding.view.shape(place, samples);
            let _ = slots.push_within_capacity(Slot { stage, space, unit, bytes, shape });
        };
        for binding in self.iter() {
            let (resource, level) = binding.key();
            if levels.iter().all(|taken| taken.key != (resource, level))
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
        for TakenLevel { key, place, samples, bytes, pages } in levels.iter_mut() {
            let mut bytes = Bytes::Shared(bytes.words());
            if let Some(Some(pages)) = pages.get() {
                bytes = bytes.sparse(pages.map());
            }
            for binding in self.iter().filter(|binding| binding.key() == *key) {
                push(binding, place, *samples, bytes);
            }
        }
        Ok(all)
    }
}

/// A level taken out of its resource.
#[derive(Debug)]
struct TakenLevel<'m> {
    key: (RawHandle, u32),
    place: LevelLayout,
    samples: u32,
    bytes: LevelBytes<'m>,
    pages: OfDesktop<Option<Pages<'m>>>,
}

/// Levels that programs may write, taken out of their resources.
#[derive(Debug)]
pub(crate) struct TakenMemory<'m> {
    levels: OfMemory<Vec<'m, TakenLevel<'m>>>,
}

impl<'m> TakenMemory<'m> {
    /// Returns no levels.
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        TakenMemory { levels: Only::with(|| Vec::new_in(memory)) }
    }

    /// Puts the levels back.
    #[inline]
    pub(crate) fn put_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        let Some(levels) = self.levels.get_mut() else { return };
        while let Some(taken) = levels.pop() {
            let TakenLevel { key: (resource, level), bytes, mut pages, .. } = taken;
            if let Some(resource) = resources.get_mut(resource) {
                resource.put_level(level, bytes);
                resource.put_pages(level, pages.get_mut().and_then(Option::take));
            }
        }
    }
}

/// The slots of a call that have memory bound.
#[derive(Debug)]
pub(crate) struct Slots<'m, 'a>(OfMemory<Vec<'m, Slot<'a>>>);

impl Slots<'_, '_> {
    /// Returns the memory of the slots.
    #[inline(always)]
    pub(crate) fn memory(&self) -> ShaderMemory<'_> {
        ShaderMemory::of(self.0.get().map_or(&[], |slots| slots))
    }
}
