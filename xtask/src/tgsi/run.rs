//! `cargo xtask tgsi run`: a shader, on values from the command line.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use clap::Args;
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Mask, Resources, SampleRequest};
use tgsi::program::{Output, Program, Row};
use tgsi::shader::Position;
use tgsi::text;

use super::check;
use super::source::File;

/// Runs a shader and prints its outputs, each as a float and as bits.
///
/// Values are `x,y,z,w` (what is missing is 0), invocations are separated by `/`; the last one's
/// values are those of the invocations that follow. `1`, `-2.5`, `1e3`, `inf`, `nan` are floats,
/// `7u` and `-7i` integers, `0x3f800000` bits.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask tgsi run shader.txt --in 0=1,2,3,4 --const 0=0.5
  cargo xtask tgsi run shader.txt --in 0=1/2/3/4         # four invocations; in FRAG one quad
  cargo xtask tgsi run shader.txt --sv VERTEXID=0u/1u/2u --const 1:0=1,0,0,0/0,1,0,0
  cargo xtask tgsi run - --in 0=0xff800000 <shader.txt")]
pub struct Options {
    /// A file of one shader; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// An input register: REGISTER=VALUES.
    #[arg(long = "in", value_name = "N=VALUES", allow_hyphen_values = true)]
    inputs: Vec<Setting>,
    /// A system value: NAME=VALUES.
    #[arg(long = "sv", value_name = "NAME=VALUES", allow_hyphen_values = true)]
    system_values: Vec<Setting>,
    /// Constants from a register on: REGISTER=VALUES, or BUFFER:REGISTER=VALUES.
    #[arg(long = "const", value_name = "N=VALUES", allow_hyphen_values = true)]
    constants: Vec<Setting>,
    /// How many invocations; as many as there are values if not given.
    #[arg(long)]
    lanes: Option<usize>,
    /// What every texture lookup gives.
    #[arg(long, default_value = "0", value_name = "VALUES", allow_hyphen_values = true)]
    texel: Values,
    /// Which shader of the file, counted from 0.
    #[arg(long, default_value_t = 0)]
    shader: usize,
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

/// A float, an integer with its suffix, or bits.
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

    /// The value of an invocation.
    fn of(&self, lane: usize) -> [u32; 4] {
        let values = &self.values.0;
        values.get(lane).or(values.last()).copied().unwrap_or_default()
    }
}

/// Invocations run together.
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
    let compile_options =
        CompileOptions { optimize: !options.no_optimize, ..CompileOptions::DEFAULT };
    let compiled = compile(&shader, &compile_options, memory).map_err(|error| {
        print!("{}", source.note("error", error.position().unwrap_or(Position::NONE), error));
        anyhow!("the shader cannot be run")
    })?;
    print!("{}", table(options, &compiled.program())?);
    Ok(())
}

/// Runs all invocations; their outputs as a table.
fn table(options: &Options, program: &Program<'_>) -> Result<String> {
    let inputs: Vec<(u16, &Setting)> =
        options.inputs.iter().map(|it| Ok((it.number()?, it))).collect::<Result<_>>()?;
    for (register, _) in &inputs {
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
    let mut resources = Texel(options.texel.0[0]);
    let mut text = heading();
    for first in (0..lanes).step_by(Batch::COUNT) {
        let count = (lanes - first).min(Batch::COUNT);
        for input in program.inputs {
            let setting = inputs.iter().find(|(register, _)| *register == input.register);
            fill(&mut rows, &input.rows, first, setting.map(|(_, setting)| *setting));
        }
        for value in program.system_values {
            let setting = system_values.iter().find(|(name, _)| *name == value.semantic.name);
            fill(&mut rows, &value.rows, first, setting.map(|(_, setting)| *setting));
        }
        let live = Mask::MAX >> (Batch::COUNT - count);
        let alive = exec::run(program, &mut rows, live, &constants, &mut resources)?;
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
    Ok(text)
}

fn system_value(setting: &Setting) -> Result<(SemanticName, &Setting)> {
    let name = SemanticName::from_name(&setting.name);
    Ok((name.with_context(|| format!("{:?} is not a system value", setting.name))?, setting))
}

/// The bytes of the constant buffers.
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

/// Fills a register's rows; with 0 if nothing is said of it.
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

/// One output of one invocation.
fn line(number: usize, lane: usize, output: &Output, rows: &[Batch], killed: bool) -> String {
    let name = format!("OUT[{}] {}", output.register, output.semantic);
    let mut text = format!("{number:>4}  {name:<18}");
    for row in output.rows {
        let value = row.index().and_then(|row| rows.get(row)).map(|row| row[lane]);
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

/// Textures of one colour.
struct Texel([u32; 4]);

impl<R: Lanes> Resources<R> for Texel {
    fn sample(&mut self, _: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = self.0.map(R::splat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    fn output(shader: &str, arguments: &[&str]) -> String {
        let command = Command::parse_from([&["run", "-"], arguments].concat());
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
}
