//! Where blocks end: structured text, looked at before it is compiled.

use crate::opcode::Opcode;
use crate::shader::Instruction;

/// What an instruction does to the depth of blocks.
fn nesting(opcode: Opcode) -> isize {
    match opcode {
        Opcode::If | Opcode::Uif | Opcode::Bgnloop | Opcode::Switch => 1,
        Opcode::Endif | Opcode::Endloop | Opcode::Endswitch => -1,
        _ => 0,
    }
}

/// Whether an opcode ends or divides a block within a function.
pub(super) fn divides(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Else
            | Opcode::Endif
            | Opcode::Endloop
            | Opcode::Case
            | Opcode::Default
            | Opcode::Endswitch
    )
}

/// Whether an opcode ends a function, or the program.
pub(super) fn ends(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Endsub | Opcode::End)
}

/// The next instruction from `from` on that ends, or divides, the block there.
pub(super) fn skip(instructions: &[Instruction], from: usize) -> usize {
    let mut depth = 0;
    for (at, instruction) in instructions.iter().enumerate().skip(from) {
        let boundary = divides(instruction.opcode);
        let end = ends(instruction.opcode);
        if end || (depth == 0 && boundary) {
            return at;
        }
        depth += nesting(instruction.opcode);
    }
    instructions.len()
}

/// The instruction that ends the block that `from` is in: cases and the like included.
pub(super) fn block_end(instructions: &[Instruction], from: usize) -> usize {
    let mut depth = 0;
    for (at, instruction) in instructions.iter().enumerate().skip(from) {
        depth += nesting(instruction.opcode);
        if depth < 0 || matches!(instruction.opcode, Opcode::Endsub | Opcode::End) {
            return at;
        }
    }
    instructions.len()
}

/// Whether some lanes may return from the function whose body begins at `from` before others.
pub(super) fn returns_early(instructions: &[Instruction], from: usize) -> bool {
    let mut depth = 0;
    for instruction in instructions.iter().skip(from) {
        depth += nesting(instruction.opcode);
        match instruction.opcode {
            Opcode::Ret if depth > 0 => return true,
            Opcode::Endsub | Opcode::End => return false,
            _ => {}
        }
    }
    false
}

/// The `BGNSUB` a call names, or, as labels may be stale, the next.
pub(super) fn subroutine(instructions: &[Instruction], call: &Instruction) -> Option<usize> {
    let label = call.label? as usize;
    let mut later = instructions.iter().enumerate().skip(label);
    later.find(|(_, instruction)| instruction.opcode == Opcode::Bgnsub).map(|(at, _)| at)
}
