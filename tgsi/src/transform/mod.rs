//! Shaders from shaders: passes that visit every item and may replace it.
//!
//! Drivers add code to their clients' shaders with a [`Transform`]: a texture lookup that stipples
//! polygons, an alpha test, distances to clip planes, point sprite coordinates. A transform has
//! callbacks for properties, declarations, immediates and instructions, for code before the first
//! instruction and for code before the end. Items that no callback replaces stay. The [`Builder`]
//! that the callbacks get knows the shader's registers and declares new ones. Branches find their
//! ends again, and `CAL` its subroutine.
//!
//! # Examples
//! Polygon stipple: discards fragments where a 32×32 texture, repeated over the window, is 0.
//! ```
//! # use gallium_tgsi::{builder::Builder, declaration::*, register::*, shader::*, text, transform::*};
//! # use os_shim::Memory;
//! struct Stipple {
//!     unit: u8,
//! }
//!
//! impl Transform for Stipple {
//!     fn prologue(&mut self, b: &mut Builder<'_>) {
//!         let position = b.input(Semantic::POSITION, Interpolate::Linear);
//!         let sampler = b.sampler(self.unit, TextureTarget::Texture2D, ReturnType::Float);
//!         let texel = b.temporary();
//!         let scale = b.float([1.0 / 32.0; 4]);
//!         b.mul(texel, position, scale);
//!         b.tex(texel, texel.as_src(), sampler, TextureTarget::Texture2D);
//!         let half = b.float([0.5; 4]);
//!         b.add(texel, texel.as_src(), half.neg());
//!         b.kill_if(texel.as_src().w());
//!     }
//! }
//!
//! let memory = Memory::system();
//! let shader = text::parse("FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
//!     DCL TEMP[0]\nTEX TEMP[0], IN[0], SAMP[0], 2D\nMOV OUT[0], TEMP[0]\nEND", memory)?;
//! let stippled = transform(&shader, &mut Stipple { unit: 1 }, memory)?;
//! assert_eq!(stippled.to_string(), "FRAG
//! DCL IN[0], COLOR, COLOR
//! DCL IN[1], POSITION, LINEAR
//! DCL OUT[0], COLOR
//! DCL SAMP[0]
//! DCL SAMP[1]
//! DCL SVIEW[1], 2D, FLOAT
//! DCL TEMP[0]
//! DCL TEMP[1]
//! IMM[0] FLT32 {0x3d000000, 0x3d000000, 0x3d000000, 0x3d000000}
//! IMM[1] FLT32 {0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000}
//!   0: MUL TEMP[1], IN[1], IMM[0].xxxx
//!   1: TEX TEMP[1], TEMP[1], SAMP[1], 2D
//!   2: ADD TEMP[1], TEMP[1], -IMM[1].xxxx
//!   3: KILL_IF TEMP[1].wwww
//!   4: TEX TEMP[0], IN[0], SAMP[0], 2D
//!   5: MOV OUT[0], TEMP[0]
//!   6: END
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::builder::{BuildError, Builder};
use crate::declaration::Declaration;
use crate::opcode::Opcode;
use crate::register::File;
use crate::shader::{Immediate, Instruction, Item, Property, Shader};
use os_shim::Vec;
use os_shim::memory::Memory;

/// A pass over a shader. The callbacks are called in this order; each default changes nothing.
pub trait Transform {
    /// Returns the new value of a property, or `None` to drop the property.
    fn property(&mut self, property: Property, value: u32) -> Option<u32> {
        let _ = property;
        Some(value)
    }

    /// Returns the replacement of a declaration, or `None` to drop it.
    fn declaration(&mut self, declaration: Declaration) -> Option<Declaration> {
        Some(declaration)
    }

    /// Returns the replacement of an immediate. Its number stays.
    fn immediate(&mut self, immediate: Immediate) -> Immediate {
        immediate
    }

    /// Adds code before the first instruction.
    fn prologue(&mut self, builder: &mut Builder<'_>) {
        let _ = builder;
    }

    /// Adds the code that replaces an instruction. Labels count the old shader's instructions.
    fn instruction(&mut self, builder: &mut Builder<'_>, instruction: Instruction) {
        builder.instruction(instruction);
    }

    /// Adds code at each end of the main program: before its `END`, and before each `RET` in it.
    fn epilogue(&mut self, builder: &mut Builder<'_>) {
        let _ = builder;
    }
}

/// Applies a pass to a shader; the result is in `memory`. In the result, declarations come before
/// immediates, and both come before instructions.
///
/// # Errors
/// [`BuildError`]: an error of the pass, blocks that do not match, too many registers, or out of
/// memory.
pub fn transform<'m>(
    shader: &Shader<'_>,
    pass: &mut dyn Transform,
    memory: Memory<'m>,
) -> Result<Shader<'m>, BuildError> {
    let mut builder = Builder::new(shader.processor(), memory);
    for item in shader.items() {
        match item {
            Item::Property(property, value) => {
                if let Some(value) = pass.property(property, value) {
                    builder.property(property, value);
                }
            }
            Item::Declaration(declaration) => {
                if let Some(declaration) = pass.declaration(*declaration) {
                    builder.declaration(declaration);
                }
            }
            Item::Immediate(_, immediate) => builder.next_immediate(pass.immediate(*immediate)),
            Item::Instruction(..) => {}
        }
    }
    pass.prologue(&mut builder);
    let moved = instructions(shader, pass, &mut builder, memory)?;
    for at in 0..builder.instructions_mut().len() {
        let instructions = builder.instructions_mut();
        let called = instructions.get(at).filter(|it| it.opcode == Opcode::Cal);
        let Some(old) = called.and_then(|it| usize::try_from(it.label?).ok()) else { continue };
        let Some(mut new) = moved.get(old).map(|&new| new as usize) else { continue };
        if shader.instructions().get(old).is_some_and(|it| it.opcode == Opcode::Bgnsub) {
            // The pass may have added instructions before it.
            let rest = instructions.iter().skip(new);
            new += rest.take_while(|it| it.opcode != Opcode::Bgnsub).count();
        }
        if let Some(cal) = instructions.get_mut(at) {
            cal.label = Some(new as u32);
        }
    }
    builder.finish()
}

/// Passes the instructions to the pass; returns the new index of each.
fn instructions<'m>(
    shader: &Shader<'_>,
    pass: &mut dyn Transform,
    builder: &mut Builder<'_>,
    memory: Memory<'m>,
) -> Result<Vec<'m, u32>, BuildError> {
    let count = shader.instructions().len();
    let mut moved = Vec::try_with_capacity_in(count, memory)?;
    let (mut in_subroutine, mut ended) = (false, false);
    for instruction in shader.instructions() {
        match instruction.opcode {
            Opcode::Bgnsub => in_subroutine = true,
            Opcode::Endsub => in_subroutine = false,
            Opcode::Ret if !in_subroutine => pass.epilogue(builder),
            Opcode::End => {
                ended = true;
                pass.epilogue(builder);
            }
            _ => {}
        }
        moved.try_push(builder.instructions_mut().len() as u32)?;
        pass.instruction(builder, *instruction);
    }
    if !ended {
        pass.epilogue(builder);
    }
    Ok(moved)
}

/// Replaces register `from`, which has one bracket, by `to` in the operands of an instruction.
///
/// A pass that changes an output's final value redirects its writes to a temporary first.
pub fn redirect(instruction: &mut Instruction, from: (File, i32), to: (File, i32)) {
    for dst in &mut instruction.dst {
        if (dst.file, dst.index) == from && dst.indirect.is_none() && dst.dimension.is_none() {
            (dst.file, dst.index) = to;
        }
    }
    for src in &mut instruction.src {
        if (src.file, src.index) == from && src.indirect.is_none() && src.dimension.is_none() {
            (src.file, src.index) = to;
        }
    }
}
