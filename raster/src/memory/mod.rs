//! Memory that programs load from and store to: buffers, images and counters (manual, chapter TGSI,
//! "Resource Access Opcodes").
//!
//! Workers share the memory as atomic words. Loads out of range return 0, and stores and atomics
//! out of range do nothing. A buffer address is rounded down to a multiple of 4, that of a half to one of 2.

mod global;
mod image;
mod pages;

use os_shim::Words;
use pipe_core::ShaderType;
use tgsi::exec::{AtomicCode, Lanes, MemoryRequest, MemorySpace, Storage};

pub(crate) use self::global::{MAX_GLOBALS, WINDOW_BYTES, address};
pub(crate) use self::image::Image;
pub(crate) use self::pages::{PAGE_BYTES, PageGrid, PageMap};
use crate::features::{Case, DESKTOP, OfMemory, Only, SHADER_MEMORY};

/// The bytes behind a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bytes<'a> {
    /// Bytes that no program of the call writes.
    Read(&'a [u8]),
    /// Words that workers share.
    Shared(Words<'a>),
    /// Words of a sparse level. Only some of its pages have memory.
    Sparse(Words<'a>, Case<PageMap<'a>, { DESKTOP as usize }>),
}

impl<'a> Bytes<'a> {
    /// Returns the bytes as a sparse level with these pages.
    pub(crate) fn sparse(self, pages: PageMap<'a>) -> Self {
        match (self, Case::new(pages)) {
            (Bytes::Shared(words), Some(pages)) => Bytes::Sparse(words, pages),
            (other, _) => other,
        }
    }

    /// Returns the words that contain byte `at`, for a write; `None` if programs may not write it.
    #[inline(always)]
    fn words(self, at: usize) -> Option<Words<'a>> {
        match self {
            Bytes::Read(_) => None,
            Bytes::Shared(words) => Some(words),
            Bytes::Sparse(words, pages) => pages.get()?.has(at).then_some(words),
        }
    }

    /// Returns the word that holds byte `at`, with zeros beyond the last byte; `None` out of range.
    #[inline(always)]
    fn load(self, at: usize) -> Option<u32> {
        match self {
            Bytes::Read(bytes) => {
                let (words, rest) = bytes.as_chunks();
                let word = words.get(at / 4).copied();
                word.or_else(|| (at / 4 == words.len()).then(|| last(rest)).flatten())
                    .map(u32::from_le_bytes)
            }
            _ => self.words(at)?.load(at / 4),
        }
    }

    /// Writes the word that holds byte `at`.
    #[inline(always)]
    fn store(self, at: usize, word: u32) {
        if let Some(words) = self.words(at) {
            words.store(at / 4, word);
        }
    }

    /// Replaces the bits of `mask` in the word that holds byte `at`.
    #[inline(always)]
    fn store_bits(self, at: usize, mask: u32, bits: u32) {
        if let Some(words) = self.words(at) {
            words.change(at / 4, |word| word & !mask | bits & mask);
        }
    }

    /// Applies an atomic to the word that holds byte `at`; returns the previous word.
    #[inline(always)]
    fn change(self, at: usize, code: AtomicCode, operand: u32, compare: u32) -> Option<u32> {
        let words = self.words(at)?;
        match code {
            AtomicCode::Add => words.add(at / 4, operand),
            code => words.change(at / 4, |old| code.apply(old, operand, compare)),
        }
    }
}

/// Returns the bytes of an incomplete last word, padded with zeros; `None` if there are none.
#[cold]
fn last(rest: &[u8]) -> Option<[u8; 4]> {
    let mut word = [0; 4];
    word.get_mut(..rest.len()).filter(|word| !word.is_empty())?.copy_from_slice(rest);
    Some(word)
}

/// The part of its bytes that a slot shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A range of bytes that starts at a multiple of 4.
    Buffer { offset: usize, size: usize },
    /// Texels.
    Image(Image),
}

/// A slot of a stage that has memory bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    pub(crate) stage: ShaderType,
    pub(crate) space: MemorySpace,
    pub(crate) unit: u32,
    pub(crate) bytes: Bytes<'a>,
    pub(crate) shape: Shape,
}

/// A buffer's range, on which requests are executed.
struct BufferRange<'a> {
    bytes: Bytes<'a>,
    offset: usize,
    size: usize,
}

impl BufferRange<'_> {
    /// Returns the byte offset of the word at `at`; `None` if the word does not lie within the
    /// range.
    #[inline(always)]
    fn place(&self, at: usize) -> Option<usize> {
        let at = at & !3;
        (at.checked_add(4)? <= self.size).then_some(self.offset + at)
    }

    /// Returns the byte offset of the half word at `at` and its first bit within its word; `None` if
    /// the half does not lie within the range.
    #[inline(always)]
    fn half(&self, at: usize) -> Option<(usize, u32)> {
        let at = at & !1;
        let fits = at.checked_add(2)? <= self.size;
        fits.then_some((self.offset + at, 8 * (at as u32 & 2)))
    }
}

impl Storage for BufferRange<'_> {
    fn size(&self) -> usize {
        self.size
    }

    #[inline(always)]
    fn load(&self, at: usize) -> Option<u32> {
        self.bytes.load(self.place(at)?)
    }

    #[inline(always)]
    fn store(&mut self, at: usize, word: u32) {
        if let Some(at) = self.place(at) {
            self.bytes.store(at, word);
        }
    }

    #[inline(always)]
    fn load_half(&self, at: usize) -> Option<u32> {
        let (at, shift) = self.half(at)?;
        Some(self.bytes.load(at)? >> shift & 0xFFFF)
    }

    #[inline(always)]
    fn store_half(&mut self, at: usize, half: u32) {
        if let Some((at, shift)) = self.half(at) {
            self.bytes.store_bits(at, 0xFFFF << shift, half << shift);
        }
    }

    #[inline(always)]
    fn change(&mut self, at: usize, code: AtomicCode, operand: u32, compare: u32) -> Option<u32> {
        self.bytes.change(self.place(at)?, code, operand, compare)
    }
}

/// The memory that the programs of a call can access, as seen by one stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShaderMemory<'a> {
    slots: OfMemory<&'a [Slot<'a>]>,
    stage: OfMemory<ShaderType>,
}

impl<'a> ShaderMemory<'a> {
    /// Returns the memory of these slots, for the vertex stage.
    #[inline(always)]
    pub(crate) fn of(slots: &'a [Slot<'a>]) -> Self {
        ShaderMemory { slots: Only::new(slots), stage: Only::new(ShaderType::Vertex) }
    }

    /// Returns no memory.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        ShaderMemory::of(&[])
    }

    /// Returns the memory as another stage sees it.
    #[inline(always)]
    pub(crate) fn for_stage(self, stage: ShaderType) -> Self {
        ShaderMemory { stage: Only::new(stage), ..self }
    }

    /// Executes a request; leaves `out` unchanged if the slot is empty.
    #[inline(always)]
    pub(crate) fn access<R: Lanes>(self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        if SHADER_MEMORY {
            self.access_any(request, out);
        }
    }

    #[inline(never)]
    fn access_any<R: Lanes>(self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        if DESKTOP && request.space == MemorySpace::Global {
            return self.access_globals(request, out);
        }
        self.access_slot(request, out);
    }

    /// Executes a request on the slot of its unit.
    #[inline(always)]
    fn access_slot<R: Lanes>(self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        let (Some(slots), Some(stage)) = (self.slots.get(), self.stage.get()) else { return };
        let wanted = (*stage, request.space, request.unit);
        let bound = slots.iter().find(|slot| (slot.stage, slot.space, slot.unit) == wanted);
        match bound {
            Some(&Slot { bytes, shape: Shape::Buffer { offset, size }, .. }) => {
                request.access_storage(BufferRange { bytes, offset, size }, out);
            }
            Some(Slot { bytes, shape: Shape::Image(image), .. }) => {
                image.access(*bytes, request, out);
            }
            None => {}
        }
    }
}
