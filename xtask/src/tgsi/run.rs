//! `cargo xtask tgsi run`: runs a shader on values from the command line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use clap::Args;
use os_shim::Memory;
use tgsi::compile::{CompileError, CompileOptions, compile};
use tgsi::declaration::SemanticName;
use tgsi::exec::{
    self, Emitted, Lanes, Mask, MemoryRequest, MemorySpace, Resources, SampleRequest, VertexRequest,
};
use tgsi::program::{Output, Program, Row};
use tgsi::shader::{Position, Processor, Shader};
use tgsi::text;

use super::check;
use super::source::File;

/// Runs a shader and prints its outputs, each as a float and as bits.
///
/// For geometry shaders, the outputs are printed for every emitted vertex. At the end, memory that
/// the shader accessed is printed.
///
/// Values are `x,y,z,w` (missing ones are 0), and `/` separates invocations. Further invocations
/// use the last values. `1`, `-2.5`, `1e3`, `inf`, `nan` are floats, `7u` and `-7i` integers,
/// `0x3f800000` bits.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask tgsi run shader.txt --in 0=1,2,3,4 --const 0=0.5
  cargo xtask tgsi run shader.txt --in 0=1/2/3/4         # four invocations; in FRAG one quad
  cargo xtask tgsi run shader.txt --sv VERTEXID=0u/1u/2u --const 1:0=1,0,0,0/0,1,0,0
  cargo xtask tgsi run geometry.txt --in 0:1=1,0,0,1 --in 1:1=0,1,0,1   # IN[0][1], IN[1][1]
  cargo xtask tgsi run compute.txt --sv THREAD_ID=0u/1u/2u/3u --buffer 0=5u,6u,7u,8u
  cargo xtask tgsi run - --in 0=0xff800000 <shader.txt")]
pub struct Options {
    /// A file with one shader; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// The shader of the file, counted from 0.
    #[arg(long, default_value_t = 0)]
    shader: usize,
}

/// What a shader reads.
#[derive(Args)]
pub struct Settings {
    /// An input register: REGISTER=VALUES, or VERTEX:REGISTER=VALUES.
    #[arg(long = "in", value_name = "N=VALUES", allow_hyphen_values = true)]
    inputs: Vec<Setting>,
    /// A system value: NAME=VALUES.
    #[arg(long = "sv", value_name = "NAME=VALUES", allow_hyphen_values = true)]
    system_values: Vec<Setting>,
    /// Constants, starting at a register: REGISTER=VALUES, or BUFFER:REGISTER=VALUES.
    #[arg(long = "const", value_name = "N=VALUES", allow_hyphen_values = true)]
    constants: Vec<Setting>,
    /// Initial contents of a shader buffer: BUFFER=VALUES; zeros by default.
    #[arg(long = "buffer", value_name = "N=VALUES", allow_hyphen_values = true)]
    buffers: Vec<Setting>,
    /// Number of invocations; by default the number of values.
    #[arg(long)]
    lanes: Option<usize>,
    /// The result of every texture lookup.
    #[arg(long, default_value = "0", value_name = "VALUES", allow_hyphen_values = true)]
    texel: Values,
    /// Compile without simplifying anything.
    #[arg(long)]
    no_optimize: bool,
}

/// Vectors of four words.
#[derive(Clone)]
struct Values(Vec<[u32; 4]>);

impl FromStr for Values {
    type Err = Error;

    fn from_str(text: &str) -> Result<Values> {
        let vector = |text: &str| {
            let mut vector = [0; 4];
            for (at, text) in text.split(',').enumerate() {
                let slot = vector.get_mut(at).ok_or_else(|| anyhow!("{text:?}: a fifth value"))?;
                *slot = word(text.trim()).ok_or_else(|| anyhow!("{text:?} is not a number"))?;
            }
            Ok(vector)
        };
        Ok(Values(text.split(['/', ';']).map(vector).collect::<Result<_>>()?))
    }
}

/// Parses a word: a float, an integer with its suffix, or bits.
fn word(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = text.strip_suffix('u') {
        return digits.parse().ok();
    }
    if let Some(digits) = text.strip_suffix('i') {
        return digits.parse::<i32>().ok().map(|value| value as u32);
    }
    text.parse::<f32>().ok().map(f32::to_bits)
}

/// `name=values`.
#[derive(Clone)]
struct Setting {
    name: String,
    values: Values,
}

impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Setting> {
        let (name, values) = text.split_once('=').context("no `=`")?;
        Ok(Setting { name: name.trim().to_owned(), values: values.parse()? })
    }
}

impl Setting {
    fn number(&self) -> Result<u16> {
        self.name.parse().with_context(|| format!("{:?} is not a register's number", self.name))
    }

    /// Returns the value for an invocation.
    fn of(&self, lane: usize) -> [u32; 4] {
        let values = &self.values.0;
        values.get(lane).or(values.last()).copied().unwrap_or_default()
    }
}

/// One word for each invocation that runs together.
type Batch = [u32; 64];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let file = File::read(&options.file)?;
    let shaders = file.shaders();
    let source = shaders.get(options.shader);
    let source = *source.with_context(|| format!("the file has {} shaders", shaders.len()))?;
    let memory = Memory::system();
    let shader = match text::parse(source.text, memory) {
        Ok(shader) => shader,
        Err(error) => {
            print!("{}", check::syntax(source, &error));
            bail!("not a shader");
        }
    };
    let table = results(&shader, &options.settings, &mut |error| {
        print!("{}", source.note("error", error.position().unwrap_or(Position::NONE), error));
    })?;
    print!("{table}");
    Ok(())
}

/// Runs a shader; returns its outputs as a table. `report` gets the compiler's error.
///
/// # Errors
/// The shader cannot be compiled or run; settings that it has no use for.
pub fn results(
    shader: &Shader<'_>,
    settings: &Settings,
    report: &mut dyn FnMut(&CompileError),
) -> Result<String> {
    let compile_options =
        CompileOptions { optimize: !settings.no_optimize, ..CompileOptions::DEFAULT };
    let compiled = compile(shader, &compile_options, Memory::system()).map_err(|error| {
        report(&error);
        anyhow!("the shader cannot be run")
    })?;
    table(settings, &compiled.program())
}

/// Runs all invocations; their outputs as a table.
fn table(options: &Settings, program: &Program<'_>) -> Result<String> {
    let inputs: Vec<Input<'_>> = options.inputs.iter().map(Input::new).collect::<Result<_>>()?;
    for Input { register, .. } in &inputs {
        let known = program.inputs.iter().any(|input| input.register == *register);
        if !known {
            eprintln!("note: the shader does not read IN[{register}]");
        }
    }
    let system_values: Vec<(SemanticName, &Setting)> =
        options.system_values.iter().map(system_value).collect::<Result<_>>()?;
    let constants = constant_buffers(&options.constants)?;
    let constants: Vec<&[u8]> = constants.iter().map(Vec::as_slice).collect();
    let settings = options.inputs.iter().chain(&options.system_values);
    let given = settings.map(|setting| setting.values.0.len()).max().unwrap_or(1);
    let lanes = options.lanes.unwrap_or(given);

    let mut rows = vec![Batch::ZERO; program.rows.into()];
    exec::prepare(program, &mut rows, &constants)?;
    let mut outside = Outside::new(options, &inputs)?;
    let mut text = heading();
    for first in (0..lanes).step_by(Batch::COUNT) {
        let count = (lanes - first).min(Batch::COUNT);
        for input in program.inputs {
            let setting = inputs.iter().find(|it| it.register == input.register);
            fill(&mut rows, &input.rows, first, setting.map(|it| it.setting));
        }
        for value in program.system_values {
            let setting = system_values.iter().find(|(name, _)| *name == value.semantic.name);
            fill(&mut rows, &value.rows, first, setting.map(|(_, setting)| *setting));
        }
        let live = Mask::MAX >> (Batch::COUNT - count);
        outside.first = first;
        let alive = exec::run(program, &mut rows, live, &constants, &mut outside)?;
        text += &std::mem::take(&mut outside.text);
        if matches!(program.processor, Processor::Geometry | Processor::TessControl) {
            continue;
        }
        for lane in 0..count {
            let killed = alive >> lane & 1 == 0;
            for output in program.outputs {
                text += &line(first + lane, lane, output, &rows, killed);
            }
            if program.outputs.is_empty() && killed {
                text += &format!("{:>4}  killed\n", first + lane);
            }
        }
    }
    Ok(text + &outside.memory())
}

/// The values of one input register.
struct Input<'o> {
    vertex: Option<i32>,
    register: u16,
    setting: &'o Setting,
}

impl<'o> Input<'o> {
    fn new(setting: &'o Setting) -> Result<Input<'o>> {
        let (vertex, register) = match setting.name.split_once(':') {
            Some((vertex, register)) => (Some(vertex), register),
            None => (None, setting.name.as_str()),
        };
        let wrong = || format!("{:?} is not a register's number", setting.name);
        let vertex = vertex.map(str::parse).transpose().with_context(wrong)?;
        Ok(Input { vertex, register: register.parse().with_context(wrong)?, setting })
    }
}

fn system_value(setting: &Setting) -> Result<(SemanticName, &Setting)> {
    let name = SemanticName::from_name(&setting.name);
    Ok((name.with_context(|| format!("{:?} is not a system value", setting.name))?, setting))
}

/// Returns the bytes of the constant buffers.
fn constant_buffers(settings: &[Setting]) -> Result<Vec<Vec<u8>>> {
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    for setting in settings {
        let name = setting.name.as_str();
        let (buffer, register) = name.split_once(':').unwrap_or(("0", name));
        let number = |text: &str| {
            text.parse::<u16>().with_context(|| format!("{name:?} is not a constant's number"))
        };
        let (buffer, register) = (usize::from(number(buffer)?), usize::from(number(register)?));
        ensure!(buffer < 32, "there are 32 constant buffers");
        buffers.resize(buffers.len().max(buffer + 1), Vec::new());
        let bytes: Vec<u8> =
            setting.values.0.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let (start, end) = (16 * register, 16 * register + bytes.len());
        let all = &mut buffers[buffer];
        all.resize(all.len().max(end), 0);
        all[start..end].copy_from_slice(&bytes);
    }
    Ok(buffers)
}

/// Fills a register's rows; with 0 if there is no setting.
fn fill(rows: &mut [Batch], register: &[Row; 4], first: usize, setting: Option<&Setting>) {
    for (component, row) in register.iter().enumerate() {
        let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
        for (lane, slot) in row.iter_mut().enumerate() {
            *slot = setting.map_or(0, |setting| setting.of(first + lane)[component]);
        }
    }
}

fn heading() -> String {
    format!("{:>4}  {:<18}{:>25}{:>25}{:>25}{:>25}\n", "lane", "output", "x", "y", "z", "w")
}

/// Returns the line for one output of one invocation.
fn line<R: Lanes>(number: usize, lane: usize, output: &Output, rows: &[R], killed: bool) -> String {
    let name = format!("OUT[{}] {}", output.register, output.semantic);
    let mut text = format!("{number:>4}  {name:<18}");
    for row in output.rows {
        let value = row.index().and_then(|row| rows.get(row)).map(|row| row.as_slice()[lane]);
        text += &value.map_or(format!("{:>25}", "-"), |bits| {
            let float = f32::from_bits(bits);
            let magnitude = float.abs();
            let float = match magnitude {
                _ if magnitude == 0.0 || (1e-4..1e9).contains(&magnitude) => format!("{float}"),
                _ if float.is_finite() => format!("{float:e}"),
                _ => format!("{float}"),
            };
            format!("{float:>14} {bits:#010x}")
        });
    }
    if killed {
        text += "  killed";
    }
    text + "\n"
}

/// The textures, inputs of other invocations, and memory that the shader can access.
struct Outside<'o> {
    /// The result of every texture lookup.
    texel: [u32; 4],
    inputs: &'o [Input<'o>],
    /// Memory by space and slot, created on first access.
    memory: BTreeMap<(String, u32), Vec<u8>>,
    /// The number of lane 0.
    first: usize,
    /// Lines of the table.
    text: String,
}

/// The size of memory that no option initialises.
const MEMORY_BYTES: usize = 4096;

impl<'o> Outside<'o> {
    fn new(options: &Settings, inputs: &'o [Input<'o>]) -> Result<Outside<'o>> {
        let mut memory = BTreeMap::new();
        for setting in &options.buffers {
            let words = setting.values.0.iter().flatten();
            let bytes = words.flat_map(|word| word.to_le_bytes()).collect();
            memory.insert((format!("{:?}", MemorySpace::Buffer), setting.number()?.into()), bytes);
        }
        let texel = options.texel.0[0];
        Ok(Outside { texel, inputs, memory, first: 0, text: String::new() })
    }

    /// Returns a dump of memory, up to the last word that is not 0.
    fn memory(&self) -> String {
        let mut text = String::new();
        for ((space, unit), bytes) in &self.memory {
            let words: Vec<u32> =
                bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
            text += &format!("{space} {unit}: {} bytes\n", bytes.len());
            for (at, words) in words[..used].chunks(8).enumerate() {
                let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
                text += &format!("{:>6}: {}\n", 32 * at, words.join(" "));
            }
        }
        text
    }
}

impl<R: Lanes> Resources<R> for Outside<'_> {
    fn sample(&mut self, _: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = self.texel.map(R::splat);
    }

    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        let name = (format!("{:?}", request.space), request.unit);
        let bytes = self.memory.entry(name).or_insert_with(|| vec![0; MEMORY_BYTES]);
        request.access(bytes, out);
    }

    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        for lane in request.lanes() {
            let (register, vertex) = (request.register(lane), request.vertex(lane));
            let known = self.inputs.iter().find(|input| {
                i32::from(input.register) == register && input.vertex.is_none_or(|it| it == vertex)
            });
            if let Some(input) = known {
                let component = usize::from(request.component);
                out.as_mut_slice()[lane] = input.setting.of(self.first + lane)[component];
            }
        }
    }

    fn store_vertex(&mut self, request: &VertexRequest<'_, R>, values: &R) {
        for lane in request.lanes() {
            let component = ['x', 'y', 'z', 'w'][usize::from(request.component)];
            let (number, bits) = (self.first + lane, values.as_slice()[lane]);
            self.text += &format!(
                "{number:>4}  OUT[{}].{component} of {:?} {}: {} {bits:#010x}\n",
                request.register(lane),
                request.place,
                request.vertex(lane),
                f32::from_bits(bits)
            );
        }
    }

    fn emit(&mut self, vertex: &Emitted<'_, R>) {
        for lane in (0..R::COUNT).filter(|lane| vertex.live >> lane & 1 != 0) {
            for output in vertex.outputs {
                self.text += &line(self.first + lane, lane, output, vertex.rows, false);
            }
        }
    }

    fn end_primitive(&mut self, stream: u32, live: Mask) {
        for lane in (0..R::COUNT).filter(|lane| live >> lane & 1 != 0) {
            self.text +=
                &format!("{:>4}  end of a primitive of stream {stream}\n", self.first + lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Settings,
    }

    fn output(shader: &str, arguments: &[&str]) -> String {
        let command = Command::parse_from([&["run"], arguments].concat());
        let shader = text::parse(shader, Memory::system()).expect("the text is right");
        let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system());
        table(&command.options, &compiled.expect("it compiles").program()).expect("it runs")
    }

    #[test]
    fn words_are_floats_integers_or_bits() {
        assert_eq!(word("1"), Some(0x3f80_0000));
        assert_eq!(word("-2.5"), Some(0xc020_0000));
        assert_eq!(word("-inf"), Some(0xff80_0000));
        assert_eq!(word("7u"), Some(7));
        assert_eq!(word("-1i"), Some(!0));
        assert_eq!(word("0xDEADBEEF"), Some(0xdead_beef));
        assert_eq!(word("4294967296u"), None);
        assert_eq!(word(""), None);
    }

    #[test]
    fn lanes_and_constants_arrive() {
        let shader = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[1][0..1]\n\
            MAD OUT[0].xy, IN[0], CONST[1][0], CONST[1][1]\nEND";
        let table = output(shader, &["--in", "0=1,2/-3", "--const", "1:0=10,100/0.5,0.25"]);
        let lines: Vec<Vec<&str>> =
            table.lines().map(|line| line.split_whitespace().collect()).collect();
        let floats = |line: &[&str]| [line[3].to_owned(), line[5].to_owned()];
        assert_eq!(lines.len(), 3);
        assert_eq!(floats(&lines[1]), ["10.5", "200.25"]);
        assert_eq!(floats(&lines[2]), ["-29.5", "0.25"]);
        assert_eq!(lines[1][4], "0x41280000");
        assert_eq!(lines[1][7], "-");
    }

    #[test]
    fn many_invocations_take_several_batches_and_some_are_killed() {
        let shader = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n\
            KILL_IF IN[0].xxxx\nTEX OUT[0], IN[0], SAMP[0], 2D\nDCL SAMP[0]\nEND";
        let arguments = ["--in", "0=-1/1", "--lanes", "70", "--texel", "7u,0,0,1"];
        let table = output(shader, &arguments);
        assert_eq!(table.lines().count(), 71);
        assert_eq!(table.lines().filter(|line| line.ends_with("killed")).count(), 1);
        assert_eq!(table.matches("0x00000007").count(), 70);
    }

    #[test]
    fn emitted_vertices_and_memory_are_shown() {
        let shader = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE LINES\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
            PROPERTY GS_MAX_OUTPUT_VERTICES 2\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n\
            IMM[0] UINT32 {0, 0, 0, 0}\nADD OUT[0], IN[0][0], IN[1][0]\nEMIT IMM[0].xxxx\n\
            MOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\nEND";
        let table = output(shader, &["--in", "0:0=1,2,3,4", "--in", "1:0=10"]);
        let x: Vec<&str> =
            table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(3)).collect();
        assert_eq!(x, ["11", "10"]);

        let shader = "COMP\nDCL SV[0], THREAD_ID\nDCL BUFFER[0]\nDCL TEMP[0]\n\
            IMM[0] UINT32 {4, 0, 0, 0}\nUMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n\
            LOAD TEMP[0].y, BUFFER[0], TEMP[0].xxxx\nUADD TEMP[0].y, TEMP[0].xxxx, TEMP[0].xxxx\n\
            STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[0].yyyy\nEND";
        let table = output(shader, &["--sv", "THREAD_ID=0u/1u/2u", "--buffer", "0=9u,9u,9u,9u"]);
        assert!(table.ends_with("     0: 00000000 00000008 00000010 00000009\n"), "{table}");
    }
}
