//! The files that operands of an opcode may be of.

use crate::opcode::{Flags, Opcode, Type};
use crate::register::File;
use crate::shader::Processor;

/// Files whose registers hold values.
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

/// Tells if destination `at` of `opcode` may be of `file`.
pub(super) fn may_write(opcode: Opcode, at: usize, file: File) -> bool {
    match opcode.info().dst.get(at) {
        Some(Type::Unit) => is_memory(file) || is_handle(file),
        _ => matches!(file, File::Output | File::Temporary | File::Address),
    }
}

/// Tells if source `at` of `opcode` may be of `file`.
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

/// Bindless handles are values of 64 bits in place of a unit.
fn is_handle(file: File) -> bool {
    is_value(file) && file != File::Address
}

/// Tells if a stage has the instruction.
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
