//! Runs entry points through the executor: 64 invocations, in batches of 4, 16 and 64 lanes,
//! interpreted and as generated code, optimised and not.

use codegen::Generator;
use naga_frontend::Translation;
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::declaration::SemanticName;
use tgsi::exec::{
    self, Batch, Generate, Generated, Lanes, Mask, MemoryRequest, MemorySpace, Resources,
};
use tgsi::program::Program;
use tgsi::shader::Processor;

/// Invocations: of compute shaders, one workgroup.
pub const COUNT: usize = 64;

/// The memory that a run reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Memories {
    /// The constant buffers.
    pub constants: Vec<Vec<u8>>,
    /// The shader buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Bytes of workgroup memory.
    pub shared: usize,
}

/// The results of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// The shader buffers.
    pub buffers: Vec<Vec<u8>>,
    /// The outputs with a location, by location: the words of each invocation.
    pub outputs: Vec<[[u32; 4]; COUNT]>,
}

/// Returns the words of a buffer.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Shader buffers and workgroup memory.
struct Host {
    buffers: Vec<Vec<u8>>,
    shared: Vec<u8>,
}

impl Host {
    fn access<R: Lanes>(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        match request.space {
            MemorySpace::Shared => request.access(&mut self.shared, out),
            MemorySpace::Buffer => {
                if let Some(buffer) = self.buffers.get_mut(request.unit as usize) {
                    request.access(buffer, out);
                }
            }
            _ => {}
        }
    }
}

/// The host for rows of any width; only the widest have generated code.
struct Narrow<'h>(&'h mut Host);
struct Wide<'h>(&'h mut Host, Option<&'h dyn Generated>);

impl<const N: usize> Resources<[u32; N]> for Narrow<'_>
where
    [u32; N]: Lanes,
{
    fn memory(&mut self, request: &MemoryRequest<'_, [u32; N]>, out: &mut [[u32; N]; 4]) {
        self.0.access(request, out);
    }
}

impl Resources<[u32; 64]> for Wide<'_> {
    fn memory(&mut self, request: &MemoryRequest<'_, [u32; 64]>, out: &mut [[u32; 64]; 4]) {
        self.0.access(request, out);
    }

    fn segment(&mut self, segment: u16, rows: &mut [[u32; 64]], exec: Mask) -> Option<u32> {
        self.1?.run(segment, Lanes::as_words_mut(rows), exec)
    }
}

/// Runs a program in rows of any width. An input is the number of the invocation in every component.
fn execute<R: Lanes>(
    program: &Program<'_>,
    constants: &[Vec<u8>],
    resources: &mut dyn Resources<R>,
) -> Result<Vec<[[u32; 4]; COUNT]>, String> {
    let constants: Vec<&[u8]> = constants.iter().map(Vec::as_slice).collect();
    let size = usize::from(program.rows).max(1);
    // Rows hold garbage at first: nothing may depend on them.
    let mut rows = vec![R::splat(0xDEAD_BEEF); size * (COUNT / R::COUNT)];
    let mut states = Vec::new();
    for (batch, rows) in rows.chunks_mut(size).enumerate() {
        exec::prepare(program, rows, &constants).map_err(|error| error.to_string())?;
        let mut fill = |row: usize, value: &dyn Fn(u32) -> u32| {
            for (lane, slot) in rows[row].as_mut_slice().iter_mut().enumerate() {
                *slot = value((batch * R::COUNT + lane) as u32);
            }
        };
        for value in program.system_values {
            for (axis, row) in value.rows.iter().enumerate() {
                let Some(row) = row.index() else { continue };
                match (value.semantic.name, axis) {
                    (SemanticName::ThreadId, 0) => fill(row, &|thread| thread),
                    (SemanticName::GridSize, _) => fill(row, &|_| 1),
                    _ => fill(row, &|_| 0),
                }
            }
        }
        for row in program.inputs.iter().flat_map(|input| input.rows) {
            if let Some(row) = row.index() {
                fill(row, &|thread| thread);
            }
        }
        states.push(Batch::new::<R>(program, !0));
    }
    exec::run_group(program, &mut states, &mut rows, &constants, resources)
        .map_err(|error| error.to_string())?;
    let wanted = match program.processor {
        Processor::Fragment => SemanticName::Color,
        _ => SemanticName::Generic,
    };
    let mut outputs = Vec::new();
    for output in program.outputs.iter().filter(|output| output.semantic.name == wanted) {
        let at = usize::from(output.semantic.index);
        if outputs.len() <= at {
            outputs.resize(at + 1, [[0; 4]; COUNT]);
        }
        for (batch, rows) in rows.chunks(size).enumerate() {
            for (component, row) in output.rows.iter().enumerate() {
                let Some(row) = row.index() else { continue };
                for (lane, word) in rows[row].as_slice().iter().enumerate() {
                    outputs[at][batch * R::COUNT + lane][component] = *word;
                }
            }
        }
    }
    Ok(outputs)
}

/// Runs a program in batches of 4, 16 and 64 lanes: by its machine code where it has some, else interpreted. Returns
/// the name and the results of each run.
///
/// # Errors
/// The executor refuses the program or stops it.
pub fn run_widths(
    program: &Program<'_>,
    memories: &Memories,
) -> Result<Vec<(String, Output)>, String> {
    program.validate().map_err(|error| error.to_string())?;
    let mut runs = Vec::new();
    for lanes in [4, 16, 64] {
        let mut host = Host { buffers: memories.buffers.clone(), shared: vec![0; memories.shared] };
        let constants = &memories.constants;
        let outputs = match lanes {
            4 => execute::<[u32; 4]>(program, constants, &mut Narrow(&mut host))?,
            16 => execute::<[u32; 16]>(program, constants, &mut Narrow(&mut host))?,
            _ => execute::<[u32; 64]>(program, constants, &mut Wide(&mut host, None))?,
        };
        runs.push((format!("{lanes} lanes"), Output { buffers: host.buffers, outputs }));
    }
    Ok(runs)
}

/// Runs a translated entry point in every way.
///
/// # Errors
/// The compiler or the executor refuses the program.
pub fn run_all(
    translation: &Translation,
    memories: &Memories,
) -> Result<Vec<(String, Output)>, String> {
    let mut runs = Vec::new();
    let memories =
        Memories { shared: translation.interface.shared_memory as usize, ..memories.clone() };
    for optimize in [true, false] {
        let options = CompileOptions { optimize, ..CompileOptions::DEFAULT };
        let compiled = compile(&translation.shader, &options, Memory::system())
            .map_err(|error| error.to_string())?;
        let program = compiled.program();
        let widths = run_widths(&program, &memories)?;
        runs.extend(
            widths.into_iter().map(|(way, it)| (format!("{way}, optimize {optimize}"), it)),
        );
        let Some(generator) = Generator::new().map(|it| it.after(0)) else { continue };
        let Some(code) = generator.generate(&program, Memory::system()) else { continue };
        let Some(body) = code.body(&program) else { continue };
        let mut host = Host { buffers: memories.buffers.clone(), shared: vec![0; memories.shared] };
        let outputs = execute::<[u32; 64]>(
            &Program { body, ..program },
            &memories.constants,
            &mut Wide(&mut host, Some(&*code)),
        )?;
        let output = Output { buffers: host.buffers, outputs };
        runs.push((format!("generated, optimize {optimize}"), output));
    }
    Ok(runs)
}
