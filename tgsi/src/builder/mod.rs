//! Builds shaders from Rust code: blits, clears, draws of internal helpers.
//!
//! A call that asks for a register declares it and returns its number. [`Builder::finish`] writes
//! the declarations and `END`. The builder keeps the first error until then, so that the calling
//! code reads like the shader. [`crate::transform`] gives passes over existing shaders a builder
//! that already has the shader's registers.

mod ops;

use crate::declaration::{
    Declaration, DeclarationKind, Interpolate, Location, ReturnType, Semantic,
};
use crate::opcode::Opcode;
use crate::register::{Dimension, DstRegister, File, SrcRegister, Swizzle};
use crate::sanity::MAX_NESTING;
use crate::shader::{
    Immediate, ImmediateType, Instruction, Processor, Property, Shader, TextureInfo, TextureTarget,
};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// The number of constant buffers.
const BUFFERS: usize = 32;

/// The reason why a shader was not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file has more registers than allowed.
    #[error("too many {0} registers")]
    TooMany(File),
    /// The number of operands does not match the opcode.
    #[error("{opcode} takes {dsts} destinations and {srcs} sources")]
    OperandCount {
        /// The opcode.
        opcode: Opcode,
        /// The number of destinations it takes.
        dsts: usize,
        /// The number of sources it takes.
        srcs: usize,
    },
    /// A block is closed without being open, never closed, or nested too deep.
    #[error("blocks do not nest at instruction {0}")]
    Nesting(usize),
    /// There is no memory for the shader.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A shader under construction.
///
/// ```
/// # use gallium_tgsi::{builder::Builder, declaration::*, register::*, shader::*};
/// # use os_shim::Memory;
/// let mut b = Builder::new(Processor::Fragment, Memory::system());
/// let coord = b.input(Semantic::generic(0), Interpolate::Linear);
/// let out = b.output(Semantic::color(0));
/// let sampler = b.sampler(0, TextureTarget::Texture2D, ReturnType::Float);
/// let half = b.float([0.5; 4]);
/// let texel = b.temporary();
/// b.tex(texel, coord, sampler, TextureTarget::Texture2D);
/// b.mul(out, texel.as_src(), half);
/// let text = b.finish().unwrap().to_string();
/// assert_eq!(text, "FRAG
/// DCL IN[0], GENERIC[0], LINEAR
/// DCL OUT[0], COLOR
/// DCL SAMP[0]
/// DCL SVIEW[0], 2D, FLOAT
/// DCL TEMP[0]
/// IMM[0] FLT32 {0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000}
///   0: TEX TEMP[0], IN[0], SAMP[0], 2D
///   1: MUL OUT[0], TEMP[0], IMM[0].xxxx
///   2: END
/// ");
/// ```
#[derive(Debug)]
pub struct Builder<'m> {
    shader: Shader<'m>,
    instructions: Vec<'m, Instruction>,
    immediates: Vec<'m, Immediate>,
    declarations: Vec<'m, Declaration>,
    temporaries: u16,
    addresses: u16,
    /// The last register used in each constant buffer.
    constants: [Option<u16>; BUFFERS],
    error: Option<BuildError>,
}

impl<'m> Builder<'m> {
    /// Begins a shader for a stage, in `memory`.
    pub fn new(processor: Processor, memory: Memory<'m>) -> Builder<'m> {
        Builder {
            shader: Shader::new(processor, memory),
            instructions: Vec::new_in(memory),
            immediates: Vec::new_in(memory),
            declarations: Vec::new_in(memory),
            temporaries: 0,
            addresses: 0,
            constants: [None; BUFFERS],
            error: None,
        }
    }

    /// Sets a property.
    pub fn property(&mut self, property: Property, value: u32) {
        let result = self.shader.push_property(property, value);
        self.keep(result.map_err(BuildError::from));
    }

    /// Returns the input with this semantic; declares it on the first request. Vertex shader inputs
    /// have no semantics: for them the semantic's index is the register number.
    pub fn input(&mut self, semantic: Semantic, mode: Interpolate) -> SrcRegister {
        let mut declaration = Declaration::new(File::Input, 0, 0);
        match self.shader.processor() {
            Processor::Vertex => return self.vertex_input(semantic.index),
            Processor::Fragment => {
                declaration = declaration.with_interpolation(mode, Location::Center);
            }
            _ => {}
        }
        let index = self.declare(declaration.with_semantic(semantic));
        SrcRegister::new(File::Input, index)
    }

    /// Returns the vertex shader's input of this number; declares it on the first request.
    pub fn vertex_input(&mut self, index: u16) -> SrcRegister {
        let known =
            self.declarations.iter().any(|dcl| dcl.file == File::Input && dcl.first == index);
        if !known {
            self.declaration(Declaration::new(File::Input, index, index));
        }
        SrcRegister::new(File::Input, index.into())
    }

    /// Returns the output with this semantic; declares it on the first request.
    pub fn output(&mut self, semantic: Semantic) -> DstRegister {
        let declaration = Declaration::new(File::Output, 0, 0).with_semantic(semantic);
        DstRegister::new(File::Output, self.declare(declaration))
    }

    /// Returns a system value; declares it on the first request.
    pub fn system_value(&mut self, semantic: Semantic) -> SrcRegister {
        let declaration = Declaration::new(File::SystemValue, 0, 0).with_semantic(semantic);
        SrcRegister::new(File::SystemValue, self.declare(declaration))
    }

    /// Declares a new temporary.
    pub fn temporary(&mut self) -> DstRegister {
        let index = self.temporaries;
        match index.checked_add(1).filter(|&next| next <= 0x8000) {
            Some(next) => self.temporaries = next,
            None => self.fail(BuildError::TooMany(File::Temporary)),
        }
        DstRegister::new(File::Temporary, index.into())
    }

    /// Declares a new address register.
    pub fn address(&mut self) -> DstRegister {
        let index = self.addresses;
        match index < 3 {
            true => self.addresses += 1,
            false => self.fail(BuildError::TooMany(File::Address)),
        }
        DstRegister::new(File::Address, index.into())
    }

    /// Returns register `index` of constant buffer `buffer`.
    pub fn constant(&mut self, buffer: u8, index: u16) -> SrcRegister {
        let last = self.constants.get_mut(usize::from(buffer));
        match last {
            Some(last) if index < 4096 => *last = (*last).max(Some(index)),
            _ => self.fail(BuildError::TooMany(File::Constant)),
        }
        let register = SrcRegister::new(File::Constant, index.into());
        match buffer {
            0 => register,
            _ => register.in_dimension(Dimension::literal(buffer.into())),
        }
    }

    /// Declares a sampler unit and the view of the same number, unless they are declared.
    pub fn sampler(&mut self, unit: u8, target: TextureTarget, returns: ReturnType) -> SrcRegister {
        let is_sampler = |dcl: &Declaration| dcl.file == File::Sampler && dcl.first == unit.into();
        if !self.declarations.iter().any(is_sampler) {
            self.declaration(Declaration::new(File::Sampler, unit.into(), unit.into()));
            let mut view = Declaration::new(File::SamplerView, unit.into(), unit.into());
            view.kind = DeclarationKind::SamplerView { target, returns: [returns; 4] };
            self.declaration(view);
        }
        SrcRegister::new(File::Sampler, unit.into())
    }

    /// Adds an immediate of four floats.
    pub fn float(&mut self, values: [f32; 4]) -> SrcRegister {
        self.immediate(Immediate::float(values))
    }

    /// Adds an immediate of four unsigned integers.
    pub fn uint(&mut self, values: [u32; 4]) -> SrcRegister {
        self.immediate(Immediate::uint(values))
    }

    /// Adds an immediate of four signed integers.
    pub fn int(&mut self, values: [i32; 4]) -> SrcRegister {
        self.immediate(Immediate::int(values))
    }

    /// Adds an immediate; equal immediates share a register.
    pub fn immediate(&mut self, immediate: Immediate) -> SrcRegister {
        let found = self.immediates.iter().position(|known| *known == immediate);
        let index = found.unwrap_or_else(|| {
            let result = self.immediates.try_push(immediate).map_err(BuildError::from);
            self.keep(result);
            self.immediates.len().saturating_sub(1)
        });
        if index > 0x7fff {
            self.fail(BuildError::TooMany(File::Immediate));
        }
        let register = SrcRegister::new(File::Immediate, index as i32);
        let [first, rest @ ..] = immediate.bits;
        let same = immediate.kind == ImmediateType::Float32 && rest == [first; 3];
        if same { register.scalar(Swizzle::X) } else { register }
    }

    /// Adds an immediate with the next number, even if an equal one has a number already. For
    /// shaders with numbered immediates; do not mix it with [`immediate`](Builder::immediate).
    pub fn next_immediate(&mut self, immediate: Immediate) {
        let result = self.immediates.try_push(immediate).map_err(BuildError::from);
        self.keep(result);
    }

    /// Returns the instructions so far, mutably.
    pub(crate) fn instructions_mut(&mut self) -> &mut [Instruction] {
        &mut self.instructions
    }

    /// Returns the shader's stage.
    pub fn processor(&self) -> Processor {
        self.shader.processor()
    }

    /// Adds an instruction.
    pub fn op(&mut self, opcode: Opcode, dsts: &[DstRegister], srcs: &[SrcRegister]) {
        let mut instruction = Instruction::new(opcode);
        if (dsts.len(), srcs.len()) != (opcode.dst_count(), opcode.src_count()) {
            let (dsts, srcs) = (opcode.dst_count(), opcode.src_count());
            return self.fail(BuildError::OperandCount { opcode, dsts, srcs });
        }
        instruction.dst.iter_mut().zip(dsts).for_each(|(to, from)| *to = *from);
        instruction.src.iter_mut().zip(srcs).for_each(|(to, from)| *to = *from);
        self.instruction(instruction);
    }

    /// Adds an existing instruction.
    pub fn instruction(&mut self, instruction: Instruction) {
        let result = self.instructions.try_push(instruction);
        self.keep(result.map_err(BuildError::from));
    }

    /// Makes the last instruction clamp its result to 0 … 1.
    pub fn saturate(&mut self) {
        if let Some(last) = self.instructions.last_mut() {
            last.saturate = true;
        }
    }

    /// Adds a texture instruction.
    pub fn texture(
        &mut self,
        opcode: Opcode,
        dst: DstRegister,
        srcs: &[SrcRegister],
        texture: TextureInfo,
    ) {
        self.op(opcode, &[dst], srcs);
        if let Some(last) = self.instructions.last_mut() {
            last.texture = Some(texture);
        }
    }

    /// Adds a texture lookup: `TEX`.
    pub fn tex(
        &mut self,
        dst: DstRegister,
        coord: SrcRegister,
        sampler: SrcRegister,
        target: TextureTarget,
    ) {
        self.texture(Opcode::Tex, dst, &[coord, sampler], TextureInfo::new(target));
    }

    /// Adds a declaration for which the builder has no special method. Temporaries and addresses
    /// requested later get higher numbers.
    pub fn declaration(&mut self, declaration: Declaration) {
        let next = declaration.last.saturating_add(1);
        match declaration.file {
            File::Temporary => self.temporaries = self.temporaries.max(next),
            File::Address => self.addresses = self.addresses.max(next),
            _ => {}
        }
        let result = self.declarations.try_push(declaration);
        self.keep(result.map_err(BuildError::from));
    }

    /// Returns the shader; adds `END` if it lacks one.
    ///
    /// # Errors
    /// The first error met while building.
    pub fn finish(mut self) -> Result<Shader<'m>, BuildError> {
        let is_end = |instruction: &Instruction| instruction.opcode == Opcode::End;
        if !self.instructions.iter().any(is_end) {
            self.op(Opcode::End, &[], &[]);
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        set_labels(&mut self.instructions)?;
        self.declare_ranges()?;
        self.declarations.sort_unstable_by_key(|dcl| (order(dcl.file), dcl.dimension, dcl.first));
        let mut shader = self.shader;
        for &declaration in &self.declarations {
            shader.push_declaration(declaration)?;
        }
        for &immediate in &self.immediates {
            shader.push_immediate(immediate)?;
        }
        for &instruction in &self.instructions {
            shader.push_instruction(instruction)?;
        }
        Ok(shader)
    }

    fn declare_ranges(&mut self) -> Result<(), OutOfMemory> {
        for buffer in 0..BUFFERS {
            if let Some(last) = self.constants.get(buffer).copied().flatten() {
                let dimension = (buffer != 0).then_some(buffer as u16);
                self.declare_rest(File::Constant, dimension, last)?;
            }
        }
        for (file, count) in [(File::Temporary, self.temporaries), (File::Address, self.addresses)]
        {
            if let Some(last) = count.checked_sub(1) {
                self.declare_rest(file, None, last)?;
            }
        }
        Ok(())
    }

    /// Declares the registers up to `last` that are not declared yet.
    fn declare_rest(
        &mut self,
        file: File,
        dimension: Option<u16>,
        last: u16,
    ) -> Result<(), OutOfMemory> {
        let alike = |dcl: &&Declaration| {
            dcl.file == file && dcl.dimension.unwrap_or(0) == dimension.unwrap_or(0)
        };
        let mut first = 0u16;
        while first <= last {
            let known = self.declarations.iter().filter(alike);
            let end = match known.clone().find(|dcl| dcl.covers(first.into())) {
                Some(dcl) => dcl.last,
                None => {
                    let next = known.filter(|dcl| dcl.first > first).map(|dcl| dcl.first - 1);
                    let end = next.min().unwrap_or(last).min(last);
                    let mut declaration = Declaration::new(file, first, end);
                    declaration.dimension = dimension;
                    self.declarations.try_push(declaration)?;
                    end
                }
            };
            match end.checked_add(1) {
                Some(next) => first = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Returns the register with the file and semantic of `declaration`; declares it first if
    /// necessary.
    fn declare(&mut self, mut declaration: Declaration) -> i32 {
        let of_file = self.declarations.iter().filter(|dcl| dcl.file == declaration.file);
        let wanted = declaration.semantic;
        if let Some(known) = of_file.clone().find_map(|dcl| carrier(dcl, wanted)) {
            return known;
        }
        let next = of_file.map(|dcl| dcl.last).max().map_or(Some(0), |last| last.checked_add(1));
        match next {
            Some(next) => (declaration.first, declaration.last) = (next, next),
            None => self.fail(BuildError::TooMany(declaration.file)),
        }
        self.declaration(declaration);
        declaration.first.into()
    }

    fn keep(&mut self, result: Result<(), BuildError>) {
        if let Err(error) = result {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }
}

/// Returns the register of a declaration that has the wanted semantic.
fn carrier(declaration: &Declaration, wanted: Option<Semantic>) -> Option<i32> {
    let (carried, wanted) = (declaration.semantic?, wanted?);
    let offset = i32::from(wanted.index) - i32::from(carried.index);
    let register = i32::from(declaration.first) + offset;
    (carried.name == wanted.name && declaration.covers(register)).then_some(register)
}

/// Returns the position of a file's declarations in canonical text.
fn order(file: File) -> usize {
    use File::*;
    let files = [
        Input,
        SystemValue,
        Output,
        Sampler,
        SamplerView,
        Image,
        Buffer,
        Memory,
        Constant,
        ConstantBuffer,
        HardwareAtomic,
        Temporary,
        Address,
    ];
    files.iter().position(|&at| at == file).unwrap_or(files.len())
}

/// Writes the labels that some interpreters follow: each branch gets the target for lanes that do
/// not take it.
fn set_labels(instructions: &mut [Instruction]) -> Result<(), BuildError> {
    let mut open = heapless::Vec::<usize, MAX_NESTING>::new();
    for number in 0..instructions.len() {
        let Some(opcode) = instructions.get(number).map(|instruction| instruction.opcode) else {
            break;
        };
        if matches!(opcode, Opcode::Else | Opcode::Endif) {
            let opener = open.pop().and_then(|opener| instructions.get_mut(opener));
            opener.ok_or(BuildError::Nesting(number))?.label = Some(number as u32);
        }
        if matches!(opcode, Opcode::If | Opcode::Uif | Opcode::Else) {
            open.push(number).map_err(|_| BuildError::Nesting(number))?;
        }
        if let (Opcode::Bgnloop | Opcode::Endloop, Some(this)) =
            (opcode, instructions.get_mut(number))
        {
            this.label = Some(0);
        }
    }
    match open.pop() {
        Some(opener) => Err(BuildError::Nesting(opener)),
        None => Ok(()),
    }
}
