//! The files that an opcode's operands may use.

use crate::opcode::{Flags, Opcode, Type};
use crate::register::File;
use crate::shader::Processor;

/// Returns true for files with registers that hold values.
pub(super) fn is_value(file: File) -> bool {
    matches!(
        file,
        File::Constant
            | File::Input
            | File::Output
            | File::Temporary
            | File::Address
            | File::Immediate
            | File::SystemValue
    )
}

/// Returns true if destination `at` of `opcode` may be in `file`.
pub(super) fn may_write(opcode: Opcode, at: usize, file: File) -> bool {
    match opcode.info().dst.get(at) {
        Some(Type::Unit) => is_memory(file) || is_handle(file),
        _ => matches!(file, File::Output | File::Temporary | File::Address),
    }
}

/// Returns true if source `at` of `opcode` may be in `file`.
pub(super) fn may_read(opcode: Opcode, at: usize, file: File) -> bool {
    let info = opcode.info();
    if info.src.get(at) != Some(&Type::Unit) {
        return is_value(file);
    }
    match opcode {
        Opcode::Fbfetch => file == File::Output,
        Opcode::Img2hnd => file == File::Image,
        Opcode::Samp2hnd => file == File::Sampler,
        Opcode::SamplePos | Opcode::SampleInfo => {
            matches!(file, File::SamplerView | File::Temporary)
        }
        _ if info.flags.contains(Flags::TEXTURE) => file == File::Sampler || is_handle(file),
        _ if info.flags.contains(Flags::MEMORY) => is_memory(file) || is_handle(file),
        // The SAMPLE family: coordinate, view, sampler.
        _ if at == 1 => file == File::SamplerView,
        _ => file == File::Sampler,
    }
}

fn is_memory(file: File) -> bool {
    matches!(
        file,
        File::Buffer | File::Memory | File::Image | File::ConstantBuffer | File::HardwareAtomic
    )
}

/// Returns true for files that can hold bindless handles: 64-bit values in place of a unit.
fn is_handle(file: File) -> bool {
    is_value(file) && file != File::Address
}

/// Returns true if a stage has the instruction.
pub(super) fn stage_allows(processor: Processor, opcode: Opcode) -> bool {
    use Opcode::*;
    match opcode {
        Emit | Endprim => processor == Processor::Geometry,
        Kill | KillIf | Demote | Fbfetch | InterpCentroid | InterpSample | InterpOffset => {
            processor == Processor::Fragment
        }
        Barrier => matches!(processor, Processor::Compute | Processor::TessControl),
        _ => true,
    }
}
