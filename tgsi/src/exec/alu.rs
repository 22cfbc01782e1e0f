//! Arithmetic over rows.
//!
//! Each op is one plain loop in chunks of a fixed size. A whole chunk is read and computed before
//! it is written. So an op may write one of its operand rows, and the compiler can use vector
//! instructions without checks for overlapping rows. Rows are cells, which may be shared.

use super::lanes::{Lanes, Mask};
use super::op::{OpCode, for_each_alu};
use super::scalar;
use core::cell::Cell;

/// Selects the shape of an op's loop over the lanes, by target.
///
/// Hosts inline all loops into one function, so that they are compiled for the vector unit found at
/// run time, in chunks of two AVX2 registers. Small cores get one function per op, so that the loop
/// has all registers. They unroll only the most frequent ops.
mod shape {
    use super::OpCode;

    /// True if code must be small and the target has at most 32 scalar registers.
    pub(super) const SMALL: bool = cfg!(target_pointer_width = "32");

    /// Returns the number of lanes computed at once.
    pub(super) const fn chunk(code: OpCode) -> usize {
        match code {
            _ if !SMALL => 16,
            code if code.is_heavy() => 1,
            _ => 4,
        }
    }

    /// Returns the number of lanes computed at once by ops with four operands. Hosts use one AVX2
    /// register per operand, because the compiler does not vectorise larger chunks.
    pub(super) const fn chunk_of_four(code: OpCode) -> usize {
        if SMALL { chunk(code) } else { 8 }
    }

    /// Returns true if the compiler may unroll the loop.
    pub(super) const fn unrolled(code: OpCode) -> bool {
        use OpCode::*;
        !SMALL
            || matches!(code, Mov | Add | Sub | Mul | Mad | Msub | Nmad | Min | Max | Dot2 | MadAdd)
    }
}

/// dst := f(lane, operands), `C` lanes at a time; `f` also gets the lane's index.
#[inline(always)]
fn map<R: Lanes, const C: usize, const UNROLLED: bool, const K: usize>(
    dst: &Cell<R>,
    operands: [&Cell<R>; K],
    f: impl Fn(usize, [u32; K]) -> u32,
) {
    let dst = R::as_cells(dst);
    let operands = operands.map(R::as_cells);
    let (chunks, rest) = dst.as_chunks::<C>();
    let sources = operands.map(|row| row.as_chunks::<C>());
    let count = R::COUNT / C;
    if !UNROLLED && count > 1 && count <= 32 && count.is_power_of_two() {
        // A bound unknown at compile time keeps the compiler from unrolling the loop.
        let mut left = core::hint::black_box(u32::MAX >> (32 - count));
        let mut at = 0;
        while left != 0 {
            chunk_at(at & (count - 1), chunks, &sources.map(|it| it.0), &f);
            at += 1;
            left >>= 1;
        }
    } else {
        for at in 0..count {
            chunk_at(at, chunks, &sources.map(|it| it.0), &f);
        }
    }
    for (lane, dst) in rest.iter().enumerate() {
        let Some(source) = each(&sources, |source| source.1.get(lane)) else { return };
        dst.set(f(count * C + lane, source.map(Cell::get)));
    }
}

/// Computes the `at`th chunk of `map`.
#[expect(clippy::indexing_slicing, reason = "a chunk has as many lanes as the loop has turns")]
#[inline(always)]
fn chunk_at<const C: usize, const K: usize>(
    at: usize,
    dst: &[[Cell<u32>; C]],
    sources: &[&[[Cell<u32>; C]]; K],
    f: &impl Fn(usize, [u32; K]) -> u32,
) {
    let (Some(dst), Some(source)) = (dst.get(at), each(sources, |it| it.get(at))) else { return };
    let mut result = [0; C];
    for (lane, result) in result.iter_mut().enumerate() {
        *result = f(at * C + lane, source.map(|source| source[lane].get()));
    }
    for (lane, result) in dst.iter().zip(result) {
        lane.set(result);
    }
}

/// Defines `map` per number of operands, out of line on small targets.
macro_rules! define_maps {
    ($($map:ident($($operand:ident),+) = $K:literal;)*) => {$(
        #[cfg_attr(target_pointer_width = "32", inline(never))]
        #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
        fn $map<R: Lanes, const C: usize, const UNROLLED: bool>(
            dst: &Cell<R>,
            $($operand: &Cell<R>,)+
            f: impl Fn([u32; $K]) -> u32,
        ) {
            map::<R, C, UNROLLED, $K>(
                dst,
                [$($operand),+],
                #[inline(always)]
                |_, operands| f(operands),
            );
        }
    )*};
}
define_maps! {
    map1(a) = 1;
    map2(a, b) = 2;
    map3(a, b, c) = 3;
    map4(a, b, c, d) = 4;
}

/// Returns `get` of every element, or `None` if one is missing.
#[inline(always)]
fn each<T, U: Copy, const K: usize>(
    elements: &[T; K],
    get: impl Fn(&T) -> Option<U>,
) -> Option<[U; K]> {
    let first = match elements.first() {
        Some(first) => get(first)?,
        None => return None,
    };
    let mut all = [first; K];
    for (slot, element) in all.iter_mut().zip(elements) {
        *slot = get(element)?;
    }
    Some(all)
}

macro_rules! define_arithmetic {
    (
        unary { $($(#[$ud:meta])* $U:ident = $uf:ident;)* }
        binary { $($(#[$bd:meta])* $B:ident = $bf:ident;)* }
        ternary { $($(#[$td:meta])* $T:ident = $tf:ident;)* }
        quaternary { $($(#[$qd:meta])* $Q:ident = $qf:ident;)* }
        heavy_unary { $($(#[$hud:meta])* $HU:ident = $huf:ident;)* }
        heavy_binary { $($(#[$hbd:meta])* $HB:ident = $hbf:ident;)* }
        heavy_ternary { $($(#[$htd:meta])* $HT:ident = $htf:ident;)* }
    ) => {
        /// Runs an arithmetic op. Returns false if it is not arithmetic, belongs to a disabled
        /// group, or lacks its fourth operand.
        #[inline(always)]
        pub(super) fn arithmetic<R: Lanes>(
            code: OpCode,
            dst: &Cell<R>,
            [a, b, c]: [&Cell<R>; 3],
            fourth: Option<&Cell<R>>,
        ) -> bool {
            match code {
                $(OpCode::$U if const { OpCode::$U.available() } => {
                    one!(R, OpCode::$U, dst, a, scalar::$uf)
                })*
                $(OpCode::$HU if const { OpCode::$HU.available() } => {
                    one!(R, OpCode::$HU, dst, a, scalar::$huf)
                })*
                $(OpCode::$B if const { OpCode::$B.available() } => {
                    two!(R, OpCode::$B, dst, a, b, scalar::$bf)
                })*
                $(OpCode::$HB if const { OpCode::$HB.available() } => {
                    two!(R, OpCode::$HB, dst, a, b, scalar::$hbf)
                })*
                $(OpCode::$T if const { OpCode::$T.available() } => {
                    three!(R, OpCode::$T, dst, a, b, c, scalar::$tf)
                })*
                $(OpCode::$Q => {
                    let Some(d) = fourth else { return false };
                    const CHUNK: usize = shape::chunk_of_four(OpCode::$Q);
                    map4::<R, CHUNK, { shape::unrolled(OpCode::$Q) }>(
                        dst,
                        a,
                        b,
                        c,
                        d,
                        #[inline(always)]
                        |[a, b, c, d]| scalar::$qf(a, b, c, d),
                    )
                })*
                $(OpCode::$HT if const { OpCode::$HT.available() } => {
                    three!(R, OpCode::$HT, dst, a, b, c, scalar::$htf)
                })*
                _ => return false,
            }
            true
        }
    };
}

// Closures must be inlined to vectorise.
macro_rules! one {
    ($R:ty, $code:expr, $dst:ident, $a:ident, $f:path) => {
        map1::<$R, { shape::chunk($code) }, { shape::unrolled($code) }>(
            $dst,
            $a,
            #[inline(always)]
            |[a]| $f(a),
        )
    };
}
macro_rules! two {
    ($R:ty, $code:expr, $dst:ident, $a:ident, $b:ident, $f:path) => {
        map2::<$R, { shape::chunk($code) }, { shape::unrolled($code) }>(
            $dst,
            $a,
            $b,
            #[inline(always)]
            |[a, b]| $f(a, b),
        )
    };
}
macro_rules! three {
    ($R:ty, $code:expr, $dst:ident, $a:ident, $b:ident, $c:ident, $f:path) => {
        map3::<$R, { shape::chunk($code) }, { shape::unrolled($code) }>(
            $dst,
            $a,
            $b,
            $c,
            #[inline(always)]
            |[a, b, c]| $f(a, b, c),
        )
    };
}
for_each_alu!(define_arithmetic);

/// dst := lanes of `mask` ? a : b.
#[cfg_attr(target_pointer_width = "32", inline(never))]
#[cfg_attr(not(target_pointer_width = "32"), inline(always))]
pub(super) fn select<R: Lanes>(dst: &Cell<R>, mask: Mask, a: &Cell<R>, b: &Cell<R>) {
    const CHUNK: usize = shape::chunk(OpCode::Select);
    map::<R, CHUNK, { shape::unrolled(OpCode::Select) }, 2>(
        dst,
        [a, b],
        #[inline(always)]
        |lane, [a, b]| {
            // Shifting by the chunk first leaves only 32-bit shifts to the vector unit.
            let bits = (mask >> (lane / CHUNK * CHUNK)) as u32;
            if bits >> (lane % CHUNK) & 1 != 0 { a } else { b }
        },
    );
}

/// Returns the lanes where `test` holds.
#[expect(clippy::indexing_slicing, reason = "a chunk has as many lanes as the loop has turns")]
#[cfg_attr(target_pointer_width = "32", inline(never))]
#[cfg_attr(not(target_pointer_width = "32"), inline(always))]
pub(super) fn lanes_where<R: Lanes, const K: usize>(
    operands: [&Cell<R>; K],
    test: impl Fn([u32; K]) -> bool,
) -> Mask {
    let operands = operands.map(R::as_cells);
    let sources = operands.map(|row| row.as_chunks::<4>().0);
    let mut mask = 0;
    for at in 0..R::COUNT / 4 {
        let Some(source) = each(&sources, |source| source.get(at)) else { break };
        let mut bits = 0;
        for lane in 0..4 {
            bits |= Mask::from(test(source.map(|source| source[lane].get()))) << lane;
        }
        mask |= bits << (4 * at);
    }
    let whole = R::COUNT / 4 * 4;
    for lane in whole..R::COUNT {
        let Some(source) = each(&operands, |row| row.get(lane)) else { break };
        mask |= Mask::from(test(source.map(Cell::get))) << lane;
    }
    mask
}

/// Computes derivatives: differences within quads.
#[expect(clippy::indexing_slicing, reason = "a chunk has as many lanes as the loop has turns")]
#[cfg_attr(target_pointer_width = "32", inline(never))]
#[cfg_attr(not(target_pointer_width = "32"), inline(always))]
pub(super) fn derivative<R: Lanes>(code: OpCode, dst: &Cell<R>, a: &Cell<R>) {
    let quads = R::as_cells(a).as_chunks::<4>().0;
    for (dst, quad) in R::as_cells(dst).as_chunks::<4>().0.iter().zip(quads) {
        let [l0, l1, l2, l3] = [0, 1, 2, 3].map(|lane: usize| f32::from_bits(quad[lane].get()));
        let lanes = match code {
            OpCode::Ddx => [l3 - l2; 4],
            OpCode::Ddy => [l2 - l0; 4],
            OpCode::DdxFine => [l1 - l0, l1 - l0, l3 - l2, l3 - l2],
            _ => [l2 - l0, l3 - l1, l2 - l0, l3 - l1],
        };
        for (dst, lane) in dst.iter().zip(lanes) {
            dst.set(lane.to_bits());
        }
    }
}
