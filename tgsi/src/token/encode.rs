//! Encodes the IR as tokens.

use super::layout as at;
use crate::declaration::{Declaration, DeclarationKind};
use crate::register::{Dimension, DstRegister, Indirect, SrcRegister};
use crate::shader::{
    Immediate, Instruction, Item, ItemKind, MemoryInfo, Property, Shader, TextureInfo,
};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// The reason why a shader has no tokens. Shaders read from text or tokens always have tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A value is too large for its bits.
    #[error("{kind:?} {number}: {what} does not fit its bits")]
    Range {
        /// The kind of the item.
        kind: ItemKind,
        /// The item's index in its list.
        number: usize,
        /// The value.
        what: &'static str,
    },
    /// The stream is longer than its header can express.
    #[error("the shader has more than 16777215 tokens")]
    TooLong,
    /// There is no memory for the tokens.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Writes a shader's tokens.
///
/// # Errors
/// [`EncodeError`]: a value does not fit its bits (only in shaders built by hand), or out of
/// memory.
pub fn encode<'m>(shader: &Shader<'_>, memory: Memory<'m>) -> Result<Vec<'m, u32>, EncodeError> {
    let mut writer = Writer { words: Vec::new_in(memory), kind: ItemKind::Property, number: 0 };
    writer.word(0)?;
    writer.word(at::PROCESSOR.put(shader.processor().code().into()))?;
    let mut declarations = 0;
    for item in shader.items() {
        match item {
            Item::Property(property, value) => writer.property(property, value)?,
            Item::Declaration(declaration) => {
                (writer.kind, writer.number) = (ItemKind::Declaration, declarations);
                writer.declaration(declaration)?;
                declarations += 1;
            }
            Item::Immediate(_, immediate) => writer.immediate(immediate)?,
            Item::Instruction(number, instruction) => {
                (writer.kind, writer.number) = (ItemKind::Instruction, number);
                writer.instruction(instruction)?;
            }
        }
    }
    let body = u32::try_from(writer.words.len().saturating_sub(2)).unwrap_or(u32::MAX);
    if body > at::BODY_SIZE.max() {
        return Err(EncodeError::TooLong);
    }
    if let Some(header) = writer.words.first_mut() {
        *header = at::HEADER_SIZE.put(2) | at::BODY_SIZE.put(body);
    }
    Ok(writer.words)
}

struct Writer<'m> {
    words: Vec<'m, u32>,
    /// The item being written, for errors.
    kind: ItemKind,
    number: usize,
}

impl Writer<'_> {
    fn word(&mut self, word: u32) -> Result<(), EncodeError> {
        Ok(self.words.try_push(word)?)
    }

    fn error(&self, what: &'static str) -> EncodeError {
        EncodeError::Range { kind: self.kind, number: self.number, what }
    }

    /// Checks that an index fits 16 bits.
    fn index(&self, index: i32) -> Result<u32, EncodeError> {
        i16::try_from(index).map(|index| index as u32).map_err(|_| self.error("an index"))
    }

    /// Adds the size, which is known now, to the word at `start`.
    fn set_size(&mut self, start: usize, size: usize) {
        if let Some(word) = self.words.get_mut(start) {
            *word |= at::SIZE.put(size as u32);
        }
    }

    fn property(&mut self, property: Property, value: u32) -> Result<(), EncodeError> {
        let name = at::property::NAME.put(property.code().into());
        self.word(at::TYPE.put(at::TYPE_PROPERTY) | at::SIZE.put(2) | name)?;
        self.word(value)
    }

    fn immediate(&mut self, immediate: &Immediate) -> Result<(), EncodeError> {
        use at::immediate::{DATA_TYPE, SIZE};
        let kind = DATA_TYPE.put(immediate.kind.code().into());
        self.word(at::TYPE.put(at::TYPE_IMMEDIATE) | SIZE.put(5) | kind)?;
        immediate.bits.iter().try_for_each(|&bits| self.word(bits))
    }

    fn declaration(&mut self, dcl: &Declaration) -> Result<(), EncodeError> {
        use at::declaration::*;
        let start = self.words.len();
        let (atomic, memory) = match dcl.kind {
            DeclarationKind::Buffer { atomic } => (atomic, 0),
            DeclarationKind::Memory(kind) => (false, kind.code()),
            _ => (false, 0),
        };
        if dcl.semantic.is_none() && dcl.streams != [0; 4] {
            return Err(self.error("a stream without a semantic"));
        }
        self.word(
            at::TYPE.put(at::TYPE_DECLARATION)
                | FILE.put(dcl.file.code().into())
                | USAGE_MASK.put(dcl.usage_mask.bits().into())
                | DIMENSION.flag(dcl.dimension.is_some())
                | SEMANTIC.flag(dcl.semantic.is_some())
                | INTERPOLATE.flag(dcl.interpolation.is_some())
                | INVARIANT.flag(dcl.invariant)
                | LOCAL.flag(dcl.local)
                | ARRAY.flag(dcl.array_id != 0)
                | ATOMIC.flag(atomic)
                | MEMORY_TYPE.put(memory.into()),
        )?;
        self.word(FIRST.put(dcl.first.into()) | LAST.put(dcl.last.into()))?;
        if let Some(dimension) = dcl.dimension {
            self.word(INDEX_2D.put(dimension.into()))?;
        }
        if let Some(interpolation) = dcl.interpolation {
            let mode = MODE.put(interpolation.mode.code().into());
            self.word(mode | LOCATION.put(interpolation.location.code().into()))?;
        }
        if let Some(semantic) = dcl.semantic {
            let word = NAME.put(semantic.name.code().into()) | INDEX.put(semantic.index.into());
            if dcl.streams.iter().any(|&stream| stream > 3) {
                return Err(self.error("a stream"));
            }
            let streams = STREAMS.iter().zip(dcl.streams);
            self.word(streams.fold(word, |word, (field, n)| word | field.put(n.into())))?;
        }
        self.declaration_kind(dcl)?;
        if dcl.array_id != 0 {
            if u32::from(dcl.array_id) > ARRAY_ID.max() {
                return Err(self.error("an array's number"));
            }
            self.word(ARRAY_ID.put(dcl.array_id.into()))?;
        }
        self.set_size(start, self.words.len().saturating_sub(start));
        Ok(())
    }

    fn declaration_kind(&mut self, dcl: &Declaration) -> Result<(), EncodeError> {
        use crate::register::File;
        use at::declaration::*;
        match (dcl.file, dcl.kind) {
            (File::Image, DeclarationKind::Image { target, format, writable, raw }) => self.word(
                TARGET.put(target.code().into())
                    | RAW.flag(raw)
                    | WRITABLE.flag(writable)
                    | FORMAT.put(format.code().into()),
            ),
            (File::SamplerView, DeclarationKind::SamplerView { target, returns }) => {
                let returns = RETURNS.iter().zip(returns);
                let word = TARGET.put(target.code().into());
                self.word(returns.fold(word, |word, (field, n)| word | field.put(n.code().into())))
            }
            (File::Image | File::SamplerView, _) => Err(self.error("a target that is missing")),
            _ => Ok(()),
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        use at::instruction::*;
        let start = self.words.len();
        self.word(
            at::TYPE.put(at::TYPE_INSTRUCTION)
                | OPCODE.put(instruction.opcode.code().into())
                | SATURATE.flag(instruction.saturate)
                | DST_COUNT.put(instruction.dsts().len() as u32)
                | SRC_COUNT.put(instruction.srcs().len() as u32)
                | HAS_LABEL.flag(instruction.label.is_some())
                | HAS_TEXTURE.flag(instruction.texture.is_some())
                | HAS_MEMORY.flag(instruction.memory.is_some())
                | PRECISE.flag(instruction.precise),
        )?;
        if let Some(label) = instruction.label {
            if label > LABEL.max() {
                return Err(self.error("a label"));
            }
            self.word(LABEL.put(label))?;
        }
        if let Some(texture) = &instruction.texture {
            self.texture(texture)?;
        }
        if let Some(memory) = &instruction.memory {
            self.memory(memory)?;
        }
        instruction.dsts().iter().try_for_each(|dst| self.dst(dst))?;
        instruction.srcs().iter().try_for_each(|src| self.src(src))?;
        // Unlike the size of other items, an instruction's size excludes its first word.
        self.set_size(start, self.words.len().saturating_sub(start + 1));
        Ok(())
    }

    fn texture(&mut self, texture: &TextureInfo) -> Result<(), EncodeError> {
        use at::instruction::*;
        let count = texture.offsets().len() as u32;
        self.word(TARGET.put(texture.target.code().into()) | OFFSET_COUNT.put(count))?;
        for offset in texture.offsets() {
            let word =
                OFFSET_INDEX.put(offset.index as u32) | OFFSET_FILE.put(offset.file.code().into());
            let swizzle = OFFSET_SWIZZLE.iter().zip(offset.swizzle);
            self.word(swizzle.fold(word, |word, (field, n)| word | field.put(n as u32)))?;
        }
        Ok(())
    }

    fn memory(&mut self, memory: &MemoryInfo) -> Result<(), EncodeError> {
        use at::instruction::*;
        self.word(
            QUALIFIERS.put(memory.qualifiers.bits().into())
                | MEMORY_TARGET.put(memory.target.code().into())
                | MEMORY_FORMAT.put(memory.format.code().into()),
        )
    }

    fn dst(&mut self, dst: &DstRegister) -> Result<(), EncodeError> {
        use at::dst::*;
        self.word(
            FILE.put(dst.file.code().into())
                | MASK.put(dst.mask.bits().into())
                | INDIRECT.flag(dst.indirect.is_some())
                | DIMENSION.flag(dst.dimension.is_some())
                | INDEX.put(self.index(dst.index)?),
        )?;
        self.brackets(&dst.indirect, &dst.dimension)
    }

    fn src(&mut self, src: &SrcRegister) -> Result<(), EncodeError> {
        use at::src::*;
        let word = FILE.put(src.file.code().into())
            | INDIRECT.flag(src.indirect.is_some())
            | DIMENSION.flag(src.dimension.is_some())
            | INDEX.put(self.index(src.index)?)
            | ABSOLUTE.flag(src.absolute)
            | NEGATE.flag(src.negate);
        let swizzle = SWIZZLE.iter().zip(src.swizzle);
        self.word(swizzle.fold(word, |word, (field, n)| word | field.put(n as u32)))?;
        self.brackets(&src.indirect, &src.dimension)
    }

    fn brackets(
        &mut self,
        indirect: &Option<Indirect>,
        dimension: &Option<Dimension>,
    ) -> Result<(), EncodeError> {
        self.indirect(indirect)?;
        if let Some(dimension) = dimension {
            use at::dimension::*;
            let indirect = INDIRECT.flag(dimension.indirect.is_some());
            self.word(indirect | INDEX.put(dimension.index as u32))?;
            self.indirect(&dimension.indirect)?;
        }
        Ok(())
    }

    fn indirect(&mut self, indirect: &Option<Indirect>) -> Result<(), EncodeError> {
        use at::indirect::*;
        let Some(indirect) = indirect else { return Ok(()) };
        if u32::from(indirect.array_id) > ARRAY_ID.max() {
            return Err(self.error("an array's number"));
        }
        self.word(
            FILE.put(indirect.file.code().into())
                | INDEX.put(indirect.index as u32)
                | SWIZZLE.put(indirect.swizzle as u32)
                | ARRAY_ID.put(indirect.array_id.into()),
        )
    }
}
