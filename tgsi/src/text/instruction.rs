//! Parses instructions and their operands.

use super::cursor::Cursor;
use super::declaration::target_named;
use super::error::TextError;
use super::legacy::Legacy;
use super::nearest;
use super::parse::Parser;
use crate::opcode::{Flags, Opcode};
use crate::register::{Dimension, DstRegister, File, Indirect, SrcRegister, Swizzle};
use crate::shader::{
    Instruction, MemoryInfo, MemoryQualifiers, Position, TextureInfo, TextureOffset, TextureTarget,
};

/// The largest label, as in tokens.
const LABEL_MAX: u32 = 0xff_ffff;

/// Names of the qualifiers, in the order of their bits.
pub(super) const QUALIFIERS: [&str; 4] =
    ["COHERENT", "RESTRICT", "VOLATILE", "STREAM_CACHE_POLICY"];

impl Parser<'_, '_> {
    pub(super) fn instruction(&mut self) -> Result<(), TextError> {
        let start = self.cursor;
        if self.cursor.peek() == Some(b'(') {
            return Err(start.error(
                "an opcode without a predicate (predicates left TGSI: select by CMP, UCMP or IF)",
            ));
        }
        let word = self.cursor.word();
        let mnemonic = Mnemonic::new(word);
        if let Some(opcode) = mnemonic.opcode {
            let mut instruction = mnemonic.header(opcode, start.position());
            self.cursor.operands(&mut instruction)?;
            if let Some(missing) = stream_operand(&mut instruction) {
                *missing = self.constant(0)?;
            }
            return Ok(self.shader.push_instruction(instruction)?);
        }
        if let Some(legacy) = Legacy::from_name(mnemonic.name) {
            return self.legacy_instruction(legacy, start.position(), &mnemonic);
        }
        let items = ["DCL", "IMM", "PROPERTY"];
        if items.iter().any(|item| item.eq_ignore_ascii_case(word)) {
            return Err(start.error("an instruction after its number"));
        }
        let opcode = Opcode::nearest(mnemonic.name).map(Opcode::name);
        let suggestion = opcode.or_else(|| nearest(mnemonic.name, items.into_iter()));
        Err(start.error_suggesting("an opcode", suggestion))
    }
}

/// Returns the stream operand of `EMIT` and `ENDPRIM`. Texts from before 2014 lack it; it is then
/// left `NULL`.
fn stream_operand(instruction: &mut Instruction) -> Option<&mut SrcRegister> {
    let takes_stream = matches!(instruction.opcode, Opcode::Emit | Opcode::Endprim);
    let first = instruction.src.first_mut()?;
    (takes_stream && *first == SrcRegister::NULL).then_some(first)
}

/// An opcode's word, split into its parts.
pub(super) struct Mnemonic<'t> {
    pub(super) name: &'t str,
    pub(super) opcode: Option<Opcode>,
    pub(super) saturate: bool,
    pub(super) precise: bool,
}

impl<'t> Mnemonic<'t> {
    fn new(word: &'t str) -> Mnemonic<'t> {
        let (rest, precise) = strip(word, "_PRECISE");
        let (name, saturate) = strip(rest, "_SAT");
        Mnemonic { name, opcode: Opcode::from_name(name), saturate, precise }
    }

    /// Returns an instruction without its operands.
    pub(super) fn header(&self, opcode: Opcode, position: Position) -> Instruction {
        let mut instruction = Instruction::new(opcode);
        instruction.saturate = self.saturate;
        instruction.precise = self.precise;
        instruction.position = position;
        instruction
    }
}

/// Strips a suffix, in any case.
fn strip<'t>(word: &'t str, suffix: &str) -> (&'t str, bool) {
    let at = word.len().saturating_sub(suffix.len());
    match (word.get(..at), word.get(at..)) {
        (Some(rest), Some(end)) if end.eq_ignore_ascii_case(suffix) => (rest, true),
        _ => (word, false),
    }
}

/// An index in brackets.
#[derive(Clone, Copy)]
struct Index {
    literal: i16,
    indirect: Option<Indirect>,
}

/// A register as written in the text.
struct Register {
    file: File,
    index: i32,
    indirect: Option<Indirect>,
    dimension: Option<Dimension>,
}

impl Cursor<'_> {
    /// Reads everything after the opcode's word.
    fn operands(&mut self, instruction: &mut Instruction) -> Result<(), TextError> {
        let info = instruction.opcode.info();
        let (dsts, srcs) = (info.dst.len(), info.src.len());
        let old_emit = matches!(instruction.opcode, Opcode::Emit | Opcode::Endprim);
        if old_emit && !self.operand_follows() {
            return Ok(());
        }
        let dst = instruction.dst.get_mut(..dsts).unwrap_or_default();
        let src = instruction.src.get_mut(..srcs).unwrap_or_default();
        self.registers(dst, src)?;
        if info.flags.contains(Flags::TEXTURE) {
            self.expect(b',', "\",\" and a texture target")?;
            self.space();
            instruction.texture = Some(TextureInfo::new(self.target()?));
        }
        if info.flags.intersects(Flags::TEXTURE | Flags::OFFSETS) {
            self.offsets(&mut instruction.texture)?;
        }
        if info.flags.contains(Flags::MEMORY) {
            instruction.memory = self.memory()?;
        }
        if info.flags.contains(Flags::LABEL) {
            instruction.label = self.label()?;
        }
        Ok(())
    }

    /// Reads `:12`, or nothing.
    pub(super) fn label(&mut self) -> Result<Option<u32>, TextError> {
        match self.eat_spaced(b':') {
            true => self.uint(LABEL_MAX, "a label").map(Some),
            false => Ok(None),
        }
    }

    /// Returns true if a register comes next, rather than another item or the end.
    fn operand_follows(&self) -> bool {
        let mut ahead = *self;
        ahead.space();
        if matches!(ahead.peek(), Some(b'-' | b'|')) {
            return true;
        }
        let is_file = File::from_name(ahead.word()).is_some_and(|file| {
            // `IMM[0]` may also begin an item; an item has a type after it.
            file != File::Immediate || !ahead.is_immediate_item()
        });
        ahead.space();
        is_file && ahead.peek() == Some(b'[')
    }

    fn is_immediate_item(&self) -> bool {
        let mut ahead = *self;
        ahead.space();
        if ahead.eat(b'[') {
            ahead.space();
            ahead.digits(10);
            ahead.space();
            ahead.eat(b']');
            ahead.space();
        }
        crate::shader::ImmediateType::from_name(ahead.peek_word()).is_some()
    }

    /// Reads destinations, then sources, separated by commas.
    pub(super) fn registers(
        &mut self,
        dst: &mut [DstRegister],
        src: &mut [SrcRegister],
    ) -> Result<(), TextError> {
        let some = !dst.is_empty() || !src.is_empty();
        if some && !self.space() {
            return Err(self.error("white space, or the end of the opcode"));
        }
        let mut first = true;
        for dst in dst {
            self.separator(&mut first)?;
            *dst = self.destination()?;
        }
        for src in src {
            self.separator(&mut first)?;
            *src = self.source()?;
        }
        Ok(())
    }

    fn separator(&mut self, first: &mut bool) -> Result<(), TextError> {
        if !*first {
            self.expect(b',', "\",\" and another operand")?;
        }
        *first = false;
        self.space();
        Ok(())
    }

    fn destination(&mut self) -> Result<DstRegister, TextError> {
        let register = self.register()?;
        let mut dst = DstRegister::new(register.file, register.index);
        dst.indirect = register.indirect;
        dst.dimension = register.dimension;
        if self.eat_spaced(b'.') {
            dst.mask = self.mask()?;
        }
        Ok(dst)
    }

    fn source(&mut self) -> Result<SrcRegister, TextError> {
        let negate = self.eat(b'-');
        self.space();
        let absolute = self.eat(b'|');
        self.space();
        let register = self.register()?;
        let mut src = SrcRegister::new(register.file, register.index);
        src.negate = negate;
        src.absolute = absolute;
        src.indirect = register.indirect;
        src.dimension = register.dimension;
        if self.eat_spaced(b'.') {
            src.swizzle = self.swizzle()?;
        }
        if absolute {
            self.expect(b'|', "\"|\" after the register")?;
        }
        Ok(src)
    }

    /// Reads four letters, or one letter for all four components.
    fn swizzle(&mut self) -> Result<[Swizzle; 4], TextError> {
        let word = self.peek_word();
        let (mut one, mut four) = ([Swizzle::X; 1], [Swizzle::X; 4]);
        let swizzle = if Self::letters(word, &mut four) {
            four
        } else if Self::letters(word, &mut one) {
            [one[0]; 4]
        } else {
            return Err(self.error("a swizzle: four letters of xyzw, or one"));
        };
        self.word();
        Ok(swizzle)
    }

    fn register(&mut self) -> Result<Register, TextError> {
        let file = self.file()?;
        let first = self.index()?;
        let back = *self;
        self.space();
        if self.peek() != Some(b'[') {
            *self = back;
            let Index { literal, indirect } = first;
            return Ok(Register { file, index: literal.into(), indirect, dimension: None });
        }
        let second = self.index()?;
        let dimension = Dimension { index: first.literal, indirect: first.indirect };
        Ok(Register {
            file,
            index: second.literal.into(),
            indirect: second.indirect,
            dimension: Some(dimension),
        })
    }

    /// Reads `[3]` or `[ADDR[0].x+3](1)`.
    fn index(&mut self) -> Result<Index, TextError> {
        self.expect(b'[', "\"[\"")?;
        self.space();
        let mut index = Index { literal: 0, indirect: None };
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            index.literal = self.uint(0x7fff, "a register number up to 32767")? as i16;
        } else if self.peek_word().is_empty() {
            return Err(self.error("a register number, or an address register"));
        } else {
            index = self.indirect()?;
        }
        self.expect(b']', "\"]\"")?;
        if self.peek() == Some(b'(') {
            let array_id = self.array_id()?;
            if let Some(indirect) = &mut index.indirect {
                indirect.array_id = array_id;
            }
        }
        Ok(index)
    }

    fn indirect(&mut self) -> Result<Index, TextError> {
        let file = self.file()?;
        self.expect(b'[', "\"[\"")?;
        self.space();
        let number = self.uint(0x7fff, "a register number up to 32767")? as i16;
        self.expect(b']', "\"]\"")?;
        let mut indirect = Indirect { file, swizzle: Swizzle::X, index: number, array_id: 0 };
        self.space();
        if self.eat(b'.') {
            self.space();
            let mut letter = [Swizzle::X];
            if !Self::letters(self.peek_word(), &mut letter) {
                return Err(self.error("one letter of xyzw"));
            }
            self.word();
            indirect.swizzle = letter[0];
            self.space();
        }
        let literal = self.signed_offset()?;
        Ok(Index { literal, indirect: Some(indirect) })
    }

    /// Reads `+3`, `- 3`, or nothing.
    fn signed_offset(&mut self) -> Result<i16, TextError> {
        let negative = self.peek() == Some(b'-');
        if !self.eat(b'-') && !self.eat(b'+') {
            return Ok(0);
        }
        self.space();
        let limit = if negative { 0x8000 } else { 0x7fff };
        let value = self.uint(limit, "an offset, -32768 to 32767")? as i32;
        Ok(if negative { -value } else { value } as i16)
    }

    fn offsets(&mut self, texture: &mut Option<TextureInfo>) -> Result<(), TextError> {
        while self.eat_spaced(b',') {
            let texture = texture.get_or_insert(TextureInfo::new(TextureTarget::Unknown));
            let start = *self;
            let register = self.register()?;
            let plain = register.indirect.is_none() && register.dimension.is_none();
            let Some(slot) = texture.offsets.get_mut(texture.offset_count as usize) else {
                return Err(start.error("at most four texel offsets"));
            };
            if !plain {
                return Err(start.error("a register with one literal index"));
            }
            let mut swizzle = [Swizzle::X, Swizzle::Y, Swizzle::Z];
            if self.eat_spaced(b'.') {
                if !Self::letters(self.peek_word(), &mut swizzle) {
                    return Err(self.error("three letters of xyzw"));
                }
                self.word();
            }
            *slot = TextureOffset { file: register.file, swizzle, index: register.index as i16 };
            texture.offset_count += 1;
        }
        Ok(())
    }

    fn memory(&mut self) -> Result<Option<MemoryInfo>, TextError> {
        let mut info = None;
        while self.eat_spaced(b',') {
            let info = info.get_or_insert(MemoryInfo::NONE);
            let word = self.peek_word();
            let qualifier = QUALIFIERS.iter().position(|name| name.eq_ignore_ascii_case(word));
            if let Some(bit) = qualifier {
                self.word();
                info.qualifiers |= MemoryQualifiers::from_bits_truncate(1 << bit);
            } else if let Some(target) = target_named(word) {
                self.word();
                info.target = target;
            } else {
                info.format = self.format("a qualifier, a texture target or a format")?;
            }
        }
        // Naming only the defaults is the same as naming nothing.
        Ok(info.filter(|info| *info != MemoryInfo::NONE))
    }
}
