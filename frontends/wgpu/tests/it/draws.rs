//! Kinds of primitives, immediates in render pipelines, attachments that are read meanwhile.

use gallium_wgpu::wgpu;
use wgpu::{BufferUsages, TextureFormat};

use crate::common::{Gpu, Lists, WHOLE, attachment, color_attachment, floats};
use crate::compute::buffer_entry;

#[test]
fn immediates_in_both_stages_after_uniforms() {
    let gpu = Gpu::new();
    let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[buffer_entry(0, wgpu::BufferBindingType::Uniform)],
    });
    let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 32,
    });
    let wgsl = "
        struct Now { offset: vec2f, color: vec4f }
        var<immediate> now: Now;
        @group(0) @binding(0) var<uniform> scale: vec4f;
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            let p = vec2f(f32(i & 1u), f32(i >> 1u)) * scale.xy;
            return vec4f(p + now.offset, 0, 1);
        }
        @fragment fn fs() -> @location(0) vec4f { return now.color; }";
    let lists = Lists { layout: Some(&pipeline_layout), ..Lists::default() };
    let pipeline = gpu.pipeline_with(wgsl, lists, |desc| {
        desc.primitive.topology = wgpu::PrimitiveTopology::TriangleStrip;
    });
    let scale = gpu.buffer(bytemuck::cast_slice(&[1.0f32, 2.0, 0.0, 0.0]), BufferUsages::UNIFORM);
    let group = gpu.group(&layout, &[scale.as_entire_binding()]);
    let target = gpu.target(4, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(&[-1.0f32, -1.0]));
        pass.set_immediates(16, bytemuck::cast_slice(&[1.0f32, 0.0, 0.0, 1.0]));
        pass.draw(0..4, 0..1);
        pass.set_immediates(0, bytemuck::cast_slice(&[0.0f32, -1.0]));
        pass.set_immediates(20, bytemuck::cast_slice(&[1.0f32]));
        pass.draw(0..4, 0..1);
    });
    let (red, yellow) = ([255, 0, 0, 255], [255, 255, 0, 255]);
    assert_eq!(gpu.pixels(&target), [red, red, yellow, yellow]);
}

#[test]
fn points_lines_and_base_vertices() {
    let gpu = Gpu::new();
    // Vertex i is the centre of pixel (i, 1) of eight by three.
    let wgsl = "
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f((f32(i) + 0.5) / 4 - 1, 0, 0, 1);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }";
    let pipeline = |topology| gpu.pipeline(wgsl, |desc| desc.primitive.topology = topology);
    let draw = |topology, record: &dyn Fn(&mut wgpu::RenderPass<'_>)| {
        let (target, pipeline) = (gpu.target(8, 3), pipeline(topology));
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            record(pass);
        });
        let pixels = gpu.pixels(&target);
        assert!(pixels[..8].iter().chain(&pixels[16..]).all(|pixel| pixel[0] == 0));
        (0..8).filter(|&x| pixels[8 + x][0] == 255).collect::<Vec<_>>()
    };
    let points = draw(wgpu::PrimitiveTopology::PointList, &|pass| pass.draw(2..5, 0..1));
    assert_eq!(points, [2, 3, 4]);
    let lines = draw(wgpu::PrimitiveTopology::LineList, &|pass| pass.draw(1..5, 0..1));
    // A line may leave out its last pixel.
    assert!(lines == [1, 3] || lines == [1, 2, 3, 4], "{lines:?}");
    let indices = gpu.buffer(bytemuck::cast_slice(&[3u16, 1, 4, 0]), BufferUsages::INDEX);
    let indexed = draw(wgpu::PrimitiveTopology::PointList, &|pass| {
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..3, 3, 0..1);
        pass.draw_indexed(2..3, -4, 0..1);
    });
    assert_eq!(indexed, [0, 4, 6, 7]);
}

#[test]
fn depth_is_tested_and_sampled_in_one_pass() {
    let gpu = Gpu::new();
    let format = TextureFormat::Depth32Float;
    let depth = gpu.texture(format, [2, 1, 1], attachment);
    let depth_view = depth.create_view(&Default::default());
    let wgsl = format!(
        "@group(0) @binding(0) var t: texture_depth_2d;
         {WHOLE}
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             return vec4f(textureLoad(t, vec2u(p.xy), 0));
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |desc| {
        desc.depth_stencil = Some(wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        });
    });
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(&depth_view)],
    );
    let target = gpu.target(2, 1);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.8),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color_attachment(
                &view,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_ops: None,
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.pixels(&target), [[204; 4]; 2]);
}

#[test]
fn passes_follow_each_other_on_one_texture() {
    let gpu = Gpu::new();
    // Each pass adds a fifth of red to what was loaded, and the last one reads the picture.
    let add = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    let targets = [Some(wgpu::ColorTargetState {
        format: crate::common::RGBA,
        blend: Some(wgpu::BlendState { color: add, alpha: add }),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    let wgsl = format!(
        "{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(0.2, 0, 0, 0); }}"
    );
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
    let target = gpu.target(2, 2);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        for pass in 0..3 {
            let load = match pass {
                0 => wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                _ => wgpu::LoadOp::Load,
            };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(color_attachment(&view, load))],
                ..Default::default()
            });
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        }
    });
    assert_eq!(gpu.pixels(&target), [[153, 0, 0, 255]; 4]);
    gpu.write(&target, &[1; 16]);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color_attachment(&view, wgpu::LoadOp::Load))],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_scissor_rect(0, 1, 1, 1);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.pixels(&target), [[1; 4], [1; 4], [52, 1, 1, 1], [1; 4]]);
}

/// Draws eight depths to the pixels of a 16-bit depth buffer: with the vertices, or with the fragments. Returns
/// the buffer, and the depths that the fragments read.
fn draw_depths(
    gpu: &Gpu,
    depths: [f32; 8],
    by_fragments: bool,
    range: [f32; 2],
) -> (Vec<u16>, Vec<f32>) {
    let format = TextureFormat::Depth16Unorm;
    let list = depths.map(|depth| format!("{depth:?}")).join(", ");
    let (member, value) = match by_fragments {
        true => (", @builtin(frag_depth) d: f32", ", depths[u32(p.x)]"),
        false => ("", ""),
    };
    let wgsl = format!(
        "const depths = array<f32, 8>({list});
         struct Out {{ @location(0) c: vec4f {member} }}
         @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32)
             -> @builtin(position) vec4f {{
             return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, depths[n], 1);
         }}
         @fragment fn fs(@builtin(position) p: vec4f) -> Out {{ return Out(vec4f(p.z) {value}); }}"
    );
    let targets = [Some(wgpu::ColorTargetState::from(TextureFormat::R32Float))];
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |desc| {
        desc.depth_stencil = Some(wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: Default::default(),
            bias: Default::default(),
        });
    });
    let color = gpu.texture(TextureFormat::R32Float, [8, 1, 1], attachment);
    let depth = gpu.texture(format, [8, 1, 1], attachment);
    let views = [&color, &depth].map(|it| it.create_view(&Default::default()));
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color_attachment(
                &views[0],
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &views[1],
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_viewport(0.0, 0.0, 8.0, 1.0, range[0], range[1]);
        for at in 0..8 {
            pass.set_scissor_rect(at, 0, 1, 1);
            pass.draw(0..3, at..at + 1);
        }
    });
    let stored = gpu.level(&depth, 0, wgpu::TextureAspect::DepthOnly);
    let stored = stored.as_chunks().0.iter().map(|it| u16::from_le_bytes(*it)).collect();
    (stored, floats(&gpu.texels(&color)))
}

#[test]
fn depth_of_16_bits_is_the_nearest() {
    let gpu = Gpu::new();
    let depths =
        [0.0, 1.0, 0.5, 100.4 / 65535.0, 100.6 / 65535.0, 0.9999, 65534.6 / 65535.0, 1.0 / 3.0];
    let nearest = |depth: f32| (f64::from(depth) * 65535.0).round() as u16;
    for by_fragments in [false, true] {
        let (stored, read) = draw_depths(&gpu, depths, by_fragments, [0.0, 1.0]);
        assert_eq!(stored, depths.map(nearest), "by fragments: {by_fragments}");
        for (read, depth) in read.into_iter().zip(depths) {
            assert!((read - depth).abs() < 3e-7, "{read}, not {depth}");
        }
    }
    // The range of the viewport: fragments beyond it are clamped.
    let (stored, _) = draw_depths(&gpu, depths, false, [0.25, 0.75]);
    assert_eq!(stored, depths.map(|depth| nearest(0.25 + depth * 0.5)));
    let (stored, _) = draw_depths(&gpu, depths, true, [0.25, 0.75]);
    assert_eq!(stored, depths.map(|depth| nearest(depth.clamp(0.25, 0.75))));
}
