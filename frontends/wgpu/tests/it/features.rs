//! One test for each optional feature, and the limits beyond WebGPU's defaults.

use gallium_wgpu::wgpu;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use crate::common::{Gpu, Lists, RGBA, WHOLE, attachment, begin, floats};

/// Draws the whole triangle once to a target of `size` and returns its pixels.
fn draw(gpu: &Gpu, pipeline: &wgpu::RenderPipeline, size: [u32; 2]) -> Vec<[u8; 4]> {
    let target = gpu.target(size[0], size[1]);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(pipeline);
        pass.draw(0..3, 0..1);
    });
    gpu.pixels(&target)
}

#[test]
fn dual_source_blending() {
    let gpu = Gpu::new();
    let component = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Src1,
        dst_factor: wgpu::BlendFactor::OneMinusSrc1,
        operation: wgpu::BlendOperation::Add,
    };
    let targets = [Some(wgpu::ColorTargetState {
        format: RGBA,
        blend: Some(wgpu::BlendState { color: component, alpha: component }),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    let wgsl = format!(
        "enable dual_source_blending;
         struct Out {{ @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }}
         {WHOLE}
         @fragment fn fs() -> Out {{ return Out(vec4f(1, 1, 0, 1), vec4f(0.2, 0.4, 0.6, 1)); }}"
    );
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
    let target = gpu.target(1, 1);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut pass = begin(encoder, &view, wgpu::Color::BLUE);
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    });
    // s·s1 + d·(1 − s1).
    let [pixel] = gpu.pixels(&target)[..] else { panic!("one pixel") };
    for (got, expected) in pixel.into_iter().zip([51u8, 102, 102, 255]) {
        assert!(got.abs_diff(expected) <= 1, "{pixel:?}");
    }
}

#[test]
fn clip_distances() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "enable clip_distances;
         struct V { @builtin(position) p: vec4f, @builtin(clip_distances) d: array<f32, 2> }
         @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
             let p = vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
             return V(p, array(p.x + 0.5, 0.5 - p.x));
         }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }",
        |_| (),
    );
    let reds: Vec<u8> = draw(&gpu, &pipeline, [8, 1]).iter().map(|pixel| pixel[0]).collect();
    assert_eq!(reds, [0, 0, 255, 255, 255, 255, 0, 0]);
}

#[test]
fn primitive_index() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "enable primitive_index;
         // Triangle i covers the columns from i on.
         @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
             let left = f32(i / 3) / 2 - 1;
             let corner = i % 3;
             return vec4f(left + f32(corner % 2) * 8, f32(corner / 2) * 8 - 1, 0, 1);
         }
         @fragment fn fs(@builtin(primitive_index) i: u32) -> @location(0) vec4f {
             return vec4f(f32(i + 1) / 5);
         }",
        |_| (),
    );
    let target = gpu.target(4, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.draw(0..12, 0..1);
    });
    let reds: Vec<u8> = gpu.pixels(&target).iter().map(|pixel| pixel[0]).collect();
    assert_eq!(reds, [51, 102, 153, 204]);
}

#[test]
fn polygons_as_lines_and_points() {
    let gpu = Gpu::new();
    // Corners at the centres of pixels (1, 1), (6, 1), (1, 6) of eight by eight.
    let wgsl = "
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            let pixel = vec2f(select(1.5, 6.5, i == 1), select(1.5, 6.5, i == 2));
            return vec4f((pixel / 4 - 1) * vec2f(1, -1), 0, 1);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }";
    let lit = |polygon_mode| {
        let pipeline = gpu.pipeline(wgsl, |desc| desc.primitive.polygon_mode = polygon_mode);
        let pixels = draw(&gpu, &pipeline, [8, 8]);
        let lit = (0..64).filter(|&at| pixels[at][0] == 255).map(|at| (at % 8, at / 8));
        lit.collect::<Vec<_>>()
    };
    assert_eq!(lit(wgpu::PolygonMode::Point), [(1, 1), (6, 1), (1, 6)]);
    let lines = lit(wgpu::PolygonMode::Line);
    // The edges' middles are drawn, the inside is not.
    for on in [(3, 1), (4, 1), (1, 3), (1, 4), (4, 3), (3, 4)] {
        assert!(lines.contains(&on), "{on:?} of {lines:?}");
    }
    assert!(!lines.contains(&(2, 2)) && !lines.contains(&(3, 2)), "{lines:?}");
}

#[test]
fn conservative_rasterization() {
    let gpu = Gpu::new();
    // A triangle within the pixel (1, 1) that misses the pixel's centre.
    let wgsl = "
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            let pixel = vec2f(select(1.1, 1.3, i == 1), select(1.1, 1.3, i == 2));
            return vec4f((pixel - 1) * vec2f(1, -1), 0, 1);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }";
    let lit = |conservative| {
        let pipeline = gpu.pipeline(wgsl, |desc| desc.primitive.conservative = conservative);
        let pixels = draw(&gpu, &pipeline, [2, 2]);
        pixels.iter().map(|pixel| pixel[0]).collect::<Vec<_>>()
    };
    assert_eq!(lit(false), [0; 4]);
    assert_eq!(lit(true), [0, 0, 0, 255]);
}

#[test]
fn depth_beyond_the_range_is_clamped() {
    let gpu = Gpu::new();
    let format = TextureFormat::Depth32Float;
    let draw = |unclipped_depth| {
        let pipeline = gpu.pipeline(
            "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                 return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 1.5, 1);
             }
             @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }",
            |desc| {
                desc.primitive.unclipped_depth = unclipped_depth;
                desc.depth_stencil = Some(wgpu::DepthStencilState {
                    format,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Always),
                    stencil: Default::default(),
                    bias: Default::default(),
                });
            },
        );
        let (target, depth) = (gpu.target(1, 1), gpu.texture(format, [1, 1, 1], attachment));
        let (view, depth_view) =
            (target.create_view(&Default::default()), depth.create_view(&Default::default()));
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(crate::common::color_attachment(
                    &view,
                    wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                ))],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &depth_view,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0.25),
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: None,
                }),
                ..Default::default()
            });
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        });
        (gpu.pixels(&target)[0][0], floats(&gpu.texels(&depth))[0])
    };
    assert_eq!(draw(false), (0, 0.25));
    assert_eq!(draw(true), (255, 1.0));
}

#[test]
fn border_colors() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [1, 1, 1], |_| ());
    gpu.write(&texture, &[102; 4]);
    let view = texture.create_view(&Default::default());
    let wgsl = format!(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         {WHOLE}
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             return textureSampleLevel(t, s, vec2f(p.x - 1, 0.5), 0);
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    for (color, expected) in [
        (wgpu::SamplerBorderColor::TransparentBlack, [0; 4]),
        (wgpu::SamplerBorderColor::OpaqueBlack, [0, 0, 0, 255]),
        (wgpu::SamplerBorderColor::OpaqueWhite, [255; 4]),
        (wgpu::SamplerBorderColor::Zero, [0; 4]),
    ] {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::ClampToBorder,
            border_color: Some(color),
            ..Default::default()
        });
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[wgpu::BindingResource::TextureView(&view), wgpu::BindingResource::Sampler(&sampler)],
        );
        let target = gpu.target(3, 1);
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        });
        assert_eq!(gpu.pixels(&target), [expected, [102; 4], expected], "{color:?}");
    }
}

#[test]
fn floats_are_filtered_and_blended() {
    let gpu = Gpu::new();
    let texture = gpu.texture(TextureFormat::Rg32Float, [2, 1, 1], |_| ());
    gpu.write(&texture, bytemuck::cast_slice(&[1.0f32, 100.0, 3.0, -100.0]));
    let view = texture.create_view(&Default::default());
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let add = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    let format = TextureFormat::Rgba32Float;
    let targets = [Some(wgpu::ColorTargetState {
        format,
        blend: Some(wgpu::BlendState { color: add, alpha: add }),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    let wgsl = format!(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         {WHOLE}
         @fragment fn fs() -> @location(0) vec4f {{ return textureSample(t, s, vec2f(0.5)); }}"
    );
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(&view), wgpu::BindingResource::Sampler(&sampler)],
    );
    let target = gpu.texture(format, [1, 1, 1], attachment);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut pass = begin(encoder, &view, wgpu::Color { r: 1e6, g: 0.5, b: 0.0, a: 1.0 });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(floats(&gpu.texels(&target)), [1_000_002.0, 0.5, 0.0, 2.0]);
}

#[test]
fn atomics_on_textures_and_floats() {
    let gpu = Gpu::new();
    let image = gpu.texture(TextureFormat::R32Uint, [2, 1, 1], |desc| {
        desc.usage |= TextureUsages::STORAGE_BINDING | TextureUsages::STORAGE_ATOMIC;
    });
    let pipeline = gpu.compute(
        "@group(0) @binding(0) var image: texture_storage_2d<r32uint, atomic>;
         @group(0) @binding(1) var<storage, read_write> sum: atomic<f32>;
         @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
             textureAtomicAdd(image, vec2u(id.x % 2, 0), id.x);
             atomicAdd(&sum, 0.5);
         }",
    );
    let sum = gpu.buffer(&1.0f32.to_le_bytes(), BufferUsages::STORAGE);
    let view = image.create_view(&Default::default());
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(&view), sum.as_entire_binding()],
    );
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(2, 1, 1);
    });
    // The even numbers below 64, and the odd ones.
    assert_eq!(crate::common::words(&gpu.texels(&image)), [992, 1024]);
    assert_eq!(floats(&gpu.bytes(&sum)), [33.0]);
}

#[test]
fn textures_are_cleared() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [3, 3, 2], |desc| desc.mip_level_count = 2);
    gpu.write(&texture, &[9; 72]);
    gpu.write_level(&texture, 1, wgpu::TextureAspect::All, &[8; 8]);
    gpu.submit(|encoder| {
        encoder.clear_texture(
            &texture,
            &wgpu::ImageSubresourceRange {
                base_mip_level: 0,
                mip_level_count: Some(1),
                base_array_layer: 1,
                ..Default::default()
            },
        );
    });
    assert_eq!(gpu.texels(&texture), [vec![9; 36], vec![0; 36]].concat());
    assert_eq!(gpu.level(&texture, 1, wgpu::TextureAspect::All), [8; 8]);
}

#[test]
fn vertex_shaders_write_storage() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>, 4>;
         @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
             atomicMax(&seen[i], i + 10);
             return vec4f(0, 0, 0, 1);
         }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }",
        |_| (),
    );
    let seen = gpu.buffer(&[0; 16], BufferUsages::STORAGE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[seen.as_entire_binding()]);
    let target = gpu.target(1, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(1..4, 0..1);
    });
    assert_eq!(gpu.words(&seen), [0, 11, 12, 13]);
}

#[test]
fn early_depth_tests() {
    let gpu = Gpu::new();
    let format = TextureFormat::Depth32Float;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
         {WHOLE}
         @fragment @early_depth_test(force) fn fs() -> @location(0) vec4f {{
             atomicAdd(&count, 1u);
             return vec4f(1);
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |desc| {
        desc.depth_stencil = Some(wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        });
    });
    let count = gpu.buffer(&[0; 4], BufferUsages::STORAGE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[count.as_entire_binding()]);
    let (target, depth) = (gpu.target(2, 2), gpu.texture(format, [2, 2, 1], attachment));
    let (view, depth_view) =
        (target.create_view(&Default::default()), depth.create_view(&Default::default()));
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(crate::common::color_attachment(
                &view,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.5),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        // Depth 0 is not greater than 0.5.
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.words(&count), [0]);
}

#[test]
fn the_largest_textures() {
    let gpu = Gpu::new();
    let limits = gpu.device.limits();
    assert_eq!(limits.max_texture_dimension_2d, 16384);
    let wide = gpu.target(limits.max_texture_dimension_2d, 1);
    let view = wide.create_view(&Default::default());
    gpu.submit(|encoder| {
        begin(encoder, &view, wgpu::Color::GREEN);
    });
    assert!(gpu.pixels(&wide).iter().all(|pixel| *pixel == [0, 255, 0, 255]));
    let layers = limits.max_texture_array_layers;
    let deep = gpu.texture(TextureFormat::R8Unorm, [1, 1, layers], |_| ());
    let texels: Vec<u8> = (0..layers).map(|layer| (layer % 251) as u8).collect();
    gpu.write(&deep, &texels);
    assert_eq!(gpu.texels(&deep), texels);
}

#[test]
fn shader_f16() {
    let gpu = Gpu::new();
    // Neighbouring workgroups write the two halves of each word at the same time.
    let pipeline = gpu.compute(
        "enable f16;
         struct U { factor: f16, offsets: vec3<f16> }
         @group(0) @binding(0) var<uniform> u: U;
         @group(0) @binding(1) var<storage> numbers: array<f16>;
         @group(0) @binding(2) var<storage, read_write> results: array<f16>;
         var<workgroup> shared_numbers: array<f16, 64>;
         @compute @workgroup_size(64) fn main(@builtin(workgroup_id) group: vec3u,
                                              @builtin(local_invocation_index) i: u32) {
             shared_numbers[i] = numbers[i * 128 + group.x] * u.factor;
             workgroupBarrier();
             results[i * 128 + group.x] = shared_numbers[i] + u.offsets.y;
         }",
    );
    let halves = |values: &[u16]| bytemuck::cast_slice(values).to_vec();
    // The factor 0.5; the second of the offsets, which begin at byte 8, is 1.
    let uniform: Vec<u8> = halves(&[0x3800, 0, 0, 0, 0, 0x3C00, 0, 0]);
    // 0 to 2047, four times: all are exact.
    // The bits of a number that is 0 or at least 1: the fraction has 13 bits less, and the exponent another bias.
    let half = |number: f32| ((number.to_bits() >> 13).saturating_sub(112 << 10)) as u16;
    let numbers: Vec<u16> = (0..8192u16).map(|at| half(f32::from(at % 2048))).collect();
    let uniform = gpu.buffer(&uniform, BufferUsages::UNIFORM);
    let input = gpu.buffer(&halves(&numbers), BufferUsages::STORAGE);
    let output = gpu.buffer(&[0; 16384], BufferUsages::STORAGE);
    let resources = [&uniform, &input, &output].map(|buffer| buffer.as_entire_binding());
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &resources);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(128, 1, 1);
    });
    let words = gpu.words(&output);
    for (at, got) in words.iter().flat_map(|word| [*word as u16, (word >> 16) as u16]).enumerate() {
        // The last sum, 1024.5, is rounded to the even 1024; all others are halves.
        let expected = half((at % 2048) as f32 / 2.0 + 1.0);
        assert_eq!(got, expected, "number {at}");
    }
}
