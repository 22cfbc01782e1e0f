//! Runs compute entry points through the executor: one workgroup of 64 invocations, in batches of 4,
//! 16 and 64 lanes, interpreted and as generated code, optimised and not. All must give the same.

use std::fmt::Write;

use gallium_naga::{Options, Translation};
pub(crate) use wgsl_random::run::COUNT;
use wgsl_random::run::{Memories, run_all, words};

use crate::common::{translate, translate_with};

/// Runs the entry point `main` over shader buffers of words; returns the buffers after it. Loops
/// give the same where they are written out.
#[track_caller]
pub(crate) fn run(wgsl: &str, buffers: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let results = run_with(&translate(wgsl, "main"), buffers, &[]);
    if ["for", "loop", "while"].iter().any(|word| wgsl.contains(word)) {
        let options = Options { unroll: Options::UNROLL_ALL, ..Options::default() };
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
    let memories = Memories {
        constants: constants.iter().map(|bytes| bytes.to_vec()).collect(),
        buffers: buffers.iter().map(bytes).collect(),
        shared: 0,
    };
    let runs = run_all(translation, &memories)
        .unwrap_or_else(|error| panic!("{error}\n{}", translation.shader));
    let mut results = runs
        .into_iter()
        .map(|(way, it)| (way, it.buffers.iter().map(|bytes| words(bytes)).collect::<Vec<_>>()));
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
