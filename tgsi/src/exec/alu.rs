//! Arithmetic over rows.
//!
//! Each op is one plain loop in chunks of a fixed size: a chunk is read and computed whole before
//! it is written, so the result may go to a row it is computed from and the compiler can use
//! vector instructions without asking whether rows overlap. Rows are cells, which may be shared.

use super::lanes::{Lanes, Mask};
use super::op::{OpCode, for_each_alu};
use super::scalar;
use core::cell::Cell;

/// Lanes computed at once. Two AVX2 registers on hosts; on small cores as many as have their
/// operands and results in registers.
const CHUNK: usize = if cfg!(target_pointer_width = "64") { 16 } else { 4 };
/// The same for heavy ops, which on small cores must not be unrolled.
const HEAVY: usize = if cfg!(target_pointer_width = "64") { 16 } else { 1 };

/// dst := f(lane, operands), `C` lanes at a time; `f` gets the lane's index too.
#[inline(always)]
fn map<R: Lanes, const C: usize, const K: usize>(
    dst: &Cell<R>,
    operands: [&Cell<R>; K],
    f: impl Fn(usize, [u32; K]) -> u32,
) {
    let dst = R::as_cells(dst);
    let operands = operands.map(R::as_cells);
    let (chunks, rest) = dst.as_chunks::<C>();
    let sources = operands.map(|row| row.as_chunks::<C>());
    for (at, chunk) in chunks.iter().enumerate() {
        let Some(source) = each(&sources, |source| source.0.get(at)) else { return };
        let mut result = [0; C];
        for (lane, result) in result.iter_mut().enumerate() {
            *result = f(at * C + lane, source.map(|source| source[lane].get()));
        }
        for (lane, result) in chunk.iter().zip(result) {
            lane.set(result);
        }
    }
    for (lane, dst) in rest.iter().enumerate() {
        let Some(source) = each(&sources, |source| source.1.get(lane)) else { return };
        dst.set(f(chunks.len() * C + lane, source.map(Cell::get)));
    }
}

/// All of `get` of each element, or nothing.
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
        heavy_unary { $($(#[$hud:meta])* $HU:ident = $huf:ident;)* }
        heavy_binary { $($(#[$hbd:meta])* $HB:ident = $hbf:ident;)* }
        heavy_ternary { $($(#[$htd:meta])* $HT:ident = $htf:ident;)* }
    ) => {
        /// Does an arithmetic op; `false` if it is none.
        #[inline(always)]
        pub(super) fn arithmetic<R: Lanes>(
            code: OpCode,
            dst: &Cell<R>,
            [a, b, c]: [&Cell<R>; 3],
        ) -> bool {
            // Closures must be inlined to be vectorised.
            match code {
                $(OpCode::$U => {
                    map::<R, CHUNK, 1>(dst, [a], #[inline(always)] |_, [a]| scalar::$uf(a))
                })*
                $(OpCode::$B => {
                    map::<R, CHUNK, 2>(dst, [a, b], #[inline(always)] |_, [a, b]| scalar::$bf(a, b))
                })*
                $(OpCode::$T => {
                    map::<R, CHUNK, 3>(
                        dst,
                        [a, b, c],
                        #[inline(always)]
                        |_, [a, b, c]| scalar::$tf(a, b, c),
                    )
                })*
                $(OpCode::$HU => {
                    map::<R, HEAVY, 1>(dst, [a], #[inline(always)] |_, [a]| scalar::$huf(a))
                })*
                $(OpCode::$HB => {
                    map::<R, HEAVY, 2>(dst, [a, b], #[inline(always)] |_, [a, b]| scalar::$hbf(a, b))
                })*
                $(OpCode::$HT => {
                    map::<R, HEAVY, 3>(
                        dst,
                        [a, b, c],
                        #[inline(always)]
                        |_, [a, b, c]| scalar::$htf(a, b, c),
                    )
                })*
                _ => return false,
            }
            true
        }
    };
}
for_each_alu!(define_arithmetic);

/// dst := lanes of `mask` ? a : b.
#[inline(always)]
pub(super) fn select<R: Lanes>(dst: &Cell<R>, mask: Mask, a: &Cell<R>, b: &Cell<R>) {
    map::<R, CHUNK, 2>(
        dst,
        [a, b],
        #[inline(always)]
        |lane, [a, b]| {
            // Shifting by the chunk first leaves 32-bit shifts to the vector unit.
            let bits = (mask >> (lane / CHUNK * CHUNK)) as u32;
            if bits >> (lane % CHUNK) & 1 != 0 { a } else { b }
        },
    );
}

/// The lanes where `test` holds.
#[inline(always)]
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

/// Derivatives: differences within quads.
#[inline(always)]
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
