//! The host's part of `cargo xtask bench`: ratios of the pipeline's time to the time of native code
//! for the same work, measured in one run, and their targets.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use formats::Format;
use gallium_host::render::DEMO;
use os_shim::simd::vectorize;
use os_shim::{Memory, Os, System};
use pipe_core::{
    Bind, BlitInfo, BlitSurface, ContextFlags, PipeError, Region, ResourceTemplate, TexFilter,
};
use raster::AnyProfile;
use scenes::{DEMOS, Scene, SceneRenderer, Surface, View, find};
use tgsi::exec::{self, NoResources};
use tgsi::{compile, text};

use crate::screens;

/// The duration of one measurement.
const PATIENCE: Duration = Duration::from_millis(300);

/// Returns the fastest of the runs that fit into [`PATIENCE`], because disturbances only slow runs.
fn best(mut run: impl FnMut()) -> Duration {
    run();
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < PATIENCE {
        let one = Instant::now();
        run();
        best = best.min(one.elapsed());
    }
    best
}

fn row(what: &str, value: String, target: &str) {
    println!("  {what:<52} {value:>20}   {target}");
}

/// Measures everything and prints a table.
///
/// # Errors
/// Any error of the driver.
pub fn run() -> Result<()> {
    row("host", "measured".into(), "target");
    executor()?;
    shader_text()?;
    fill()?;
    resolve()?;
    for scene in DEMOS {
        triangles(scene)?;
    }
    Ok(())
}

/// Thirty typical instructions of a fragment shader: normalise, two lights, fog, mix.
const FRAGMENT: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..7]
DCL TEMP[0..5]
IMM[0] FLT32 { 0.0, 1.0, 0.5, 2.0 }
DP3 TEMP[0].x, IN[0], IN[0]
RSQ TEMP[0].x, TEMP[0].xxxx
MUL TEMP[0].xyz, IN[0], TEMP[0].xxxx
DP3 TEMP[1].x, TEMP[0], CONST[0]
MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
DP3 TEMP[1].y, TEMP[0], CONST[1]
MAX TEMP[1].y, TEMP[1].yyyy, IMM[0].xxxx
MUL TEMP[2], CONST[2], TEMP[1].xxxx
MAD TEMP[2], CONST[3], TEMP[1].yyyy, TEMP[2]
ADD TEMP[2], TEMP[2], CONST[4]
ADD TEMP[3].xyz, CONST[5], -IN[1]
DP3 TEMP[3].w, TEMP[3], TEMP[3]
RSQ TEMP[3].w, TEMP[3].wwww
MUL TEMP[3].xyz, TEMP[3], TEMP[3].wwww
DP3 TEMP[4].x, TEMP[0], TEMP[3]
MAX TEMP[4].x, TEMP[4].xxxx, IMM[0].xxxx
MUL TEMP[4].x, TEMP[4].xxxx, TEMP[4].xxxx
MUL TEMP[4].x, TEMP[4].xxxx, TEMP[4].xxxx
MUL TEMP[4].x, TEMP[4].xxxx, TEMP[4].xxxx
MAD TEMP[2], CONST[6], TEMP[4].xxxx, TEMP[2]
MAD TEMP[5].x, IN[1].zzzz, CONST[7].xxxx, CONST[7].yyyy
MIN TEMP[5].x, TEMP[5].xxxx, IMM[0].yyyy
MAX TEMP[5].x, TEMP[5].xxxx, IMM[0].xxxx
ADD TEMP[5].y, IMM[0].yyyy, -TEMP[5].xxxx
MUL TEMP[2], TEMP[2], TEMP[5].xxxx
MAD TEMP[2], CONST[4], TEMP[5].yyyy, TEMP[2]
MIN TEMP[2], TEMP[2], IMM[0].yyyy
MAX TEMP[2], TEMP[2], IMM[0].xxxx
MOV OUT[0].xyz, TEMP[2]
MOV OUT[0].w, IMM[0].yyyy
END
";

/// Sums, products, minima and maxima of four inputs, without branches or textures.
const ALU: &str = "FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 { 0.5, 0.25, 2.0, 1.0 }
MUL TEMP[0], IN[0], IN[0].yzwx
MAD TEMP[0], TEMP[0], IN[0].zwxy, IN[0]
ADD TEMP[1], TEMP[0], IN[0].wxyz
MIN TEMP[0], TEMP[0], TEMP[1].yzwx
MAX TEMP[1], TEMP[1], IN[0].zwxy
MAD TEMP[0], TEMP[0], TEMP[1], TEMP[0].yzwx
MUL TEMP[1], TEMP[1], TEMP[0].wxyz
ADD OUT[0], TEMP[0], TEMP[1]
END
";

const LANES: usize = 64;
type Row = [u32; LANES];

/// Computes [`ALU`] for one lane, written in Rust so that the compiler vectorises it.
#[inline(always)]
fn native([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    // Minimum and maximum as in the executor. std's also handle NaN, which costs time.
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let t = [x * y, y * z, z * w, w * x];
    let t = [t[0] * z + x, t[1] * w + y, t[2] * x + z, t[3] * y + w];
    let u = [t[0] + w, t[1] + x, t[2] + y, t[3] + z];
    let t = [min(t[0], u[1]), min(t[1], u[2]), min(t[2], u[3]), min(t[3], u[0])];
    let u = [max(u[0], z), max(u[1], w), max(u[2], x), max(u[3], y)];
    let t = [t[0] * u[0] + t[1], t[1] * u[1] + t[2], t[2] * u[2] + t[3], t[3] * u[3] + t[0]];
    let u = [u[0] * t[3], u[1] * t[0], u[2] * t[1], u[3] * t[2]];
    [t[0] + u[0], t[1] + u[1], t[2] + u[2], t[3] + u[3]]
}

/// Compares the lane executor with the same arithmetic compiled natively.
fn executor() -> Result<()> {
    const BATCHES: usize = 1000;
    let memory = Memory::system();
    let shader = text::parse(ALU, memory)?;
    let compiled = compile::compile(&shader, &compile::CompileOptions::DEFAULT, memory)?;
    let program = compiled.program();
    let mut rows = vec![[0u32; LANES]; program.rows as usize];
    exec::prepare::<Row>(&program, &mut rows, &[])?;
    let inputs: [Row; 4] = core::array::from_fn(|component| {
        core::array::from_fn(|lane| (0.25 + (lane * 4 + component) as f32 / 512.0).to_bits())
    });
    let place = program.inputs.first().context("the shader has an input")?.rows;
    let result = program.outputs.first().context("the shader has an output")?.rows;
    let mut run_once = || {
        for (input, row) in inputs.iter().zip(place) {
            if let Some(index) = row.index() {
                rows[index] = *black_box(input);
            }
        }
        exec::run::<Row>(&program, &mut rows, u64::MAX, &[], &mut NoResources)
    };
    run_once()?;
    let mut failed = 0;
    let executed = best(|| {
        for _ in 0..BATCHES {
            failed += usize::from(run_once().is_err());
        }
    });
    ensure!(failed == 0, "{failed} runs of the program failed");

    let mut out = [[0f32; LANES]; 4];
    let compiled = best(|| {
        for _ in 0..BATCHES {
            native_batch(black_box(&inputs), &mut out);
            black_box(&out);
        }
    });
    for (lanes, row) in out.iter().zip(result) {
        let index = row.index().context("the shader writes all of its output")?;
        ensure!(lanes.map(f32::to_bits) == rows[index], "executor and native loop disagree");
    }
    let per_lane = |time: Duration| time.as_secs_f64() * 1e9 / (BATCHES * LANES) as f64;
    row(
        "lane executor, ALU mix, over the same natively compiled",
        format!("{:.2} ×", executed.as_secs_f64() / compiled.as_secs_f64()),
        "≤ 1.5 ×",
    );
    row(
        "  a lane: executor, native",
        format!("{:.2} ns, {:.2} ns", per_lane(executed), per_lane(compiled)),
        "",
    );
    Ok(())
}

#[inline(never)]
fn native_batch(inputs: &[Row; 4], out: &mut [[f32; LANES]; 4]) {
    vectorize(
        #[inline(always)]
        || {
            let [x, y, z, w] = inputs;
            let [out_x, out_y, out_z, out_w] = out;
            for lane in 0..LANES {
                let input = [x[lane], y[lane], z[lane], w[lane]].map(f32::from_bits);
                [out_x[lane], out_y[lane], out_z[lane], out_w[lane]] = native(input);
            }
        },
    );
}

/// Measures compiling shader text to lane code.
fn shader_text() -> Result<()> {
    let memory = Memory::system();
    let once = || -> Result<usize> {
        let shader = text::parse(black_box(FRAGMENT), memory)?;
        let compiled = compile::compile(&shader, &compile::CompileOptions::DEFAULT, memory)?;
        Ok(compiled.program().body.len())
    };
    let ops = once()?;
    let time = best(|| {
        let _ = black_box(once());
    });
    let micros = time.as_secs_f64() * 1e6;
    row(
        &format!("text to lane code, 35 instructions ({ops} ops)"),
        format!("{micros:.1} µs"),
        "≤ 20 µs",
    );
    Ok(())
}

/// Compares filling a surface with one colour with the machine's speed to fill and copy as many
/// bytes.
fn fill() -> Result<()> {
    let surface = Surface {
        width: 1024,
        height: 1024,
        color: Format::R8G8B8A8Unorm,
        depth: Format::Z24UnormS8Uint,
        streamed: false,
    };
    let bytes = 1024 * 1024 * 4;
    let (mut memory, source) = (vec![1u8; bytes], vec![2u8; bytes]);
    let memset = best(|| black_box(&mut memory).fill(black_box(3)));
    let copy = best(|| black_box(&mut memory).copy_from_slice(black_box(&source)));
    let view = View::turntable(0, 1, 1.0);
    for (name, target) in [("clear", ""), ("fill", ""), ("gouraud", ""), ("bilinear", "")] {
        let scene = find(name).context("a scene by that name")?;
        let time = frame_time(scene, &surface, &mut || view, one_thread()?)?;
        let rate = bytes as f64 / 4.0 / time.as_secs_f64() / 1e6;
        row(&format!("{name}, 1024×1024 RGBA8, one thread"), format!("{rate:.0} Mpixel/s"), target);
        let over = |native: Duration| time.as_secs_f64() / native.as_secs_f64();
        row(
            "  time over memset and copy of its bytes",
            format!("{:.1} ×, {:.1} ×", over(memset), over(copy)),
            "",
        );
    }
    Ok(())
}

/// Compares averaging the samples of a surface with the machine's speed to copy the same bytes.
fn resolve() -> Result<()> {
    const SIDE: u16 = 1024;
    const SAMPLES: u8 = 4;
    let format = Format::R8G8B8A8Unorm;
    let surface =
        Surface { width: SIDE, height: SIDE, color: format, depth: Format::None, streamed: false };
    let side = u32::from(SIDE);
    let bytes = (side * side * 4) as usize * usize::from(SAMPLES);
    let (mut memory, source) = (vec![1u8; bytes], vec![2u8; bytes]);
    let copy = best(|| black_box(&mut memory).copy_from_slice(black_box(&source)));
    let system = System::new();
    let os = Os { memory: Memory::new(&system), ..one_thread()? };
    let time = screens::with_screen(AnyProfile::Host, os, &surface, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let single = ResourceTemplate::texture_2d(format, side, side, Bind::RENDER_TARGET);
        let target = screen.resource_create(&single)?;
        let source = screen.resource_create(&ResourceTemplate { nr_samples: SAMPLES, ..single })?;
        let [target, source] = [target, source].map(|resource| BlitSurface {
            resource,
            level: 0,
            region: Region::whole(side, side, 1),
            format,
        });
        let info = BlitInfo::new(target, source, TexFilter::Nearest);
        let mut result: Result<(), PipeError> = Ok(());
        let time = best(|| result = context.blit(&info));
        result?;
        Ok(time)
    })?;
    row(
        "resolve of 4 samples, bandwidth over that of copy",
        format!("{:.2} ×", copy.as_secs_f64() / time.as_secs_f64()),
        "≥ 0.5 ×",
    );
    Ok(())
}

/// Returns an `Os` without worker threads.
fn one_thread() -> Result<Os<'static>> {
    Ok(Os { threads: &os_shim::threads::Inline, ..Os::host() })
}

/// Measures a turning model, on one thread and on all threads.
fn triangles(scene: &'static Scene) -> Result<()> {
    let count = scene.mesh.map_or(0, |mesh| mesh.triangles());
    let threads = Os::host().threads.count();
    for (how, os) in
        [("one thread".to_owned(), one_thread()?), (format!("{threads} threads"), Os::host())]
    {
        let mut frame = 0;
        let mut turn = || {
            frame = (frame + 1) % 36;
            View::turntable(frame, 36, DEMO.aspect())
        };
        let time = frame_time(scene, &DEMO, &mut turn, os)?.as_secs_f64();
        row(
            &format!("{}, 640×480, {how}", scene.name),
            format!("{:.3} ms, {:.1} Mtri/s", time * 1e3, f64::from(count) / time / 1e6),
            "",
        );
    }
    Ok(())
}

fn frame_time(
    scene: &'static Scene,
    surface: &Surface,
    view: &mut dyn FnMut() -> View,
    os: Os<'static>,
) -> Result<Duration> {
    let system = System::new();
    let os = Os { memory: Memory::new(&system), ..os };
    screens::with_screen(AnyProfile::Host, os, surface, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderer = SceneRenderer::new(screen, &mut *context, surface, scene)?;
        let mut error = None;
        let time = best(|| {
            let drawn = renderer.draw(&mut *context, &view());
            if let Err(failed) = drawn.and_then(|()| renderer.flush(&mut *context)) {
                error = Some(failed);
            }
        });
        renderer.destroy(screen, &mut *context);
        match error {
            None => Ok(time),
            Some(error) => Err(error.into()),
        }
    })
}
