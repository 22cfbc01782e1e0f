//! `cargo xtask wgsl --c` and `cargo xtask tgsi --c`: compiled shaders as C headers for gallium-c.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tgsi::declaration::Semantic;
use tgsi::exec::{OpCode, SampleKind};
use tgsi::program::{Access, ConstantSource, Op, Program, Row, Sample, Space};
use tgsi::shader::Processor;

use self::tables::{KINDS, MAGIC, OPS, VERSION};

#[path = "../../kit/c/src/shader/tables.rs"]
mod tables;

/// A C header of shaders, as it is written.
pub struct Header {
    /// The command's arguments, for the first line.
    command: String,
    /// The name of its file without the ending, as a C name.
    stem: String,
    text: String,
}

impl Header {
    /// Begins the header of a file's shaders, which `cargo xtask <area> --c <file>` makes.
    pub fn new(area: &str, file: &Path) -> Header {
        let name = |part: Option<&std::ffi::OsStr>| {
            part.unwrap_or_default().to_string_lossy().into_owned()
        };
        Header {
            command: format!("cargo xtask {area} --c {}", name(file.file_name())),
            stem: c_name(&name(file.file_stem())),
            text: String::new(),
        }
    }

    /// Returns the C name of a shader.
    pub fn name(&self, shader: &str) -> String {
        match shader {
            "" => self.stem.clone(),
            shader => format!("{}_{}", self.stem, c_name(shader)),
        }
    }

    /// Adds text: comments and structs in front of the next shader.
    pub fn push(&mut self, text: &str) {
        self.text += text;
    }

    /// Adds a shader.
    ///
    /// # Errors
    /// The reason why the C API cannot draw with it.
    pub fn shader(&mut self, name: &str, program: &Program<'_>) -> Result<()> {
        let words = words(program).with_context(|| format!("{name} cannot be drawn from C"))?;
        writeln!(self.text, "static const uint16_t {name}_words[] = {{")?;
        for line in words.chunks(16) {
            let line: Vec<String> = line.iter().map(u16::to_string).collect();
            writeln!(self.text, "    {},", line.join(", "))?;
        }
        writeln!(self.text, "}};")?;
        let count = words.len();
        writeln!(self.text, "static const gallium_shader {name} = {{{name}_words, {count}}};\n")?;
        Ok(())
    }

    /// Returns the text of the header.
    pub fn finish(self) -> String {
        let Header { command, stem, text } = self;
        let guard = format!("{}_SHADERS_H", stem.to_uppercase());
        format!(
            "/* Shaders for gallium-c, made by `{command}`. */\n\n#ifndef {guard}\n#define {guard}\n\n\
             #include <gallium.h>\n\n{text}#endif\n"
        )
    }
}

/// Prints a header, or writes it to a file.
///
/// # Errors
/// The file cannot be written.
pub fn write(header: Header, output: Option<&PathBuf>) -> Result<()> {
    let text = header.finish();
    match output {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
        }
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// Returns a name with `_` in place of characters that C names lack.
fn c_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(letter).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Returns the words of a program: see `kit/c/src/shader`, which reads them.
///
/// # Errors
/// The C API cannot draw with the program.
fn words(program: &Program<'_>) -> Result<Vec<u16>> {
    check(program)?;
    let mut words = Words(vec![MAGIC, VERSION, u16::from(program.processor.code()), program.rows]);
    words.double(program.uses.bits());
    words.double(program.loop_budget);
    let counts = [
        program.properties.iter().count(),
        program.inputs.len(),
        program.system_values.len(),
        program.outputs.len(),
        program.constants.len(),
        program.samplers.len(),
        program.samples.len(),
        program.accesses.len(),
        program.preamble.len(),
        program.body.len(),
    ];
    for count in counts {
        words.word(u16::try_from(count).context("more than 65,535 ops")?);
    }
    for (property, value) in program.properties.iter() {
        words.word(property.code().into());
        words.double(value);
    }
    for input in program.inputs {
        words.word(input.register);
        words.semantic(input.semantic);
        words.word(input.interpolate.code().into());
        words.word(input.location.code().into());
        words.rows(&input.rows);
    }
    for value in program.system_values {
        words.semantic(value.semantic);
        words.rows(&value.rows);
    }
    for output in program.outputs {
        words.word(output.register);
        words.semantic(output.semantic);
        words.rows(&output.rows);
    }
    for constant in program.constants {
        words.rows(&[constant.row]);
        match constant.source {
            ConstantSource::Immediate(bits) => {
                words.word(0);
                words.double(bits);
            }
            ConstantSource::Buffer { buffer, word } => {
                ensure!(buffer == 0, "it has more than one uniform buffer");
                words.word(1);
                words.double(word.into());
            }
        }
    }
    for sampler in program.samplers {
        ensure!(sampler.unit == 0 && sampler.view == 0, "it has more than one texture");
        words.word(0);
        words.word(0);
        words.word(sampler.target.code().into());
    }
    for sample in program.samples {
        words.sample(sample)?;
    }
    for access in program.accesses {
        words.access(access)?;
    }
    for op in program.preamble.iter().chain(program.body) {
        words.op(op)?;
    }
    Ok(words.0)
}

/// Refuses programs with parts that the words do not have.
fn check(program: &Program<'_>) -> Result<()> {
    let stage = matches!(program.processor, Processor::Vertex | Processor::Fragment);
    ensure!(stage, "it is neither a vertex nor a fragment shader");
    ensure!(program.wides.is_empty(), "it has numbers of 64 bits");
    ensure!(program.memory.is_empty(), "it has storage buffers or images");
    ensure!(program.inputs_at.is_empty(), "it evaluates inputs at other places");
    let vertex = program.processor == Processor::Vertex;
    ensure!(!vertex || program.samplers.is_empty(), "a vertex shader with textures");
    if vertex && let Some(input) = program.inputs.iter().find(|input| input.register > 3) {
        bail!("it reads location {}: vertices have the locations 0 to 3", input.register);
    }
    Ok(())
}

struct Words(Vec<u16>);

impl Words {
    fn word(&mut self, word: u16) {
        self.0.push(word);
    }

    fn double(&mut self, bits: u32) {
        self.0.extend([bits as u16, (bits >> 16) as u16]);
    }

    fn rows(&mut self, rows: &[Row]) {
        self.0.extend(rows.iter().map(|row| row.0));
    }

    fn semantic(&mut self, semantic: Semantic) {
        self.0.extend([semantic.name.code().into(), semantic.index]);
    }

    /// Adds the place of a value in a list.
    fn place<T: PartialEq + std::fmt::Debug>(&mut self, list: &[T], value: T) -> Result<()> {
        let place = list.iter().position(|it| *it == value);
        let place = place.with_context(|| format!("it has {value:?}, which shaders for C lack"))?;
        self.word(place as u16);
        Ok(())
    }

    fn sample(&mut self, sample: &Sample) -> Result<()> {
        let fixed = sample.view_row == Row::NONE && sample.sampler_row == Row::NONE;
        ensure!(fixed && sample.view == 0, "it has more than one texture");
        self.0.extend([sample.view, sample.sampler, sample.target.code().into()]);
        self.place::<SampleKind>(&KINDS, sample.kind)?;
        self.rows(&sample.coord);
        self.rows(&[sample.layer, sample.compare, sample.lod]);
        self.rows(&sample.ddx);
        self.rows(&sample.ddy);
        self.0.extend(sample.offset.map(|it| u16::from(it as u8)));
        self.rows(&sample.offset_rows);
        self.word(sample.component.into());
        self.rows(&[sample.component_row]);
        self.rows(&sample.dst);
        Ok(())
    }

    fn access(&mut self, access: &Access) -> Result<()> {
        match access.space {
            Space::Rows { first, registers } => self.0.extend([0, first.0, registers]),
            Space::Constants { buffer: 0 } => self.word(1),
            Space::Constants { .. } => bail!("it has more than one uniform buffer"),
            Space::Vertices { .. } => bail!("it reads several vertices"),
        }
        self.double(access.index as u32);
        self.word(access.component.into());
        Ok(())
    }

    fn op(&mut self, op: &Op) -> Result<()> {
        self.place::<OpCode>(&OPS, op.code)?;
        self.word(op.aux);
        self.rows(&[op.dst, op.a, op.b, op.c]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::Memory;
    use tgsi::compile::{CompileOptions, compile};
    use tgsi::text;

    fn words_of(shader: &str) -> Result<Vec<u16>> {
        let shader = text::parse(shader, Memory::system())?;
        let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system())?;
        words(&compiled.program())
    }

    #[test]
    fn ops_and_kinds_have_one_number() {
        for (at, op) in OPS.iter().enumerate() {
            assert_eq!(OPS.iter().position(|it| it == op), Some(at), "{op:?}");
        }
        for (at, kind) in KINDS.iter().enumerate() {
            assert_eq!(KINDS.iter().position(|it| it == kind), Some(at), "{kind:?}");
        }
    }

    #[test]
    fn a_shader_begins_with_its_form_and_its_stage() {
        let words = words_of("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n");
        let words = words.expect("the C API draws with it");
        assert_eq!(words[..3], [0x4753, 1, 0]);
    }

    #[test]
    fn what_the_c_api_lacks_is_refused() {
        for (shader, reason) in [
            (
                "FRAG\nDCL OUT[0], COLOR\nDCL CONST[1][0]\nMOV OUT[0], CONST[1][0]\nEND\n",
                "uniform buffer",
            ),
            (
                "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[1]\n\
                 DCL SVIEW[1], 2D, FLOAT\nTEX OUT[0], IN[0], SAMP[1], 2D\nEND\n",
                "texture",
            ),
            ("VERT\nDCL IN[4]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[4]\nEND\n", "location 4"),
            ("COMP\nEND\n", "neither a vertex nor a fragment shader"),
        ] {
            let error = words_of(shader).expect_err(shader).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn names_are_those_of_c() {
        let header = Header::new("wgsl", Path::new("a/my-2nd.wgsl"));
        assert_eq!(header.name("vs"), "my_2nd_vs");
        assert_eq!(Header::new("tgsi", Path::new("3d.txt")).name(""), "_3d");
    }
}
