//! Textures in shaders: views, samplers, mip levels, layers, aspects.

use gallium_wgpu::wgpu;
use wgpu::util::DeviceExt;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use crate::common::{Gpu, RGBA, WHOLE, attachment, begin, color_attachment};

fn sampler(gpu: &Gpu, edit: impl FnOnce(&mut wgpu::SamplerDescriptor<'_>)) -> wgpu::Sampler {
    let mut desc = wgpu::SamplerDescriptor::default();
    edit(&mut desc);
    gpu.device.create_sampler(&desc)
}

/// Draws a target with a fragment body that has a texture `t` and a sampler `s`.
fn draw(
    gpu: &Gpu,
    size: [u32; 2],
    ty: &str,
    body: &str,
    view: &wgpu::TextureView,
    sampler: &wgpu::Sampler,
) -> Vec<[u8; 4]> {
    let kind = if body.contains("Compare") { "sampler_comparison" } else { "sampler" };
    let wgsl = format!(
        "@group(0) @binding(0) var t: {ty};
         @group(0) @binding(1) var s: {kind};
         {WHOLE}
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{ _ = s; {body} }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(view), wgpu::BindingResource::Sampler(sampler)],
    );
    let target = gpu.target(size[0], size[1]);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    });
    gpu.pixels(&target)
}

#[test]
fn texels_upside_up_with_nearest_and_linear_filters() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [2, 2, 1], |_| ());
    let texels = [[0, 0, 0, 255], [200, 0, 0, 255], [0, 100, 0, 255], [200, 100, 0, 255]];
    gpu.write(&texture, texels.as_flattened());
    let view = texture.create_view(&Default::default());
    let nearest = sampler(&gpu, |_| ());
    let body = "return textureSample(t, s, p.xy / 4);";
    let pixels = draw(&gpu, [4, 4], "texture_2d<f32>", body, &view, &nearest);
    for (at, pixel) in pixels.into_iter().enumerate() {
        assert_eq!(pixel, texels[at % 4 / 2 + at / 8 * 2], "pixel {at}");
    }
    let linear = sampler(&gpu, |desc| desc.mag_filter = wgpu::FilterMode::Linear);
    let pixels = draw(&gpu, [4, 4], "texture_2d<f32>", body, &view, &linear);
    for (at, pixel) in pixels.into_iter().enumerate() {
        // Texel centres lie at 1 and 3 pixels.
        let share = |pixel: usize| ((pixel as f64 + 0.5 - 1.0) / 2.0).clamp(0.0, 1.0);
        let expected = [share(at % 4) * 200.0, share(at / 4) * 100.0];
        for (got, expected) in pixel.into_iter().zip(expected) {
            assert!((f64::from(got) - expected).abs() <= 1.0, "pixel {at}: {pixel:?}");
        }
    }
}

#[test]
fn srgb_views_of_linear_textures() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [4, 1, 1], |desc| {
        desc.view_formats = &[TextureFormat::Rgba8UnormSrgb];
        desc.usage |= TextureUsages::RENDER_ATTACHMENT;
    });
    gpu.write(&texture, &[[0, 64, 128, 255]; 4].concat());
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        format: Some(TextureFormat::Rgba8UnormSrgb),
        ..Default::default()
    });
    let linear = |byte: f64| {
        let value = byte / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let pixel = draw(
        &gpu,
        [1, 1],
        "texture_2d<f32>",
        "return textureLoad(t, vec2u(1, 0), 0);",
        &view,
        &sampler(&gpu, |_| ()),
    )[0];
    for (got, byte) in pixel.into_iter().zip([0.0, 64.0, 128.0]) {
        let expected = linear(byte) * 255.0;
        assert!((f64::from(got) - expected).abs() <= 1.0, "{pixel:?}, {expected}");
    }
    // Drawn through the view, linear values are encoded: the bytes are the same again.
    let half = linear(128.0);
    gpu.submit(|encoder| {
        begin(encoder, &view, wgpu::Color { r: half, g: half, b: 1.0, a: 0.0 });
    });
    for pixel in gpu.pixels(&texture) {
        assert!(pixel[0].abs_diff(128) <= 1 && pixel[1].abs_diff(128) <= 1);
        assert_eq!(pixel[2..], [255, 0]);
    }
}

#[test]
fn mip_levels_by_views_and_by_the_sampler() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [4, 4, 1], |desc| desc.mip_level_count = 3);
    for (level, texels) in [(0, 16), (1, 4), (2, 1)] {
        let texels = vec![[level as u8 * 100, 0, 0, 255]; texels].concat();
        gpu.write_level(&texture, level, wgpu::TextureAspect::All, &texels);
    }
    let whole = texture.create_view(&Default::default());
    let mips = sampler(&gpu, |desc| desc.mipmap_filter = wgpu::MipmapFilterMode::Linear);
    let ty = "texture_2d<f32>";
    let red =
        |view: &wgpu::TextureView, body: &str| draw(&gpu, [1, 1], ty, body, view, &mips)[0][0];
    assert_eq!(red(&whole, "return textureSampleLevel(t, s, vec2f(0.5), 1);"), 100);
    assert_eq!(red(&whole, "return textureSampleLevel(t, s, vec2f(0.5), 1.5);"), 150);
    assert_eq!(red(&whole, "return vec4f(f32(textureNumLevels(t)) / 5);"), 153);
    let last = texture
        .create_view(&wgpu::TextureViewDescriptor { base_mip_level: 1, ..Default::default() });
    assert_eq!(red(&last, "return textureSampleLevel(t, s, vec2f(0.5), 0);"), 100);
    assert_eq!(red(&last, "return textureSampleLevel(t, s, vec2f(0.5), 9);"), 200);
    assert_eq!(red(&last, "return vec4f(f32(textureDimensions(t).x) / 5);"), 102);
}

#[test]
fn mip_levels_are_drawn_from_each_other() {
    let gpu = Gpu::new();
    let texture = gpu.texture(RGBA, [4, 2, 1], |desc| {
        desc.mip_level_count = 3;
        desc.usage |= TextureUsages::RENDER_ATTACHMENT;
    });
    let level0: Vec<u8> = (0..8u8).flat_map(|at| [at * 32, 0, 0, 255]).collect();
    gpu.write(&texture, &level0);
    let wgsl = format!(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         {WHOLE}
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             return textureSample(t, s, p.xy * 2 / vec2f(textureDimensions(t)));
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let linear = sampler(&gpu, |desc| {
        desc.min_filter = wgpu::FilterMode::Linear;
        desc.mag_filter = wgpu::FilterMode::Linear;
    });
    let view = |level| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            base_mip_level: level,
            mip_level_count: Some(1),
            ..Default::default()
        })
    };
    gpu.submit(|encoder| {
        for level in 1..3 {
            let (from, to) = (view(level - 1), view(level));
            let group = gpu.group(
                &pipeline.get_bind_group_layout(0),
                &[
                    wgpu::BindingResource::TextureView(&from),
                    wgpu::BindingResource::Sampler(&linear),
                ],
            );
            let mut pass = begin(encoder, &to, wgpu::Color::WHITE);
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
    });
    let red = |level| gpu.level(&texture, level, wgpu::TextureAspect::All)[0];
    // The mean of texels 0, 1, 4 and 5; then of all.
    assert!(red(1).abs_diff(80) <= 1, "{}", red(1));
    assert!(red(2).abs_diff(112) <= 1, "{}", red(2));
}

#[test]
fn cubes_volumes_and_arrays() {
    let gpu = Gpu::new();
    let nearest = sampler(&gpu, |_| ());
    let layers: Vec<u8> =
        (0..12u8).flat_map(|layer| [[layer * 20, 0, 0, 255]; 4].concat()).collect();
    let texture = gpu.texture(RGBA, [2, 2, 12], |_| ());
    gpu.write(&texture, &layers);
    let view = |dimension, base_array_layer, count| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(dimension),
            base_array_layer,
            array_layer_count: Some(count),
            ..Default::default()
        })
    };
    use wgpu::TextureViewDimension as D;
    for (ty, view, body, layer) in [
        ("texture_2d_array<f32>", view(D::D2Array, 0, 12), "textureSample(t, s, vec2f(0.5), 7)", 7),
        ("texture_2d_array<f32>", view(D::D2Array, 5, 3), "textureSample(t, s, vec2f(0.5), 1)", 6),
        ("texture_2d<f32>", view(D::D2, 9, 1), "textureSample(t, s, vec2f(0.5))", 9),
        ("texture_cube<f32>", view(D::Cube, 0, 6), "textureSample(t, s, vec3f(0, -1, 0))", 3),
        ("texture_cube<f32>", view(D::Cube, 6, 6), "textureSample(t, s, vec3f(0, 0, 1))", 10),
        (
            "texture_cube_array<f32>",
            view(D::CubeArray, 0, 12),
            "textureSample(t, s, vec3f(-1, 0, 0), 1)",
            7,
        ),
    ] {
        let pixel = draw(&gpu, [1, 1], ty, &format!("return {body};"), &view, &nearest)[0];
        assert_eq!(pixel[0], layer * 20, "{ty}, {body}");
    }
    let volume = gpu.texture(RGBA, [2, 2, 4], |desc| {
        desc.dimension = wgpu::TextureDimension::D3;
    });
    gpu.write(&volume, &layers[..64]);
    let view = volume.create_view(&Default::default());
    let body = "return textureSample(t, s, vec3f(0.5, 0.5, 0.6));";
    assert_eq!(draw(&gpu, [1, 1], "texture_3d<f32>", body, &view, &nearest)[0][0], 40);
}

#[test]
fn slices_of_volumes_are_attachments() {
    let gpu = Gpu::new();
    let volume = gpu.texture(RGBA, [2, 1, 3], |desc| {
        desc.dimension = wgpu::TextureDimension::D3;
        desc.usage |= TextureUsages::RENDER_ATTACHMENT;
    });
    gpu.write(&volume, &[9; 24]);
    let view = volume.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut attachment = color_attachment(&view, wgpu::LoadOp::Clear(wgpu::Color::BLUE));
        attachment.depth_slice = Some(1);
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
    });
    let blue = [0, 0, 255, 255];
    assert_eq!(gpu.pixels(&volume), [[9; 4], [9; 4], blue, blue, [9; 4], [9; 4]]);
}

#[test]
fn shadows_by_comparison() {
    let gpu = Gpu::new();
    let depth = gpu.texture(TextureFormat::Depth32Float, [2, 1, 1], attachment);
    let view = depth.create_view(&Default::default());
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.6),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
    });
    let compare = sampler(&gpu, |desc| desc.compare = Some(wgpu::CompareFunction::LessEqual));
    let body = "return vec4f(textureSampleCompare(t, s, vec2f(0.5), 0.5),
                             textureSampleCompareLevel(t, s, vec2f(0.5), 0.7),
                             textureLoad(t, vec2u(0), 0), 1);";
    let pixel = draw(&gpu, [1, 1], "texture_depth_2d", body, &view, &compare)[0];
    assert_eq!(pixel, [255, 0, 153, 255]);
}

#[test]
fn stencil_is_sampled_and_copied() {
    let gpu = Gpu::new();
    for format in [
        TextureFormat::Stencil8,
        TextureFormat::Depth24PlusStencil8,
        TextureFormat::Depth32FloatStencil8,
    ] {
        let texture = gpu.texture(format, [2, 2, 1], attachment);
        gpu.write_level(&texture, 0, wgpu::TextureAspect::StencilOnly, &[10, 20, 30, 40]);
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            aspect: wgpu::TextureAspect::StencilOnly,
            ..Default::default()
        });
        let body = "return vec4f(f32(textureLoad(t, vec2u(p.xy), 0).x) / 255);";
        let wgsl = format!(
            "@group(0) @binding(0) var t: texture_2d<u32>;
             {WHOLE}
             @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{ {body} }}"
        );
        let pipeline = gpu.pipeline(&wgsl, |_| ());
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[wgpu::BindingResource::TextureView(&view)],
        );
        let target = gpu.target(2, 2);
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        });
        let reds: Vec<u8> = gpu.pixels(&target).iter().map(|pixel| pixel[0]).collect();
        assert_eq!(reds, [10, 20, 30, 40], "{format:?}");
        let copied = gpu.level(&texture, 0, wgpu::TextureAspect::StencilOnly);
        assert_eq!(copied, [10, 20, 30, 40], "{format:?}");
    }
}

#[test]
fn copies_between_textures_and_parts_of_buffers() {
    let gpu = Gpu::new();
    let texels: Vec<u8> = (0..64).collect();
    let from = gpu.texture(RGBA, [4, 2, 2], |_| ());
    gpu.write(&from, &texels);
    let to = gpu.texture(RGBA, [4, 4, 1], |_| ());
    gpu.write(&to, &[255; 64]);
    gpu.submit(|encoder| {
        encoder.copy_texture_to_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &from,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 1, y: 0, z: 1 },
                aspect: wgpu::TextureAspect::All,
            },
            wgpu::TexelCopyTextureInfo {
                texture: &to,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 2, y: 1, z: 0 },
                aspect: wgpu::TextureAspect::All,
            },
            wgpu::Extent3d { width: 2, height: 2, depth_or_array_layers: 1 },
        );
    });
    for (at, pixel) in gpu.pixels(&to).into_iter().enumerate() {
        let (x, y) = (at % 4, at / 4);
        let inside = x >= 2 && (1..3).contains(&y);
        let expected = match inside {
            // From column 1 and row 0 of layer 1.
            true => [0, 1, 2, 3].map(|channel| (32 + ((y - 1) * 4 + x - 1) * 4 + channel) as u8),
            false => [255; 4],
        };
        assert_eq!(pixel, expected, "pixel {x}, {y}");
    }
    let buffer = gpu.buffer(&[7; 512 + 24], BufferUsages::empty());
    gpu.submit(|encoder| {
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo {
                texture: &from,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 2, y: 0, z: 0 },
                aspect: wgpu::TextureAspect::All,
            },
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 16,
                    bytes_per_row: Some(256),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width: 2, height: 2, depth_or_array_layers: 1 },
        );
    });
    let bytes = gpu.bytes(&buffer);
    for (at, byte) in bytes.into_iter().enumerate() {
        let expected = match at {
            16..24 => at - 16 + 8,
            272..280 => at - 272 + 24,
            _ => 7,
        };
        assert_eq!(usize::from(byte), expected, "byte {at}");
    }
}

#[test]
fn data_given_at_the_creation() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture_with_data(
        &gpu.queue,
        &wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 3, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TextureFormat::R16Float,
            usage: TextureUsages::COPY_SRC,
            view_formats: &[],
        },
        wgpu::util::TextureDataOrder::LayerMajor,
        &[0, 0x3c, 0, 0x40, 0, 0xbc],
    );
    assert_eq!(gpu.texels(&texture), [0, 0x3c, 0, 0x40, 0, 0xbc]);
}
