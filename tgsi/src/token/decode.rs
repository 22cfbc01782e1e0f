//! Decodes tokens to the IR.

use super::layout as at;
use crate::declaration::{
    Declaration, DeclarationKind, ImageFormat, Interpolate, Interpolation, Location, MemoryType,
    ReturnType, Semantic, SemanticName,
};
use crate::opcode::Opcode;
use crate::property::Property;
use crate::register::{Dimension, DstRegister, File, Indirect, SrcRegister, Swizzle, WriteMask};
use crate::shader::{
    Immediate, ImmediateType, Instruction, MemoryInfo, MemoryQualifiers, Processor, Shader,
    TextureInfo, TextureOffset, TextureTarget,
};
use os_shim::memory::{Memory, OutOfMemory};

/// The reason why a token stream is not a shader. `at` counts 32-bit tokens from the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The stream, or its body according to the header, ends too early.
    #[error("the stream ends inside the item at token {at}")]
    Truncated {
        /// The token at which the item starts.
        at: usize,
    },
    /// The header has a wrong size.
    #[error("token 0: a header of {size} tokens, not 2")]
    HeaderSize {
        /// The actual size.
        size: u32,
    },
    /// An unknown number.
    #[error("token {at}: no {what} has number {code}")]
    Unknown {
        /// The token.
        at: usize,
        /// The kind of item that it should name.
        what: &'static str,
        /// The number.
        code: u32,
    },
    /// The number of operands does not match the opcode.
    #[error("token {at}: {opcode} takes {want} {what}, found {got}")]
    OperandCount {
        /// The token.
        at: usize,
        /// The opcode.
        opcode: Opcode,
        /// Destinations or sources.
        what: &'static str,
        /// The expected number.
        want: usize,
        /// The actual number.
        got: usize,
    },
    /// A declaration with an empty range.
    #[error("token {at}: the range {first}..{last} ends before it starts")]
    Range {
        /// The token.
        at: usize,
        /// The first register.
        first: u16,
        /// The last register.
        last: u16,
    },
    /// There is no memory for the shader.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Reads the shader of a token stream. Tokens after the body are ignored.
///
/// # Errors
/// [`TokenError`] with the token, or out of memory. Never panics, whatever the tokens.
pub fn decode<'m>(tokens: &[u32], memory: Memory<'m>) -> Result<Shader<'m>, TokenError> {
    let mut reader = Reader { tokens, at: 0, start: 0 };
    let header = reader.word()?;
    let size = at::HEADER_SIZE.get(header);
    if size != 2 {
        return Err(TokenError::HeaderSize { size });
    }
    let processor = reader.word()?;
    let processor =
        reader.named("processor", at::PROCESSOR.get(processor), Processor::from_code)?;
    let end = 2usize.saturating_add(at::BODY_SIZE.get(header) as usize);
    reader.tokens = tokens.get(..end).unwrap_or(tokens);
    let mut shader = Shader::new(processor, memory);
    while reader.at < end {
        reader.start = reader.at;
        let word = reader.word()?;
        match at::TYPE.get(word) {
            at::TYPE_DECLARATION => shader.push_declaration(reader.declaration(word)?)?,
            at::TYPE_IMMEDIATE => shader.push_immediate(reader.immediate(word)?)?,
            at::TYPE_INSTRUCTION => shader.push_instruction(reader.instruction(word)?)?,
            at::TYPE_PROPERTY => {
                let name = at::property::NAME.get(word);
                let property = reader.named("property", name, Property::from_code)?;
                shader.push_property(property, reader.word()?)?;
            }
            code => {
                return Err(TokenError::Unknown { at: reader.start, what: "type of item", code });
            }
        }
    }
    Ok(shader)
}

struct Reader<'t> {
    tokens: &'t [u32],
    at: usize,
    /// The token at which the current item starts.
    start: usize,
}

impl Reader<'_> {
    fn word(&mut self) -> Result<u32, TokenError> {
        let word = self.tokens.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word.ok_or(TokenError::Truncated { at: self.start })
    }

    /// Maps a number in the token just read to the item that it names.
    fn named<T>(
        &self,
        what: &'static str,
        code: u32,
        from_code: impl Fn(u8) -> Option<T>,
    ) -> Result<T, TokenError> {
        let at = self.at.saturating_sub(1);
        let value = u8::try_from(code).ok().and_then(from_code);
        value.ok_or(TokenError::Unknown { at, what, code })
    }

    fn file(&self, code: u32) -> Result<File, TokenError> {
        self.named("register file", code, File::from_code)
    }

    fn target(&self, code: u32) -> Result<TextureTarget, TokenError> {
        self.named("texture target", code, TextureTarget::from_code)
    }

    fn format(&self, code: u32) -> Result<ImageFormat, TokenError> {
        let format = u16::try_from(code).ok().and_then(ImageFormat::from_code);
        let at = self.at.saturating_sub(1);
        format.ok_or(TokenError::Unknown { at, what: "image format", code })
    }

    fn immediate(&mut self, word: u32) -> Result<Immediate, TokenError> {
        let code = at::immediate::DATA_TYPE.get(word);
        let kind = self.named("immediate type", code, ImmediateType::from_code)?;
        let bits = [self.word()?, self.word()?, self.word()?, self.word()?];
        Ok(Immediate { kind, bits })
    }

    fn declaration(&mut self, word: u32) -> Result<Declaration, TokenError> {
        use at::declaration::*;
        let file = self.file(FILE.get(word))?;
        let range = self.word()?;
        let (first, last) = (FIRST.get(range) as u16, LAST.get(range) as u16);
        if last < first {
            return Err(TokenError::Range { at: self.start, first, last });
        }
        let mut dcl = Declaration::new(file, first, last);
        dcl.usage_mask = WriteMask::from_bits_truncate(USAGE_MASK.get(word) as u8);
        dcl.invariant = INVARIANT.get(word) != 0;
        dcl.local = LOCAL.get(word) != 0;
        if DIMENSION.get(word) != 0 {
            dcl.dimension = Some(INDEX_2D.get(self.word()?) as u16);
        }
        if INTERPOLATE.get(word) != 0 {
            dcl.interpolation = Some(self.interpolation()?);
        }
        if SEMANTIC.get(word) != 0 {
            let word = self.word()?;
            let name = self.named("semantic", NAME.get(word), SemanticName::from_code)?;
            dcl.semantic = Some(Semantic::new(name, INDEX.get(word) as u16));
            dcl.streams = STREAMS.map(|field| field.get(word) as u8);
        }
        dcl.kind = self.declaration_kind(file, word)?;
        if ARRAY.get(word) != 0 {
            dcl.array_id = ARRAY_ID.get(self.word()?) as u16;
        }
        Ok(dcl)
    }

    fn interpolation(&mut self) -> Result<Interpolation, TokenError> {
        use at::declaration::*;
        let word = self.word()?;
        let mode = self.named("interpolation", MODE.get(word), Interpolate::from_code)?;
        let location = self.named("location", LOCATION.get(word), Location::from_code)?;
        Ok(Interpolation { mode, location })
    }

    fn declaration_kind(&mut self, file: File, word: u32) -> Result<DeclarationKind, TokenError> {
        use at::declaration::*;
        Ok(match file {
            File::Image => {
                let word = self.word()?;
                DeclarationKind::Image {
                    target: self.target(TARGET.get(word))?,
                    format: self.format(FORMAT.get(word))?,
                    writable: WRITABLE.get(word) != 0,
                    raw: RAW.get(word) != 0,
                }
            }
            File::SamplerView => {
                let word = self.word()?;
                let target = self.target(TARGET.get(word))?;
                let mut returns = [ReturnType::Unknown; 4];
                for (kind, field) in returns.iter_mut().zip(RETURNS) {
                    *kind = self.named("return type", field.get(word), ReturnType::from_code)?;
                }
                DeclarationKind::SamplerView { target, returns }
            }
            File::Buffer => DeclarationKind::Buffer { atomic: ATOMIC.get(word) != 0 },
            File::Memory => {
                let code = MEMORY_TYPE.get(word);
                DeclarationKind::Memory(self.named("memory type", code, MemoryType::from_code)?)
            }
            _ => DeclarationKind::Plain,
        })
    }

    fn instruction(&mut self, word: u32) -> Result<Instruction, TokenError> {
        use at::instruction::*;
        let opcode = self.named("opcode", OPCODE.get(word), Opcode::from_code)?;
        self.check_count(opcode, "destinations", opcode.dst_count(), DST_COUNT.get(word))?;
        self.check_count(opcode, "sources", opcode.src_count(), SRC_COUNT.get(word))?;
        let mut instruction = Instruction::new(opcode);
        instruction.saturate = SATURATE.get(word) != 0;
        instruction.precise = PRECISE.get(word) != 0;
        if HAS_LABEL.get(word) != 0 {
            instruction.label = Some(LABEL.get(self.word()?));
        }
        if HAS_TEXTURE.get(word) != 0 {
            instruction.texture = Some(self.texture()?);
        }
        if HAS_MEMORY.get(word) != 0 {
            instruction.memory = Some(self.memory()?);
        }
        for dst in instruction.dst.iter_mut().take(opcode.dst_count()) {
            *dst = self.dst()?;
        }
        for src in instruction.src.iter_mut().take(opcode.src_count()) {
            *src = self.src()?;
        }
        Ok(instruction)
    }

    fn check_count(
        &self,
        opcode: Opcode,
        what: &'static str,
        want: usize,
        got: u32,
    ) -> Result<(), TokenError> {
        let got = got as usize;
        if want == got {
            return Ok(());
        }
        Err(TokenError::OperandCount { at: self.start, opcode, what, want, got })
    }

    fn texture(&mut self) -> Result<TextureInfo, TokenError> {
        use at::instruction::*;
        let word = self.word()?;
        let mut texture = TextureInfo::new(self.target(TARGET.get(word))?);
        let count = OFFSET_COUNT.get(word);
        if count > 4 {
            let at = self.at.saturating_sub(1);
            return Err(TokenError::Unknown { at, what: "count of texel offsets", code: count });
        }
        texture.offset_count = count as u8;
        for slot in texture.offsets.iter_mut().take(count as usize) {
            let word = self.word()?;
            *slot = TextureOffset {
                file: self.file(OFFSET_FILE.get(word))?,
                swizzle: OFFSET_SWIZZLE.map(|field| Swizzle::from_bits(field.get(word))),
                index: OFFSET_INDEX.signed(word) as i16,
            };
        }
        Ok(texture)
    }

    fn memory(&mut self) -> Result<MemoryInfo, TokenError> {
        use at::instruction::*;
        let word = self.word()?;
        Ok(MemoryInfo {
            qualifiers: MemoryQualifiers::from_bits_truncate(QUALIFIERS.get(word) as u8),
            target: self.target(MEMORY_TARGET.get(word))?,
            format: self.format(MEMORY_FORMAT.get(word))?,
        })
    }

    fn dst(&mut self) -> Result<DstRegister, TokenError> {
        use at::dst::*;
        let word = self.word()?;
        let mut dst = DstRegister::new(self.file(FILE.get(word))?, INDEX.signed(word));
        dst.mask = WriteMask::from_bits_truncate(MASK.get(word) as u8);
        dst.indirect = self.indirect(INDIRECT.get(word) != 0)?;
        dst.dimension = self.dimension(DIMENSION.get(word) != 0)?;
        Ok(dst)
    }

    fn src(&mut self) -> Result<SrcRegister, TokenError> {
        use at::src::*;
        let word = self.word()?;
        let mut src = SrcRegister::new(self.file(FILE.get(word))?, INDEX.signed(word));
        src.swizzle = SWIZZLE.map(|field| Swizzle::from_bits(field.get(word)));
        src.absolute = ABSOLUTE.get(word) != 0;
        src.negate = NEGATE.get(word) != 0;
        src.indirect = self.indirect(INDIRECT.get(word) != 0)?;
        src.dimension = self.dimension(DIMENSION.get(word) != 0)?;
        Ok(src)
    }

    fn indirect(&mut self, present: bool) -> Result<Option<Indirect>, TokenError> {
        use at::indirect::*;
        if !present {
            return Ok(None);
        }
        let word = self.word()?;
        Ok(Some(Indirect {
            file: self.file(FILE.get(word))?,
            swizzle: Swizzle::from_bits(SWIZZLE.get(word)),
            index: INDEX.signed(word) as i16,
            array_id: ARRAY_ID.get(word) as u16,
        }))
    }

    fn dimension(&mut self, present: bool) -> Result<Option<Dimension>, TokenError> {
        use at::dimension::*;
        if !present {
            return Ok(None);
        }
        let word = self.word()?;
        let indirect = self.indirect(INDIRECT.get(word) != 0)?;
        Ok(Some(Dimension { index: INDEX.signed(word) as i16, indirect }))
    }
}
