//! Measures the inspector on large recordings: jumps to calls in random order.
//!
//! ```text
//! cargo run --release --package gallium-inspect --example large            # 1000 frames with uploads: 1 GB
//! cargo run --release --package gallium-inspect --example large -- calls   # 10 million small calls: 1 GB
//! cargo run --release --package gallium-inspect --example large -- FILE    # a recording
//! ```
//! The recordings are written to a file in the folder for temporary files, and removed at the end. On
//! Linux, the most private memory of the process is printed, too.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gallium_inspect::{Inspector, Limits, Progress, answer};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::RecordScreen;
use pipe_core::*;
use raster::{AnyProfile, Config};

/// A kind of recording.
#[derive(Clone, Copy)]
struct Shape {
    frames: u32,
    /// Draws of a frame, with two other calls each.
    draws: u32,
    /// Each frame uploads its texture.
    uploads: bool,
    /// The sides of the part of the target that a draw covers.
    part: u32,
    /// Bytes of constants of a draw.
    constants: usize,
}

/// Frames with large draws and uploads.
const UPLOADS: Shape = Shape { frames: 1000, draws: 28, uploads: true, part: 256, constants: 16 };
/// Many small calls.
const CALLS: Shape = Shape { frames: 3300, draws: 1000, uploads: false, part: 8, constants: 256 };

/// The sides of the texture, and of the target.
const TEXTURE: u32 = 512;
const TARGET: u32 = 1024;
/// Questions about calls in random order.
const QUESTIONS: usize = 50;

const VERTEX: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n\
    MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
const FRAGMENT: &str = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
    DCL SVIEW[0], 2D, FLOAT\nDCL CONST[0]\nDCL TEMP[0]\nTEX TEMP[0], IN[0], SAMP[0], 2D\n\
    MUL OUT[0], TEMP[0], CONST[0]\nEND\n";

fn record(path: &Path, shape: Shape) -> anyhow::Result<()> {
    let file = Mutex::new(std::io::BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?));
    let sink = |call: &[u8]| {
        let mut file = file.lock().expect("no panic");
        file.write_all(call).expect("room on the disk");
    };
    let memory = Memory::system();
    let driver = AnyProfile::Host.screen(Os::host(), Config::default());
    let screen = RecordScreen::new(&*driver, &sink, memory);
    let mut context = screen.context_create(ContextFlags::empty())?;
    let format = Format::R8G8B8A8Unorm;
    let of_target = ResourceTemplate::texture_2d(format, TARGET, TARGET, Bind::RENDER_TARGET);
    let target = screen.resource_create(&of_target)?;
    let surface = context.create_surface(target, &SurfaceTemplate::of(format))?;
    let side = TARGET as u16;
    context.set_framebuffer_state(&FramebufferState::single(side, side, surface, None))?;
    context.set_viewport_states(0, &[ViewportState::y_down(TARGET, TARGET)])?;
    let of_texture = ResourceTemplate::texture_2d(format, TEXTURE, TEXTURE, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&of_texture)?;
    let view = context.create_sampler_view(texture, &SamplerViewTemplate::whole(&of_texture))?;
    context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
    let sampler = context.create_sampler_state(&SamplerState::default())?;
    context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])?;
    let elements = [VertexElement::per_vertex(0, Format::R32G32B32A32Float)];
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let scissors = RasterizerState { scissor: true, ..RasterizerState::default() };
    let scissors = context.create_rasterizer_state(&scissors)?;
    context.bind_rasterizer_state(Some(scissors))?;
    for (stage, text) in [(ShaderType::Vertex, VERTEX), (ShaderType::Fragment, FRAGMENT)] {
        let shader = context.create_shader_state(stage, &ShaderState::text(text))?;
        context.bind_shader_state(stage, Some(shader))?;
    }
    let corners: [[f32; 4]; 3] =
        [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];
    let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|it| it.to_le_bytes()).collect();
    let buffer = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
    let resource = screen.resource_create(&buffer)?;
    context.buffer_subdata(resource, MapFlags::WRITE, 0, &bytes)?;
    let vertices = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(vertices)])?;
    let mut texels = vec![0u8; (TEXTURE * TEXTURE * 4) as usize];
    for frame in 0..shape.frames {
        for (at, texel) in (0u32..).zip(texels.iter_mut()).filter(|_| shape.uploads) {
            *texel = at.wrapping_mul(frame + 3).to_le_bytes()[1];
        }
        let whole = Region::rect(0, 0, TEXTURE, TEXTURE);
        let stride = (TEXTURE * 4) as usize;
        if shape.uploads || frame == 0 {
            context.texture_subdata(texture, 0, MapFlags::WRITE, &whole, &texels, stride, 0)?;
        }
        let black = ColorUnion::float([0.0, 0.0, 0.0, 1.0]);
        context.clear(ClearFlags::COLOR0, None, &black, 1.0, 0)?;
        for draw in 0..shape.draws {
            let part = draw as f32 / shape.draws as f32;
            let color = [part, 1.0 - part, (frame % 256) as f32 / 255.0, 1.0];
            let color: Vec<u8> = color.iter().flat_map(|it| it.to_le_bytes()).collect();
            let constants: Vec<u8> = color.iter().copied().cycle().take(shape.constants).collect();
            let constants = Some(ConstantBuffer::User(&constants));
            context.set_constant_buffer(ShaderType::Fragment, 0, constants)?;
            let parts = TARGET / shape.part;
            let side = shape.part as u16;
            let (x, y) = ((draw % parts) as u16 * side, (draw / parts % parts) as u16 * side);
            let scissor = ScissorState { minx: x, miny: y, maxx: x + side, maxy: y + side };
            context.set_scissor_states(0, &[scissor])?;
            let info = DrawInfo::new(PrimType::Triangles);
            context.draw_vbo(&info, None, &[DrawStartCount::count(3)])?;
        }
        context.flush(FlushFlags::empty())?;
    }
    drop(context);
    file.lock().expect("no panic").flush()?;
    Ok(())
}

/// Returns a line of the process's state, in MB.
fn megabytes(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1000)
}

fn main() -> anyhow::Result<()> {
    let shape = match std::env::args().nth(1).as_deref() {
        None => UPLOADS,
        Some("calls") => CALLS,
        Some(file) => return measure(Path::new(file)),
    };
    let name = format!("gallium-large-{}.trace", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    let start = Instant::now();
    record(&path, shape)?;
    let size = std::fs::metadata(&path)?.len() / 1_000_000;
    println!("recorded {size} MB in {:.1} s", start.elapsed().as_secs_f64());
    let measured = measure(&path);
    std::fs::remove_file(&path)?;
    measured
}

/// Reads the picture of the first colour buffer after a call. Returns the seconds that it took.
fn seconds_to(inspector: &Inspector, call: u64) -> anyhow::Result<f64> {
    let start = Instant::now();
    let picture = inspector.at(call, |session| {
        let (resource, level, layer) = answer::find(session, "")?;
        gallium_inspect::picture::Picture::read(session, resource, level, layer)?.png(true)
    })?;
    assert!(!picture.is_empty());
    Ok(start.elapsed().as_secs_f64())
}

fn measure(path: &Path) -> anyhow::Result<()> {
    let start = Instant::now();
    let inspector = Inspector::open(path, Limits { prepares: true, ..Limits::default() })?;
    let count = inspector.listing().count();
    println!("listed {count} calls in {:.2} s", start.elapsed().as_secs_f64());
    // Questions during the first pass, about calls that it has reached.
    let (mut worst, mut asked) = (0.0f64, 0);
    let Progress { mut played, .. } = inspector.progress();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    while !inspector.wait_for(count, Duration::from_millis(500)) {
        played = inspector.progress().played.max(played);
        if played > 200 {
            worst = worst.max(seconds_to(&inspector, random.between(100, played))?);
            asked += 1;
        }
    }
    let (snapshots, memory, file) = inspector.snapshots();
    println!(
        "first pass of {:.1} s: {snapshots} snapshots, {} MB in memory and {} MB in a file; \
         {asked} questions meanwhile took {worst:.2} s at most",
        start.elapsed().as_secs_f64(),
        memory / 1_000_000,
        file / 1_000_000,
    );
    let mut all = Vec::new();
    for _ in 0..QUESTIONS {
        all.push(seconds_to(&inspector, random.between(100, count))?);
    }
    all.sort_by(f64::total_cmp);
    let at = |part: usize| all[(QUESTIONS - 1) * part / 100];
    println!(
        "a picture at any call: {:.2} s at most, {:.2} s for 95 %, {:.2} s for half of {QUESTIONS}",
        at(100),
        at(95),
        at(50)
    );
    for name in ["RssAnon:", "VmHWM:"] {
        if let Some(size) = megabytes(name) {
            println!("{name} {size} MB");
        }
    }
    Ok(())
}

/// xorshift64: calls in an order that looks random.
struct Random(u64);

impl Random {
    fn between(&mut self, first: u64, last: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        first + self.0 % (last - first).max(1)
    }
}
