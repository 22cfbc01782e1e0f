//! Shaders: their text and lane code, and the variants that the inspector draws with.

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::Memory;
use pipe_core::ShaderType;
use tgsi::builder::Builder;
use tgsi::compile::{CompileOptions, Listing, compile};
use tgsi::declaration::{Declaration, Semantic, SemanticName};
use tgsi::opcode::Opcode;
use tgsi::register::{DstRegister, File, SrcRegister, WriteMask};
use tgsi::scan::{Does, ShaderInfo};
use tgsi::shader::{Instruction, Processor, Property, Shader};
use tgsi::text;
use tgsi::transform::{Transform, transform};

use crate::state::ContextFacts;

/// Parses a shader's text.
///
/// # Errors
/// The text is no shader.
pub fn parse(shader: &str) -> Result<Shader<'static>> {
    text::parse(shader, Memory::system()).map_err(|error| anyhow!("the shader's text: {error}"))
}

/// Returns the effects of a shader.
///
/// # Errors
/// The text is no shader.
pub fn does(shader: &str) -> Result<Does> {
    Ok(ShaderInfo::new(&parse(shader)?)?.does)
}

/// Returns a stage of draws that writes memory, if there is one: its draws cannot be repeated.
pub fn writer(context: &ContextFacts) -> Option<ShaderType> {
    let stages = ShaderType::ALL.iter().filter(|stage| **stage != ShaderType::Compute);
    let mut shaders = stages.filter_map(|stage| context.shader(*stage));
    let writes = |text: &str| does(text).is_ok_and(|does| does.contains(Does::WRITE_MEMORY));
    shaders.find(|(_, it)| writes(&it.text)).map(|(_, it)| it.stage)
}

/// Returns true if a fragment shader discards fragments or writes their depth.
pub fn writes_depth(shader: &str) -> bool {
    let Ok(shader) = parse(shader) else { return false };
    let Ok(info) = ShaderInfo::new(&shader) else { return false };
    let is_depth = |slot: &tgsi::scan::Slot| slot.semantic.name == SemanticName::Position;
    info.does.contains(Does::KILL) || info.outputs.iter().any(is_depth)
}

/// Returns the lane code of a shader as text: the form that the driver runs.
///
/// # Errors
/// The text is no shader, or cannot be compiled.
pub fn lane_code(shader: &str) -> Result<String> {
    let shader = parse(shader)?;
    let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system())
        .map_err(|error| anyhow!("the shader cannot be compiled: {error}"))?;
    Ok(Listing(&compiled.program()).to_string())
}

/// Returns the shader without its discards.
///
/// # Errors
/// The text is no shader.
pub fn without_kill(shader: &str) -> Result<String> {
    struct NoKill;
    impl Transform for NoKill {
        fn instruction(&mut self, builder: &mut Builder<'_>, instruction: Instruction) {
            match instruction.opcode {
                Opcode::Kill | Opcode::KillIf => builder.nop(),
                _ => builder.instruction(instruction),
            }
        }
    }
    let shader = transform(&parse(shader)?, &mut NoKill, Memory::system());
    Ok(shader.map_err(|error| anyhow!("{error}"))?.to_string())
}

/// The fragment shader that writes the primitive's number and facing, as unsigned integers.
pub const IDENTITY: &str = "FRAG\nDCL IN[0], PRIMID, CONSTANT\nDCL IN[1], FACE, CONSTANT\n\
    DCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {0.0, 0.0, 0.0, 0.0}\n\
    MOV TEMP[0], IMM[0]\nMOV TEMP[0].x, IN[0].xxxx\nFSLT TEMP[0].y, IMM[0].xxxx, IN[1].xxxx\n\
    MOV OUT[0], TEMP[0]\nEND\n";

/// Number of steps that one run of a [stepped](stepped) shader captures.
pub const STEPS: usize = 4;

/// A shader that writes the results of some of its steps instead of its outputs.
pub struct Stepped {
    /// The shader's text. Outputs 0 to 3 are the values of the steps; output 4 has the numbers of
    /// their instructions, from 1 (0: no such step); x of output 5 is the number of all steps. The
    /// outputs are colours of a fragment shader, and have the semantic `GENERIC` in a vertex shader.
    pub text: String,
    /// The registers of the six outputs.
    pub registers: Vec<u16>,
    /// The constant buffer: x of its first register is the number of the first step, from 1.
    pub slot: usize,
}

/// Returns the variant of a fragment or vertex shader for stepping. Every instruction that writes a register
/// or discards is a step.
///
/// # Errors
/// The text is no shader; the shader writes memory; it addresses outputs indirectly.
pub fn stepped(shader: &str) -> Result<Stepped> {
    let shader = parse(shader)?;
    let does = ShaderInfo::new(&shader)?.does;
    if does.contains(Does::WRITE_MEMORY) {
        bail!("the shader writes memory, so running it once more would change the result");
    }
    let is_indirect = |dst: &DstRegister| dst.file == File::Output && dst.indirect.is_some();
    if shader.instructions().iter().any(|it| it.dsts().iter().any(is_indirect)) {
        bail!("the shader computes the index of an output");
    }
    let is_taken = |slot: usize| {
        let of_slot = |dcl: &Declaration| usize::from(dcl.dimension.unwrap_or(0)) == slot;
        shader.declarations().iter().any(|dcl| dcl.file == File::Constant && of_slot(dcl))
    };
    let slot = (0..16).rev().find(|slot| !is_taken(*slot));
    let Some(slot) = slot else { bail!("the shader uses all constant buffers") };
    let is_fragment = shader.processor() == Processor::Fragment;
    let mut pass = Steps { slot, is_fragment, ..Steps::default() };
    let stepped = transform(&shader, &mut pass, Memory::system());
    let stepped = stepped.map_err(|error| anyhow!("the shader cannot be stepped: {error}"))?;
    let info = ShaderInfo::new(&stepped)?;
    let mut registers = Vec::new();
    for number in (0..).take(STEPS + 2) {
        let semantic = pass.semantic(number);
        let output = info.outputs.iter().find(|it| it.semantic == semantic);
        registers.push(output.context("an output is missing")?.register);
    }
    Ok(Stepped { text: stepped.to_string(), registers, slot })
}

#[derive(Default)]
struct Steps {
    slot: usize,
    is_fragment: bool,
    /// Ranges of output registers.
    outputs: Vec<(u16, u16)>,
    /// Output registers and the temporaries in their places.
    places: Vec<(i32, i32)>,
    number: u32,
    registers: Option<Registers>,
}

#[derive(Clone, Copy)]
struct Registers {
    count: DstRegister,
    first: SrcRegister,
    test: DstRegister,
    values: [DstRegister; STEPS],
    at: DstRegister,
}

const X: WriteMask = WriteMask::X;

impl Steps {
    fn semantic(&self, number: u16) -> Semantic {
        if self.is_fragment { Semantic::color(number) } else { Semantic::generic(number) }
    }

    /// Replaces outputs by temporaries.
    fn moved(&self, mut instruction: Instruction) -> Instruction {
        let place = |index: i32| self.places.iter().find(|(from, _)| *from == index);
        for dst in &mut instruction.dst {
            if let (File::Output, Some((_, to))) = (dst.file, place(dst.index)) {
                (dst.file, dst.index) = (File::Temporary, *to);
            }
        }
        for src in &mut instruction.src {
            if let (File::Output, Some((_, to))) = (src.file, place(src.index)) {
                (src.file, src.index) = (File::Temporary, *to);
            }
        }
        instruction
    }

    /// Adds the code that captures a step's value.
    fn capture(&self, b: &mut Builder<'_>, value: Option<SrcRegister>) {
        let Some(Registers { count, first, test, values, at }) = self.registers else { return };
        let one = b.uint([1; 4]);
        let number = b.uint([self.number; 4]);
        b.uadd(count.masked(X), count.as_src(), one);
        for (step, into) in (0..).zip(values) {
            let offset = b.uint([step; 4]);
            b.uadd(test.masked(X), first.x(), offset);
            b.useq(test.masked(X), test.as_src(), count.as_src());
            if let Some(value) = value {
                b.ucmp(into, test.as_src().x(), value, into.as_src());
            }
            let component = WriteMask::from_bits_truncate(1 << step);
            b.ucmp(at.masked(component), test.as_src().x(), number, at.as_src());
        }
    }
}

impl Transform for Steps {
    fn property(&mut self, property: Property, value: u32) -> Option<u32> {
        (property != Property::FsColor0WritesAllCbufs).then_some(value)
    }

    fn declaration(&mut self, declaration: Declaration) -> Option<Declaration> {
        if declaration.file == File::Output {
            self.outputs.push((declaration.first, declaration.last));
            return None;
        }
        Some(declaration)
    }

    fn prologue(&mut self, b: &mut Builder<'_>) {
        let zero = b.uint([0; 4]);
        for (first, last) in std::mem::take(&mut self.outputs) {
            for index in first..=last {
                let place = b.temporary();
                b.mov(place, zero);
                self.places.push((index.into(), place.index));
            }
        }
        let mut fresh = || {
            let register = b.temporary();
            b.mov(register, zero);
            register
        };
        let (count, test, at) = (fresh(), fresh(), fresh());
        let values = [(); STEPS].map(|()| fresh());
        let first = b.constant(u8::try_from(self.slot).unwrap_or(0), 0);
        self.registers = Some(Registers { count, first, test, values, at });
    }

    fn instruction(&mut self, b: &mut Builder<'_>, instruction: Instruction) {
        self.number += 1;
        let instruction = self.moved(instruction);
        match instruction.opcode {
            Opcode::Kill => return self.capture(b, None),
            Opcode::KillIf => return self.capture(b, instruction.srcs().first().copied()),
            _ => b.instruction(instruction),
        }
        if let Some(dst) = instruction.dsts().first() {
            let mut value = dst.as_src();
            (value.indirect, value.dimension) = (dst.indirect, dst.dimension);
            self.capture(b, (dst.file == File::Temporary).then_some(value));
        }
    }

    fn epilogue(&mut self, b: &mut Builder<'_>) {
        let Some(Registers { count, values, at, .. }) = self.registers else { return };
        for (number, value) in (0..).zip(values.into_iter().chain([at, count])) {
            let output = b.output(self.semantic(number));
            b.mov(output, value.as_src());
        }
    }
}
