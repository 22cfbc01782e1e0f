//! Several samples per pixel: masks, coverage, loads, shading per sample.

use gallium_wgpu::wgpu;

use crate::common::{Gpu, RGBA, WHOLE, begin, color_attachment};

/// Draws the whole triangle with four samples over black; returns the textures of the samples and
/// of their mean.
fn draw(
    gpu: &Gpu,
    wgsl: &str,
    edit: impl FnOnce(&mut wgpu::RenderPipelineDescriptor<'_>),
) -> (wgpu::Texture, [u8; 4]) {
    let pipeline = gpu.pipeline(wgsl, |desc| {
        desc.multisample.count = 4;
        edit(desc);
    });
    let samples = gpu.texture(RGBA, [1, 1, 1], |desc| {
        desc.sample_count = 4;
        desc.usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
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
        pass.draw(0..3, 0..1);
    });
    let [mean] = gpu.pixels(&target)[..] else { panic!("one pixel") };
    (samples, mean)
}

#[test]
fn masks_of_the_pipeline_and_of_the_shader() {
    let gpu = Gpu::new();
    let white = format!("{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(1); }}");
    let (_, mean) = draw(&gpu, &white, |desc| desc.multisample.mask = 0b0111);
    assert_eq!(mean, [191, 191, 191, 255]);
    let masked = format!(
        "struct Out {{ @location(0) c: vec4f, @builtin(sample_mask) mask: u32 }}
         {WHOLE} @fragment fn fs() -> Out {{ return Out(vec4f(1), 6); }}"
    );
    let (_, mean) = draw(&gpu, &masked, |desc| desc.multisample.mask = 0b0101);
    // Bit 2 alone is in both masks.
    assert_eq!(mean, [64, 64, 64, 255]);
}

#[test]
fn alpha_becomes_coverage() {
    let gpu = Gpu::new();
    let at = |alpha: &str| {
        let wgsl = format!(
            "{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(1, 1, 1, {alpha}); }}"
        );
        draw(&gpu, &wgsl, |desc| desc.multisample.alpha_to_coverage_enabled = true).1[0]
    };
    assert_eq!((at("0.0"), at("1.0")), (0, 255));
    assert_eq!(at("0.5"), 128);
}

#[test]
fn shaders_run_per_sample_and_load_samples() {
    let gpu = Gpu::new();
    let wgsl = format!(
        "{WHOLE} @fragment fn fs(@builtin(sample_index) i: u32) -> @location(0) vec4f {{
             return vec4f(f32(i + 1) / 5);
         }}"
    );
    let (samples, _) = draw(&gpu, &wgsl, |_| ());
    let pipeline = gpu.pipeline(
        &format!(
            "@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
             {WHOLE}
             @fragment fn fs() -> @location(0) vec4f {{
                 let at = vec2u(0);
                 return vec4f(textureLoad(t, at, 0).r, textureLoad(t, at, 1).r,
                              textureLoad(t, at, 3).r, f32(textureNumSamples(t)) / 5);
             }}"
        ),
        |_| (),
    );
    let view = samples.create_view(&Default::default());
    let group =
        gpu.group(&pipeline.get_bind_group_layout(0), &[wgpu::BindingResource::TextureView(&view)]);
    let target = gpu.target(1, 1);
    let target_view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut pass = begin(encoder, &target_view, wgpu::Color::BLACK);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    });
    assert_eq!(gpu.pixels(&target), [[51, 102, 204, 204]]);
}

#[test]
fn an_unused_sample_index_leaves_one_run_per_pixel() {
    let gpu = Gpu::new();
    // The mask of a run per sample has one bit.
    let mean = |body: &str| {
        let wgsl = format!(
            "{WHOLE} @fragment fn fs(@builtin(sample_index) i: u32, @builtin(sample_mask) m: u32) -> @location(0) vec4f {{
                 {body}
             }}"
        );
        draw(&gpu, &wgsl, |_| ()).1[0]
    };
    assert_eq!(mean("_ = i; return vec4f(f32(m) / 15);"), 255);
    assert_eq!(mean("return vec4f(f32(m) / 15 + f32(i / 4));"), 64);
}
