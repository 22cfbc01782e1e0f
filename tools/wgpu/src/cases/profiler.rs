//! wgpu-profiler: times of nested scopes, around passes that draw.

use anyhow::{Context as _, Result, ensure};
use image::RgbaImage;
use wgpu_profiler::{GpuProfiler, GpuProfilerSettings, GpuTimerQueryResult};

use super::Case;
use super::egui::THRESHOLD;
use crate::adapter::{Door, Gpu};
use crate::compare::Bounds;
use crate::target;

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    let case = Case {
        name: "profiler/scopes".into(),
        bounds: Bounds::Snapshot(THRESHOLD),
        draw: Box::new(draw),
        reference: None,
    };
    vec![case]
}

/// Sixty soft lights: work that takes a measurable time.
const SHADER: &str = "
@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let place = vec2f(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return vec4f(place, 0.0, 1.0);
}

@fragment
fn colour(@builtin(position) place: vec4f) -> @location(0) vec4f {
    var sum = vec3f(0.0);
    for (var i = 0u; i < 60u; i += 1u) {
        let light = vec2f(f32(i * 37u % 256u), f32(i * 53u % 240u));
        let way = place.xy - light;
        let shine = 40.0 / (40.0 + dot(way, way));
        sum += shine * vec3f(f32(i % 3u == 0u), f32(i % 3u == 1u), f32(i % 3u == 2u));
    }
    return vec4f(min(sum, vec3f(1.0)), 0.5);
}
";

/// Draws in two profiled passes, and checks the times that the profiler reports.
fn draw(door: Door) -> Result<RgbaImage> {
    let gpu = door.open(GpuProfiler::ALL_WGPU_TIMER_FEATURES)?;
    let has_times = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
    let mut profiler = GpuProfiler::new(&gpu.device, GpuProfilerSettings::default())?;
    let pipeline = pipeline(&gpu);
    let target = target::create(&gpu, 256, 240, wgpu::TextureUsages::RENDER_ATTACHMENT);
    let view = target.create_view(&Default::default());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    {
        let mut frame = profiler.scope("frame", &mut encoder);
        for (label, load) in
            [("first", wgpu::LoadOp::Clear(wgpu::Color::WHITE)), ("second", wgpu::LoadOp::Load)]
        {
            let attachment = wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            };
            let mut pass = frame.scoped_render_pass(
                label,
                wgpu::RenderPassDescriptor {
                    color_attachments: &[Some(attachment)],
                    ..Default::default()
                },
            );
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        }
    }
    profiler.resolve_queries(&mut encoder);
    gpu.queue.submit([encoder.finish()]);
    profiler.end_frame()?;
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    let frames = profiler
        .process_finished_frame(gpu.queue.get_timestamp_period())
        .context("the profiler has no finished frame")?;
    ensure!(frames.len() == 1 && frames[0].label == "frame", "not one frame");
    let passes: Vec<&str> = frames[0].nested_queries.iter().map(|q| q.label.as_str()).collect();
    ensure!(passes == ["first", "second"], "the frame's passes are {passes:?}");
    if has_times {
        check_times(&frames[0])?;
    }
    target::read(&gpu, &target)
}

/// Checks that passes take time, one after the other, within their frame.
fn check_times(frame: &GpuTimerQueryResult) -> Result<()> {
    let mut last = frame.time.as_ref().map_or(f64::NEG_INFINITY, |time| time.start);
    let end = frame.time.as_ref().map_or(f64::INFINITY, |time| time.end);
    for pass in &frame.nested_queries {
        let time = pass.time.clone().with_context(|| format!("`{}` has no time", pass.label))?;
        ensure!(time.end > time.start, "`{}` takes {} s", pass.label, time.end - time.start);
        ensure!(time.start >= last && time.end <= end, "`{}` is outside of its frame", pass.label);
        ensure!(time.end - time.start < 60.0, "`{}` takes more than a minute", pass.label);
        last = time.end;
    }
    Ok(())
}

fn pipeline(gpu: &Gpu) -> wgpu::RenderPipeline {
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("lights"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("lights"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: target::FORMAT,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        multiview_mask: None,
        cache: None,
    })
}
