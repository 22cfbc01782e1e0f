//! Measures the inspector on a large recording: 100,000 calls and 1 GB.
//!
//! ```text
//! cargo run --release --package gallium-inspect --example large
//! ```
//! The recording is written to a file in the folder for temporary files, and removed at the end. On
//! Linux, the private memory of the process is printed, too.

use std::io::Write as _;
use std::sync::Mutex;
use std::time::Instant;

use gallium_inspect::{Inspector, Limits, answer};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::RecordScreen;
use pipe_core::*;
use raster::{AnyProfile, Config};

/// Frames of the recording.
const FRAMES: u32 = 1000;
/// Draws of a frame, with two other calls each.
const DRAWS: u32 = 32;
/// The sides of the texture that each frame uploads, and of the target.
const TEXTURE: u32 = 512;
const TARGET: u32 = 256;
/// Questions about calls in random order.
const QUESTIONS: u64 = 40;

const VERTEX: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n\
    MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
const FRAGMENT: &str = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
    DCL SVIEW[0], 2D, FLOAT\nDCL CONST[0]\nDCL TEMP[0]\nTEX TEMP[0], IN[0], SAMP[0], 2D\n\
    MUL OUT[0], TEMP[0], CONST[0]\nEND\n";

fn record(path: &std::path::Path) -> anyhow::Result<()> {
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
    for frame in 0..FRAMES {
        for (at, texel) in (0u32..).zip(texels.iter_mut()) {
            *texel = at.wrapping_mul(frame + 3).to_le_bytes()[1];
        }
        let whole = Region::rect(0, 0, TEXTURE, TEXTURE);
        let stride = (TEXTURE * 4) as usize;
        context.texture_subdata(texture, 0, MapFlags::WRITE, &whole, &texels, stride, 0)?;
        let black = ColorUnion::float([0.0, 0.0, 0.0, 1.0]);
        context.clear(ClearFlags::COLOR0, None, &black, 1.0, 0)?;
        for draw in 0..DRAWS {
            let part = draw as f32 / DRAWS as f32;
            let color: Vec<u8> =
                [part, 1.0 - part, 0.5, 1.0].iter().flat_map(|it| it.to_le_bytes()).collect();
            let color = Some(ConstantBuffer::User(&color));
            context.set_constant_buffer(ShaderType::Fragment, 0, color)?;
            let (x, y) = ((draw % 8 * 32) as u16, (draw / 8 * 32) as u16);
            let scissor = ScissorState { minx: x, miny: y, maxx: x + 32, maxy: y + 32 };
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
    let path = std::env::temp_dir().join(format!("gallium-large-{}.trace", std::process::id()));
    let start = Instant::now();
    record(&path)?;
    let size = std::fs::metadata(&path)?.len() / 1_000_000;
    println!("recorded {size} MB in {:.1} s", start.elapsed().as_secs_f64());
    let measured = measure(&path);
    std::fs::remove_file(&path)?;
    measured
}

fn measure(path: &std::path::Path) -> anyhow::Result<()> {
    let start = Instant::now();
    let inspector = Inspector::open(path, Limits::default())?;
    let count = inspector.listing().count();
    println!("listed {count} calls in {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    inspector.at(count, |session| Ok(answer::state(session)))?;
    println!("played to the end in {:.1} s", start.elapsed().as_secs_f64());
    let (mut most, mut sum, mut private) = (0.0f64, 0.0, 0);
    let mut word: u64 = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..QUESTIONS {
        // xorshift64: calls in an order that looks random.
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        let call = 100 + word % (count - 100);
        let start = Instant::now();
        let picture = inspector.at(call, |session| {
            let (resource, level, layer) = answer::find(session, "")?;
            gallium_inspect::picture::Picture::read(session, resource, level, layer)?.png(true)
        })?;
        assert!(!picture.is_empty());
        let seconds = start.elapsed().as_secs_f64();
        (most, sum) = (most.max(seconds), sum + seconds);
        private = private.max(megabytes("RssAnon:").unwrap_or(0));
    }
    let mean = sum / QUESTIONS as f64;
    println!("a picture at any call: {most:.2} s at most, {mean:.2} s on average");
    println!("private memory: {private} MB at most");
    Ok(())
}
