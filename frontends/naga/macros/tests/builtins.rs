//! `native`: every operator and built-in function gives the bits of the interpreter, in rows of 4, 16 and 64
//! lanes. The interpreter's results are compared with the specification in the tests of gallium-naga.

use gallium_wgsl::wgsl;
use tgsi::exec::native::Native;
use tgsi::program::Program;
use wgsl_random::run::{COUNT, Memories, Output, run_widths};

wgsl! {
    native;
    static FLOATS: "tests/shaders/floats.wgsl" => main;

    native;
    static INTEGERS: "tests/shaders/integers.wgsl" => main;

    native;
    static VECTORS: "tests/shaders/vectors.wgsl" => main;
}

/// Numbers at the corners of functions' domains, and beyond.
const FLOAT_INPUTS: [f32; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.1,
    -0.3,
    3.25,
    -7.75,
    100.0,
    -1234.5,
    1e-6,
    -1e-6,
    8388607.5,
    1e10,
    -1e10,
    1e-30,
    3e38,
    -3e38,
    1e-40,
    f32::MIN_POSITIVE,
    0.9999999,
    1.0000001,
    88.0,
    -88.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
];

const INTEGER_INPUTS: [u32; 16] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    100,
    255,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x1234_5678,
    0xf0f0_f0f0,
];

/// Compares machine code with the interpreter on buffers `a`, `b` and `c`; returns the number of results.
#[track_caller]
fn compare(program: &Program<'_>, inputs: &[u32], results: usize) -> usize {
    assert!(program.native.lanes4.is_some());
    assert!(program.native.lanes16.is_some());
    assert!(program.native.lanes64.is_some());
    let argument = |step: usize| -> Vec<u8> {
        (0..COUNT).flat_map(|at| inputs[at * step / 4 % inputs.len()].to_le_bytes()).collect()
    };
    let memories = Memories {
        buffers: vec![argument(4), argument(13), argument(27), vec![0; 4 * COUNT * results]],
        ..Memories::default()
    };
    let native = run_widths(program, &memories).expect("it runs");
    let interpreted = Program { native: Native::NONE, ..*program };
    let interpreted = run_widths(&interpreted, &memories).expect("it runs");
    let words = |output: &Output| wgsl_random::run::words(&output.buffers[3]);
    for ((way, native), (_, interpreted)) in native.iter().zip(&interpreted) {
        let pairs = words(native).into_iter().zip(words(interpreted));
        for (at, (got, expected)) in pairs.enumerate() {
            let both_nan = f32::from_bits(got).is_nan() && f32::from_bits(expected).is_nan();
            let (lane, result) = (at / results, at % results);
            assert!(
                got == expected || both_nan,
                "{way}, invocation {lane}, result {result}: {got:#x}, not {expected:#x}"
            );
        }
    }
    words(&native[0].1).iter().filter(|&&word| word != 0).count()
}

#[test]
fn floats() {
    let inputs = FLOAT_INPUTS.map(f32::to_bits);
    assert!(compare(&FLOATS, &inputs, 64) > 1000);
}

#[test]
fn integers() {
    assert!(compare(&INTEGERS, &INTEGER_INPUTS, 64) > 1000);
}

#[test]
fn vectors() {
    let inputs = FLOAT_INPUTS.map(f32::to_bits);
    assert!(compare(&VECTORS, &inputs[..20], 64) > 1000);
}

#[test]
fn barriers_are_all_that_native_refuses() {
    use naga_frontend::{Module, Options};
    use os_shim::Memory;
    use tgsi::compile::{CompileOptions, compile};

    let refusal = |statement: &str| {
        let wgsl = format!(
            "var<workgroup> w: array<atomic<u32>, 64>;
             @group(0) @binding(0) var<storage, read_write> results: array<atomic<u32>>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) i: u32) {{
                 atomicAdd(&w[i], 1u);
                 {statement}
                 for (var k = 0u; k < i; k++) {{
                     switch k {{ case 3, 5: {{ continue; }} default: {{}} }}
                     if k > 40 {{ break; }}
                     atomicMax(&results[k], atomicLoad(&w[k]));
                 }}
             }}"
        );
        let module = Module::wgsl(&wgsl, "native.wgsl").expect("the module is right");
        let translation = module.translate("main", &Options::default()).expect("it translates");
        let compiled = compile(&translation.shader, &CompileOptions::DEFAULT, Memory::system())
            .expect("it compiles");
        let modes = emit::Modes { native: emit::WIDTHS.to_vec(), pixel: false };
        emit::program(&compiled.program(), "", "::tgsi", &modes).err()
    };
    assert_eq!(refusal(""), None);
    let refused = refusal("workgroupBarrier();").expect("it is refused");
    assert!(refused.reason.contains("a program with barriers cannot be native"), "{refused}");
}
