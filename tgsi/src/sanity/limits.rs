//! The limits of each file.

use crate::declaration::Declaration;
use crate::register::File;

/// The most open blocks. Real clients need up to 21; the reference executor allows 32 of each kind.
pub const MAX_NESTING: usize = 64;

/// The most inputs, outputs or system values. The reference executor has 32 inputs and 8 system
/// values.
pub const MAX_SLOTS: u32 = 128;

/// Returns the limit that a declaration exceeds.
pub(super) fn exceeded(declaration: &Declaration) -> Option<u32> {
    let last = u32::from(declaration.last);
    let buffer = declaration.dimension.map_or(0, u32::from);
    let (of_registers, of_buffers) = match declaration.file {
        File::Sampler | File::Buffer => (32, 1),
        File::SamplerView => (128, 1),
        File::Image => (64, 1),
        File::Address => (4, 1),
        File::Input | File::Output | File::SystemValue => (MAX_SLOTS, 65536),
        // The limit of operand indices.
        File::Temporary => (32768, 65536),
        File::Constant | File::ConstantBuffer => (4096, 32),
        File::HardwareAtomic => (32768, 32),
        File::Memory | File::Null | File::Immediate => return None,
    };
    if last >= of_registers {
        Some(of_registers)
    } else if buffer >= of_buffers {
        Some(of_buffers)
    } else {
        None
    }
}
