//! Programs of many frames: their last picture, and the time of a frame.

mod boids;
mod matrix;
mod shadow;

use std::time::Instant;

use anyhow::{Context as _, Result};
use image::RgbaImage;

use super::Case;
use crate::adapter::{Door, Gpu};
use crate::compare::Bounds;
use crate::target;

/// Draws the frame with this number, and waits for it.
type Frame = Box<dyn FnMut(u32)>;

/// A program.
struct Program {
    name: &'static str,
    /// Pixels per side.
    size: (u32, u32),
    /// Frames to the picture. Small differences of rounding grow with every frame.
    frames: u32,
    bounds: Bounds,
    make: fn(&Gpu, &wgpu::Texture) -> Frame,
}

const PROGRAMS: [Program; 3] = [
    Program {
        name: "boids",
        size: (512, 512),
        frames: 10,
        bounds: Bounds::Coverage { step: 32, share: 0.002, mean: 0.1 },
        make: boids::make,
    },
    Program {
        name: "shadow",
        size: (640, 480),
        frames: 2,
        bounds: Bounds::Coverage { step: 32, share: 0.002, mean: 0.1 },
        make: shadow::make,
    },
    Program {
        name: "matrix",
        size: (matrix::SIDE, matrix::SIDE),
        frames: 1,
        bounds: Bounds::Coverage { step: 0, share: 0.0, mean: 0.0 },
        make: matrix::make,
    },
];

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    let case = |program: &'static Program| Case {
        name: format!("programs/{}", program.name),
        bounds: program.bounds,
        draw: Box::new(|door| program.picture(door)),
        reference: None,
    };
    PROGRAMS.iter().map(case).collect()
}

/// Measures the programs that `filter` takes, as [`all`](super::all) does: their names, and the median time of a
/// frame in seconds.
pub fn times(door: Door, filter: &str) -> Result<Vec<(&'static str, f64)>> {
    let taken = PROGRAMS.iter().filter(|it| format!("programs/{}", it.name).contains(filter));
    taken.map(|program| Ok((program.name, program.time(door)?))).collect()
}

/// The least and the most frames of a measurement, and its length in seconds.
const MEASURED: (usize, usize, f64) = (5, 200, 2.0);

impl Program {
    fn open(&self, door: Door) -> Result<(Gpu, wgpu::Texture, Frame)> {
        let gpu = door.open(wgpu::Features::empty())?;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_DST;
        let texture = target::create(&gpu, self.size.0, self.size.1, usage);
        let frame = (self.make)(&gpu, &texture);
        Ok((gpu, texture, frame))
    }

    fn picture(&self, door: Door) -> Result<RgbaImage> {
        let (gpu, texture, mut frame) = self.open(door)?;
        (0..self.frames).for_each(&mut frame);
        target::read(&gpu, &texture)
    }

    /// Returns the median time of a frame in seconds. The first frame warms up.
    fn time(&self, door: Door) -> Result<f64> {
        let (_gpu, _texture, mut frame) = self.open(door)?;
        frame(0);
        let (least, most, seconds) = MEASURED;
        let begin = Instant::now();
        let mut times = Vec::new();
        while times.len() < least || times.len() < most && begin.elapsed().as_secs_f64() < seconds {
            let start = Instant::now();
            frame(u32::try_from(times.len() + 1)?);
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().context("no frame")
    }
}

/// Submits commands, and waits for them.
fn submit(gpu: &Gpu, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    record(&mut encoder);
    gpu.queue.submit([encoder.finish()]);
    // The adapters of this program lose no device; if one does, its picture is missing.
    let _ = gpu.device.poll(wgpu::PollType::wait_indefinitely());
}

/// Creates a buffer with these words.
fn buffer(gpu: &Gpu, words: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

/// Creates a bind group of these resources, bound from 0 on.
fn group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries = (0..).zip(resources);
    let entries: Vec<_> = entries
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

fn module(gpu: &Gpu, wgsl: &'static str) -> wgpu::ShaderModule {
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    })
}

fn compute(gpu: &Gpu, wgsl: &'static str) -> wgpu::ComputePipeline {
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module(gpu, wgsl),
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Creates a pipeline from the module's `vs` and `fs`.
fn render(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    format: wgpu::TextureFormat,
    depth: Option<wgpu::DepthStencilState>,
) -> wgpu::RenderPipeline {
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        primitive: Default::default(),
        depth_stencil: depth,
        multisample: Default::default(),
        multiview_mask: None,
        cache: None,
    })
}

fn clear(view: &wgpu::TextureView, color: wgpu::Color) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(color), store: wgpu::StoreOp::Store },
    }
}
