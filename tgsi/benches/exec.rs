//! Measures lane programs against native code for the same arithmetic, and measures parsing and
//! compiling.
//!
//! Throughput counts ops times lanes. `interpreted` is the executor; `native` is the same programs'
//! native bodies. `by hand/op by op` is one Rust loop per op, from rows to rows, as the interpreter
//! works. `by hand/fused` is one loop for all ops, as a programmer would write it.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gallium_tgsi::compile::{CompileOptions, Compiled, compile};
use gallium_tgsi::exec::native::Native;
use gallium_tgsi::exec::{
    self, Lanes, NoResources, REGISTER_FILE_PADDING, Resources, SampleRequest, register_file,
};
use gallium_tgsi::program::Program;
use gallium_tgsi::text;
use os_shim::memory::{Memory, Region};
use os_shim::simd::vectorize;
use std::hint::black_box;
use std::mem::MaybeUninit;
use tgsi_macros::tgsi;

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// A transformed and lit vertex: 4 rows of a matrix, a normal, a diffuse term, a colour.
    static ALU_MIX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL IN[2]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..7]
    DCL TEMP[0..4]
    IMM[0] FLT32 {0.0, 1.0, 0.5, 2.0}
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], CONST[3], TEMP[0]
    DP3 TEMP[1].x, IN[1].xyzx, CONST[4].xyzx
    MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
    MAD TEMP[2].xyz, IN[2].xyzx, TEMP[1].xxxx, CONST[5].xyzx
    MIN TEMP[2].xyz, TEMP[2].xyzx, IMM[0].yyyy
    MUL TEMP[3].xyz, TEMP[2].xyzx, TEMP[2].xyzx
    SLT TEMP[4].x, TEMP[1].xxxx, IMM[0].zzzz
    CMP OUT[1].xyz, -TEMP[4].xxxx, TEMP[2].xyzx, TEMP[3].xyzx
    MOV OUT[1].w, IN[2].wwww
    END
}

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// A point of the Mandelbrot set: a loop that lanes leave one after another, and branches.
    static BRANCHES: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL TEMP[0..3]
    IMM[0] FLT32 {0.0, 4.0, 2.0, 0.03125}
    IMM[1] UINT32 {0, 1, 32, 3}
    MOV TEMP[0], IMM[0].xxxx
    MOV TEMP[1], IMM[1].xxxx
    BGNLOOP
      USGE TEMP[1].y, TEMP[1].xxxx, IMM[1].zzzz
      UIF TEMP[1].yyyy
        BRK
      ENDIF
      MUL TEMP[2].xy, TEMP[0].xyyy, TEMP[0].xyyy
      ADD TEMP[2].z, TEMP[2].xxxx, TEMP[2].yyyy
      FSLT TEMP[1].y, IMM[0].yyyy, TEMP[2].zzzz
      UIF TEMP[1].yyyy
        BRK
      ENDIF
      MUL TEMP[2].w, TEMP[0].xxxx, TEMP[0].yyyy
      ADD TEMP[0].x, TEMP[2].xxxx, -TEMP[2].yyyy
      ADD TEMP[0].x, TEMP[0].xxxx, IN[0].xxxx
      MAD TEMP[0].y, TEMP[2].wwww, IMM[0].zzzz, IN[0].yyyy
      UADD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy
    ENDLOOP
    AND TEMP[1].y, TEMP[1].xxxx, IMM[1].yyyy
    UIF TEMP[1].yyyy
      U2F TEMP[3].x, TEMP[1].xxxx
      MUL OUT[0], TEMP[3].xxxx, IMM[0].wwww
    ELSE
      MOV OUT[0], TEMP[0]
    ENDIF
    END
}

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// Two textures, a light and fog, as in fixed-function fragment shaders.
    static TEXTURED: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], PERSPECTIVE
    DCL IN[2], COLOR, PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0..1]
    DCL SVIEW[0..1], 2D, FLOAT
    DCL CONST[0..2]
    DCL TEMP[0..3]
    TEX TEMP[0], IN[0].xyyy, SAMP[0], 2D
    TEX TEMP[1], IN[0].zwww, SAMP[1], 2D
    MUL TEMP[2], TEMP[0], IN[2]
    LRP TEMP[2].xyz, TEMP[1].wwww, TEMP[1].xyzx, TEMP[2].xyzx
    MAD_SAT TEMP[3].x, IN[1].zzzz, CONST[0].xxxx, CONST[0].yyyy
    LRP OUT[0].xyz, TEMP[3].xxxx, TEMP[2].xyzx, CONST[1].xyzx
    MOV OUT[0].w, TEMP[2].wwww
    END
}

/// The same computation by hand, for one lane.
#[inline(always)]
fn mix(i: [[f32; 4]; 3], c: &[[f32; 4]; 6]) -> [[f32; 4]; 2] {
    let mut position = [0.0; 4];
    for k in 0..4 {
        let x = c[0][k] * i[0][0];
        let xy = c[1][k] * i[0][1] + x;
        position[k] = c[3][k] + (c[2][k] * i[0][2] + xy);
    }
    let dot = i[1][2] * c[4][2] + (i[1][1] * c[4][1] + i[1][0] * c[4][0]);
    let diffuse = if dot > 0.0 { dot } else { 0.0 };
    let mut color = [0.0, 0.0, 0.0, i[2][3]];
    for k in 0..3 {
        let lit = i[2][k] * diffuse + c[5][k];
        let lit = if lit < 1.0 { lit } else { 1.0 };
        color[k] = if diffuse < 0.5 { lit } else { lit * lit };
    }
    [position, color]
}

fn compiled(source: &str) -> Compiled<'static> {
    let memory = Memory::system();
    let shader = text::parse(source, memory).expect("the text is right");
    compile(&shader, &CompileOptions::DEFAULT, memory).expect("it compiles")
}

fn constants() -> Vec<u8> {
    (0..32).flat_map(|i| (0.03f32 * i as f32).to_le_bytes()).collect()
}

/// A cheap texture, so that the benchmark measures the overhead of lookups.
struct Flat;

impl<R: Lanes> Resources<R> for Flat {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let [s, t, _] = request.coord;
        *out = [*s, *t, *s, *t];
    }
}

/// Measures a program interpreted and with its native body.
fn both<R: Lanes>(criterion: &mut Criterion, name: &str, program: &Program<'_>) {
    let words = usize::from(program.rows) * R::COUNT + REGISTER_FILE_PADDING;
    let mut words = vec![0.25f32.to_bits(); words];
    let rows: &mut [R] = register_file(&mut words);
    let constants = constants();
    let constants = [constants.as_slice()];
    exec::prepare(program, rows, &constants).expect("well formed");
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements((program.body.len() * R::COUNT) as u64));
    let interpreted = Program { native: Native::NONE, ..*program };
    for (kind, program) in [("interpreted", &interpreted), ("native", program)] {
        group.bench_function(format!("{kind}/{}", R::COUNT), |bencher| {
            // Points on a grid, so that lanes take different branches.
            for row in program.inputs.iter().flat_map(|input| input.rows) {
                let Some(row) = row.index() else { continue };
                for (lane, slot) in rows[row].as_mut_slice().iter_mut().enumerate() {
                    *slot = ((lane as f32 + row as f32) * 0.04 - 1.5).to_bits();
                }
            }
            bencher.iter(|| {
                let rows = black_box(&mut *rows);
                exec::run(program, rows, !0, &constants, &mut Flat).expect("it runs")
            });
        });
    }
    group.finish();
}

fn by_hand<const N: usize>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alu mix");
    // Without fused ops the program has 34.
    assert!(ALU_MIX.body.len() < 34);
    group.throughput(Throughput::Elements((34 * N) as u64));
    let mut inputs = [[0.25f32; N]; 12];
    let mut outputs = [[0.0f32; N]; 8];
    let table: [[f32; 4]; 6] =
        std::array::from_fn(|k| std::array::from_fn(|l| 0.03 * (4 * k + l) as f32));
    group.bench_function(format!("by hand/fused/{N}"), |bencher| {
        bencher.iter(|| {
            let (inputs, outputs) = (black_box(&mut inputs), black_box(&mut outputs));
            let table = black_box(&table);
            vectorize(
                #[inline(always)]
                || {
                    for lane in 0..N {
                        let i: [[f32; 4]; 3] = std::array::from_fn(|k| {
                            std::array::from_fn(|l| inputs[4 * k + l][lane])
                        });
                        let [position, color] = mix(i, table);
                        for k in 0..4 {
                            outputs[k][lane] = position[k];
                            outputs[4 + k][lane] = color[k];
                        }
                    }
                },
            )
        });
    });
    group.finish();
}

/// The ops of the lane program, each as a separate loop from rows to a row: the cost of the
/// executor's arithmetic without its dispatch.
fn op_by_op<const N: usize>(criterion: &mut Criterion) {
    let mut rows = vec![[0.25f32; N]; 80];
    let mut group = criterion.benchmark_group("alu mix");
    group.throughput(Throughput::Elements((34 * N) as u64));
    group.bench_function(format!("by hand/op by op/{N}"), |bencher| {
        bencher.iter(|| {
            let (sources, results) = black_box(rows.as_mut_slice()).split_at_mut(40);
            let sources: &[[f32; N]; 40] = sources.first_chunk().expect("40 rows");
            let results: &mut [[f32; N]; 40] = results.first_chunk_mut().expect("40 rows");
            vectorize(
                #[inline(always)]
                || all_ops(sources, results),
            )
        });
    });
    group.finish();
}

#[inline(always)]
fn all_ops<const N: usize>(s: &[[f32; N]; 40], r: &mut [[f32; N]; 40]) {
    macro_rules! op {
        ($row:expr, $lane:ident, $value:expr) => {{
            let mut result = [0.0; N];
            for $lane in 0..N {
                result[$lane] = $value;
            }
            r[$row] = result;
        }};
    }
    for k in 0..4 {
        op!(k, i, s[k][i] * s[8][i]);
        op!(4 + k, i, s[k][i] * s[9][i] + r[k][i]);
        op!(k, i, s[k][i] * s[10][i] + r[4 + k][i]);
        op!(20 + k, i, s[k][i] + r[k][i]);
    }
    op!(8, i, s[5][i] * s[6][i]);
    op!(8, i, s[6][i] * s[7][i] + r[8][i]);
    op!(8, i, s[7][i] * s[8][i] + r[8][i]);
    op!(8, i, if r[8][i] > s[7][i] { r[8][i] } else { s[7][i] });
    for k in 0..3 {
        op!(10 + k, i, s[10 + k][i] * r[8][i] + s[11][i]);
        op!(10 + k, i, if r[10 + k][i] < s[12][i] { r[10 + k][i] } else { s[12][i] });
        op!(13 + k, i, r[10 + k][i] * r[10 + k][i]);
    }
    op!(16, i, if r[8][i] < s[20][i] { 1.0 } else { 0.0 });
    op!(16, i, -r[16][i]);
    for k in 0..3 {
        op!(24 + k, i, if r[16][i] < 0.0 { r[10 + k][i] } else { r[13 + k][i] });
    }
}

fn executor(criterion: &mut Criterion) {
    by_hand::<64>(criterion);
    op_by_op::<64>(criterion);
    by_hand::<16>(criterion);
    op_by_op::<16>(criterion);
    for (name, program) in [("alu mix", &ALU_MIX), ("branches", &BRANCHES), ("textured", &TEXTURED)]
    {
        both::<[u32; 64]>(criterion, name, program);
        both::<[u32; 16]>(criterion, name, program);
        both::<[u32; 4]>(criterion, name, program);
    }
}

/// Measures each function separately, per lane.
fn functions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one op, 64 lanes");
    for name in ["MUL", "RCP", "RSQ", "EX2", "LG2", "POW", "SIN", "FLR", "UDIV"] {
        let second = if matches!(name, "MUL" | "POW" | "UDIV") { ", IN[1]" } else { "" };
        let body: String = (0..4)
            .map(|k| {
                let swizzle = ["xxxx", "yyyy", "zzzz", "wwww"][k];
                let mask = &swizzle[..1];
                let second =
                    if second.is_empty() { "".into() } else { format!("{second}.{swizzle}") };
                format!("{name} OUT[0].{mask}, IN[0].{swizzle}{second}\n")
            })
            .collect();
        let source = format!("VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n{body}END\n");
        let compiled = compiled(&source);
        let program = compiled.program();
        let mut rows = vec![[0u32; 64]; program.rows.into()];
        group.throughput(Throughput::Elements(4 * 64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let rows = black_box(rows.as_mut_slice());
                for row in program.inputs.iter().flat_map(|input| input.rows) {
                    rows[row.0 as usize] = [1.7f32.to_bits(); 64];
                }
                exec::run(&program, rows, !0, &[], &mut NoResources)
            });
        });
    }
    group.finish();
}

/// 30 instructions: two textures, a normal from one of them, a light with a highlight, fog.
const FRAGMENT: &str = "FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0].xy, GENERIC[9], PERSPECTIVE
DCL IN[1].xyz, GENERIC[10], PERSPECTIVE
DCL IN[2].xyz, GENERIC[11], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SAMP[1]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D, FLOAT
DCL CONST[0..4]
DCL TEMP[0..24]
IMM[0] FLT32 {0x40000000, 0xbf800000, 0x00000000, 0x3f800000}
IMM[1] UINT32 {1056964608, 0, 1107296256, 1065353216}
  0: TEX TEMP[0], IN[0].xyyy, SAMP[0], 2D
  1: TEX TEMP[1], IN[0].xyyy, SAMP[1], 2D
  2: MAD TEMP[2].xyz, TEMP[1].xyzx, IMM[0].xxxx, IMM[0].yyyy
  3: DP3 TEMP[3].x, TEMP[2].xyzx, TEMP[2].xyzx
  4: RSQ TEMP[4].x, TEMP[3].xxxx
  5: MUL TEMP[5].xyz, TEMP[2].xyzx, TEMP[4].xxxx
  6: DP3 TEMP[6].x, IN[1].xyzx, IN[1].xyzx
  7: RSQ TEMP[7].x, TEMP[6].xxxx
  8: MUL TEMP[8].xyz, IN[1].xyzx, TEMP[7].xxxx
  9: DP3 TEMP[9].x, IN[2].xyzx, IN[2].xyzx
 10: RSQ TEMP[10].x, TEMP[9].xxxx
 11: MUL TEMP[11].xyz, IN[2].xyzx, TEMP[10].xxxx
 12: ADD TEMP[12].xyz, TEMP[8].xyzx, TEMP[11].xyzx
 13: DP3 TEMP[13].x, TEMP[12].xyzx, TEMP[12].xyzx
 14: RSQ TEMP[14].x, TEMP[13].xxxx
 15: MUL TEMP[15].xyz, TEMP[12].xyzx, TEMP[14].xxxx
 16: DP3 TEMP[16].x, TEMP[5].xyzx, TEMP[8].xyzx
 17: MAX TEMP[17].x, TEMP[16].xxxx, IMM[0].zzzz
 18: DP3 TEMP[18].x, TEMP[5].xyzx, TEMP[15].xyzx
 19: MAX TEMP[19].x, TEMP[18].xxxx, IMM[0].zzzz
 20: POW TEMP[20].x, TEMP[19].xxxx, IMM[1].zzzz
 21: MAD TEMP[21].xyz, CONST[1].xyzx, TEMP[17].xxxx, CONST[0].xyzx
 22: MUL TEMP[22].xyz, TEMP[0].xyzx, TEMP[21].xyzx
 23: MAD TEMP[22].xyz, CONST[2].xyzx, TEMP[20].xxxx, TEMP[22].xyzx
 24: FSLT TEMP[23].x, TEMP[0].wwww, IMM[1].xxxx
 25: AND TEMP[23].x, TEMP[23].xxxx, IMM[1].wwww
 26: KILL_IF -TEMP[23].xxxx
 27: LRP OUT[0].xyz, CONST[3].xxxx, CONST[4].xyzx, TEMP[22].xyzx
 28: MOV OUT[0].w, TEMP[0].wwww
 29: END
";

fn text_to_code(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("30 instructions");
    let mut bytes = vec![MaybeUninit::uninit(); 1 << 20];
    let region = Region::new(&mut bytes);
    for (name, memory) in [("region", Memory::new(&region)), ("system", Memory::system())] {
        group.bench_function(format!("text to lane code/{name}"), |bencher| {
            bencher.iter(|| {
                let shader = text::parse(black_box(FRAGMENT), memory).expect("the text is right");
                let compiled = compile(&shader, &CompileOptions::DEFAULT, memory);
                compiled.expect("it compiles").program().body.len()
            });
        });
        let shader = text::parse(FRAGMENT, memory).expect("the text is right");
        group.bench_function(format!("compile alone/{name}"), |bencher| {
            bencher.iter(|| {
                let compiled = compile(black_box(&shader), &CompileOptions::DEFAULT, memory);
                compiled.expect("it compiles").program().body.len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, executor, functions, text_to_code);
criterion_main!(benches);
