//! Shaders for C: lane programs as 16-bit words, which `cargo xtask wgsl --c` writes into headers.
//!
//! The words are [`MAGIC`], [`VERSION`], the fields of a program, the lengths of its lists, and
//! the lists. A value of 32 bits is two words, the low one first. An op is its place in
//! [`OPS`], a kind of lookup its place in [`KINDS`]; other enums are their numbers in tokens.

mod tables;

use gallium::os_shim::{Box, Memory, Vec};
use gallium::tgsi::declaration::{Interpolate, Location, Semantic, SemanticName};
use gallium::tgsi::exec::{OpCode, SampleKind};
use gallium::tgsi::program::{
    Access, Constant, ConstantSource, Input, Native, Op, Output, Program, Row, Sample, SamplerUse,
    SourceText, Space, SystemValue, Uses,
};
use gallium::tgsi::property::Property;
use gallium::tgsi::shader::{Processor, Properties, TextureTarget};

use crate::error::{Code, Fault};

use self::tables::{KINDS, MAGIC, OPS, VERSION};

/// The error of words that are no shader, or one of another version.
const WRONG: Code = Code::WrongShader;

/// Makes the program of a shader's words in memory that keeps it.
///
/// # Errors
/// The words are no shader; out of memory.
pub(crate) fn program(
    words: &[u16],
    memory: Memory<'static>,
) -> Result<&'static Program<'static>, Fault> {
    let mut words = Words { rest: words, memory };
    if (words.word()?, words.word()?) != (MAGIC, VERSION) {
        return Err(WRONG.into());
    }
    let processor = words.named(Processor::from_code)?;
    let (rows, uses, loop_budget) = (words.word()?, words.double()?, words.double()?);
    let mut counts = [0; 10];
    for count in &mut counts {
        *count = words.word()?;
    }
    let [property_count, inputs, system_values, outputs, constants, rest @ ..] = counts;
    let [samplers, samples, accesses, preamble, body] = rest;
    let mut properties = Properties::NONE;
    for _ in 0..property_count {
        properties = properties.with(words.named(Property::from_code)?, words.double()?);
    }
    let program = Program {
        processor,
        uses: Uses::from_bits(uses).ok_or(WRONG)?,
        rows,
        properties: Box::leak(Box::try_new_in(properties, memory)?),
        inputs: words.list(inputs, Words::input)?,
        system_values: words.list(system_values, Words::system_value)?,
        outputs: words.list(outputs, Words::output)?,
        constants: words.list(constants, Words::constant)?,
        samplers: words.list(samplers, Words::sampler)?,
        samples: words.list(samples, Words::sample)?,
        accesses: words.list(accesses, Words::access)?,
        wides: &[],
        memory: &[],
        inputs_at: &[],
        loop_budget,
        preamble: words.list(preamble, Words::op)?,
        body: words.list(body, Words::op)?,
        native: Native::NONE,
        source: SourceText::NONE,
    };
    if !words.rest.is_empty() {
        return Err(WRONG.into());
    }
    Ok(Box::leak(Box::try_new_in(program, memory)?))
}

/// Returns the bytes of constants that a program reads at fixed places.
pub(crate) fn constant_bytes(program: &Program<'_>) -> usize {
    let words = program.constants.iter().filter_map(|constant| match constant.source {
        ConstantSource::Buffer { word, .. } => Some(usize::from(word).saturating_add(1)),
        ConstantSource::Immediate(_) => None,
    });
    words.max().unwrap_or(0).saturating_mul(4)
}

/// The rest of a shader's words, and the memory for its lists.
struct Words<'a> {
    rest: &'a [u16],
    memory: Memory<'static>,
}

impl Words<'_> {
    fn word(&mut self) -> Result<u16, Fault> {
        let (first, rest) = self.rest.split_first().ok_or(WRONG)?;
        self.rest = rest;
        Ok(*first)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        Ok(u8::try_from(self.word()?).map_err(|_| WRONG)?)
    }

    fn double(&mut self) -> Result<u32, Fault> {
        Ok(u32::from(self.word()?) | u32::from(self.word()?) << 16)
    }

    fn row(&mut self) -> Result<Row, Fault> {
        Ok(Row(self.word()?))
    }

    fn rows<const COUNT: usize>(&mut self) -> Result<[Row; COUNT], Fault> {
        let mut rows = [Row::NONE; COUNT];
        for row in &mut rows {
            *row = self.row()?;
        }
        Ok(rows)
    }

    /// Returns the value that a function finds for a number.
    fn named<T>(&mut self, find: impl FnOnce(u8) -> Option<T>) -> Result<T, Fault> {
        Ok(find(self.byte()?).ok_or(WRONG)?)
    }

    fn list<T: 'static>(
        &mut self,
        count: u16,
        item: impl Fn(&mut Self) -> Result<T, Fault>,
    ) -> Result<&'static [T], Fault> {
        // An item takes several words: a wrong count takes no memory.
        if usize::from(count) > self.rest.len() {
            return Err(WRONG.into());
        }
        if count == 0 {
            return Ok(&[]);
        }
        let mut items = Vec::try_with_capacity_in(count.into(), self.memory)?;
        for _ in 0..count {
            items.try_push(item(self)?)?;
        }
        Ok(Box::leak(Box::try_new_in(items, self.memory)?))
    }

    fn semantic(&mut self) -> Result<Semantic, Fault> {
        Ok(Semantic::new(self.named(SemanticName::from_code)?, self.word()?))
    }

    fn input(&mut self) -> Result<Input, Fault> {
        Ok(Input {
            register: self.word()?,
            semantic: self.semantic()?,
            interpolate: self.named(Interpolate::from_code)?,
            location: self.named(Location::from_code)?,
            rows: self.rows()?,
        })
    }

    fn system_value(&mut self) -> Result<SystemValue, Fault> {
        Ok(SystemValue { semantic: self.semantic()?, rows: self.rows()? })
    }

    fn output(&mut self) -> Result<Output, Fault> {
        Ok(Output { register: self.word()?, semantic: self.semantic()?, rows: self.rows()? })
    }

    fn constant(&mut self) -> Result<Constant, Fault> {
        let (row, kind, value) = (self.row()?, self.word()?, self.double()?);
        let source = match (kind, u16::try_from(value)) {
            (0, _) => ConstantSource::Immediate(value),
            (1, Ok(word)) => ConstantSource::Buffer { buffer: 0, word },
            _ => return Err(WRONG.into()),
        };
        Ok(Constant { row, source })
    }

    fn sampler(&mut self) -> Result<SamplerUse, Fault> {
        let (unit, view) = (self.byte()?, self.byte()?);
        Ok(SamplerUse { unit, view, target: self.named(TextureTarget::from_code)? })
    }

    fn sample(&mut self) -> Result<Sample, Fault> {
        Ok(Sample {
            view: self.word()?,
            sampler: self.word()?,
            view_row: Row::NONE,
            sampler_row: Row::NONE,
            target: self.named(TextureTarget::from_code)?,
            kind: self.named(|at| KINDS.get(usize::from(at)).copied())?,
            coord: self.rows()?,
            layer: self.row()?,
            compare: self.row()?,
            lod: self.row()?,
            ddx: self.rows()?,
            ddy: self.rows()?,
            offset: [self.byte()? as i8, self.byte()? as i8, self.byte()? as i8],
            offset_rows: self.rows()?,
            component: self.byte()?,
            component_row: self.row()?,
            dst: self.rows()?,
        })
    }

    fn access(&mut self) -> Result<Access, Fault> {
        let space = match self.word()? {
            0 => Space::Rows { first: self.row()?, registers: self.word()? },
            1 => Space::Constants { buffer: 0 },
            _ => return Err(WRONG.into()),
        };
        Ok(Access { space, index: self.double()? as i32, component: self.byte()? })
    }

    fn op(&mut self) -> Result<Op, Fault> {
        let code = self.named(|at| OPS.get(usize::from(at)).copied())?;
        let (aux, dst) = (self.word()?, self.row()?);
        Ok(Op { code, aux, dst, a: self.row()?, b: self.row()?, c: self.row()? })
    }
}
