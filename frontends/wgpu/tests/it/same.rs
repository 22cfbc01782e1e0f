//! The same bytes with any number of threads, interpreted or as machine code.

use gallium_wgpu::{Options, wgpu};
use wgpu::BufferUsages;

use crate::common::{Gpu, Lists, RGBA, attachment, color_attachment};

/// Draws a field of blended, textured, depth-tested triangles with four samples, then sums the
/// picture up by a compute program with shared memory.
fn picture(options: Options) -> (Vec<u8>, Vec<u32>) {
    let gpu = Gpu::with(options);
    let wgsl = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) c: vec4f }
        fn random(seed: u32) -> f32 {
            let a = (seed ^ 61) ^ (seed >> 16);
            let b = (a * 9) ^ ((a * 9) >> 4);
            let c = b * 0x27d4eb2d;
            return f32((c ^ (c >> 15)) & 0xffff) / 65536;
        }
        @vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
            let seed = i * 16 + v * 3 + 1;
            let centre = vec2f(random(i * 7 + 5), random(i * 11 + 3)) * 2 - 1;
            let corner = centre + (vec2f(random(seed), random(seed + 1)) - 0.5) * 0.7;
            return V(vec4f(corner, random(i), 1 + random(seed + 2)), corner * 3,
                     vec4f(random(i + 1), random(i + 2), random(i + 3), 0.6));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            let texel = textureSample(t, s, v.uv);
            return vec4f(sin(v.c.rgb * 3) * texel.rgb, v.c.a);
        }";
    let depth_format = wgpu::TextureFormat::Depth32Float;
    let targets = [Some(wgpu::ColorTargetState {
        format: RGBA,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    let lists = Lists { targets: &targets, ..Lists::default() };
    let pipeline = gpu.pipeline_with(wgsl, lists, |desc| {
        desc.multisample.count = 4;
        desc.depth_stencil = Some(wgpu::DepthStencilState {
            format: depth_format,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: Default::default(),
            bias: Default::default(),
        });
    });
    let texture = gpu.texture(RGBA, [8, 8, 1], |_| ());
    let texels: Vec<u8> = (0..256u32).map(|at| (at * at % 251) as u8).collect();
    gpu.write(&texture, &texels);
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::MirrorRepeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let texture_view = texture.create_view(&Default::default());
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[
            wgpu::BindingResource::TextureView(&texture_view),
            wgpu::BindingResource::Sampler(&sampler),
        ],
    );
    let size = [250, 190, 1];
    let with_samples = |format| {
        let texture = gpu.texture(format, size, |desc| {
            desc.sample_count = 4;
            desc.usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
        });
        texture.create_view(&Default::default())
    };
    let (samples, depth) = (with_samples(RGBA), with_samples(depth_format));
    let target = gpu.texture(RGBA, size, attachment);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut color = color_attachment(&samples, wgpu::LoadOp::Clear(wgpu::Color::WHITE));
        color.resolve_target = Some(&view);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..300);
    });
    let sum = gpu.compute(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         var<workgroup> rows: array<f32, 32>;
         @compute @workgroup_size(32) fn main(@builtin(workgroup_id) group: vec3u,
                                              @builtin(local_invocation_index) at: u32) {
             var sum = 0.0;
             for (var x = at; x < textureDimensions(t).x; x += 32) {
                 sum += sqrt(textureLoad(t, vec2u(x, group.x), 0).g);
             }
             rows[at] = sum;
             workgroupBarrier();
             for (var half = 16u; half > 0; half /= 2) {
                 if at < half { rows[at] += rows[at + half]; }
                 workgroupBarrier();
             }
             if at == 0 { out[group.x] = bitcast<u32>(rows[0]); }
         }",
    );
    let out = gpu.buffer(&[0; 190 * 4], BufferUsages::STORAGE);
    let group = gpu.group(
        &sum.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(&view), out.as_entire_binding()],
    );
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&sum);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(190, 1, 1);
    });
    (gpu.texels(&target), gpu.words(&out))
}

#[test]
fn threads_and_machine_code_change_no_byte() {
    let one = picture(Options { threads: 1, interpret: true, ..Options::default() });
    let colors: std::collections::HashSet<_> = one.0.as_chunks::<4>().0.iter().collect();
    assert!(colors.len() > 1000, "a picture of {} colours", colors.len());
    for threads in [1, 2, 8] {
        for interpret in [false, true] {
            let other = picture(Options { threads, interpret, ..Options::default() });
            assert!(one == other, "{threads} threads, interpreted: {interpret}");
        }
    }
}

#[test]
fn traces_replay() {
    use pipe_core::wrap::record::Player;

    let path = std::env::temp_dir().join(format!("gallium-wgpu-{}.trace", std::process::id()));
    let traced = picture(Options { trace: Some(path.clone()), ..Options::default() });
    assert!(traced == picture(Options::default()), "a trace changes nothing");
    let trace = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let screen = raster::Screen::<raster::Host>::new(os_shim::Os::host(), Default::default());
    let memory = os_shim::Memory::system();
    let mut player = Player::new(&screen, trace.leak(), memory).expect("a trace");
    let mut calls = 0;
    while let Some(played) = player.step().expect("a whole call") {
        assert!(played.is_same, "{}", played.name);
        calls += 1;
    }
    assert!(calls > 30, "{calls} calls");
}
