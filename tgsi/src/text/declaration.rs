//! Parses `DCL`.

use super::cursor::Cursor;
use super::error::TextError;
use super::parse::Parser;
use super::{canonical, nearest};
use crate::declaration::{
    Declaration, DeclarationKind, ImageFormat, Interpolate, Interpolation, Location, MemoryType,
    ReturnType, Semantic, SemanticName,
};
use crate::register::{File, Swizzle, WriteMask};
use crate::shader::{Processor, TextureTarget};

/// The clauses after the ranges; each appears at most once, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Clause {
    None,
    Array,
    Local,
    Semantic,
    Stream,
    Interpolate,
    Location,
    Invariant,
}

impl Parser<'_, '_> {
    pub(super) fn declaration(&mut self) -> Result<(), TextError> {
        let position = self.cursor.position();
        self.cursor.word();
        self.cursor.space();
        let start = self.cursor;
        let file = self.cursor.file()?;
        if file == File::Null || file == File::Immediate {
            return Err(start.error("a file that can be declared"));
        }
        let ranges = self.ranges(file)?;
        let mut declaration = Declaration::new(file, ranges.first, ranges.last);
        declaration.dimension = ranges.dimension;
        declaration.position = position;
        if self.cursor.eat_spaced(b'.') {
            declaration.usage_mask = self.cursor.mask()?;
        }
        self.clauses(&mut declaration)?;
        Ok(self.shader.push_declaration(declaration)?)
    }

    fn ranges(&mut self, file: File) -> Result<Ranges, TextError> {
        let implied = self.implied_vertices(file);
        let start = self.cursor;
        let first = self.cursor.range(implied)?;
        let back = self.cursor;
        self.cursor.space();
        if self.cursor.peek() != Some(b'[') {
            self.cursor = back;
            return Ok(Ranges { first: first.0, last: first.1, dimension: None });
        }
        let second = self.cursor.range(None)?;
        let dimension = match implied_brackets(self.shader.processor(), file) {
            true => None,
            false if first.0 == first.1 => Some(first.0),
            false => return Err(start.error("one number in the first of two brackets")),
        };
        Ok(Ranges { first: second.0, last: second.1, dimension })
    }

    /// Returns the number of vertices that an empty first bracket implies.
    fn implied_vertices(&self, file: File) -> Option<u16> {
        match (self.shader.processor(), file) {
            (Processor::Geometry, File::Input) => {
                self.shader.properties().input_primitive().map(|primitive| primitive.vertices())
            }
            (Processor::TessControl, File::Input | File::Output)
            | (Processor::TessEval, File::Input) => Some(32),
            _ => None,
        }
    }

    fn clauses(&mut self, declaration: &mut Declaration) -> Result<(), TextError> {
        let special = matches!(
            declaration.file,
            File::Image | File::SamplerView | File::Buffer | File::Memory
        );
        let mut last = Clause::None;
        while self.cursor.eat_spaced(b',') {
            let start = self.cursor;
            if matches!(declaration.kind, DeclarationKind::SamplerView { .. }) {
                return Err(start.error("no more clauses (a view's return types are the last)"));
            }
            let clause = if special && last < Clause::Local && !start.is_array() {
                self.cursor.special(declaration)?;
                Clause::Semantic
            } else {
                self.cursor.plain_clause(self.shader.processor(), declaration, last)?
            };
            if clause <= last {
                return Err(start.error("no more clauses of this kind (order: ARRAY, LOCAL, semantic, STREAM, interpolation, location, INVARIANT)"));
            }
            last = clause;
        }
        if declaration.file == File::SamplerView && declaration.kind == DeclarationKind::Plain {
            return Err(self.cursor.error("\",\" and a texture target"));
        }
        if declaration.file == File::Image && declaration.kind == DeclarationKind::Plain {
            return Err(self.cursor.error("\",\" and a texture target"));
        }
        Ok(())
    }
}

struct Ranges {
    first: u16,
    last: u16,
    dimension: Option<u16>,
}

/// Returns true if the first of two brackets counts vertices; the stage implies their number.
fn implied_brackets(processor: Processor, file: File) -> bool {
    matches!(
        (processor, file),
        (Processor::Geometry | Processor::TessControl | Processor::TessEval, File::Input)
            | (Processor::TessControl, File::Output)
    )
}

impl Cursor<'_> {
    /// Reads `[n]`, `[n..m]`, or `[]` if `implied` has a size.
    fn range(&mut self, implied: Option<u16>) -> Result<(u16, u16), TextError> {
        self.expect(b'[', "\"[\"")?;
        self.space();
        if self.peek() == Some(b']') {
            let Some(count) = implied else {
                return Err(self.error("a register number (nothing implies a size here)"));
            };
            self.eat(b']');
            return Ok((0, count.saturating_sub(1)));
        }
        let start = *self;
        let first = self.uint(0xffff, "a register number up to 65535")? as u16;
        let mut last = first;
        self.space();
        if self.eat_text("..") {
            self.space();
            last = self.uint(0xffff, "a register number up to 65535")? as u16;
        }
        if last < first {
            return Err(start.error("a range that does not end before it starts"));
        }
        self.expect(b']', "\"..\" or \"]\"")?;
        Ok((first, last))
    }

    /// Reads a file's name.
    pub(super) fn file(&mut self) -> Result<File, TextError> {
        let name = self.peek_word();
        match File::from_name(name).or_else(|| File::from_name(canonical(name))) {
            Some(file) => {
                self.word();
                Ok(file)
            }
            None => {
                let names = File::ALL.iter().map(|file| file.name());
                Err(self.error_suggesting("a register", nearest(name, names)))
            }
        }
    }

    /// Reads the letters of a mask, in order.
    pub(super) fn mask(&mut self) -> Result<WriteMask, TextError> {
        let start = *self;
        let mut mask = WriteMask::empty();
        for letter in self.word().bytes() {
            let bit = Swizzle::from_letter(letter).map_or(WriteMask::empty(), WriteMask::of);
            if bit.bits() <= mask.bits() {
                return Err(start.error("a mask: letters of xyzw, in this order"));
            }
            mask |= bit;
        }
        if mask.is_empty() { Err(start.error("a mask: letters of xyzw")) } else { Ok(mask) }
    }

    fn is_array(&self) -> bool {
        self.peek_word().eq_ignore_ascii_case("ARRAY")
    }

    /// Skips the next word if it is `name`.
    fn eat_word(&mut self, name: &str) -> bool {
        let found = self.peek_word().eq_ignore_ascii_case(name);
        if found {
            self.word();
        }
        found
    }

    /// Parses the clauses of images, views, buffers and memory.
    fn special(&mut self, declaration: &mut Declaration) -> Result<(), TextError> {
        match declaration.file {
            File::Image => declaration.kind = self.image()?,
            File::SamplerView => declaration.kind = self.sampler_view()?,
            File::Buffer if self.eat_word("ATOMIC") => {
                declaration.kind = DeclarationKind::Buffer { atomic: true };
            }
            File::Buffer => return Err(self.error("ATOMIC")),
            _ => {
                let Some(kind) = MemoryType::from_name(self.peek_word()) else {
                    return Err(self.error("GLOBAL, SHARED, PRIVATE or INPUT"));
                };
                self.word();
                declaration.kind = DeclarationKind::Memory(kind);
            }
        }
        Ok(())
    }

    fn image(&mut self) -> Result<DeclarationKind, TextError> {
        let target = self.target()?;
        let (mut format, mut writable, mut raw) = (ImageFormat::NONE, false, false);
        while self.eat_spaced(b',') {
            if self.eat_word("WR") {
                writable = true;
            } else if self.eat_word("RAW") {
                raw = true;
            } else {
                format = self.format("RAW, WR or a format")?;
            }
        }
        Ok(DeclarationKind::Image { target, format, writable, raw })
    }

    #[expect(clippy::indexing_slicing, reason = "the loop ends at 4")]
    fn sampler_view(&mut self) -> Result<DeclarationKind, TextError> {
        let target = self.target()?;
        self.expect(b',', "\",\" and a return type")?;
        self.space();
        let mut returns = [self.return_type()?; 4];
        let mut count = 1;
        while count < 4 && self.eat_spaced(b',') {
            returns[count] = self.return_type()?;
            count += 1;
        }
        if count != 1 && count != 4 {
            return Err(self.error("one return type, or four"));
        }
        Ok(DeclarationKind::SamplerView { target, returns })
    }

    fn return_type(&mut self) -> Result<ReturnType, TextError> {
        let Some(kind) = ReturnType::from_name(self.peek_word()) else {
            return Err(self.error("UNORM, SNORM, SINT, UINT or FLOAT"));
        };
        self.word();
        Ok(kind)
    }

    /// Reads a texture target.
    pub(super) fn target(&mut self) -> Result<TextureTarget, TextError> {
        let name = self.peek_word();
        let Some(target) = target_named(name) else {
            let names = TextureTarget::ALL.iter().map(|target| target.name());
            return Err(self.error_suggesting("a texture target", nearest(name, names)));
        };
        self.word();
        Ok(target)
    }

    /// Reads `PIPE_FORMAT_…`.
    pub(super) fn format(&mut self, expected: &'static str) -> Result<ImageFormat, TextError> {
        let name = self.peek_word();
        let prefix = crate::format_name::PREFIX;
        let prefixed = name.get(..prefix.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefix));
        match ImageFormat::from_name(name) {
            Some(format) if prefixed => {
                self.word();
                Ok(format)
            }
            _ if prefixed => Err(self.error("a known format")),
            _ => Err(self.error(expected)),
        }
    }

    /// Parses one clause of a file that is read or written as registers.
    fn plain_clause(
        &mut self,
        processor: Processor,
        declaration: &mut Declaration,
        last: Clause,
    ) -> Result<Clause, TextError> {
        if self.is_array() {
            self.word();
            declaration.array_id = self.array_id()?;
            return Ok(Clause::Array);
        }
        if self.eat_word("LOCAL") {
            declaration.local = true;
            return Ok(Clause::Local);
        }
        if last < Clause::Semantic {
            if processor == Processor::Vertex && declaration.file == File::Input {
                return Err(self.error("ARRAY (vertex inputs have no semantics)"));
            }
            declaration.semantic = Some(self.semantic()?);
            return Ok(Clause::Semantic);
        }
        let word = self.peek_word();
        if let Some(mode) = Interpolate::from_name(word) {
            self.word();
            declaration.interpolation = Some(Interpolation { mode, location: Location::Center });
            return Ok(Clause::Interpolate);
        }
        if let (Some(location), Some(interpolation)) =
            (Location::from_name(word), &mut declaration.interpolation)
        {
            self.word();
            interpolation.location = location;
            return Ok(Clause::Location);
        }
        if self.eat_word("INVARIANT") {
            declaration.invariant = true;
            return Ok(Clause::Invariant);
        }
        if processor == Processor::Geometry
            && declaration.file == File::Output
            && self.eat_word("STREAM")
        {
            declaration.streams = self.streams()?;
            return Ok(Clause::Stream);
        }
        Err(self.error("an interpolation, a location or INVARIANT"))
    }

    /// Reads `(n)`, from 1 to 1023.
    pub(super) fn array_id(&mut self) -> Result<u16, TextError> {
        self.expect(b'(', "\"(\"")?;
        self.space();
        let here = *self;
        let id = self.uint(1023, "an array's number, 1 to 1023")?;
        if id == 0 {
            return Err(here.error("an array's number, 1 to 1023"));
        }
        self.expect(b')', "\")\"")?;
        Ok(id as u16)
    }

    fn semantic(&mut self) -> Result<Semantic, TextError> {
        let name = self.peek_word();
        let known = SemanticName::from_name(name);
        let Some(semantic) = known.or_else(|| SemanticName::from_name(canonical(name))) else {
            let names = SemanticName::ALL.iter().map(|semantic| semantic.name());
            return Err(self.error_suggesting("a semantic", nearest(name, names)));
        };
        self.word();
        let mut index = 0;
        if self.eat_spaced(b'[') {
            index = self.uint(0xffff, "a semantic's index up to 65535")? as u16;
            self.expect(b']', "\"]\"")?;
        }
        Ok(Semantic::new(semantic, index))
    }

    fn streams(&mut self) -> Result<[u8; 4], TextError> {
        self.expect(b'(', "\"(\"")?;
        let mut streams = [0; 4];
        for (at, stream) in streams.iter_mut().enumerate() {
            if at > 0 {
                self.expect(b',', "\",\" and the next component's stream")?;
            }
            self.space();
            *stream = self.uint(3, "a stream, 0 to 3")? as u8;
        }
        self.expect(b')', "\")\"")?;
        Ok(streams)
    }
}

/// Returns the target of a name, including the manual's names.
pub(super) fn target_named(name: &str) -> Option<TextureTarget> {
    TextureTarget::from_name(name).or_else(|| TextureTarget::from_name(canonical(name)))
}
