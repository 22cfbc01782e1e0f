//! Measures the longest time between two checks whether work may go on, for the most expensive
//! programs.
//!
//! A budget measures the processor time between its checks. `sweep` runs each arithmetic opcode,
//! each use of memory and lookups of each format; `random` mixes them in programs of every stage:
//!
//! ```text
//! cargo bench -p gallium-raster --features full,std --bench questions -- sweep [OPCODE]
//! cargo bench -p gallium-raster --features full,std --bench questions -- random 200
//! ```
#![allow(missing_docs, reason = "a program")]

#[path = "../tests/it/common.rs"]
#[allow(unused_macros, reason = "tests use them")]
mod common;

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use common::*;
use formats::Format;
use gallium_raster::{Config, Host, Screen};
use os_shim::Os;
use os_shim::budget::{Budget, Stopped};
use os_shim::threads::Inline;
use pipe_core::resource::TextureTarget;
use pipe_core::{
    Bind, ComputeState, ContextFlags, FlushFlags, GridInfo, ImageAccess, ImageRange, ImageView,
    PipeError, PrimType, ResourceTemplate, SamplerState, SamplerViewTemplate, Screen as _,
    ShaderBuffer, ShaderSource, ShaderType, TexFilter, TexMipFilter,
};
use tgsi::opcode::{Flags, Mode, Opcode, Type};

/// The processor time that a case may take.
const CASE_NS: u64 = 300_000_000;

/// A budget that measures a thread's processor time between two checks.
struct Questions {
    worst_ns: AtomicU64,
    total_ns: AtomicU64,
    units: AtomicU64,
    is_over: AtomicBool,
}

thread_local! {
    static LAST: Cell<u64> = const { Cell::new(0) };
}

fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Questions {
    const fn new() -> Questions {
        Questions {
            worst_ns: AtomicU64::new(0),
            total_ns: AtomicU64::new(0),
            units: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn begin(&self) {
        self.worst_ns.store(0, Relaxed);
        self.total_ns.store(0, Relaxed);
        self.units.store(0, Relaxed);
        self.is_over.store(false, Relaxed);
        LAST.set(now_ns());
    }

    fn end(&self) -> Outcome {
        let _ = self.spend(0);
        let ms = |ns: &AtomicU64| ns.load(Relaxed) as f64 / 1e6;
        Outcome {
            worst_ms: ms(&self.worst_ns),
            total_ms: ms(&self.total_ns),
            units: self.units.load(Relaxed),
        }
    }
}

impl Budget for Questions {
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        let now = now_ns();
        let gap = now - LAST.replace(now);
        self.worst_ns.fetch_max(gap, Relaxed);
        let total = self.total_ns.fetch_add(gap, Relaxed) + gap;
        self.units.fetch_add(units, Relaxed);
        if total > CASE_NS {
            self.is_over.store(true, Relaxed);
        }
        if self.is_over.load(Relaxed) { Err(Stopped::Time) } else { Ok(()) }
    }
}

/// The measured times of a case.
struct Outcome {
    worst_ms: f64,
    total_ms: f64,
    units: u64,
}

impl Outcome {
    fn print(&self, name: &str, more: &str) {
        let unit = self.total_ms * 1e6 / self.units.max(1) as f64;
        println!("{:8.3} ms  {unit:7.1} ns a unit  {name}{more}", self.worst_ms);
    }
}

/// A stage, and how its programs run.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Compute,
    Fragment,
    Samples,
    Vertex,
}

const STAGES: [Stage; 4] = [Stage::Compute, Stage::Fragment, Stage::Samples, Stage::Vertex];

/// The declarations of each program: four temporaries that differ from lane to lane, a sampler, a
/// buffer, an image, shared memory.
const DECLARE: &str = "DCL TEMP[0..7]
IMM[0] FLT32 { 0.37, 1.7, 12.0, 0.0 }
IMM[1] UINT32 { 3, 7919, 1020, 0 }
IMM[2] FLT32 { 0.06, 0.0, 0.0039, 0.0 }
";

fn text(stage: Stage, body: &str, turns: Option<u32>) -> String {
    let sampled = "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL BUFFER[0]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR\n";
    let (head, first, last) = match stage {
        Stage::Compute => (
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1024\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n\
             PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\nDCL MEMORY[0], SHARED\n",
            "UMUL TEMP[7].x, SV[0].xxxx, IMM[1].yyyy\nU2F TEMP[0], TEMP[7].xxxx\n\
             MUL TEMP[0], TEMP[0], IMM[0].xyxy\n",
            "STORE BUFFER[0], IMM[1].wwww, TEMP[0]\nSTORE BUFFER[0], IMM[1].wwww, TEMP[1]\n\
             STORE BUFFER[0], IMM[1].wwww, TEMP[2]\nSTORE BUFFER[0], IMM[1].wwww, TEMP[3]\n",
        ),
        Stage::Fragment | Stage::Samples => (
            "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n",
            "MUL TEMP[0], IN[0].xyxy, IMM[0].zzzz\n",
            "ADD TEMP[0], TEMP[0], TEMP[1]\nADD TEMP[2], TEMP[2], TEMP[3]\n\
             ADD OUT[0], TEMP[0], TEMP[2]\n",
        ),
        Stage::Vertex => (
            "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n",
            "MUL TEMP[0], IN[1], IMM[0].zzzz\n",
            "MOV OUT[0], IN[0]\nADD TEMP[0], TEMP[0], TEMP[1]\nADD TEMP[2], TEMP[2], TEMP[3]\n\
             ADD OUT[1], TEMP[0], TEMP[2]\n",
        ),
    };
    let mut text = format!(
        "{head}{sampled}{DECLARE}{first}MAD TEMP[1], TEMP[0].yxwz, IMM[0].yyyy, IMM[0].xxxx\n\
         MUL TEMP[2], TEMP[1], TEMP[0]\nMOV TEMP[3], TEMP[0].wzyx\nMOV TEMP[6], IMM[0].wwww\n"
    );
    match turns {
        None => text += body,
        Some(turns) => {
            let _ = write!(
                text,
                "IMM[3] UINT32 {{ {turns}, 1, 0, 0 }}\nMOV TEMP[6], IMM[3].zzzz\nBGNLOOP\n\
                 USGE TEMP[7].x, TEMP[6].xxxx, IMM[3].xxxx\nUIF TEMP[7].xxxx\nBRK\nENDIF\n\
                 UADD TEMP[6].x, TEMP[6].xxxx, IMM[3].yyyy\n{body}ENDLOOP\n"
            );
        }
    }
    // Declarations and constants come before instructions.
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(|line| {
        let rank = |start: &str| !line.starts_with(start);
        let is_head = ["COMP", "FRAG", "VERT"].contains(line);
        (!is_head, rank("PROPERTY"), rank("DCL"), rank("IMM"))
    });
    let mut text = lines.join("\n");
    text += "\n";
    text + last + "END"
}

/// A lookup with lanes far apart, and a long footprint at a fine level.
const TXD: &str = "ADD TEMP[0], TEMP[0], IMM[0].xxxx
TXD TEMP[5], TEMP[0], IMM[2].xyyy, IMM[2].yzyy, SAMP[0], 2D
ADD TEMP[3], TEMP[5], TEMP[3]
";

/// Returns the sampler state with the most expensive lookups.
fn costliest() -> SamplerState {
    SamplerState {
        min_img_filter: TexFilter::Linear,
        mag_img_filter: TexFilter::Linear,
        min_mip_filter: TexMipFilter::Linear,
        max_lod: 8.0,
        max_anisotropy: 16,
        ..SamplerState::default()
    }
}

/// The machine that runs programs.
struct Machine {
    questions: &'static Questions,
    screen: &'static Screen<'static, Host>,
}

impl Machine {
    fn new(with_code: bool) -> Machine {
        let questions: &Questions = Box::leak(Box::new(Questions::new()));
        let os = Os { threads: &Inline, ..Os::host() };
        let mut screen = Screen::<Host>::with_budget(os, Config::default(), questions);
        if let Some(generator) = codegen::Generator::new().filter(|_| with_code) {
            screen = screen.with_generator(Box::leak(Box::new(generator.after(0))));
        }
        Machine { questions, screen: Box::leak(Box::new(screen)) }
    }

    /// Runs a program in a stage, with a texture of a format; `None` if the driver rejects it.
    fn run(&self, stage: Stage, text: &str, format: Format) -> Option<Outcome> {
        match self.try_run(stage, text, format) {
            Ok(outcome) => Some(outcome),
            Err(PipeError::Stopped(_)) => Some(self.questions.end()),
            Err(error) => {
                eprintln!("{stage:?}: {error}");
                None
            }
        }
    }

    fn try_run(&self, stage: Stage, text: &str, format: Format) -> Result<Outcome, PipeError> {
        let screen = self.screen;
        self.questions.begin();
        let mut context = screen.context_create(ContextFlags::empty())?;
        let (width, height) = (256, 256);
        let buffer = screen.resource_create(&ResourceTemplate::buffer(
            4096,
            Bind::SHADER_BUFFER | Bind::VERTEX_BUFFER,
        ))?;
        let template = ResourceTemplate {
            last_level: 8,
            ..ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW)
        };
        let texture = screen.resource_create(&template)?;
        // Pseudo-random bits: blocks of every kind.
        let mut random = 1u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        })
        .take(format.row_bytes(width as usize) * height as usize)
        .collect();
        let region = pipe_core::Region::whole(width, height, 1);
        let write = pipe_core::MapFlags::WRITE;
        let stride = format.row_bytes(width as usize);
        context.texture_subdata(texture, 0, write, &region, &bytes, stride, 0)?;
        let view = context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template))?;
        let sampler = context.create_sampler_state(&costliest())?;
        let image_template = ResourceTemplate::texture_2d(
            Format::R32G32B32A32Float,
            64,
            64,
            Bind::SHADER_IMAGE | Bind::SAMPLER_VIEW,
        );
        let image = screen.resource_create(&image_template)?;
        let kind = match stage {
            Stage::Compute => ShaderType::Compute,
            Stage::Fragment | Stage::Samples => ShaderType::Fragment,
            Stage::Vertex => ShaderType::Vertex,
        };
        let words = ShaderBuffer { resource: buffer, buffer_offset: 0, buffer_size: 4096 };
        context.set_shader_buffers(kind, 0, &[Some(words)], !0)?;
        let range = ImageRange::Texture {
            level: 0,
            first_layer: 0,
            last_layer: 0,
            single_layer_view: true,
        };
        let image = ImageView {
            resource: image,
            format: image_template.format,
            access: ImageAccess::READ_WRITE,
            range,
        };
        context.set_shader_images(kind, 0, &[Some(image)])?;
        if stage == Stage::Compute {
            context.set_sampler_views(kind, 0, &[Some(view)])?;
            context.bind_sampler_states(kind, 0, &[Some(sampler)])?;
            let program = context.create_compute_state(&ComputeState {
                source: ShaderSource::Text(text),
                static_shared_mem: 4096,
                req_private_mem: 0,
                req_input_mem: 0,
            })?;
            context.bind_compute_state(Some(program))?;
            self.questions.begin();
            context.launch_grid(&GridInfo {
                block: [1024, 1, 1],
                grid: [4, 1, 1],
                ..GridInfo::default()
            })?;
            return Ok(self.questions.end());
        }
        drop(context);
        let mut setup =
            Setup::new(screen, Options { width: 128, height: 64, ..Default::default() })?;
        if stage == Stage::Samples {
            use pipe_core::{FramebufferState, SurfaceTemplate};
            let template = ResourceTemplate {
                nr_samples: 16,
                nr_storage_samples: 16,
                ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 128, 64, Bind::RENDER_TARGET)
            };
            let target = screen.resource_create(&template)?;
            let surface =
                setup.context.create_surface(target, &SurfaceTemplate::of(template.format))?;
            setup.context.set_framebuffer_state(&FramebufferState {
                samples: 16,
                ..FramebufferState::single(128, 64, surface, None)
            })?;
            setup.context.set_min_samples(16);
            setup.rasterizer(&pipe_core::RasterizerState {
                multisample: true,
                force_persample_interp: true,
                ..rasterizer()
            })?;
        }
        let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let corners: Vec<_> = corners
            .iter()
            .cycle()
            .take(300)
            .zip(0u8..)
            .map(|(&(x, y), at)| vertex(x, y, 0.0, [x * 31.0, y * 17.0, f32::from(at), 1.0]))
            .collect();
        setup.upload(screen, &corners)?;
        let view =
            setup.context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template))?;
        setup.context.set_sampler_views(kind, 0, &[Some(view)])?;
        let sampler = setup.context.create_sampler_state(&costliest())?;
        setup.context.bind_sampler_states(kind, 0, &[Some(sampler)])?;
        setup.context.set_shader_buffers(kind, 0, &[Some(words)], !0)?;
        setup.context.set_shader_images(kind, 0, &[Some(image)])?;
        let (vertex, fragment) = if stage == Stage::Vertex { (text, COLOR) } else { (PASS, text) };
        setup.shaders(vertex, fragment)?;
        self.questions.begin();
        setup.draw(PrimType::Triangles, if stage == Stage::Vertex { 300 } else { 3 })?;
        setup.context.flush(FlushFlags::empty())?;
        Ok(self.questions.end())
    }
}

/// Returns a line with an opcode that computes values from values.
fn arithmetic(opcode: Opcode) -> Option<String> {
    let info = opcode.info();
    let is_value = |kind: &Type| *kind != Type::Unit;
    let is_plain = info.dst.iter().chain(info.src).all(is_value)
        && !info.dst.is_empty()
        && info.mode != Mode::Other
        && info.flags == Flags::NONE;
    is_plain.then(|| {
        let mut operands: Vec<_> = (0..info.dst.len()).map(|at| format!("TEMP[{at}]")).collect();
        operands.extend((0..info.src.len()).map(|at| format!("TEMP[{}]", at % 4)));
        format!("{opcode} {}\n", operands.join(", "))
    })
}

/// Returns lines of lookups and of memory accesses. The last number is the most that a program may
/// have.
fn snippets() -> Vec<(String, String, usize)> {
    let mut all: Vec<(String, String, usize)> = Opcode::ALL
        .iter()
        .filter_map(|&opcode| Some((opcode.name().into(), arithmetic(opcode)?, 15_000)))
        .collect();
    let mut add = |name: &str, lines: &str| all.push((name.into(), lines.into(), 6000));
    add("TXD", TXD);
    add("TEX", "TEX TEMP[0], TEMP[1], SAMP[0], 2D\nADD TEMP[1], TEMP[0], TEMP[1]\n");
    add("TXL", "TXL TEMP[0], TEMP[1], SAMP[0], 2D\nADD TEMP[1], TEMP[0], TEMP[1]\n");
    add(
        "TXF",
        "F2I TEMP[4], TEMP[0]\nTXF TEMP[0], TEMP[4], SAMP[0], 2D\nADD TEMP[0], TEMP[0], TEMP[1]\n",
    );
    add("TG4", "TG4 TEMP[0], TEMP[1], IMM[1].wwww, SAMP[0], 2D\nADD TEMP[1], TEMP[0], TEMP[1]\n");
    add("TXQ", "TXQ TEMP[4], IMM[1].wwww, SAMP[0], 2D\nUADD TEMP[3], TEMP[4], TEMP[3]\n");
    let address = "F2U TEMP[4].x, TEMP[0].xxxx\nAND TEMP[4].x, TEMP[4].xxxx, IMM[1].zzzz\n";
    add(
        "LOAD buffer",
        &format!(
            "{address}LOAD TEMP[5], BUFFER[0], TEMP[4].xxxx\nUADD TEMP[0], TEMP[5], TEMP[0]\n"
        ),
    );
    add("STORE buffer", &format!("{address}STORE BUFFER[0], TEMP[4].xxxx, TEMP[1]\n"));
    for atomic in ["ATOMUADD", "ATOMXCHG", "ATOMIMAX", "ATOMFADD"] {
        add(
            atomic,
            &format!(
                "{address}{atomic} TEMP[5].x, BUFFER[0], TEMP[4].xxxx, TEMP[1].xxxx\nUADD TEMP[0].x, TEMP[5].xxxx, TEMP[0].xxxx\n"
            ),
        );
    }
    add(
        "LOAD image",
        &format!(
            "{address}LOAD TEMP[5], IMAGE[0], TEMP[4].xxxx, 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\nADD TEMP[0], TEMP[5], TEMP[0]\n"
        ),
    );
    add(
        "STORE image",
        &format!(
            "{address}STORE IMAGE[0], TEMP[4].xxxx, TEMP[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\n"
        ),
    );
    add("DDX", "DDX TEMP[1], TEMP[0]\nADD TEMP[0], TEMP[1], TEMP[2]\n");
    add("KILL_IF", "KILL_IF |TEMP[0]|\n");
    add(
        "IF",
        "IF TEMP[0].xxxx\nADD TEMP[0], TEMP[1], TEMP[0]\nELSE\nMUL TEMP[0], TEMP[1], TEMP[0]\nENDIF\n",
    );
    all
}

fn sweep(machine: &Machine, only: &str) {
    println!("longest time between two questions, time of a unit");
    let plain = Format::R8G8B8A8Unorm;
    for (name, lines, count) in snippets().into_iter().filter(|it| it.0.starts_with(only)) {
        for stage in STAGES {
            // Programs have at most 65,535 ops.
            let outcomes = [count, count / 8, count / 64].into_iter().find_map(|count| {
                machine.run(stage, &text(stage, &lines.repeat(count), None), plain)
            });
            if let Some(outcome) = outcomes {
                outcome.print(&name, &format!(", {stage:?}"));
            }
        }
    }
    let body = text(Stage::Compute, &TXD.repeat(500), None);
    for &format in Format::ALL {
        let target = TextureTarget::Texture2D;
        if machine.screen.is_format_supported(format, target, 0, 0, Bind::SAMPLER_VIEW)
            && let Some(outcome) = machine.run(Stage::Compute, &body, format)
        {
            outcome.print("TXD of ", format.name());
        }
    }
}

/// Mixes lines at random, in every stage, with and without a loop.
fn search(machine: &Machine, count: u64) {
    let snippets = snippets();
    let formats = [Format::R8G8B8A8Unorm, Format::R32G32B32A32Float, Format::BptcRgbaUnorm];
    let mut worst: Vec<(f64, String)> = Vec::new();
    for seed in 0..count {
        let mut random = Random(seed as u32 * 7919 + 1);
        for _ in 0..4 {
            random.next();
        }
        let stage = random.of(&STAGES);
        let mut names = Vec::new();
        let mut lines = String::new();
        for _ in 0..1 + (random.next() * 5.0) as usize {
            let (name, line, _) = &snippets[(random.next() * snippets.len() as f32) as usize];
            let repeated = random.of(&[1, 1, 4, 40]);
            names.push(format!("{repeated} {name}"));
            lines += &line.repeat(repeated);
        }
        let turns = random.of(&[None, Some(1000)]);
        let times = random.of(&[1, 30, 1000]);
        let format = random.of(&formats);
        let name = format!(
            "seed {seed}: {stage:?}, {times} x [{}], loop {turns:?}, {}",
            names.join(", "),
            format.name()
        );
        let outcome = [times, times / 8, times / 64, 1].into_iter().find_map(|times| {
            machine.run(stage, &text(stage, &lines.repeat(times), turns), format)
        });
        if let Some(outcome) = outcome {
            worst.push((outcome.worst_ms, name));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} programs; the longest times between two questions:", worst.len());
    for (ms, name) in worst.iter().take(20) {
        println!("{ms:8.3} ms  {name}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let with_code = !arguments.iter().any(|argument| argument == "interpret");
    let machine = Machine::new(with_code);
    match arguments.first().map(String::as_str) {
        Some("random") => {
            search(&machine, arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(200));
        }
        _ => sweep(&machine, arguments.get(1).map_or("", String::as_str)),
    }
}
