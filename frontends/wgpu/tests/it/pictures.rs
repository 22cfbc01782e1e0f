//! Pictures: triangles, bindings, states of pipelines.

use gallium_wgpu::wgpu;
use wgpu::BufferUsages;

use crate::common::{Gpu, Lists, RGBA, WHOLE, attachment, begin, color_attachment};
use crate::compute::buffer_entry;

/// Returns true if a pixel's centre lies within the triangle of corners in pixels, none of its
/// edges going through a centre.
fn is_inside(corners: [[f64; 2]; 3], x: usize, y: usize) -> bool {
    let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
    let side = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    let [a, b, c] = corners;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0)
}

#[test]
fn hello_triangle() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
             let x = f32(i32(i) - 1);
             let y = f32(i32(i & 1u) * 2 - 1);
             return vec4f(x, y, 0, 1);
         }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }",
        |_| (),
    );
    let target = gpu.target(61, 43);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut pass = begin(encoder, &view, wgpu::Color::GREEN);
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    });
    // (-1, -1), (0, 1), (1, -1) of clip space.
    let corners = [[0.0, 43.0], [30.5, 0.0], [61.0, 43.0]];
    for (at, pixel) in gpu.pixels(&target).into_iter().enumerate() {
        let inside = is_inside(corners, at % 61, at / 61);
        let expected = if inside { [255, 0, 0, 255] } else { [0, 255, 0, 255] };
        assert_eq!(pixel, expected, "pixel {}, {}", at % 61, at / 61);
    }
}

#[test]
fn vertex_buffers_with_instances_and_indices() {
    const VERTEX: [wgpu::VertexAttribute; 2] =
        wgpu::vertex_attr_array![3 => Float32x2, 1 => Unorm8x4];
    const INSTANCE: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32];
    let gpu = Gpu::new();
    let vertices: Vec<u8> = [[-1.0f32, -1.0], [0.0, -1.0], [-1.0, 1.0], [0.0, 1.0]]
        .iter()
        .flat_map(|it| [bytemuck::cast_slice::<f32, u8>(it), &[255, 128, 0, 255]].concat())
        .collect();
    // The offset of each instance, behind 8 bytes that are skipped.
    let instances: [f32; 4] = [9.0, 9.0, 0.0, 1.0];
    let indices: [u16; 8] = [77, 77, 0, 1, 2, 2, 1, 3];
    let buffers = [
        Some(wgpu::VertexBufferLayout {
            array_stride: 12,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &VERTEX,
        }),
        Some(wgpu::VertexBufferLayout {
            array_stride: 4,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &INSTANCE,
        }),
    ];
    let pipeline = gpu.pipeline_with(
        "struct V { @builtin(position) p: vec4f, @location(0) c: vec4f, @location(1) @interpolate(flat) i: u32 }
         @vertex fn vs(@location(3) p: vec2f, @location(1) c: vec4f, @location(0) x: f32,
                       @builtin(instance_index) i: u32) -> V {
             return V(vec4f(p.x + x, p.y, 0, 1), c, i);
         }
         @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c.rg, f32(v.i) / 5, 1); }",
        Lists { buffers: &buffers, ..Lists::default() },
        |_| (),
    );
    let usage = BufferUsages::VERTEX | BufferUsages::INDEX;
    let vertices = gpu.buffer(&vertices, usage);
    let instances = gpu.buffer(bytemuck::cast_slice(&instances), usage);
    let indices = gpu.buffer(bytemuck::cast_slice(&indices), usage);
    let target = gpu.target(4, 2);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_vertex_buffer(1, instances.slice(4..));
        pass.set_index_buffer(indices.slice(2..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(1..7, 0, 1..3);
    });
    for (at, pixel) in gpu.pixels(&target).into_iter().enumerate() {
        let blue = if at % 4 < 2 { 51 } else { 102 };
        assert_eq!(pixel, [255, 128, blue, 255], "pixel {at}");
    }
}

#[test]
fn uniforms_with_dynamic_offsets_in_two_groups() {
    let gpu = Gpu::new();
    let entry = |binding| {
        let mut entry = buffer_entry(binding, wgpu::BufferBindingType::Uniform);
        if let wgpu::BindingType::Buffer { has_dynamic_offset, .. } = &mut entry.ty {
            *has_dynamic_offset = true;
        }
        entry
    };
    let layout = |entries: &[wgpu::BindGroupLayoutEntry]| {
        gpu.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
    };
    let plain = buffer_entry(4, wgpu::BufferBindingType::Uniform);
    let layouts = [layout(&[entry(0), plain, entry(9)]), layout(&[entry(2)])];
    let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layouts[0]), Some(&layouts[1])],
        immediate_size: 0,
    });
    let wgsl = format!(
        "@group(0) @binding(9) var<uniform> red: vec4f;
         @group(0) @binding(0) var<uniform> green: vec4f;
         @group(0) @binding(4) var<uniform> alpha: vec4f;
         @group(1) @binding(2) var<uniform> blue: vec4f;
         {WHOLE}
         @fragment fn fs() -> @location(0) vec4f {{
             return vec4f(red.x, green.x, blue.x, alpha.x);
         }}"
    );
    let lists = Lists { layout: Some(&pipeline_layout), ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
    // Every 256 bytes one value more.
    let values: Vec<f32> = (0..64 * 6).map(|at| (at / 64) as f32 / 5.0).collect();
    let buffer = gpu.buffer(bytemuck::cast_slice(&values), BufferUsages::UNIFORM);
    let binding = |offset| {
        let size = wgpu::BufferSize::new(16);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &buffer, offset, size })
    };
    let group = |layout, entries: &[(u32, u64)]| {
        let entries: Vec<_> = entries
            .iter()
            .map(|&(at, offset)| wgpu::BindGroupEntry { binding: at, resource: binding(offset) })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    };
    let groups =
        [group(&layouts[0], &[(0, 0), (9, 256), (4, 1280)]), group(&layouts[1], &[(2, 0)])];
    let target = gpu.target(2, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(1, &groups[1], &[768]);
        pass.set_scissor_rect(0, 0, 1, 1);
        // Offsets are in the order of the bindings: green, red.
        pass.set_bind_group(0, &groups[0], &[512, 768]);
        pass.draw(0..3, 0..1);
        pass.set_scissor_rect(1, 0, 1, 1);
        pass.set_bind_group(0, &groups[0], &[0, 0]);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.pixels(&target), [[204, 102, 153, 255], [51, 0, 153, 255]]);
}

#[test]
fn depth_tests_keep_the_nearest() {
    let gpu = Gpu::new();
    for format in [
        wgpu::TextureFormat::Depth16Unorm,
        wgpu::TextureFormat::Depth24Plus,
        wgpu::TextureFormat::Depth24PlusStencil8,
        wgpu::TextureFormat::Depth32Float,
        wgpu::TextureFormat::Depth32FloatStencil8,
    ] {
        let pipeline = gpu.pipeline(
            "struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) i: u32 }
             // Instance i covers the columns from i on, at depth 0.6, 0.2, 0.4.
             @vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
                 let x = select(f32(i) / 2 - 1, 3.0, v == 1u);
                 let y = select(-3.0, 3.0, v == 2u);
                 let depths = array(0.6, 0.2, 0.4);
                 return V(vec4f(x, select(y, -3.0, v == 1u) * 3, depths[i], 1), i);
             }
             @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(f32(v.i + 1) / 5, 0, 0, 1); }",
            |desc| {
                desc.depth_stencil = Some(wgpu::DepthStencilState {
                    format,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Less),
                    stencil: Default::default(),
                    bias: Default::default(),
                });
            },
        );
        let target = gpu.target(4, 1);
        let depth = gpu.texture(format, [4, 1, 1], attachment);
        let (view, depth_view) =
            (target.create_view(&Default::default()), depth.create_view(&Default::default()));
        gpu.submit(|encoder| {
            let attachments = wgpu::RenderPassDescriptor {
                color_attachments: &[Some(color_attachment(
                    &view,
                    wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                ))],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &depth_view,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0.5),
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: format.has_stencil_aspect().then_some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0),
                        store: wgpu::StoreOp::Store,
                    }),
                }),
                ..Default::default()
            };
            let mut pass = encoder.begin_render_pass(&attachments);
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..3);
        });
        let reds: Vec<u8> = gpu.pixels(&target).iter().map(|pixel| pixel[0]).collect();
        // Instance 0 is behind the cleared depth, 2 behind 1.
        assert_eq!(reds[0], 0, "{format:?}");
        assert_eq!(reds[1..], [102; 3], "{format:?}");
    }
}

#[test]
fn stencil_marks_and_masks() {
    let gpu = Gpu::new();
    let format = wgpu::TextureFormat::Depth24PlusStencil8;
    let face = |compare, pass_op| wgpu::StencilFaceState {
        compare,
        fail_op: wgpu::StencilOperation::Keep,
        depth_fail_op: wgpu::StencilOperation::Keep,
        pass_op,
    };
    let pipeline = |front, write_mask| {
        let wgsl =
            format!("{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(1); }}");
        gpu.pipeline(&wgsl, |desc| {
            desc.depth_stencil = Some(wgpu::DepthStencilState {
                format,
                depth_write_enabled: Some(false),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: wgpu::StencilState { front, back: front, read_mask: 0xf, write_mask },
                bias: Default::default(),
            });
        })
    };
    let always = wgpu::CompareFunction::Always;
    let mark = pipeline(face(always, wgpu::StencilOperation::Replace), 0xff);
    let invert = pipeline(face(always, wgpu::StencilOperation::Invert), 0xf0);
    let test =
        pipeline(face(wgpu::CompareFunction::Equal, wgpu::StencilOperation::IncrementClamp), 0xff);
    let target = gpu.target(4, 1);
    let depth = gpu.texture(format, [4, 1, 1], attachment);
    let (view, depth_view) =
        (target.create_view(&Default::default()), depth.create_view(&Default::default()));
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color_attachment(
                &view,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_ops: None,
                stencil_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(3),
                    store: wgpu::StoreOp::Store,
                }),
            }),
            ..Default::default()
        });
        pass.set_pipeline(&mark);
        pass.set_stencil_reference(0x25);
        pass.set_scissor_rect(1, 0, 2, 1);
        pass.draw(0..3, 0..1);
        pass.set_pipeline(&invert);
        pass.set_scissor_rect(2, 0, 2, 1);
        pass.draw(0..3, 0..1);
        pass.set_scissor_rect(0, 0, 4, 1);
        pass.set_pipeline(&test);
        // Equal in the four bits of the read mask.
        pass.set_stencil_reference(0x15);
        pass.draw(0..3, 0..1);
    });
    let stencil = gpu.level(&depth, 0, wgpu::TextureAspect::StencilOnly);
    assert_eq!(stencil, [3, 0x26, 0xd6, 0xf3]);
}

#[test]
fn blending_with_constants_masks_and_two_targets() {
    let gpu = Gpu::new();
    let component = |src_factor, dst_factor, operation| wgpu::BlendComponent {
        src_factor,
        dst_factor,
        operation,
    };
    let targets = [
        Some(wgpu::ColorTargetState {
            format: RGBA,
            blend: Some(wgpu::BlendState {
                color: component(
                    wgpu::BlendFactor::Constant,
                    wgpu::BlendFactor::OneMinusSrcAlpha,
                    wgpu::BlendOperation::Add,
                ),
                alpha: component(
                    wgpu::BlendFactor::One,
                    wgpu::BlendFactor::One,
                    wgpu::BlendOperation::ReverseSubtract,
                ),
            }),
            write_mask: wgpu::ColorWrites::ALL,
        }),
        Some(wgpu::ColorTargetState {
            format: RGBA,
            blend: None,
            write_mask: wgpu::ColorWrites::GREEN,
        }),
    ];
    let wgsl = format!(
        "{WHOLE}
         struct Out {{ @location(0) a: vec4f, @location(1) b: vec4f }}
         @fragment fn fs() -> Out {{ return Out(vec4f(1, 0.6, 0.2, 0.4), vec4f(0.2, 0.4, 0.6, 0.8)); }}"
    );
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
    let textures = [gpu.target(1, 1), gpu.target(1, 1)];
    let views = [0, 1].map(|at: usize| textures[at].create_view(&Default::default()));
    let clear = wgpu::LoadOp::Clear(wgpu::Color { r: 0.6, g: 0.6, b: 0.6, a: 1.0 });
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[
                Some(color_attachment(&views[0], clear)),
                Some(color_attachment(&views[1], clear)),
            ],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_blend_constant(wgpu::Color { r: 0.2, g: 1.0, b: 0.0, a: 0.0 });
        pass.draw(0..3, 0..1);
    });
    // 1·0.2 + 0.6·0.6, 0.6·1 + 0.36, 0 + 0.36, 1 − 0.4: in 255ths.
    let got = gpu.pixels(&textures[0])[0];
    for (got, expected) in got.into_iter().zip([0.56, 0.96, 0.36, 0.6]) {
        assert!((f64::from(got) - expected * 255.0).abs() <= 1.0, "{got}, not {expected}");
    }
    assert_eq!(gpu.pixels(&textures[1]), [[153, 102, 153, 255]]);
}

#[test]
fn culling_by_the_front_face() {
    let gpu = Gpu::new();
    // Counter-clockwise with y up, as it is seen in the target.
    let wgsl = format!(
        "{WHOLE} @fragment fn fs(@builtin(front_facing) front: bool) -> @location(0) vec4f {{
             return select(vec4f(1, 0, 0, 1), vec4f(0, 1, 0, 1), front);
         }}"
    );
    let draw = |front_face, cull_mode| {
        let pipeline = gpu.pipeline(&wgsl, |desc| {
            desc.primitive.front_face = front_face;
            desc.primitive.cull_mode = cull_mode;
        });
        let target = gpu.target(1, 1);
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        });
        gpu.pixels(&target)[0]
    };
    use wgpu::{Face, FrontFace};
    let (red, green, nothing) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 0, 255]);
    assert_eq!(draw(FrontFace::Ccw, None), green);
    assert_eq!(draw(FrontFace::Cw, None), red);
    assert_eq!(draw(FrontFace::Ccw, Some(Face::Back)), green);
    assert_eq!(draw(FrontFace::Ccw, Some(Face::Front)), nothing);
    assert_eq!(draw(FrontFace::Cw, Some(Face::Back)), nothing);
}

#[test]
fn strips_restart_at_the_largest_index() {
    const POSITION: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x2];
    let gpu = Gpu::new();
    let buffers = [Some(wgpu::VertexBufferLayout {
        array_stride: 8,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &POSITION,
    })];
    let pipeline = gpu.pipeline_with(
        "@vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0, 1); }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }",
        Lists { buffers: &buffers, ..Lists::default() },
        |desc| {
            desc.primitive.topology = wgpu::PrimitiveTopology::TriangleStrip;
            desc.primitive.strip_index_format = Some(wgpu::IndexFormat::Uint16);
        },
    );
    // Two columns of a target of four.
    let column = |left: f32| [[left, -1.0], [left, 1.0], [left + 0.5, -1.0], [left + 0.5, 1.0]];
    let vertices = [column(-1.0), column(0.0)].concat();
    let vertices = gpu.buffer(bytemuck::cast_slice(&vertices), BufferUsages::VERTEX);
    let indices: [u16; 10] = [0, 1, 2, 3, 0xffff, 4, 5, 6, 7, 0xffff];
    let indices = gpu.buffer(bytemuck::cast_slice(&indices), BufferUsages::INDEX);
    let target = gpu.target(4, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..10, 0, 0..1);
    });
    let reds: Vec<u8> = gpu.pixels(&target).iter().map(|pixel| pixel[0]).collect();
    assert_eq!(reds, [255, 0, 255, 0]);
}

#[test]
fn viewports_place_the_picture_and_its_depth() {
    let gpu = Gpu::new();
    let wgsl = format!(
        "{WHOLE} @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             return vec4f(p.z, p.x / 8, p.y / 8, 1);
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let target = gpu.target(8, 8);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_viewport(2.0, 3.0, 4.0, 2.0, 0.4, 0.8);
        pass.draw(0..3, 0..1);
    });
    for (at, pixel) in gpu.pixels(&target).into_iter().enumerate() {
        let (x, y) = (at % 8, at / 8);
        let inside = (2..6).contains(&x) && (3..5).contains(&y);
        let byte = |value: f64| (value * 255.0).round() as u8;
        let expected = match inside {
            true => [102, byte((x as f64 + 0.5) / 8.0), byte((y as f64 + 0.5) / 8.0), 255],
            false => [0, 0, 0, 255],
        };
        assert_eq!(pixel, expected, "pixel {x}, {y}");
    }
}

#[test]
fn four_samples_resolve_to_their_mean() {
    let gpu = Gpu::new();
    // The left half of each pixel: two of WebGPU's four samples have x below a half.
    let wgsl = "
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(select(-1.0, 0.0, (i & 1u) == 1u), select(-1.0, 1.0, (i & 2u) == 2u), 0, 1);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 1, 1); }";
    let pipeline = gpu.pipeline(wgsl, |desc| {
        desc.multisample.count = 4;
        desc.primitive.topology = wgpu::PrimitiveTopology::TriangleStrip;
    });
    let samples = gpu.texture(RGBA, [1, 1, 1], |desc| {
        desc.sample_count = 4;
        desc.usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    });
    let target = gpu.target(1, 1);
    let (view, resolved) =
        (samples.create_view(&Default::default()), target.create_view(&Default::default()));
    gpu.submit(|encoder| {
        let mut attachment = color_attachment(&view, wgpu::LoadOp::Clear(wgpu::Color::BLACK));
        attachment.resolve_target = Some(&resolved);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.draw(0..4, 0..1);
    });
    assert_eq!(gpu.pixels(&target), [[128, 0, 128, 255]]);
}

#[test]
fn indirect_draws_take_their_counts_from_buffers() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) i: u32 }
         // Instance i is column i of five.
         @vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
             let x = (f32(i) + f32(v & 1u)) * 0.4 - 1;
             return V(vec4f(x, select(-1.0, 1.0, (v & 2u) == 2u), 0, 1), i);
         }
         @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(f32(v.i + 1) / 5, 0, 0, 1); }",
        |desc| {
            desc.primitive.topology = wgpu::PrimitiveTopology::TriangleStrip;
            desc.primitive.strip_index_format = Some(wgpu::IndexFormat::Uint32);
        },
    );
    let records: [u32; 15] = [
        4, 1, 0, 1, // column 1
        4, 2, 0, 3, // columns 3 and 4
        4, 1, 1, 0, 0, // indexed: column 0
        2, 0,
    ];
    let records = gpu.buffer(bytemuck::cast_slice(&records), BufferUsages::INDIRECT);
    let indices: [u32; 8] = [9, 9, 9, 9, 0, 1, 2, 3];
    let indices = gpu.buffer(bytemuck::cast_slice(&indices), BufferUsages::INDEX);
    let draw = |record: &dyn Fn(&mut wgpu::RenderPass<'_>)| {
        let target = gpu.target(5, 1);
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            record(pass);
        });
        gpu.pixels(&target).iter().map(|pixel| pixel[0]).collect::<Vec<_>>()
    };
    assert_eq!(draw(&|pass| pass.draw_indirect(&records, 16)), [0, 0, 0, 204, 255]);
    assert_eq!(draw(&|pass| pass.multi_draw_indirect(&records, 0, 2)), [0, 102, 0, 204, 255]);
    let indexed = draw(&|pass| {
        pass.set_index_buffer(indices.slice(12..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed_indirect(&records, 32);
    });
    // The first index is the second of the slice.
    assert_eq!(indexed, [51, 0, 0, 0, 0]);
    let counted = draw(&|pass| pass.multi_draw_indirect_count(&records, 0, &records, 52, 3));
    assert_eq!(counted, [0, 102, 0, 204, 255]);
    let none = draw(&|pass| pass.multi_draw_indirect_count(&records, 0, &records, 56, 3));
    assert_eq!(none, [0; 5]);
}

#[test]
fn bundles_draw_as_passes() {
    let gpu = Gpu::new();
    let wgsl = format!(
        "@group(0) @binding(0) var<uniform> color: vec4f;
         {WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return color; }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let color: [f32; 4] = [0.2, 0.4, 0.6, 0.8];
    let color = gpu.buffer(bytemuck::cast_slice(&color), BufferUsages::UNIFORM);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[color.as_entire_binding()]);
    let mut encoder =
        gpu.device.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
            color_formats: &[Some(RGBA)],
            sample_count: 1,
            ..Default::default()
        });
    encoder.set_pipeline(&pipeline);
    encoder.set_bind_group(0, &group, &[]);
    encoder.draw(0..3, 0..1);
    let bundle = encoder.finish(&Default::default());
    let target = gpu.target(1, 1);
    gpu.pass(&target, |pass| pass.execute_bundles([&bundle]));
    assert_eq!(gpu.pixels(&target), [[51, 102, 153, 204]]);
}

#[test]
fn shaders_write_storage_and_depth_and_discard() {
    let gpu = Gpu::new();
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
         {WHOLE}
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             if p.x < 3 {{ discard; }}
             atomicAdd(&count, 1u);
             return vec4f(1);
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let count = gpu.buffer(&[0; 4], BufferUsages::STORAGE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[count.as_entire_binding()]);
    let target = gpu.target(5, 7);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.words(&count), [14]);
    for (at, pixel) in gpu.pixels(&target).into_iter().enumerate() {
        assert_eq!(pixel, if at % 5 < 3 { [0, 0, 0, 255] } else { [255; 4] });
    }
}
