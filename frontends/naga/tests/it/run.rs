//! Runs compute entry points through the executor: one workgroup of 64 invocations, in batches of 4,
//! 16 and 64 lanes, interpreted and as generated code, optimised and not. All must give the same.

use std::fmt::Write;

use codegen::Generator;
use gallium_naga::{Options, Translation};
use os_shim::Memory;
use tgsi::declaration::SemanticName;
use tgsi::exec::{
    self, Batch, Generate, Generated, Lanes, Mask, MemoryRequest, MemorySpace, Resources,
};
use tgsi::program::Program;

use crate::common::{compiled, translate, translate_with};

/// Invocations of the workgroup.
pub(crate) const COUNT: usize = 64;

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

fn run_width<R: Lanes>(
    program: &Program<'_>,
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) {
    let size = usize::from(program.rows).max(1);
    let batches = COUNT / R::COUNT;
    // Rows hold garbage at first: nothing may depend on them.
    let mut rows = vec![R::splat(0xDEAD_BEEF); size * batches];
    let mut states = Vec::new();
    for (batch, rows) in rows.chunks_mut(size).enumerate() {
        exec::prepare(program, rows, constants).expect("the program is well formed");
        for value in program.system_values {
            for (axis, row) in value.rows.iter().enumerate() {
                let Some(row) = row.index() else { continue };
                for (lane, slot) in rows[row].as_mut_slice().iter_mut().enumerate() {
                    let thread = (batch * R::COUNT + lane) as u32;
                    *slot = match (value.semantic.name, axis) {
                        (SemanticName::ThreadId, 0) => thread,
                        (SemanticName::GridSize, _) => 1,
                        _ => 0,
                    };
                }
            }
        }
        states.push(Batch::new::<R>(program, !0));
    }
    exec::run_group(program, &mut states, &mut rows, constants, resources)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Runs the entry point `main` over shader buffers of words; returns the buffers after it. Loops
/// give the same where they are written out.
#[track_caller]
pub(crate) fn run(wgsl: &str, buffers: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let results = run_with(&translate(wgsl, "main"), buffers, &[]);
    if ["for", "loop", "while"].iter().any(|word| wgsl.contains(word)) {
        let options = Options { unroll: true, ..Options::default() };
        let unrolled = run_with(&translate_with(wgsl, "main", &options), buffers, &[]);
        assert_eq!(unrolled, results, "with loops written out");
    }
    results
}

/// Runs a translated entry point with constant buffers.
#[track_caller]
pub(crate) fn run_with(
    translation: &Translation,
    buffers: &[Vec<u32>],
    constants: &[&[u8]],
) -> Vec<Vec<u32>> {
    let bytes = |words: &Vec<u32>| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let fresh = || Host {
        buffers: buffers.iter().map(bytes).collect(),
        shared: vec![0; translation.interface.shared_memory as usize],
    };
    let mut results: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
    for optimize in [true, false] {
        let compiled = compiled(translation, optimize);
        let program = compiled.program();
        program.validate().expect("what the compiler makes is well formed");
        let mut host = fresh();
        run_width::<[u32; 4]>(&program, constants, &mut Narrow(&mut host));
        results.push((format!("4 lanes, optimize {optimize}"), host.buffers));
        let mut host = fresh();
        run_width::<[u32; 16]>(&program, constants, &mut Narrow(&mut host));
        results.push((format!("16 lanes, optimize {optimize}"), host.buffers));
        let mut host = fresh();
        run_width::<[u32; 64]>(&program, constants, &mut Wide(&mut host, None));
        results.push((format!("64 lanes, optimize {optimize}"), host.buffers));
        let Some(generator) = Generator::new().map(|it| it.after(0)) else { continue };
        let Some(code) = generator.generate(&program, Memory::system()) else { continue };
        let Some(body) = code.body(&program) else { continue };
        let mut host = fresh();
        run_width::<[u32; 64]>(
            &Program { body, ..program },
            constants,
            &mut Wide(&mut host, Some(&*code)),
        );
        results.push((format!("generated, optimize {optimize}"), host.buffers));
    }
    let words = |bytes: &Vec<u8>| -> Vec<u32> {
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let mut results =
        results.into_iter().map(|(way, it)| (way, it.iter().map(words).collect::<Vec<_>>()));
    let (_, first) = results.next().expect("it ran");
    let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
    for (way, result) in results {
        let mut differences = String::new();
        for (buffer, (got, expected)) in result.iter().zip(&first).enumerate() {
            for (at, (&got, &expected)) in got.iter().zip(expected).enumerate() {
                if got != expected && !(is_nan(got) && is_nan(expected)) {
                    let _ = writeln!(differences, "{buffer}[{at}]: {got:#x}, not {expected:#x}");
                }
            }
        }
        assert!(differences.is_empty(), "{way}:\n{differences}{}", translation.shader);
    }
    first
}

/// Evaluates an expression of `a`, `b` and `c` for each row of arguments. The parameters
/// and the result have these types, of 32 bits.
#[track_caller]
pub(crate) fn evaluate(expression: &str, types: [&str; 4], arguments: &[[u32; 3]]) -> Vec<u32> {
    let [a, b, c, result] = types;
    let mut results = Vec::new();
    for rows in arguments.chunks(COUNT) {
        let mut buffers: Vec<Vec<u32>> = (0..3)
            .map(|argument| (0..COUNT).map(|at| rows[at % rows.len()][argument]).collect())
            .collect();
        buffers.push(vec![0xBAD; COUNT]);
        let scalar = run(
            &format!(
                "@group(0) @binding(0) var<storage> as_: array<{a}>;
                 @group(0) @binding(1) var<storage> bs: array<{b}>;
                 @group(0) @binding(2) var<storage> cs: array<{c}>;
                 @group(0) @binding(3) var<storage, read_write> results: array<{result}>;
                 @compute @workgroup_size(64)
                 fn main(@builtin(local_invocation_index) i: u32) {{
                     let a = as_[i]; let b = bs[i]; let c = cs[i];
                     // All three buffers are used, so that they have their slots.
                     if i > 64 {{ results[0] = {result}(a) + {result}(b) + {result}(c); }}
                     results[i] = {result}({expression});
                 }}"
            ),
            &buffers,
        );
        results.extend(&scalar[3][..rows.len()]);
    }
    results
}
