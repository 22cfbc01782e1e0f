//! Reads and writes rows and constants at computed addresses, lane by lane.

use super::lanes::{Lanes, Mask, each_lane};
use super::program::{Access, Op, Row, Space};

/// dst := the component that `access` names, at the addresses in row a and the buffers in row b; 0
/// out of range. `None`: the op names rows that do not exist.
pub(super) fn gather<R: Lanes>(
    op: &Op,
    access: &Access,
    rows: &mut [R],
    constants: &[&[u8]],
) -> Option<()> {
    let mut result = R::ZERO;
    let addresses = row(rows, op.a)?.as_slice();
    match access.space {
        Space::Rows { .. } => {
            let lanes = addresses.iter().zip(result.as_mut_slice()).enumerate();
            for (lane, (&address, result)) in lanes {
                let row = element(access, address).and_then(|at| rows.get(at));
                *result = row.and_then(|row| row.as_slice().get(lane)).copied().unwrap_or(0);
            }
        }
        Space::Vertices { .. } => {}
        Space::Constants { buffer: base } => {
            let lanes = addresses.iter().zip(row(rows, op.b)?.as_slice());
            for ((&address, &buffer), result) in lanes.zip(result.as_mut_slice()) {
                let buffer = usize::try_from(i32::from(base).wrapping_add(buffer as i32)).ok();
                let bytes = buffer.and_then(|buffer| constants.get(buffer));
                *result = bytes.and_then(|bytes| constant(access, address, bytes)).unwrap_or(0);
            }
        }
    }
    *rows.get_mut(op.dst.index()?)? = result;
    Some(())
}

/// Sets the component that `access` names, at the addresses in row a, to row b in the lanes of
/// `exec`; ignores addresses out of range. `None`: the op names rows that do not exist.
pub(super) fn scatter<R: Lanes>(
    op: &Op,
    access: &Access,
    rows: &mut [R],
    exec: Mask,
) -> Option<()> {
    let addresses = *row(rows, op.a)?;
    let values = *row(rows, op.b)?;
    each_lane::<R>(exec, |lane| {
        let word = |row: &R| row.as_slice().get(lane).copied().unwrap_or(0);
        let row = element(access, word(&addresses)).and_then(|at| rows.get_mut(at));
        if let Some(slot) = row.and_then(|row| row.as_mut_slice().get_mut(lane)) {
            *slot = word(&values);
        }
    });
    Some(())
}

fn row<R>(rows: &[R], row: Row) -> Option<&R> {
    rows.get(row.index()?)
}

/// Returns the row of the register at `address`, if the space contains it.
#[inline(always)]
fn element(access: &Access, address: u32) -> Option<usize> {
    let Space::Rows { first, registers } = access.space else { return None };
    let register = access.index.wrapping_add(address as i32);
    let register = usize::try_from(register).ok().filter(|&at| at < usize::from(registers))?;
    Some(first.index()? + 4 * register + usize::from(access.component))
}

/// Returns the word of the register at `address` of a constant buffer.
fn constant(access: &Access, address: u32, bytes: &[u8]) -> Option<u32> {
    let register = usize::try_from(access.index.wrapping_add(address as i32)).ok()?;
    let word = register.checked_mul(4)?.checked_add(usize::from(access.component))?;
    super::constant_word(bytes, word)
}
