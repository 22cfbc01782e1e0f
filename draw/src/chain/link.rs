//! Links: map each input of a stage to an output of the stage before.

use tgsi::declaration::Semantic;
use tgsi::exec::{Lanes, Mask};
use tgsi::program::{Input, Output, Row};

/// The number of registers of a stage.
pub(super) const REGISTERS: usize = 64;

/// The input has no output: it reads (0, 0, 0, 1).
const UNWRITTEN: u8 = u8::MAX;

/// For each input register, the output register with its semantic.
#[derive(Clone, Copy)]
pub(super) struct Link([u8; REGISTERS]);

impl Link {
    /// Links `inputs` to the `outputs` of the stage before.
    pub(super) fn new(inputs: &[Input], outputs: &[Output]) -> Link {
        let mut link = [UNWRITTEN; REGISTERS];
        for input in inputs {
            let found = outputs.iter().find(|output| output.semantic == input.semantic);
            if let (Some(place), Some(output)) = (link.get_mut(usize::from(input.register)), found)
            {
                *place = output.register.min(u16::from(UNWRITTEN)) as u8;
            }
        }
        Link(link)
    }

    /// Returns the output register that an input register reads; `None` if no stage writes it. Any
    /// register number is allowed.
    #[inline(always)]
    pub(super) fn output(&self, register: i32) -> Option<usize> {
        let output = *self.0.get(usize::try_from(register).ok()?)?;
        (output != UNWRITTEN).then_some(usize::from(output))
    }

    /// Reads a component of an input register from a vertex's outputs; any register number is
    /// allowed.
    #[inline(always)]
    pub(super) fn read(&self, outputs: &[[f32; 4]], register: i32, component: u8) -> u32 {
        let output = self.output(register).and_then(|output| outputs.get(output));
        let value = output.and_then(|output| output.get(usize::from(component)));
        value.map_or_else(|| unwritten(component), |value| value.to_bits())
    }
}

/// Returns the bits of a component that no stage writes: of (0, 0, 0, 1).
pub(super) fn unwritten(component: u8) -> u32 {
    if component == 3 { 1.0f32.to_bits() } else { 0 }
}

/// Returns the register of the output with this semantic.
pub(super) fn register_of(outputs: &[Output], semantic: Semantic) -> Option<u16> {
    outputs.iter().find(|output| output.semantic == semantic).map(|output| output.register)
}

/// Returns the number of registers of a vertex with these outputs.
pub(super) fn stride(outputs: &[Output]) -> usize {
    outputs.iter().map(|output| usize::from(output.register) + 1).max().unwrap_or(1)
}

/// Fills the rows of a value with an integer in x and 0 in the other components.
pub(super) fn fill<R: Lanes>(rows: &mut [R], value: &[Row; 4], lane: impl Fn(usize) -> u32) {
    for (component, row) in value.iter().enumerate() {
        let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
        for (index, place) in row.as_mut_slice().iter_mut().enumerate() {
            *place = if component == 0 { lane(index) } else { 0 };
        }
    }
}

/// Returns the mask of the first `count` lanes.
pub(super) fn first_lanes(count: usize) -> Mask {
    Mask::MAX >> (Mask::BITS - (count as u32).clamp(1, Mask::BITS))
}
