//! Rows of lanes, and masks over them.

use super::features::INTERPRETER;
use super::native::{Body, Native};
use super::op::Op;
use super::program::Program;
use super::{Batch, ExecError, NO_INTERPRETER, Resources, interpret};
use core::cell::Cell;

/// A row: one 32-bit value for each invocation of a batch. It is implemented by `[u32; N]` for the
/// supported widths 4, 16 and 64. Derivatives need a multiple of 4. Masks hold at most 64 lanes and
/// take two words of a row.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// The number of lanes.
    const COUNT: usize;
    /// Zero in every lane.
    const ZERO: Self;
    /// A row of 0.0 and a row of 1.0, in place of missing rows.
    const ZERO_AND_ONE: [&'static Self; 2];
    /// Returns a row with these bits in every lane.
    fn splat(bits: u32) -> Self;
    /// Returns the lanes.
    fn as_slice(&self) -> &[u32];
    /// Returns the lanes mutably.
    fn as_mut_slice(&mut self) -> &mut [u32];
    /// Returns the lanes of a shared row: several operands of one op may be the same row.
    fn as_cells(row: &Cell<Self>) -> &[Cell<u32>];

    /// Returns words as rows; drops a last incomplete row.
    fn from_words(words: &mut [u32]) -> &mut [Self];

    /// Returns rows as words, one row after the other.
    fn as_words(rows: &[Self]) -> &[u32];

    /// Returns rows as mutable words, one row after another.
    fn as_words_mut(rows: &mut [Self]) -> &mut [u32];

    /// Runs the interpreter of this width. It is not generic, so it is compiled once, in this crate
    /// and with this crate's options, however many crates run programs.
    #[doc(hidden)]
    fn run_ops(ops: Ops<'_, Self>) -> Result<(), ExecError>;

    /// Returns a program's native body for this width, if it has one.
    #[doc(hidden)]
    fn native(native: &Native) -> Option<Body<Self>>;
}

/// The arguments of the interpreter.
#[doc(hidden)]
pub struct Ops<'a, R> {
    pub(super) program: &'a Program<'a>,
    pub(super) ops: &'a [Op],
    pub(super) rows: &'a mut [R],
    pub(super) batch: &'a mut Batch,
    pub(super) constants: &'a [&'a [u8]],
    pub(super) resources: &'a mut dyn Resources<R>,
}

macro_rules! widths {
    ($($N:literal $lanes:ident)+) => { $(
impl Lanes for [u32; $N] {
    const COUNT: usize = $N;
    const ZERO: Self = [0; $N];
    const ZERO_AND_ONE: [&'static Self; 2] = [&[0; $N], &[1.0f32.to_bits(); $N]];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        [bits; $N]
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u32] {
        self
    }

    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [u32] {
        self
    }

    #[inline(always)]
    fn as_cells(row: &Cell<Self>) -> &[Cell<u32>] {
        let row: &Cell<[u32]> = row;
        row.as_slice_of_cells()
    }

    #[inline(always)]
    fn from_words(words: &mut [u32]) -> &mut [Self] {
        words.as_chunks_mut().0
    }

    #[inline(always)]
    fn as_words(rows: &[Self]) -> &[u32] {
        rows.as_flattened()
    }

    #[inline(always)]
    fn as_words_mut(rows: &mut [Self]) -> &mut [u32] {
        rows.as_flattened_mut()
    }

    #[inline(never)]
    fn run_ops(ops: Ops<'_, Self>) -> Result<(), ExecError> {
        if !INTERPRETER {
            return Err(NO_INTERPRETER);
        }
        vectorize::<Self, _>(
            #[inline(always)]
            || interpret(ops),
        )
    }

    #[inline(always)]
    fn native(native: &Native) -> Option<Body<Self>> {
        native.$lanes
    }
}
    )+ };
}
widths!(4 lanes4 16 lanes16 64 lanes64);

/// Runs `f` as [`os_shim::simd::vectorize`] does, compiled once for each instruction set that rows of `R` gain from: rows
/// of 4 lanes fit into the vectors of every host.
#[doc(hidden)]
#[inline(always)]
pub fn vectorize<R: Lanes, O>(f: impl FnOnce() -> O) -> O {
    if R::COUNT <= 4 { f() } else { os_shim::simd::vectorize(f) }
}

/// Extra words that a register file needs so that [`register_file`] can align it.
pub const REGISTER_FILE_PADDING: usize = 15;

/// Returns the rows in `words`, from the first 64-byte boundary on. Vectors then do not straddle
/// cache lines, which saves a quarter of the time of arithmetic with 64 lanes.
///
/// ```
/// # use gallium_tgsi::exec::{REGISTER_FILE_PADDING, register_file};
/// let mut words = vec![0; 10 * 64 + REGISTER_FILE_PADDING];
/// assert_eq!(register_file::<[u32; 64]>(&mut words).len(), 10);
/// ```
pub fn register_file<R: Lanes>(words: &mut [u32]) -> &mut [R] {
    let start = words.as_ptr().align_offset(64);
    R::from_words(words.get_mut(start..).unwrap_or(&mut []))
}

/// One bit per lane, lane 0 in the lowest.
pub type Mask = u64;

/// Returns the mask of all lanes of `R`.
#[inline(always)]
pub const fn all_lanes<R: Lanes>() -> Mask {
    if R::COUNT >= 64 { !0 } else { (1 << R::COUNT) - 1 }
}

/// Calls a function for each lane of a mask, in ascending order.
#[inline(always)]
pub(super) fn each_lane<R: Lanes>(mask: Mask, mut call: impl FnMut(usize)) {
    let mut left = mask & all_lanes::<R>();
    while left != 0 {
        call(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// Returns `mask` with every quad completed that has a lane in it.
#[inline(always)]
pub const fn whole_quads(mask: Mask) -> Mask {
    let pairs = mask | mask >> 1;
    let quads = (pairs | pairs >> 2) & 0x1111_1111_1111_1111;
    quads * 0xF
}

/// Reads a mask from a row.
#[inline(always)]
pub(super) fn read_mask<R: Lanes>(row: &Cell<R>) -> Mask {
    match R::as_cells(row) {
        [low, high, ..] => Mask::from(low.get()) | Mask::from(high.get()) << 32,
        _ => 0,
    }
}

/// Writes a mask to a row.
#[inline(always)]
pub(super) fn write_mask<R: Lanes>(row: &Cell<R>, mask: Mask) {
    if let [low, high, ..] = R::as_cells(row) {
        low.set(mask as u32);
        high.set((mask >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_are_completed() {
        assert_eq!(whole_quads(0), 0);
        assert_eq!(whole_quads(0b1000_0000_0010), 0b1111_0000_1111);
        assert_eq!(whole_quads(1 << 63), 0xF << 60);
        assert_eq!(whole_quads(!0), !0);
    }

    #[test]
    fn masks_keep_all_their_bits() {
        let row = Cell::new([7u32; 64]);
        write_mask(&row, 0x8000_0001_4000_0002);
        assert_eq!(read_mask(&row), 0x8000_0001_4000_0002);
        assert_eq!((all_lanes::<[u32; 4]>(), all_lanes::<[u32; 64]>()), (0xF, !0));
    }
}
