//! From the text of a program to TGSI.

use naga_frontend::naga::ShaderStage;
use naga_frontend::{Error, Interface, Module, Options, Translation};
use os_shim::Memory;
use tgsi::sanity::{self, Severity};
use tgsi::shader::{Position, Processor, Shader};
use tgsi::text::{self, TextError};

use crate::{Language, Problem};

/// The most entry points of a program.
const MAX_UNITS: usize = 8;

/// An entry point as TGSI.
pub(crate) struct Unit {
    /// The entry point's name; in TGSI the stage's.
    pub name: String,
    /// The program.
    pub shader: Shader<'static>,
    /// The interface, if the source was WGSL.
    pub interface: Option<Interface>,
    /// The program with its loops written out, for machine code of one pixel. `None`: there is no
    /// other than `shader`.
    pub unrolled: Option<Shader<'static>>,
    /// The line of the text where the program begins, from 0. WGSL has no lines in TGSI.
    first_line: Option<u32>,
}

impl Unit {
    /// Returns a problem at a position of the TGSI text.
    pub(crate) fn problem(&self, at: Option<Position>, message: impl ToString) -> Problem {
        match (self.first_line, at) {
            (Some(first), Some(at)) => at_line(first, at, &message.to_string()),
            _ => Problem::whole(format!("`{}`: {}", self.name, message.to_string())),
        }
    }
}

/// Returns a problem of TGSI text. The message loses the place with which it begins.
fn at_line(first: u32, at: Position, message: &str) -> Problem {
    let mut message = message;
    for place in ["line ", "error: "] {
        if message.starts_with(place)
            && let Some((_, rest)) = message.split_once(": ")
        {
            message = rest;
        }
    }
    Problem { line: first + at.line, column: at.column, message: message.into() }
}

/// Translates a program.
pub(crate) fn read(language: Language, source: &str) -> Result<Vec<Unit>, Vec<Problem>> {
    match language {
        Language::Wgsl => wgsl(source).map_err(|problem| vec![problem]),
        Language::Tgsi => tgsi(source),
    }
}

fn of_wgsl(error: &Error) -> Problem {
    let (line, column) = error.location().unwrap_or_default();
    Problem { line, column, message: error.message().into() }
}

fn wgsl(source: &str) -> Result<Vec<Unit>, Problem> {
    let module = Module::wgsl(source, "program").map_err(|error| of_wgsl(&error))?;
    let entries: Vec<(&str, ShaderStage)> = module.entry_points().collect();
    if entries.is_empty() {
        let hint =
            "write one: @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f { … }";
        return Err(Problem::whole(format!("the program has no entry point; {hint}")));
    }
    if entries.len() > MAX_UNITS {
        let count = entries.len();
        return Err(Problem::whole(format!(
            "the program has {count} entry points: the page shows at most {MAX_UNITS}"
        )));
    }
    let mut units = Vec::new();
    for (name, stage) in entries {
        let translated = |unroll| {
            let options = Options { unroll, ..Options::default() };
            module.translate_stage(stage, name, &options)
        };
        let Translation { shader, interface, .. } =
            translated(0).map_err(|error| of_wgsl(&error))?;
        let unrolled =
            translated(Options::UNROLL_ALL).ok().map(|it| it.shader).filter(|it| *it != shader);
        let interface = Some(interface);
        units.push(Unit { name: name.into(), shader, interface, unrolled, first_line: None });
    }
    Ok(units)
}

/// Returns true for the first line of a TGSI program.
fn begins(line: &str) -> bool {
    let word = line.trim();
    ["VERT", "FRAG", "COMP", "GEOM", "TESS_CTRL", "TESS_EVAL"].contains(&word)
}

fn tgsi(source: &str) -> Result<Vec<Unit>, Vec<Problem>> {
    // A program ends where the next begins. Lines before the first belong to it.
    let mut starts: Vec<(u32, usize)> = Vec::new();
    let mut at = 0;
    for (number, line) in (0..).zip(source.split_inclusive('\n')) {
        if begins(line) {
            starts.push((number, at));
        }
        at += line.len();
    }
    if starts.len() > MAX_UNITS {
        let count = starts.len();
        return Err(vec![Problem::whole(format!(
            "the text has {count} programs: the page shows at most {MAX_UNITS}"
        ))]);
    }
    match starts.first_mut() {
        Some(first) => *first = (0, 0),
        None => starts.push((0, 0)),
    }
    let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([source.len()]);
    let (mut units, mut problems) = (Vec::new(), Vec::new());
    for ((first_line, start), end) in starts.iter().zip(ends) {
        let text = source.get(*start..end).unwrap_or_default();
        match text::parse(text, Memory::system()) {
            Ok(shader) => {
                let found = problems.len();
                let checked = sanity::check(&shader, &mut |finding| {
                    if finding.severity() == Severity::Error {
                        let message = finding.rule.to_string();
                        problems.push(at_line(*first_line, finding.position, &message));
                    }
                });
                if let Err(error) = checked {
                    problems.push(Problem::whole(error));
                }
                if problems.len() == found {
                    units.push(Unit {
                        name: stage_name(shader.processor()).into(),
                        shader,
                        interface: None,
                        unrolled: None,
                        first_line: Some(*first_line),
                    });
                }
            }
            Err(TextError::Syntax(error)) => {
                problems.push(at_line(*first_line, error.position, &error.to_string()));
            }
            Err(error) => problems.push(Problem::whole(error)),
        }
    }
    if problems.is_empty() { Ok(units) } else { Err(problems) }
}

/// Returns the name of a stage.
pub(crate) fn stage_name(processor: Processor) -> &'static str {
    match processor {
        Processor::Vertex => "vertex",
        Processor::Fragment => "fragment",
        Processor::Geometry => "geometry",
        Processor::TessControl => "tessellation control",
        Processor::TessEval => "tessellation evaluation",
        Processor::Compute => "compute",
    }
}
