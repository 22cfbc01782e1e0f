//! The registers, units and effects of a shader, gathered in one pass.

use crate::declaration::{Declaration, Interpolation, Semantic, SemanticName};
use crate::opcode::{
    ArithmeticOpcode, Flags, FlowOpcode, Kind, MemoryOpcode, Mode, Opcode, SampleOpcode,
    StageOpcode, TextureOpcode, Type,
};
use crate::register::{Dimension, File, Indirect, SrcRegister, WriteMask};
use crate::sanity::MAX_SLOTS;
use crate::shader::{Instruction, Processor, Shader, TextureTarget};
use os_shim::Vec;
use os_shim::memory::OutOfMemory;

/// One input, output or system value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The register's index.
    pub register: u16,
    /// Its semantic; `GENERIC[register]` for vertex inputs.
    pub semantic: Semantic,
    /// Its interpolation, if declared.
    pub interpolation: Option<Interpolation>,
    /// The components that are read (inputs and system values) or written (outputs).
    pub mask: WriteMask,
}

bitflags::bitflags! {
    /// The effects of a shader, one bit per effect.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Does: u32 {
        /// Discards invocations.
        const KILL = 1 << 0;
        /// Takes derivatives, or samples textures at a level of detail from derivatives.
        const DERIVATIVES = 1 << 1;
        /// Writes fragment depth.
        const WRITE_DEPTH = 1 << 2;
        /// Writes fragment stencil.
        const WRITE_STENCIL = 1 << 3;
        /// Writes the sample mask.
        const WRITE_SAMPLE_MASK = 1 << 4;
        /// Writes the vertex position.
        const WRITE_POSITION = 1 << 5;
        /// Writes the point size.
        const WRITE_POINT_SIZE = 1 << 6;
        /// Writes the viewport index.
        const WRITE_VIEWPORT_INDEX = 1 << 7;
        /// Writes the layer.
        const WRITE_LAYER = 1 << 8;
        /// Writes the edge flag.
        const WRITE_EDGE_FLAG = 1 << 9;
        /// Writes the clip vertex.
        const WRITE_CLIP_VERTEX = 1 << 10;
        /// Has stores or atomics.
        const WRITE_MEMORY = 1 << 11;
        /// Has branches, loops or calls.
        const CONTROL_FLOW = 1 << 12;
        /// Samples textures.
        const TEXTURES = 1 << 13;
        /// Has 64-bit floats.
        const DOUBLES = 1 << 14;
        /// Has 64-bit integers.
        const INT64 = 1 << 15;
        /// Waits for its group.
        const BARRIER = 1 << 16;
        /// Must run for each sample.
        const PER_SAMPLE = 1 << 17;
        /// Reads the framebuffer.
        const FBFETCH = 1 << 18;
    }
}

/// The registers, units and effects of a shader.
#[derive(Debug)]
pub struct ShaderInfo<'m> {
    /// The stage.
    pub processor: Processor,
    /// The declared inputs, one entry per register.
    pub inputs: Vec<'m, Slot>,
    /// The declared outputs, one entry per register.
    pub outputs: Vec<'m, Slot>,
    /// The declared system values, one entry per register.
    pub system_values: Vec<'m, Slot>,
    /// Its effects.
    pub does: Does,
    /// The last declared register of each file, by the file's number; for `IMM` the last immediate.
    pub last: [Option<u16>; File::COUNT],
    /// Files read at computed indices, one bit per file.
    pub indirect_reads: u32,
    /// Files written at computed indices, one bit per file.
    pub indirect_writes: u32,
    /// Declared constant buffers, one bit per buffer.
    pub constant_buffers: u32,
    /// Used sampler units, one bit per unit. With computed indices all declared units count.
    pub samplers: u32,
    /// The texture shape of each sampler unit at its first use.
    pub targets: [Option<TextureTarget>; 32],
    /// Declared image units, one bit per unit.
    pub images: u64,
    /// Declared shader buffers, one bit per buffer.
    pub buffers: u32,
    /// Clip and cull distances that are written: the components of `CLIPDIST[0]`, then of
    /// `CLIPDIST[1]`.
    pub clip_distances: u8,
    /// Colour outputs that are written, one bit per output.
    pub colors_written: u32,
    /// The number of instructions.
    pub instructions: usize,
    /// The number of instructions that sample textures.
    pub texture_instructions: usize,
    /// The greatest nesting depth of blocks.
    pub depth: usize,
    opcodes: [u32; 256],
}

impl<'m> ShaderInfo<'m> {
    /// Scans `shader`; the lists are in the shader's memory.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// # use gallium_tgsi::{opcode::Opcode, scan::*, text};
    /// # use os_shim::Memory;
    /// let text = "FRAG\nDCL OUT[0], POSITION\nDCL IN[0], COLOR, COLOR\n\
    ///     MOV OUT[0].z, IN[0].xxxx\nEND\n";
    /// let shader = text::parse(text, Memory::system()).unwrap();
    /// let info = ShaderInfo::new(&shader).unwrap();
    /// assert!(info.does.contains(Does::WRITE_DEPTH));
    /// assert_eq!(info.count(Opcode::Mov), 1);
    /// ```
    #[expect(
        clippy::indexing_slicing,
        reason = "the numbers of files are below COUNT, those of opcodes below 256"
    )]
    pub fn new(shader: &Shader<'m>) -> Result<ShaderInfo<'m>, OutOfMemory> {
        let memory = shader.memory();
        let mut info = ShaderInfo {
            processor: shader.processor(),
            inputs: Vec::new_in(memory),
            outputs: Vec::new_in(memory),
            system_values: Vec::new_in(memory),
            does: Does::empty(),
            last: [None; File::COUNT],
            indirect_reads: 0,
            indirect_writes: 0,
            constant_buffers: 0,
            samplers: 0,
            targets: [None; 32],
            images: 0,
            buffers: 0,
            clip_distances: 0,
            colors_written: 0,
            instructions: shader.instructions().len(),
            texture_instructions: 0,
            depth: 0,
            opcodes: [0; 256],
        };
        for declaration in shader.declarations() {
            info.declaration(declaration)?;
        }
        let last_immediate = shader.immediates().len().checked_sub(1);
        info.last[File::Immediate as usize] =
            last_immediate.map(|last| u16::try_from(last).unwrap_or(u16::MAX));
        let mut depth = 0usize;
        for instruction in shader.instructions() {
            let flags = instruction.opcode.info().flags;
            depth = depth.saturating_sub(usize::from(flags.contains(Flags::CLOSES)));
            depth += usize::from(flags.contains(Flags::OPENS));
            info.depth = info.depth.max(depth);
            info.instruction(instruction);
        }
        info.summarise();
        Ok(info)
    }

    /// Returns the number of instructions with an opcode.
    #[expect(
        clippy::indexing_slicing,
        reason = "the numbers of files are below COUNT, those of opcodes below 256"
    )]
    pub fn count(&self, opcode: Opcode) -> u32 {
        self.opcodes[opcode as usize]
    }

    /// Returns the input with this semantic.
    pub fn input(&self, semantic: Semantic) -> Option<&Slot> {
        self.inputs.iter().find(|slot| slot.semantic == semantic)
    }

    /// Returns the output with this semantic.
    pub fn output(&self, semantic: Semantic) -> Option<&Slot> {
        self.outputs.iter().find(|slot| slot.semantic == semantic)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the numbers of files are below COUNT, those of opcodes below 256"
    )]
    fn declaration(&mut self, declaration: &Declaration) -> Result<(), OutOfMemory> {
        let last = &mut self.last[declaration.file as usize];
        *last = (*last).max(Some(declaration.last));
        let bits = range_bits(declaration.first, declaration.last);
        match declaration.file {
            File::Input => slots(&mut self.inputs, declaration)?,
            File::Output => slots(&mut self.outputs, declaration)?,
            File::SystemValue => slots(&mut self.system_values, declaration)?,
            File::Constant => {
                let buffer = declaration.dimension.unwrap_or(0);
                self.constant_buffers |= range_bits(buffer, buffer) as u32;
            }
            File::Image => self.images |= bits,
            File::Buffer => self.buffers |= bits as u32,
            _ => {}
        }
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the numbers of files are below COUNT, those of opcodes below 256"
    )]
    fn instruction(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode;
        let counter = &mut self.opcodes[opcode as usize];
        *counter = counter.saturating_add(1);
        self.does |= opcode_does(opcode);
        for (at, src) in instruction.srcs().iter().enumerate() {
            self.source(instruction, at, src);
        }
        for dst in instruction.dsts() {
            self.indexed(dst.file, &dst.indirect, &dst.dimension, true);
            if dst.file == File::Output {
                use_slots(&mut self.outputs, dst.index, dst.indirect.is_some(), dst.mask);
            }
        }
        let is_texture = opcode.info().flags.intersects(Flags::TEXTURE | Flags::OFFSETS);
        self.texture_instructions += usize::from(is_texture);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the numbers of files are below COUNT, those of opcodes below 256"
    )]
    fn source(&mut self, instruction: &Instruction, at: usize, src: &SrcRegister) {
        self.indexed(src.file, &src.indirect, &src.dimension, false);
        let read = registers_read(src, read_mask(instruction, at));
        let everywhere = src.indirect.is_some();
        match src.file {
            File::Input => use_slots(&mut self.inputs, src.index, everywhere, read),
            File::SystemValue => use_slots(&mut self.system_values, src.index, everywhere, read),
            File::Sampler => {
                let declared = self.last[File::Sampler as usize];
                self.samplers |= match (everywhere, u16::try_from(src.index)) {
                    (true, _) => declared.map_or(0, |last| range_bits(0, last) as u32),
                    (false, Ok(unit)) => range_bits(unit, unit) as u32,
                    (false, Err(_)) => 0,
                };
                let target = instruction.texture.map(|texture| texture.target);
                let unit = usize::try_from(src.index).unwrap_or(usize::MAX);
                if let Some(slot) = self.targets.get_mut(unit) {
                    *slot = slot.or(target);
                }
            }
            _ => {}
        }
    }

    fn indexed(
        &mut self,
        file: File,
        indirect: &Option<Indirect>,
        dimension: &Option<Dimension>,
        writes: bool,
    ) {
        let outer = dimension.as_ref().is_some_and(|dimension| dimension.indirect.is_some());
        if indirect.is_some() || outer {
            let files = if writes { &mut self.indirect_writes } else { &mut self.indirect_reads };
            *files |= 1 << file.code();
        }
    }

    /// Derives effects from the semantics of outputs and system values.
    fn summarise(&mut self) {
        let fragment = self.processor == Processor::Fragment;
        for slot in self.outputs.iter().filter(|slot| !slot.mask.is_empty()) {
            let does = match slot.semantic.name {
                SemanticName::Position if fragment => Does::WRITE_DEPTH,
                SemanticName::Position => Does::WRITE_POSITION,
                SemanticName::Stencil => Does::WRITE_STENCIL,
                SemanticName::SampleMask => Does::WRITE_SAMPLE_MASK,
                SemanticName::PointSize => Does::WRITE_POINT_SIZE,
                SemanticName::ViewportIndex => Does::WRITE_VIEWPORT_INDEX,
                SemanticName::Layer => Does::WRITE_LAYER,
                SemanticName::EdgeFlag => Does::WRITE_EDGE_FLAG,
                SemanticName::ClipVertex => Does::WRITE_CLIP_VERTEX,
                _ => Does::empty(),
            };
            self.does |= does;
            match (slot.semantic.name, slot.semantic.index) {
                (SemanticName::ClipDistance, index @ 0..=1) => {
                    self.clip_distances |= slot.mask.bits() << (4 * index);
                }
                (SemanticName::Color, index @ 0..=31) => self.colors_written |= 1 << index,
                _ => {}
            }
        }
        let per_sample = |slot: &Slot| {
            matches!(slot.semantic.name, SemanticName::SampleId | SemanticName::SamplePosition)
                && !slot.mask.is_empty()
        };
        if self.system_values.iter().any(per_sample) {
            self.does |= Does::PER_SAMPLE;
        }
        if self.samplers != 0 || self.texture_instructions > 0 {
            self.does |= Does::TEXTURES;
        }
    }
}

/// Returns one bit per number of a range, for numbers below 64.
fn range_bits(first: u16, last: u16) -> u64 {
    (first..=last.min(63)).fold(0, |bits, at| bits | 1 << at)
}

/// Adds a slot for each register of a declaration within the checker's limit.
fn slots(list: &mut Vec<'_, Slot>, declaration: &Declaration) -> Result<(), OutOfMemory> {
    let limit = (MAX_SLOTS - 1) as u16;
    for register in declaration.first..=declaration.last.min(limit) {
        let offset = register - declaration.first;
        let semantic = match declaration.semantic {
            Some(first) => Semantic::new(first.name, first.index.saturating_add(offset)),
            None => Semantic::generic(register),
        };
        let interpolation = declaration.interpolation;
        // Clients declare a split varying once per part.
        if list.iter().any(|slot| slot.register == register && slot.semantic == semantic) {
            continue;
        }
        list.try_push(Slot { register, semantic, interpolation, mask: WriteMask::empty() })?;
    }
    Ok(())
}

fn use_slots(list: &mut [Slot], index: i32, everywhere: bool, mask: WriteMask) {
    for slot in list.iter_mut() {
        if everywhere || i32::from(slot.register) == index {
            slot.mask |= mask;
        }
    }
}

/// Returns the register components that a source reads, given the operand's components.
pub fn registers_read(src: &SrcRegister, operand: WriteMask) -> WriteMask {
    let of = |at: usize| src.swizzle.get(at).copied().map_or(WriteMask::empty(), WriteMask::of);
    operand.components().fold(WriteMask::empty(), |mask, at| mask | of(at))
}

/// Returns the components of source `at` (before its swizzle) that the instruction uses.
pub fn read_mask(instruction: &Instruction, at: usize) -> WriteMask {
    let opcode = instruction.opcode;
    let written = instruction.dsts().first().map_or(WriteMask::empty(), |dst| dst.mask);
    match (opcode.info().mode, opcode.info().src.get(at)) {
        (_, None | Some(Type::Unit)) => WriteMask::empty(),
        (Mode::Componentwise, _) if opcode == Opcode::ReadInvoc && at == 1 => WriteMask::X,
        (Mode::Componentwise, _) => written,
        (Mode::Replicate, _) => match opcode {
            Opcode::Dp2 | Opcode::Pk2h | Opcode::Pk2us => WriteMask::XY,
            Opcode::Dp3 => WriteMask::XYZ,
            Opcode::Dp4 | Opcode::Pk4b | Opcode::Pk4ub => WriteMask::XYZW,
            _ => WriteMask::X,
        },
        (Mode::PerChannel, _) => per_channel(opcode, at, written),
        (Mode::Pairwise, Some(kind)) => pairwise(opcode, *kind, at, instruction),
        (Mode::Other, _) => other(instruction, at),
    }
}

fn per_channel(opcode: Opcode, at: usize, written: WriteMask) -> WriteMask {
    let when = |condition: WriteMask, reads: WriteMask| {
        if written.intersects(condition) { reads } else { WriteMask::empty() }
    };
    match (opcode, at) {
        (Opcode::Lit, _) => {
            let z = WriteMask::X | WriteMask::Y | WriteMask::W;
            when(WriteMask::Y, WriteMask::X) | when(WriteMask::Z, z)
        }
        (Opcode::Dst, 0) => written & (WriteMask::Y | WriteMask::Z),
        (Opcode::Dst, _) => written & (WriteMask::Y | WriteMask::W),
        _ => when(WriteMask::XYZW, WriteMask::X),
    }
}

/// Returns the source components of a 64-bit instruction, for each of its two values in use.
fn pairwise(opcode: Opcode, kind: Type, at: usize, instruction: &Instruction) -> WriteMask {
    let dsts = opcode.info().dst;
    let wide_dst = dsts.first().is_some_and(|kind| kind.is_64bit());
    let compare = !wide_dst && opcode.src_count() == 2;
    let written = instruction.dsts().iter().fold(WriteMask::empty(), |mask, dst| mask | dst.mask);
    let (first, second) = if wide_dst || compare {
        (written.intersects(WriteMask::XY), written.intersects(WriteMask::ZW))
    } else {
        // Narrowing: the first enabled component takes the first value, the second component the
        // second value.
        (!written.is_empty(), written.components().count() > 1)
    };
    let shift_count = at == 1 && !kind.is_64bit();
    let (a, b) = match kind.is_64bit() {
        true => (WriteMask::XY, WriteMask::ZW),
        false if shift_count => (WriteMask::X, WriteMask::Z),
        false => (WriteMask::X, WriteMask::Y),
    };
    (if first { a } else { WriteMask::empty() }) | if second { b } else { WriteMask::empty() }
}

/// Returns the components that opcodes of [`Mode::Other`] use.
fn other(instruction: &Instruction, at: usize) -> WriteMask {
    let written = instruction.dsts().first().map_or(WriteMask::empty(), |dst| dst.mask);
    match instruction.opcode.kind() {
        Kind::Texture(opcode) => {
            lookup(opcode, at, instruction.texture.map(|texture| texture.target))
        }
        Kind::Sample(opcode) => match opcode {
            SampleOpcode::Sviewinfo | SampleOpcode::SamplePos | SampleOpcode::SampleInfo => {
                WriteMask::X
            }
            // The view's declaration has the shape; the instruction does not.
            SampleOpcode::Sample
            | SampleOpcode::SampleI
            | SampleOpcode::SampleIMs
            | SampleOpcode::SampleB
            | SampleOpcode::SampleC
            | SampleOpcode::SampleCLz
            | SampleOpcode::SampleD
            | SampleOpcode::SampleL
            | SampleOpcode::Gather4
            | SampleOpcode::Lod => WriteMask::XYZW,
        },
        Kind::Memory(MemoryOpcode::Store) if at == 1 => written,
        Kind::Memory(_) => WriteMask::XYZW,
        Kind::Stage(opcode) => match opcode {
            StageOpcode::KillIf => WriteMask::XYZW,
            StageOpcode::InterpCentroid | StageOpcode::InterpSample | StageOpcode::InterpOffset
                if at == 0 =>
            {
                written
            }
            StageOpcode::InterpOffset => WriteMask::XY,
            StageOpcode::InterpCentroid | StageOpcode::InterpSample => WriteMask::X,
            StageOpcode::Kill | StageOpcode::Demote | StageOpcode::Barrier => WriteMask::empty(),
            StageOpcode::Emit | StageOpcode::Endprim | StageOpcode::Membar => WriteMask::X,
        },
        Kind::Arithmetic(_) | Kind::Wide(_) | Kind::Lane(_) | Kind::Flow(_) => WriteMask::X,
    }
}

/// Returns the components that a lookup of the TEX family uses.
fn lookup(opcode: TextureOpcode, at: usize, target: Option<TextureTarget>) -> WriteMask {
    use TextureOpcode::*;
    let coordinate = target.map_or(WriteMask::XYZW, coordinates);
    match (opcode, at) {
        (Txq | Txqs, _) => WriteMask::X,
        (Tex | TexLz | Tex2 | Lodq | Tg4 | Txd, 0) => coordinate,
        (Txp | Txb | Txl | Txf | Txb2 | Txl2 | TxfLz, 0) => coordinate | WriteMask::W,
        (Txd, _) => target.map_or(WriteMask::XYZ, |target| low(target.dimensions())),
        (Txb2 | Txl2, _) => WriteMask::XY,
        (Tex | TexLz | Tex2 | Lodq | Tg4 | Txp | Txb | Txl | Txf | TxfLz, _) => WriteMask::X,
    }
}

/// Returns the components of a coordinate, with its layer and reference value.
fn coordinates(target: TextureTarget) -> WriteMask {
    use TextureTarget::*;
    let plain = low(target.dimensions() + usize::from(target.is_array()));
    match target {
        Shadow1D | Shadow2D | ShadowRect | ShadowArray1D => plain | WriteMask::Z,
        ShadowArray2D | ShadowCube => plain | WriteMask::W,
        Msaa2D | MsaaArray2D => plain | WriteMask::W,
        Unknown => WriteMask::XYZW,
        _ => plain,
    }
}

/// Returns the first `count` components.
fn low(count: usize) -> WriteMask {
    [WriteMask::empty(), WriteMask::X, WriteMask::XY, WriteMask::XYZ]
        .get(count)
        .copied()
        .unwrap_or(WriteMask::XYZW)
}

/// Returns the effects of an opcode, independent of its operands.
fn opcode_does(opcode: Opcode) -> Does {
    let info = opcode.info();
    let mut does = match opcode.kind() {
        Kind::Arithmetic(opcode) => match opcode {
            ArithmeticOpcode::Ddx
            | ArithmeticOpcode::Ddy
            | ArithmeticOpcode::DdxFine
            | ArithmeticOpcode::DdyFine => Does::DERIVATIVES,
            _ => Does::empty(),
        },
        Kind::Texture(opcode) => texture_does(opcode),
        Kind::Sample(opcode) => sample_does(opcode),
        Kind::Memory(opcode) => memory_does(opcode),
        Kind::Stage(opcode) => match opcode {
            StageOpcode::Kill | StageOpcode::KillIf | StageOpcode::Demote => Does::KILL,
            StageOpcode::Barrier => Does::BARRIER,
            StageOpcode::InterpSample => Does::PER_SAMPLE,
            StageOpcode::Emit
            | StageOpcode::Endprim
            | StageOpcode::Membar
            | StageOpcode::InterpCentroid
            | StageOpcode::InterpOffset => Does::empty(),
        },
        Kind::Flow(opcode) => flow_does(opcode),
        Kind::Wide(_) | Kind::Lane(_) => Does::empty(),
    };
    for kind in info.dst.iter().chain(info.src) {
        match kind {
            Type::Double => does |= Does::DOUBLES,
            Type::Int64 | Type::Uint64 => does |= Does::INT64,
            _ => {}
        }
    }
    does
}

fn texture_does(opcode: TextureOpcode) -> Does {
    use TextureOpcode::*;
    match opcode {
        Tex | Tex2 | Txp | Txb | Txb2 | Lodq => Does::DERIVATIVES,
        Txl | Txl2 | TexLz | Txd | Txf | TxfLz | Tg4 | Txq | Txqs => Does::empty(),
    }
}

fn sample_does(opcode: SampleOpcode) -> Does {
    use SampleOpcode::*;
    match opcode {
        Sample | SampleB | SampleC | Lod => Does::DERIVATIVES,
        SampleL | SampleCLz | SampleD | SampleI | SampleIMs => Does::empty(),
        Gather4 | Sviewinfo | SamplePos | SampleInfo => Does::empty(),
    }
}

fn memory_does(opcode: MemoryOpcode) -> Does {
    use MemoryOpcode::*;
    match opcode {
        Load | Resq | Img2hnd | Samp2hnd => Does::empty(),
        Fbfetch => Does::FBFETCH,
        Store | Atomuadd | Atomfadd | Atomxchg | Atomcas | Atomand | Atomor | Atomxor
        | Atomumin | Atomumax | Atomimin | Atomimax | AtomincWrap | AtomdecWrap => {
            Does::WRITE_MEMORY
        }
    }
}

fn flow_does(opcode: FlowOpcode) -> Does {
    use FlowOpcode::*;
    match opcode {
        If | Uif | Bgnloop | Switch | Cal | Ret => Does::CONTROL_FLOW,
        // These end or leave blocks; the opcodes that begin blocks count.
        Else | Endif | Endloop | Brk | Cont | Case | Default | Endswitch => Does::empty(),
        Nop | Bgnsub | Endsub | End => Does::empty(),
    }
}
