//! Arithmetic over rows.
//!
//! Each op is one plain loop in chunks of a fixed size. A whole chunk is read and computed before
//! it is written. So an op may write one of its operand rows, and the compiler can use vector
//! instructions without checks for overlapping rows. Rows are cells, which may be shared.

use super::lanes::{Lanes, Mask};
use super::op::{OpCode, for_each_alu};
use super::scalar;
use core::cell::Cell;

/// What an op did as arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ran {
    /// Nothing: it is no arithmetic.
    Not,
    /// It ran.
    Light,
    /// It ran, and needs much code per lane ([`OpCode::is_heavy`]).
    Heavy,
}

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

/// Defines `map` per number of operands: dst := f(lane, operands), `C` lanes at a time. `$chunk` computes the `at`th
/// chunk.
///
/// Each op makes one function of `map` and one of `$chunk`, with one variable per operand. Arrays of operands would
/// make dozens of functions per op: an `array::map` with a closure is compiled again for every op.
///
/// Small targets get `map` out of line.
macro_rules! define_maps {
    ($($map:ident $chunk:ident ($($operand:ident),+) = $K:literal;)*) => {$(
        #[cfg_attr(target_pointer_width = "32", inline(never))]
        #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
        fn $map<R: Lanes, const C: usize, const UNROLLED: bool>(
            dst: &Cell<R>,
            $($operand: &Cell<R>,)+
            f: impl Fn(usize, [u32; $K]) -> u32,
        ) {
            let (dst, rest) = R::as_cells(dst).as_chunks::<C>();
            $(let $operand = R::as_cells($operand).as_chunks::<C>();)+
            let count = R::COUNT / C;
            if !UNROLLED && count > 1 && count <= 32 && count.is_power_of_two() {
                // A bound unknown at compile time keeps the compiler from unrolling the loop.
                let mut left = core::hint::black_box(u32::MAX >> (32 - count));
                let mut at = 0;
                while left != 0 {
                    $chunk(at & (count - 1), dst, $($operand.0,)+ &f);
                    at += 1;
                    left >>= 1;
                }
            } else {
                for at in 0..count {
                    $chunk(at, dst, $($operand.0,)+ &f);
                }
            }
            for (lane, dst) in rest.iter().enumerate() {
                $(let Some($operand) = $operand.1.get(lane) else { return };)+
                dst.set(f(count * C + lane, [$($operand.get()),+]));
            }
        }

        #[inline(always)]
        fn $chunk<const C: usize>(
            at: usize,
            dst: &[[Cell<u32>; C]],
            $($operand: &[[Cell<u32>; C]],)+
            f: &impl Fn(usize, [u32; $K]) -> u32,
        ) {
            let Some(dst) = dst.get(at) else { return };
            $(let Some($operand) = $operand.get(at) else { return };)+
            let mut result = [0; C];
            for (lane, result) in result.iter_mut().enumerate() {
                *result = f(at * C + lane, [$($operand[lane].get()),+]);
            }
            for (lane, result) in dst.iter().zip(&result) {
                lane.set(*result);
            }
        }
    )*};
}
define_maps! {
    map1 chunk1(a) = 1;
    map2 chunk2(a, b) = 2;
    map3 chunk3(a, b, c) = 3;
    map4 chunk4(a, b, c, d) = 4;
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
        /// Runs an arithmetic op, unless it is not arithmetic, belongs to a disabled group, or lacks
        /// its fourth operand.
        #[inline(always)]
        pub(super) fn arithmetic<R: Lanes>(
            code: OpCode,
            dst: &Cell<R>,
            [a, b, c]: [&Cell<R>; 3],
            fourth: Option<&Cell<R>>,
        ) -> Ran {
            match code {
                $(OpCode::$U if const { OpCode::$U.available() } => {
                    one!(R, OpCode::$U, dst, a, scalar::$uf)
                })*
                $(OpCode::$HU if const { OpCode::$HU.available() } => {
                    one!(R, OpCode::$HU, dst, a, scalar::$huf);
                    return Ran::Heavy;
                })*
                $(OpCode::$B if const { OpCode::$B.available() } => {
                    two!(R, OpCode::$B, dst, a, b, scalar::$bf)
                })*
                $(OpCode::$HB if const { OpCode::$HB.available() } => {
                    two!(R, OpCode::$HB, dst, a, b, scalar::$hbf);
                    return Ran::Heavy;
                })*
                $(OpCode::$T if const { OpCode::$T.available() } => {
                    three!(R, OpCode::$T, dst, a, b, c, scalar::$tf)
                })*
                $(OpCode::$Q => {
                    let Some(d) = fourth else { return Ran::Not };
                    const CHUNK: usize = shape::chunk_of_four(OpCode::$Q);
                    map4::<R, CHUNK, { shape::unrolled(OpCode::$Q) }>(
                        dst,
                        a,
                        b,
                        c,
                        d,
                        #[inline(always)]
                        |_, [a, b, c, d]| scalar::$qf(a, b, c, d),
                    )
                })*
                $(OpCode::$HT if const { OpCode::$HT.available() } => {
                    three!(R, OpCode::$HT, dst, a, b, c, scalar::$htf);
                    return Ran::Heavy;
                })*
                _ => return Ran::Not,
            }
            Ran::Light
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
            |_, [a]| $f(a),
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
            |_, [a, b]| $f(a, b),
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
            |_, [a, b, c]| $f(a, b, c),
        )
    };
}
for_each_alu!(define_arithmetic);

/// dst := lanes of `mask` ? a : b.
#[inline(always)]
pub(super) fn select<R: Lanes>(dst: &Cell<R>, mask: Mask, a: &Cell<R>, b: &Cell<R>) {
    const CHUNK: usize = shape::chunk(OpCode::Select);
    map2::<R, CHUNK, { shape::unrolled(OpCode::Select) }>(
        dst,
        a,
        b,
        #[inline(always)]
        move |lane, [a, b]| {
            // Shifting by the chunk first leaves only 32-bit shifts to the vector unit.
            let bits = (mask >> (lane / CHUNK * CHUNK)) as u32;
            if bits >> (lane % CHUNK) & 1 != 0 { a } else { b }
        },
    );
}

/// Returns the lanes where `test` holds.
#[cfg_attr(target_pointer_width = "32", inline(never))]
#[cfg_attr(not(target_pointer_width = "32"), inline(always))]
pub(super) fn lanes_where<R: Lanes, const K: usize>(
    operands: [&Cell<R>; K],
    test: impl Fn([u32; K]) -> bool,
) -> Mask {
    let operands = operands.map(R::as_cells);
    let sources = operands.map(quads);
    let mut mask = 0;
    for at in 0..R::COUNT / 4 {
        let Some(source) = each_at(&sources, at) else { break };
        let mut bits = 0;
        for lane in 0..4 {
            bits |= Mask::from(test(words_at(&source, lane))) << lane;
        }
        mask |= bits << (4 * at);
    }
    let whole = R::COUNT / 4 * 4;
    for lane in whole..R::COUNT {
        let Some(source) = each_at(&operands, lane) else { break };
        mask |= Mask::from(test(source.map(Cell::get))) << lane;
    }
    mask
}

/// Returns the whole quads of a row.
#[inline(always)]
fn quads(row: &[Cell<u32>]) -> &[[Cell<u32>; 4]] {
    row.as_chunks().0
}

/// Returns element `at` of every slice, or `None` if one slice is shorter.
#[inline(always)]
fn each_at<'a, T, const K: usize>(slices: &[&'a [T]; K], at: usize) -> Option<[&'a T; K]> {
    let mut all = [slices.first()?.get(at)?; K];
    for (element, slice) in all.iter_mut().zip(slices) {
        *element = slice.get(at)?;
    }
    Some(all)
}

/// Returns lane `lane` of every quad; 0 beyond the last.
#[inline(always)]
fn words_at<const K: usize>(quads: &[&[Cell<u32>; 4]; K], lane: usize) -> [u32; K] {
    let mut words = [0; K];
    for (word, quad) in words.iter_mut().zip(quads) {
        *word = quad.get(lane).map_or(0, Cell::get);
    }
    words
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
