//! Memory that programs load from and store to: buffers, images, counters and global memory
//! (manual, chapter TGSI, "Resource Access Opcodes"). Lanes are served one after the other.
//!
//! Loads out of range give 0; stores and atomics out of range do nothing.

use std::sync::Arc;

use formats::Format;
use tgsi::declaration::ImageFormat;
use tgsi::exec::{AtomicCode, MemoryKind, MemoryRequest, MemorySpace};
use tgsi::shader::TextureTarget;

use crate::resource::Resource;

/// A range of a buffer that starts at a multiple of 4 bytes.
#[derive(Clone, Debug)]
pub(crate) struct BufferRange<'m> {
    pub(crate) resource: Arc<Resource<'m>>,
    /// In bytes.
    pub(crate) offset: usize,
    /// In bytes.
    pub(crate) size: usize,
    /// True if programs may write it.
    pub(crate) writable: bool,
}

/// The texels of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Texels {
    /// A range of a buffer, in bytes.
    Range { offset: usize, size: usize },
    /// Layers `first` to `last` of a level.
    Layers { level: u32, first: u32, last: u32 },
}

/// A shader image.
#[derive(Clone, Debug)]
pub(crate) struct Image<'m> {
    pub(crate) resource: Arc<Resource<'m>>,
    pub(crate) format: Format,
    pub(crate) texels: Texels,
    /// True if programs may write it.
    pub(crate) writable: bool,
}

/// One lane's memory access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    kind: MemoryKind,
    target: TextureTarget,
    address: [u32; 4],
    value: [u32; 4],
    compare: u32,
    /// The components to load or store, x in the lowest bit.
    mask: u8,
    /// The components are halves in memory, and f32 in registers.
    halves: bool,
}

impl Access {
    /// Returns the access of lane `lane` in a request.
    pub(crate) fn of(request: &MemoryRequest<'_, [u32; 4]>, lane: usize) -> Access {
        Access {
            kind: request.kind,
            target: request.target,
            address: request.address.map(|row| row[lane]),
            value: request.value.map(|row| row[lane]),
            compare: request.compare[lane],
            mask: request.mask & 15,
            halves: request.format == ImageFormat::R16_FLOAT,
        }
    }

    /// Returns true if the access changes memory.
    fn writes(&self) -> bool {
        matches!(self.kind, MemoryKind::Store | MemoryKind::Atomic(_))
    }

    /// Returns the bytes of a component.
    fn component_size(&self) -> usize {
        match self.kind {
            MemoryKind::Load | MemoryKind::Store if self.halves => 2,
            _ => 4,
        }
    }

    /// Performs the access on little-endian words in `bytes` and returns the result.
    pub(crate) fn of_words(&self, bytes: &mut [u8]) -> [u32; 4] {
        let start = self.address[0] as usize;
        let size = self.component_size();
        let place = |component: usize| {
            let at = start.checked_add(size * component)?;
            (at.checked_add(size)? <= bytes.len()).then_some(at)
        };
        let chosen = |component: &usize| self.mask >> component & 1 != 0;
        match self.kind {
            MemoryKind::Load => {
                // If a load does not fit as a whole, every component is 0.
                let last = (0..4).rfind(chosen).unwrap_or(0);
                let fits = place(last).is_some();
                core::array::from_fn(|component| match place(component) {
                    Some(at) if fits && chosen(&component) => match self.halves {
                        true => half(bytes, at),
                        false => word(bytes, at),
                    },
                    _ => 0,
                })
            }
            MemoryKind::Store => {
                let places: [Option<usize>; 4] = core::array::from_fn(place);
                for component in (0..4).filter(chosen) {
                    match places[component] {
                        Some(at) if self.halves => set_half(bytes, at, self.value[component]),
                        Some(at) => set_word(bytes, at, self.value[component]),
                        None => {}
                    }
                }
                [0; 4]
            }
            MemoryKind::Atomic(code) => match place(0) {
                Some(at) => [self.change(code, bytes, at); 4],
                None => [0; 4],
            },
            MemoryKind::Size => [bytes.len() as u32, 0, 0, 0],
        }
    }

    /// Performs an atomic operation on the word at `at` and returns the previous word.
    fn change(&self, code: AtomicCode, bytes: &mut [u8], at: usize) -> u32 {
        let old = word(bytes, at);
        set_word(bytes, at, code.apply(old, self.value[0], self.compare));
        old
    }
}

/// Returns the bits of the f32 with the value of the half at byte `at`; 0 if it is outside.
fn half(bytes: &[u8], at: usize) -> u32 {
    let half = bytes.get(at..at + 2);
    half.map_or(0, |half| Format::R16Float.fetch_rgba_f32(half)[0].to_bits())
}

/// Replaces the half at byte `at` by the nearest to an f32; does nothing if it is outside.
fn set_half(bytes: &mut [u8], at: usize, word: u32) {
    if let Some(to) = bytes.get_mut(at..at + 2) {
        Format::R16Float.store_rgba_bits([word; 4], to);
    }
}

/// Returns the little-endian word at byte `at`; 0 if it is outside.
fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    word.map_or(0, |word| u32::from_le_bytes(*word))
}

/// Replaces the little-endian word at byte `at`; does nothing if it is outside.
fn set_word(bytes: &mut [u8], at: usize, word: u32) {
    if let Some(to) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {
        *to = word.to_le_bytes();
    }
}

impl BufferRange<'_> {
    /// Performs an access to the range and returns the result. Addresses are aligned to components:
    /// the lowest two bits are ignored, for halves the lowest bit.
    fn access(&self, access: Access) -> [u32; 4] {
        let mut access = access;
        access.address[0] &= !(access.component_size() as u32 - 1);
        if access.writes() && !self.writable {
            return [0; 4];
        }
        let end = |bytes: &[u8]| self.offset.saturating_add(self.size).min(bytes.len());
        if access.writes() {
            let written = self.resource.write(|bytes| {
                let range = self.offset..end(bytes);
                access.of_words(bytes.get_mut(range).unwrap_or(&mut []))
            });
            return written.unwrap_or_default();
        }
        if access.kind == MemoryKind::Size {
            return [self.size as u32, 0, 0, 0];
        }
        // A load does not change the copy.
        let mut copy =
            self.resource.read(|bytes| bytes.get(self.offset..end(bytes)).unwrap_or(&[]).to_vec());
        access.of_words(&mut copy)
    }
}

impl Image<'_> {
    /// Returns width, height and layers, in texels.
    fn size(&self) -> [u32; 3] {
        match self.texels {
            Texels::Range { size, .. } => [(size / self.format.block_bytes().max(1)) as u32, 1, 1],
            Texels::Layers { level, first, last } => {
                let place = self.resource.layout.level(level);
                place.map_or([0; 3], |place| {
                    let last = last.min(place.layers.saturating_sub(1));
                    [place.width, place.height, (last + 1).saturating_sub(first)]
                })
            }
        }
    }

    /// Returns the number of coordinates within a layer, and true if the next one is a layer.
    fn coordinates(target: TextureTarget) -> (usize, bool) {
        use TextureTarget::*;
        match target {
            Buffer | Texture1D | Shadow1D => (1, false),
            Array1D | ShadowArray1D => (1, true),
            Texture2D | Rect | Shadow2D | ShadowRect | Msaa2D => (2, false),
            // Faces and slices count as layers.
            Cube | ShadowCube | CubeArray | ShadowCubeArray | Array2D | ShadowArray2D
            | MsaaArray2D | Texture3D | Unknown => (2, true),
        }
    }

    /// Returns the index of the first byte of the texel; `None` if it is out of range.
    fn place(&self, access: &Access) -> Option<usize> {
        let (count, layered) = Self::coordinates(access.target);
        let mut at = [0; 3];
        at[..count].copy_from_slice(&access.address[..count]);
        if layered {
            at[2] = access.address[count];
        }
        let inside = at.iter().zip(self.size()).all(|(at, size)| *at < size);
        if !inside {
            return None;
        }
        match self.texels {
            Texels::Range { offset, .. } => {
                Some(offset + at[0] as usize * self.format.block_bytes())
            }
            Texels::Layers { level, first, .. } => {
                self.resource.layout.offset(level, at[0], at[1], first + at[2])
            }
        }
    }

    /// Performs an access to the image and returns the result.
    fn access(&self, access: &Access) -> [u32; 4] {
        let texel_bytes = self.format.block_bytes();
        if access.kind == MemoryKind::Size {
            return self.size_for(access.target);
        }
        let Some(at) = self.place(access) else { return [0; 4] };
        let texel = at..at + texel_bytes;
        match access.kind {
            MemoryKind::Load => self.resource.read(|bytes| {
                let Some(texel) = bytes.get(texel) else { return [0; 4] };
                if self.format.is_pure_integer() {
                    self.format.fetch_rgba_bits(texel)
                } else {
                    self.format.fetch_rgba_f32(texel).map(f32::to_bits)
                }
            }),
            MemoryKind::Store if self.writable => {
                let _ = self.resource.write(|bytes| {
                    if let Some(texel) = bytes.get_mut(texel) {
                        self.format.store_rgba_bits(access.value, texel);
                    }
                });
                [0; 4]
            }
            // Atomics work on texels of one word.
            MemoryKind::Atomic(code) if self.writable && texel_bytes == 4 => {
                let old = self.resource.write(|bytes| access.change(code, bytes, at));
                [old.unwrap_or(0), 0, 0, 0]
            }
            _ => [0; 4],
        }
    }

    /// Returns the width, the height, and the depth or the number of layers or cubes, as far as the
    /// target has them, and the number of samples.
    fn size_for(&self, target: TextureTarget) -> [u32; 4] {
        use TextureTarget::{Cube, CubeArray, ShadowCube, ShadowCubeArray};
        let (count, layered) = Self::coordinates(target);
        let size = self.size();
        let mut result = [0, 0, 0, 1];
        result[..count].copy_from_slice(&size[..count]);
        let layers = match target {
            Cube | ShadowCube => 0,
            CubeArray | ShadowCubeArray => size[2] / 6,
            _ => size[2],
        };
        if layered {
            result[count] = layers;
        }
        result
    }
}

/// The memory that the programs of one stage can access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageMemory<'a, 'm> {
    pub(crate) buffers: &'a [Option<BufferRange<'m>>],
    pub(crate) images: &'a [Option<Image<'m>>],
    pub(crate) counters: &'a [Option<BufferRange<'m>>],
    /// Buffers of global memory.
    pub(crate) globals: &'a [Option<BufferRange<'m>>],
}

/// The size of the address range of each slot of global memory, in bytes.
pub(crate) const WINDOW: u64 = 1 << 27;

/// Returns the address of the first byte of a slot of global memory. No buffer is at address 0.
pub(crate) fn global_address(slot: usize) -> u64 {
    (slot as u64 + 1) * WINDOW
}

impl StageMemory<'_, '_> {
    /// Answers a request, lane by lane.
    pub(crate) fn answer(&self, request: &MemoryRequest<'_, [u32; 4]>, out: &mut [[u32; 4]; 4]) {
        for lane in request.lanes() {
            let access = Access::of(request, lane);
            let result = self.access(request.space, request.unit, access);
            for (row, word) in out.iter_mut().zip(result) {
                row[lane] = word;
            }
        }
    }

    fn access(&self, space: MemorySpace, unit: u32, access: Access) -> [u32; 4] {
        let unit = unit as usize;
        let buffer = match space {
            MemorySpace::Buffer => self.buffers.get(unit),
            MemorySpace::Counter => self.counters.get(unit),
            MemorySpace::Global => return self.global(access),
            MemorySpace::Image => {
                let image = self.images.get(unit).and_then(Option::as_ref);
                return image.map_or([0; 4], |image| image.access(&access));
            }
            _ => None,
        };
        buffer.and_then(Option::as_ref).map_or([0; 4], |buffer| buffer.access(access))
    }

    /// Performs an access to the global buffer that contains its address.
    fn global(&self, access: Access) -> [u32; 4] {
        let at = u64::from(access.address[0]);
        for (slot, buffer) in self.globals.iter().enumerate() {
            let start = global_address(slot);
            if let Some(buffer) = buffer
                && (start..start + WINDOW).contains(&at)
            {
                let mut access = access;
                access.address[0] = (at - start) as u32;
                return buffer.access(access);
            }
        }
        [0; 4]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Access = Access {
        kind: MemoryKind::Load,
        target: TextureTarget::Buffer,
        address: [0; 4],
        value: [7, 8, 9, 10],
        compare: 0,
        mask: 15,
        halves: false,
    };

    #[test]
    fn words_out_of_range_are_zero_and_stay() {
        let mut bytes: [u8; 12] = core::array::from_fn(|at| at as u8);
        let at = |address: u32, access: Access| Access { address: [address, 0, 0, 0], ..access };
        let two = Access { mask: 3, ..LOAD };
        assert_eq!(at(4, two).of_words(&mut bytes), [0x0706_0504, 0x0b0a_0908, 0, 0]);
        assert_eq!(at(8, two).of_words(&mut bytes), [0; 4]);
        assert_eq!(at(u32::MAX, two).of_words(&mut bytes), [0; 4]);
        let store = Access { kind: MemoryKind::Store, ..LOAD };
        at(8, store).of_words(&mut bytes);
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7, 7, 0, 0, 0]);
        let add = Access { kind: MemoryKind::Atomic(AtomicCode::Add), ..LOAD };
        assert_eq!(at(8, add).of_words(&mut bytes), [7; 4]);
        assert_eq!(bytes[8..], [14, 0, 0, 0]);
        assert_eq!(at(12, add).of_words(&mut bytes), [0; 4]);
    }

    #[test]
    fn halves_leave_the_other_half_of_their_word() {
        let mut bytes = [0x11; 6];
        let value = [1.5f32, -2.0, 0.0, 0.0].map(f32::to_bits);
        let store = Access {
            kind: MemoryKind::Store,
            address: [2, 0, 0, 0],
            value,
            halves: true,
            mask: 3,
            ..LOAD
        };
        store.of_words(&mut bytes);
        // 1.5 is 0x3e00, -2 is 0xc000.
        assert_eq!(bytes, [0x11, 0x11, 0x00, 0x3e, 0x00, 0xc0]);
        let load = Access { kind: MemoryKind::Load, ..store };
        assert_eq!(load.of_words(&mut bytes), [value[0], value[1], 0, 0]);
        let beyond = Access { address: [4, 0, 0, 0], ..load };
        assert_eq!(beyond.of_words(&mut bytes), [0; 4]);
    }
}
