//! The declarations of a program, and the program put together.

use std::collections::BTreeMap;

use naga::Span;
use os_shim::Memory;
use tgsi::builder::Builder;
use tgsi::declaration::{
    Declaration, DeclarationKind, Interpolation, MemoryType, Semantic, SemanticName,
};
use tgsi::property::Property;
use tgsi::register::{DstRegister, File, SrcRegister};
use tgsi::shader::{Position, Processor, Shader};

use crate::code::{Code, MAX_TEMPORARIES, Placed};
use crate::error::Result;

/// The declarations of a program.
pub(crate) struct Declarations {
    stage: Processor,
    properties: Vec<(Property, u32)>,
    /// Inputs, outputs and system values, in the order of their numbers.
    registers: Vec<Declaration>,
    /// Views, samplers, images, buffers and memory.
    units: BTreeMap<(u8, u16), Declaration>,
    /// The number of registers of each constant buffer.
    constants: BTreeMap<u8, u16>,
    /// The number of address registers.
    pub(crate) addresses: u16,
}

impl Declarations {
    pub(crate) fn new(stage: Processor) -> Declarations {
        Declarations {
            stage,
            properties: Vec::new(),
            registers: Vec::new(),
            units: BTreeMap::new(),
            constants: BTreeMap::new(),
            addresses: 0,
        }
    }

    pub(crate) fn stage(&self) -> Processor {
        self.stage
    }

    pub(crate) fn property(&mut self, property: Property, value: u32) {
        self.properties.push((property, value));
    }

    /// Returns the number of the register that carries a semantic, declared at the first request.
    fn register(&mut self, mut declaration: Declaration) -> i32 {
        let alike = |known: &&Declaration| {
            known.file == declaration.file && known.semantic == declaration.semantic
        };
        if let Some(known) = self.registers.iter().find(alike) {
            return known.first.into();
        }
        let of_file = self.registers.iter().filter(|known| known.file == declaration.file);
        let next = of_file.count() as u16;
        (declaration.first, declaration.last) = (next, next);
        self.registers.push(declaration);
        next.into()
    }

    /// Returns the vertex element of a location.
    pub(crate) fn vertex_input(&mut self, location: u16) -> SrcRegister {
        let declaration = Declaration::new(File::Input, location, location);
        if !self.registers.contains(&declaration) {
            self.registers.push(declaration);
        }
        SrcRegister::new(File::Input, location.into())
    }

    pub(crate) fn input(&mut self, semantic: Semantic, how: Interpolation) -> SrcRegister {
        let declaration = Declaration::new(File::Input, 0, 0)
            .with_semantic(semantic)
            .with_interpolation(how.mode, how.location);
        SrcRegister::new(File::Input, self.register(declaration))
    }

    pub(crate) fn output(&mut self, semantic: Semantic) -> DstRegister {
        let declaration = Declaration::new(File::Output, 0, 0).with_semantic(semantic);
        DstRegister::new(File::Output, self.register(declaration))
    }

    pub(crate) fn system_value(&mut self, name: SemanticName) -> SrcRegister {
        let semantic = Semantic::new(name, 0);
        let declaration = Declaration::new(File::SystemValue, 0, 0).with_semantic(semantic);
        SrcRegister::new(File::SystemValue, self.register(declaration))
    }

    /// Declares a unit; `kind` is what views and images have besides their number.
    pub(crate) fn unit(&mut self, file: File, slot: u8, kind: Option<DeclarationKind>) {
        let mut declaration = Declaration::new(file, slot.into(), slot.into());
        declaration.kind = kind.unwrap_or(declaration.kind);
        self.units.insert((file.code(), slot.into()), declaration);
    }

    pub(crate) fn shared_memory(&mut self) {
        self.unit(File::Memory, 0, Some(DeclarationKind::Memory(MemoryType::Shared)));
    }

    /// Declares the first `registers` registers of a constant buffer.
    pub(crate) fn constants(&mut self, slot: u8, registers: u16) {
        let count = self.constants.entry(slot).or_default();
        *count = (*count).max(registers);
    }

    /// Puts the program together. Returns it and the place in `source` of each instruction.
    pub(crate) fn finish(self, code: Code, source: &str) -> Result<(Shader<'static>, Vec<Span>)> {
        let refusal = code.refuse("the program cannot be put together");
        let mut builder = Builder::new(self.stage, Memory::system());
        for (property, value) in self.properties {
            builder.property(property, value);
        }
        self.registers.into_iter().for_each(|it| builder.declaration(it));
        self.units.into_values().for_each(|it| builder.declaration(it));
        for (slot, registers) in self.constants {
            let mut declaration = Declaration::new(File::Constant, 0, registers.max(1) - 1);
            declaration.dimension = (slot != 0).then_some(slot.into());
            builder.declaration(declaration);
        }
        if self.addresses > 0 {
            builder.declaration(Declaration::new(File::Address, 0, self.addresses - 1));
        }
        let (arrays, immediates, temporaries, instructions) = code.finish();
        declare_temporaries(&mut builder, &arrays, temporaries.min(MAX_TEMPORARIES));
        immediates.into_iter().for_each(|it| builder.next_immediate(it));
        let lines = lines(source);
        let mut spans = Vec::new();
        for Placed { mut instruction, span } in instructions {
            spans.push(span);
            instruction.position = position(&lines, span);
            builder.instruction(instruction);
        }
        let shader = builder.finish().map_err(|error| refusal.because(error))?;
        Ok((shader, spans))
    }
}

/// Returns the byte at which each line of a source begins; nothing for no source.
fn lines(source: &str) -> Vec<usize> {
    if source.is_empty() {
        return Vec::new();
    }
    let after = |(at, byte): (usize, u8)| (byte == b'\n').then_some(at + 1);
    [0].into_iter().chain(source.bytes().enumerate().filter_map(after)).collect()
}

/// Returns the line and the column at which a span begins.
fn position(lines: &[usize], span: Span) -> Position {
    let (Some(range), false) = (span.to_range(), lines.is_empty()) else { return Position::NONE };
    let line = lines.partition_point(|&start| start <= range.start);
    let start = line.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
    Position { line: line as u32, column: (range.start - start) as u32 + 1 }
}

/// Declares the arrays, and the temporaries between them.
fn declare_temporaries(builder: &mut Builder<'_>, arrays: &[crate::code::Array], count: u32) {
    let mut ranges: Vec<(u32, u32, u16)> = arrays
        .iter()
        .enumerate()
        .map(|(at, array)| (array.first, array.last, at as u16 + 1))
        .collect();
    ranges.sort_unstable();
    ranges.push((count, count, 0));
    let mut next = 0;
    for (first, last, id) in ranges {
        if next < first {
            let plain = Declaration::new(File::Temporary, next as u16, first as u16 - 1);
            builder.declaration(plain);
        }
        if id != 0 {
            let mut array = Declaration::new(File::Temporary, first as u16, last as u16);
            array.array_id = id;
            builder.declaration(array);
        }
        next = last + 1;
    }
}
