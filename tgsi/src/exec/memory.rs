//! Memory beyond registers: buffers, images, shared memory, counters.
//!
//! The executor asks [`Resources::memory`](super::Resources::memory), except for constant buffers,
//! which it has itself. Whoever holds bytes answers with [`MemoryRequest::access`].

use super::Resources;
use super::lanes::{Lanes, Mask};
use super::program::{MemoryAccess, Row};
use super::texture::{Groups, unit_number};
use crate::declaration::ImageFormat;
use crate::shader::TextureTarget;

/// The kind of a use of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryKind {
    /// The components of the mask are read.
    Load,
    /// The components of the mask are written.
    Store,
    /// A word is changed; its old value is the result.
    Atomic(AtomicCode),
    /// x: the size of buffers in bytes. Images: width, height, depth or layers (cubes of cube
    /// arrays); w: samples.
    Size,
}

/// The change that an atomic makes to a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicCode {
    /// Sum modulo 2³².
    Add,
    /// Sum of floats.
    FloatAdd,
    /// The operand.
    Exchange,
    /// The operand, if the word equals the value compared with.
    CompareExchange,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The smaller, unsigned.
    UnsignedMin,
    /// The larger, unsigned.
    UnsignedMax,
    /// The smaller, signed.
    SignedMin,
    /// The larger, signed.
    SignedMax,
    /// One more; 0 after the operand.
    IncrementWrap,
    /// One less; the operand after 0 and from above it.
    DecrementWrap,
}

impl AtomicCode {
    /// Returns the word that replaces `old`.
    pub fn apply(self, old: u32, operand: u32, compare: u32) -> u32 {
        let (signed, other) = (old as i32, operand as i32);
        match self {
            AtomicCode::Add => old.wrapping_add(operand),
            AtomicCode::FloatAdd => (f32::from_bits(old) + f32::from_bits(operand)).to_bits(),
            AtomicCode::Exchange => operand,
            AtomicCode::CompareExchange if old == compare => operand,
            AtomicCode::CompareExchange => old,
            AtomicCode::And => old & operand,
            AtomicCode::Or => old | operand,
            AtomicCode::Xor => old ^ operand,
            AtomicCode::UnsignedMin => old.min(operand),
            AtomicCode::UnsignedMax => old.max(operand),
            AtomicCode::SignedMin => signed.min(other) as u32,
            AtomicCode::SignedMax => signed.max(other) as u32,
            AtomicCode::IncrementWrap if old >= operand => 0,
            AtomicCode::IncrementWrap => old + 1,
            AtomicCode::DecrementWrap if old == 0 || old > operand => operand,
            AtomicCode::DecrementWrap => old - 1,
        }
    }
}

/// The memories a shader reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemorySpace {
    /// `BUFFER[unit]`.
    Buffer,
    /// `IMAGE[unit]`, or an image's handle.
    Image,
    /// `CONST[unit]` by byte offset.
    Constant,
    /// `HWATOMIC[unit]`: counters, four bytes each.
    Counter,
    /// The memory of a group.
    Shared,
    /// Global memory.
    Global,
    /// The invocation's own.
    Private,
    /// The arguments of a kernel.
    Arguments,
    /// The colour buffer that `COLOR[unit]` is written to.
    ColorBuffer,
}

/// One use of memory by the lanes of a batch.
#[derive(Clone, Copy, Debug)]
pub struct MemoryRequest<'a, R> {
    /// The kind of use.
    pub kind: MemoryKind,
    /// The memory used.
    pub space: MemorySpace,
    /// The slot. May be any number if the shader computes it.
    pub unit: u16,
    /// The shape of images the shader expects.
    pub target: TextureTarget,
    /// The format of images' texels, as the shader has it; `NONE`: that of the image.
    pub format: ImageFormat,
    /// The byte offset in x. Images: x, y, z of the texel, layer after the last coordinate, sample
    /// in w; integers.
    pub address: [&'a R; 4],
    /// The words to store; in x the operand of atomics.
    pub value: [&'a R; 4],
    /// The word that `CompareExchange` compares with.
    pub compare: &'a R,
    /// The components loaded or stored, x in the lowest bit.
    pub mask: u8,
    /// The lanes that do it. Loads of buffers include helpers, nothing else does.
    pub live: Mask,
}

/// Memory that requests are carried out on: little-endian words at byte addresses.
pub trait Storage {
    /// Returns the number of bytes.
    fn size(&self) -> usize;

    /// Returns the word at byte `at`; `None` if it is not wholly there.
    fn load(&self, at: usize) -> Option<u32>;

    /// Writes the word at byte `at`, if it is wholly there.
    fn store(&mut self, at: usize, word: u32);

    /// Makes an atomic's change to the word at byte `at`; returns the word before, `None` if it is
    /// not wholly there.
    fn change(&mut self, at: usize, code: AtomicCode, operand: u32, compare: u32) -> Option<u32> {
        let old = self.load(at)?;
        self.store(at, code.apply(old, operand, compare));
        Some(old)
    }
}

impl Storage for &[u8] {
    fn size(&self) -> usize {
        self.len()
    }

    fn load(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.get(at..)?.first_chunk()?))
    }

    fn store(&mut self, _: usize, _: u32) {}
}

impl Storage for &mut [u8] {
    fn size(&self) -> usize {
        self.len()
    }

    fn load(&self, at: usize) -> Option<u32> {
        (&**self).load(at)
    }

    fn store(&mut self, at: usize, word: u32) {
        let place = self.get_mut(at..).and_then(|rest| rest.first_chunk_mut());
        if let Some(place) = place {
            *place = word.to_le_bytes();
        }
    }
}

impl<R: Lanes> MemoryRequest<'_, R> {
    /// Returns the lanes that take part, ascending.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<R> {
        let live = self.live;
        (0..R::COUNT).filter(move |&lane| live >> lane & 1 != 0)
    }

    /// Carries the request out on little-endian words in `bytes`: of loads whose words do not all
    /// fit every component is 0; of stores the words that fit are written; atomics that do not fit
    /// do nothing and give 0. Lanes take turns, the lowest first.
    pub fn access(&self, bytes: &mut [u8], out: &mut [R; 4]) {
        self.access_storage(bytes, out);
    }

    /// As [`access`](Self::access), of bytes that cannot be written.
    pub fn read(&self, bytes: &[u8], out: &mut [R; 4]) {
        self.access_storage(bytes, out);
    }

    /// As [`access`](Self::access), of any storage.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    pub fn access_storage(&self, mut storage: impl Storage, out: &mut [R; 4]) {
        let components = (u8::BITS - (self.mask & 15).leading_zeros()) as usize;
        for lane in self.lanes() {
            let word = |row: &R| row.as_slice().get(lane).copied().unwrap_or(0);
            let offset = word(self.address[0]) as usize;
            let place = |component: usize| offset.checked_add(4 * component);
            let mut result = [0; 4];
            match self.kind {
                MemoryKind::Load => {
                    let end = place(components);
                    if end.is_some_and(|end| end <= storage.size()) {
                        for (component, result) in result.iter_mut().enumerate().take(components) {
                            *result = storage.load(offset + 4 * component).unwrap_or(0);
                        }
                    }
                }
                MemoryKind::Store => {
                    let written = (0..4).filter(|component| self.mask >> component & 1 != 0);
                    for component in written {
                        if let Some(at) = place(component) {
                            storage.store(at, word(self.value[component]));
                        }
                    }
                }
                MemoryKind::Atomic(code) => {
                    let (operand, compare) = (word(self.value[0]), word(self.compare));
                    if let Some(old) = storage.change(offset, code, operand, compare) {
                        result = [old; 4];
                    }
                }
                MemoryKind::Size => result[0] = storage.size() as u32,
            }
            for (row, result) in out.iter_mut().zip(result) {
                if let Some(slot) = row.as_mut_slice().get_mut(lane) {
                    *slot = result;
                }
            }
        }
    }
}

/// Does an op's use of memory. `None`: the table names rows that are not there.
///
/// * `live`: of `exec`, the lanes that are not helpers.
pub(super) fn memory<R: Lanes>(
    access: &MemoryAccess,
    rows: &mut [R],
    [exec, live]: [Mask; 2],
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Option<()> {
    let zero = R::ZERO;
    let row = |row: Row| match row.index() {
        None => Some(&zero),
        Some(index) => rows.get(index),
    };
    let four = |rows: [Row; 4]| Some([row(rows[0])?, row(rows[1])?, row(rows[2])?, row(rows[3])?]);
    let helpers_too = access.kind == MemoryKind::Load && access.space != MemorySpace::Image;
    let mut request = MemoryRequest {
        kind: access.kind,
        space: access.space,
        unit: 0,
        target: access.target,
        format: access.format,
        address: four(access.address)?,
        value: four(access.value)?,
        compare: row(access.compare)?,
        mask: access.mask,
        live: 0,
    };
    let lanes = if helpers_too || access.kind == MemoryKind::Size { exec } else { exec & live };
    let mut out = [R::ZERO; 4];
    let mut units = Groups::new([row(access.unit_row)?], access.unit_row != Row::NONE, lanes);
    while let Some(([unit], live)) = units.next() {
        let mut part = [R::ZERO; 4];
        (request.unit, request.live) = (unit_number(access.unit, unit), live);
        if request.space == MemorySpace::Constant {
            let bytes = constants.get(usize::from(request.unit)).copied().unwrap_or(&[]);
            request.read(bytes, &mut part);
        } else {
            resources.memory(&request, &mut part);
        }
        units.merge(&mut out, part, live);
    }
    for (row, value) in access.dst.into_iter().zip(out) {
        if let Some(index) = row.index() {
            *rows.get_mut(index)? = value;
        }
    }
    Some(())
}
