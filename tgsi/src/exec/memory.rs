//! Memory beyond registers: buffers, images, shared memory, counters.
//!
//! The executor passes accesses to [`Resources::memory`](super::Resources::memory), except accesses
//! to constant buffers, which it has itself. The owner of the bytes answers with
//! [`MemoryRequest::access`].

use super::Resources;
use super::lanes::{Lanes, Mask, all_lanes, each_lane};
use super::program::{MemoryAccess, Row};
use super::texture::{Groups, unit_number};
use crate::declaration::ImageFormat;
use crate::math::{f16_to_f32, f32_to_f16};
use crate::shader::TextureTarget;

/// The kind of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryKind {
    /// Reads the components of the mask.
    Load,
    /// Writes the components of the mask.
    Store,
    /// Changes a word and returns its old value.
    Atomic(AtomicCode),
    /// Returns the size. For buffers x is the size in bytes. For images xyz are width, height, and
    /// depth or layers (cubes of cube arrays), and w is the number of samples.
    Size,
}

/// The change that an atomic makes to a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicCode {
    /// Sum modulo 2³².
    Add,
    /// Sum of floats.
    FloatAdd,
    /// The operand replaces the word.
    Exchange,
    /// The operand replaces the word if the word equals the value compared with.
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
    /// Adds 1; a word from the operand on becomes 0.
    IncrementWrap,
    /// Subtracts 1; 0, or a word above the operand, becomes the operand.
    DecrementWrap,
}

impl AtomicCode {
    /// Returns the word that replaces `old`.
    #[inline]
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

/// The memories that a shader can access.
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
    /// Private memory of the invocation.
    Private,
    /// The arguments of a kernel.
    Arguments,
    /// The colour buffer that `COLOR[unit]` is written to.
    ColorBuffer,
}

/// One memory access by the lanes of a batch.
#[derive(Clone, Copy, Debug)]
pub struct MemoryRequest<'a, R> {
    /// The kind of access.
    pub kind: MemoryKind,
    /// The memory accessed.
    pub space: MemorySpace,
    /// The slot. It may be any number if the shader computes it. From
    /// [`FIRST_HANDLE`](super::FIRST_HANDLE) on it is a bindless handle's low word, which may also
    /// be any number.
    pub unit: u32,
    /// The shape of image that the shader expects.
    pub target: TextureTarget,
    /// The shader's format of an image's texels; `NONE` stands for the image's format. Of other
    /// memory `R16_FLOAT` means that components are halves, which the lanes hold as f32.
    pub format: ImageFormat,
    /// The byte offset in x. For images: integers, with x, y, z of the texel, the layer after the
    /// last coordinate, and the sample in w.
    pub address: [&'a R; 4],
    /// The words to store; x holds the operand of atomics.
    pub value: [&'a R; 4],
    /// The word that `CompareExchange` compares with.
    pub compare: &'a R,
    /// The components loaded or stored, x in the lowest bit.
    pub mask: u8,
    /// The lanes that access memory. Only loads of buffers include helpers.
    pub live: Mask,
}

/// Memory that requests act on: little-endian words at byte addresses.
pub trait Storage {
    /// Returns the number of bytes.
    fn size(&self) -> usize;

    /// Returns the word at byte `at`; `None` if it is not completely inside.
    fn load(&self, at: usize) -> Option<u32>;

    /// Writes the word at byte `at`, if it is completely inside.
    fn store(&mut self, at: usize, word: u32);

    /// Returns the half word at byte `at`, a multiple of 2; `None` if it is not completely inside.
    #[inline(always)]
    fn load_half(&self, at: usize) -> Option<u32> {
        Some(self.load(at & !3)? >> (8 * (at & 2)) & 0xFFFF)
    }

    /// Writes the half word at byte `at`, a multiple of 2, if it is completely inside. The other
    /// half of its word stays as it is, even if another thread writes it at the same time.
    #[inline(always)]
    fn store_half(&mut self, at: usize, half: u32) {
        if let Some(word) = self.load(at & !3) {
            let shift = 8 * (at & 2);
            self.store(at & !3, word & !(0xFFFF << shift) | (half & 0xFFFF) << shift);
        }
    }

    /// Applies an atomic's change to the word at byte `at` and returns the old word; `None` if it
    /// is not completely inside.
    fn change(&mut self, at: usize, code: AtomicCode, operand: u32, compare: u32) -> Option<u32> {
        let old = self.load(at)?;
        self.store(at, code.apply(old, operand, compare));
        Some(old)
    }
}

impl Storage for &[u8] {
    #[inline(always)]
    fn size(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn load(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.get(at..)?.first_chunk()?))
    }

    #[inline(always)]
    fn store(&mut self, _: usize, _: u32) {}

    #[inline(always)]
    fn load_half(&self, at: usize) -> Option<u32> {
        Some(u16::from_le_bytes(*self.get(at..)?.first_chunk()?).into())
    }
}

impl Storage for &mut [u8] {
    #[inline(always)]
    fn size(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn load(&self, at: usize) -> Option<u32> {
        (&**self).load(at)
    }

    #[inline(always)]
    fn store(&mut self, at: usize, word: u32) {
        let place = self.get_mut(at..).and_then(|rest| rest.first_chunk_mut());
        if let Some(place) = place {
            *place = word.to_le_bytes();
        }
    }

    #[inline(always)]
    fn load_half(&self, at: usize) -> Option<u32> {
        (&**self).load_half(at)
    }

    #[inline(always)]
    fn store_half(&mut self, at: usize, half: u32) {
        let place = self.get_mut(at..).and_then(|rest| rest.first_chunk_mut());
        if let Some(place) = place {
            *place = (half as u16).to_le_bytes();
        }
    }
}

impl<R: Lanes> MemoryRequest<'_, R> {
    /// Returns the participating lanes, in ascending order.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<R> {
        let live = self.live;
        (0..R::COUNT).filter(move |&lane| live >> lane & 1 != 0)
    }

    /// Executes the request on little-endian words, or halves, in `bytes`. A load returns 0 in every component
    /// unless all its words fit. A store writes the words that fit. An atomic that does not fit
    /// does nothing and returns 0. Lanes take turns, the lowest first.
    pub fn access(&self, bytes: &mut [u8], out: &mut [R; 4]) {
        self.access_storage(bytes, out);
    }

    /// Executes the request like [`access`](Self::access), on read-only bytes.
    pub fn read(&self, bytes: &[u8], out: &mut [R; 4]) {
        self.access_storage(bytes, out);
    }

    /// Executes the request like [`access`](Self::access), on any storage.
    pub fn access_storage(&self, mut storage: impl Storage, out: &mut [R; 4]) {
        match self.kind {
            MemoryKind::Load if self.has_halves() => self.load::<true>(&storage, out),
            MemoryKind::Load => self.load::<false>(&storage, out),
            MemoryKind::Store if self.has_halves() => self.store::<true>(&mut storage),
            MemoryKind::Store => self.store::<false>(&mut storage),
            MemoryKind::Atomic(AtomicCode::Add) => self.add(&mut storage, out),
            MemoryKind::Atomic(code) => self.change(&mut storage, code, out),
            MemoryKind::Size => {
                let size = storage.size() as u32;
                out.iter_mut().zip([size, 0, 0, 0]).for_each(|(row, word)| *row = R::splat(word));
            }
        }
    }

    /// Returns true if the components are halves in memory.
    fn has_halves(&self) -> bool {
        self.format == ImageFormat::R16_FLOAT
    }

    fn load<const HALVES: bool>(&self, storage: &impl Storage, out: &mut [R; 4]) {
        let size = if HALVES { 2 } else { 4 };
        let bytes = size * (u8::BITS - (self.mask & 15).leading_zeros()) as usize;
        let word = |at: u32, component| {
            let at = at as usize;
            let fits = at.checked_add(bytes).is_some_and(|end| end <= storage.size());
            let word = fits.then(|| match HALVES {
                true => storage.load_half(at + component).map(|half| f16_to_f32(half).to_bits()),
                false => storage.load(at + component),
            });
            word.flatten().unwrap_or(0)
        };
        let addresses = self.address[0].as_slice();
        // On hosts: the check takes flash, and pays in batches of many lanes.
        let one = if R::COUNT > 16 { self.one_address() } else { None };
        for (component, row) in self.components(size).zip(out) {
            let Some(component) = component else { continue };
            if let Some(at) = one {
                *row = R::splat(word(at, component));
                continue;
            }
            let row = row.as_mut_slice();
            each_lane::<R>(
                self.live,
                #[inline(always)]
                |lane| {
                    if let (Some(&at), Some(slot)) = (addresses.get(lane), row.get_mut(lane)) {
                        *slot = word(at, component);
                    }
                },
            );
        }
    }

    /// Returns the first address of all live lanes, if they have the same.
    #[inline(always)]
    fn one_address(&self) -> Option<u32> {
        let addresses = self.address[0].as_slice();
        let live = self.live & all_lanes::<R>();
        let first = *addresses.get(live.trailing_zeros() as usize)?;
        let last = addresses.get(live.checked_ilog2()? as usize)?;
        let mut differ = first ^ last;
        if differ == 0 && live == all_lanes::<R>() {
            differ = addresses.iter().fold(0, |differ, at| differ | at ^ first);
        } else if differ == 0 {
            each_lane::<R>(live, |lane| {
                differ |= addresses.get(lane).map_or(0, |at| at ^ first);
            });
        }
        (differ == 0).then_some(first)
    }

    fn store<const HALVES: bool>(&self, storage: &mut impl Storage) {
        let size = if HALVES { 2 } else { 4 };
        let addresses = self.address[0].as_slice();
        each_lane::<R>(
            self.live,
            #[inline(always)]
            |lane| {
                for (component, value) in self.components(size).zip(self.value) {
                    let Some(component) = component else { continue };
                    let place =
                        addresses.get(lane).and_then(|at| (*at as usize).checked_add(component));
                    match (place, value.as_slice().get(lane)) {
                        (Some(at), Some(value)) if HALVES => {
                            storage.store_half(at, f32_to_f16(f32::from_bits(*value)));
                        }
                        (Some(at), Some(value)) => storage.store(at, *value),
                        _ => {}
                    }
                }
            },
        );
    }

    /// Adds to words. If all lanes add to one word, such as a counter, adds once.
    fn add(&self, storage: &mut impl Storage, out: &mut [R; 4]) {
        let Some(at) = self.one_address() else {
            return self.change(storage, AtomicCode::Add, out);
        };
        let operands = self.value[0].as_slice();
        let mut sum = 0u32;
        let mut before = R::ZERO;
        let row = before.as_mut_slice();
        each_lane::<R>(self.live, |lane| {
            if let (Some(before), Some(operand)) = (row.get_mut(lane), operands.get(lane)) {
                *before = sum;
                sum = sum.wrapping_add(*operand);
            }
        });
        let Some(old) = storage.change(at as usize, AtomicCode::Add, sum, 0) else { return };
        each_lane::<R>(self.live, |lane| {
            if let Some(before) = before.as_mut_slice().get_mut(lane) {
                *before = before.wrapping_add(old);
            }
        });
        *out = [before; 4];
    }

    #[inline(always)]
    fn change(&self, storage: &mut impl Storage, code: AtomicCode, out: &mut [R; 4]) {
        let mut old = R::ZERO;
        let row = old.as_mut_slice();
        let word = |row: &R, lane| row.as_slice().get(lane).copied().unwrap_or(0);
        each_lane::<R>(
            self.live,
            #[inline(always)]
            |lane| {
                let (operand, compare) = (word(self.value[0], lane), word(self.compare, lane));
                let at = word(self.address[0], lane) as usize;
                if let (Some(slot), Some(old)) =
                    (row.get_mut(lane), storage.change(at, code, operand, compare))
                {
                    *slot = old;
                }
            },
        );
        *out = [old; 4];
    }

    /// Returns the byte offset of each component of `size` bytes; `None` for components outside of the
    /// mask.
    #[inline(always)]
    fn components(&self, size: usize) -> impl Iterator<Item = Option<usize>> + use<R> {
        let mask = self.mask;
        (0..4).map(move |component| (mask >> component & 1 != 0).then_some(size * component))
    }
}

/// Executes the memory access of an op. `None`: the table names rows that do not exist.
///
/// * `live`: the lanes of `exec` that are not helpers.
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
    let mut answer = |request: &MemoryRequest<'_, R>, out: &mut [R; 4]| {
        if request.space == MemorySpace::Constant {
            let bytes = constants.get(request.unit as usize).copied().unwrap_or(&[]);
            request.read(bytes, out);
        } else {
            resources.memory(request, out);
        }
    };
    if access.unit_row == Row::NONE {
        (request.unit, request.live) = (unit_number(access.unit, 0), lanes);
        answer(&request, &mut out);
    } else {
        let mut units = Groups::new([row(access.unit_row)?], true, lanes);
        while let Some(([unit], live)) = units.next() {
            let mut part = [R::ZERO; 4];
            (request.unit, request.live) = (unit_number(access.unit, unit), live);
            answer(&request, &mut part);
            units.merge(&mut out, part, live);
        }
    }
    for (row, value) in access.dst.into_iter().zip(&out) {
        if let Some(index) = row.index() {
            *rows.get_mut(index)? = *value;
        }
    }
    Some(())
}
