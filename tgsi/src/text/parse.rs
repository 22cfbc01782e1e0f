//! Parses the header and the items: properties and immediates here, the rest in sibling modules.

use super::cursor::Cursor;
use super::error::TextError;
use crate::property::{Primitive, Property};
use crate::shader::{Immediate, ImmediateType, Processor, Shader};
use os_shim::memory::Memory;
use os_shim::options::{Options, names, number_option};

/// The limits of a parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// The most bytes in a text. The shader's memory and the parsing time are proportional to the
    /// text.
    pub max_bytes: usize,
}

impl ParseOptions {
    /// One mebibyte, a hundred times the longest shaders that applications send.
    pub const DEFAULT: ParseOptions = ParseOptions { max_bytes: 1 << 20 };

    /// Reads the limits from the options (`TGSI_MAX_TEXT`).
    pub fn from_options(options: &dyn Options) -> ParseOptions {
        let default = ParseOptions::DEFAULT.max_bytes as i64;
        let max_bytes = number_option(options, names::TGSI_MAX_TEXT, default);
        ParseOptions { max_bytes: usize::try_from(max_bytes).unwrap_or(0) }
    }
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions::DEFAULT
    }
}

/// Reads one shader from a text within the limit of [`ParseOptions::DEFAULT`].
///
/// The grammar is the reference parser's, with extensions for texts in the wild: `#` comments, CR
/// LF, one-letter source swizzles, colour letters (`.r`), `ADDR[0].x + 1`, old spellings, the
/// manual's names (`2DArray`, `RES`, `PRIMID`), and unknown properties (skipped, and counted in
/// [`Shader::unknown_properties`]). A NUL ends the text.
///
/// # Errors
/// [`TextError::Syntax`] with the position, the word found there and the words expected;
/// [`TextError::TooLong`]; [`TextError::OutOfMemory`].
///
/// # Examples
/// ```
/// # use gallium_tgsi::text;
/// # use os_shim::memory::Memory;
/// let error = text::parse("VERT\nMVO OUT[0], IN[0]", Memory::system()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"line 2, column 1: expected an opcode, found "MVO" (did you mean MOV?)"#,
/// );
/// ```
pub fn parse<'m>(text: &str, memory: Memory<'m>) -> Result<Shader<'m>, TextError> {
    parse_with(text, &ParseOptions::DEFAULT, memory)
}

/// Reads one shader like [`parse`], within the given limits.
///
/// # Errors
/// As for [`parse`].
pub fn parse_with<'m>(
    text: &str,
    options: &ParseOptions,
    memory: Memory<'m>,
) -> Result<Shader<'m>, TextError> {
    if text.len() > options.max_bytes {
        return Err(TextError::TooLong { bytes: text.len(), limit: options.max_bytes });
    }
    let mut cursor = Cursor::new(text);
    cursor.space();
    let name = cursor.peek_word();
    let Some(processor) = Processor::from_name(name) else {
        let names = Processor::ALL.iter().map(|stage| stage.name());
        let expected = "a stage: VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG or COMP";
        return Err(cursor.error_suggesting(expected, super::nearest(name, names)));
    };
    cursor.word();
    let mut parser = Parser { cursor, shader: Shader::new(processor, memory), legacy: None };
    loop {
        let spaced = parser.cursor.space();
        if parser.cursor.is_at_end() {
            return parser.finish();
        }
        if !spaced {
            return Err(parser.cursor.error("white space, or a comma"));
        }
        parser.item()?;
    }
}

/// The state of a parse.
pub(super) struct Parser<'t, 'm> {
    pub(super) cursor: Cursor<'t>,
    pub(super) shader: Shader<'m>,
    pub(super) legacy: Option<super::legacy::Expansions<'m>>,
}

impl Parser<'_, '_> {
    fn item(&mut self) -> Result<(), TextError> {
        if self.cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.cursor.digits(10);
            self.cursor.expect(b':', "\":\" after the instruction's number")?;
            self.cursor.space();
            return self.instruction();
        }
        let word = self.cursor.peek_word();
        if word.eq_ignore_ascii_case("DCL") {
            self.declaration()
        } else if word.eq_ignore_ascii_case("IMM") {
            self.immediate()
        } else if word.eq_ignore_ascii_case("PROPERTY") {
            self.property()
        } else {
            self.instruction()
        }
    }

    fn property(&mut self) -> Result<(), TextError> {
        self.cursor.word();
        self.cursor.space();
        let name = self.cursor.peek_word();
        if name.is_empty() {
            return Err(self.cursor.error("a property's name"));
        }
        let before_2022 = name.eq_ignore_ascii_case("MUL_ZERO_WINS");
        let known =
            if before_2022 { Some(Property::MulZeroWins) } else { Property::from_name(name) };
        let Some(property) = known else {
            // Newer clients send properties that older drivers do not know; skip the rest of the
            // line.
            self.cursor.skip_line();
            self.shader.note_unknown_property();
            return Ok(());
        };
        self.cursor.word();
        self.cursor.space();
        let value = self.property_value(property)?;
        Ok(self.shader.push_property(property, value)?)
    }

    fn property_value(&mut self, property: Property) -> Result<u32, TextError> {
        let cursor = &mut self.cursor;
        let word = cursor.peek_word();
        let named = match property {
            Property::GsInputPrimitive | Property::GsOutputPrimitive => {
                Primitive::from_name(word).map(Primitive::code)
            }
            Property::FsCoordOrigin => choice(word, ["UPPER_LEFT", "LOWER_LEFT"]),
            Property::FsCoordPixelCenter => choice(word, ["HALF_INTEGER", "INTEGER"]),
            Property::NextShader => Processor::from_name(word).map(Processor::code),
            _ => return cursor.uint(u32::MAX, "the property's value, a number"),
        };
        if let Some(code) = named {
            cursor.word();
            return Ok(u32::from(code));
        }
        let expected = match property {
            Property::FsCoordOrigin => "UPPER_LEFT or LOWER_LEFT",
            Property::FsCoordPixelCenter => "HALF_INTEGER or INTEGER",
            Property::NextShader => "a stage",
            _ => "a primitive",
        };
        cursor.uint(u32::MAX, expected)
    }

    fn immediate(&mut self) -> Result<(), TextError> {
        self.cursor.word();
        if self.cursor.eat_spaced(b'[') {
            let here = self.cursor;
            let index = self.cursor.uint(u32::MAX, "the immediate's index")?;
            if usize::try_from(index) != Ok(self.shader.immediates().len()) {
                return Err(here.error("the number of immediates before this one"));
            }
            self.cursor.expect(b']', "\"]\"")?;
        }
        self.cursor.space();
        let Some(kind) = ImmediateType::from_name(self.cursor.peek_word()) else {
            return Err(self.cursor.error("FLT32, UINT32, INT32, FLT64, UINT64 or INT64"));
        };
        self.cursor.word();
        self.cursor.expect(b'{', "\"{\"")?;
        let count = if kind.is_64bit() { 2 } else { 4 };
        let mut values = [0u64; 4];
        for (at, value) in values.iter_mut().take(count).enumerate() {
            if at > 0 {
                self.cursor.expect(b',', "\",\" and the next value")?;
            }
            self.cursor.space();
            *value = self.cursor.immediate_value(kind)?;
        }
        self.cursor.expect(
            b'}',
            if count == 2 { "\"}\" after two values" } else { "\"}\" after four values" },
        )?;
        let immediate = if kind.is_64bit() {
            Immediate::from_pairs(kind, [values[0], values[1]])
        } else {
            Immediate { kind, bits: values.map(|value| value as u32) }
        };
        Ok(self.shader.push_immediate(immediate)?)
    }
}

fn choice(word: &str, names: [&str; 2]) -> Option<u8> {
    let at = names.iter().position(|name| name.eq_ignore_ascii_case(word))?;
    u8::try_from(at).ok()
}
