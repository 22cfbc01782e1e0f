//! Every format: its texels in shaders and as attachments.

use gallium_wgpu::wgpu;
use wgpu::{BufferUsages, TextureAspect, TextureFormat, TextureUsages};

use crate::common::{Gpu, Lists, attachment, begin, floats};

/// Formats of colours with a texel, and the numbers that the texel means. The values come from the
/// definitions of the formats.
fn colors() -> Vec<(TextureFormat, Vec<u8>, [f64; 4])> {
    use TextureFormat::*;
    let le16 = |values: &[u16]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let le32 = |values: &[u32]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let f32s = |values: &[f32]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let srgb = |byte: f64| ((byte / 255.0 + 0.055) / 1.055).powf(2.4);
    vec![
        (R8Unorm, vec![51], [0.2, 0.0, 0.0, 1.0]),
        (R8Snorm, vec![0x81], [-1.0, 0.0, 0.0, 1.0]),
        (R8Uint, vec![200], [200.0, 0.0, 0.0, 1.0]),
        (R8Sint, vec![0xfe], [-2.0, 0.0, 0.0, 1.0]),
        (R16Uint, le16(&[40000]), [40000.0, 0.0, 0.0, 1.0]),
        (R16Sint, le16(&[0x8000]), [-32768.0, 0.0, 0.0, 1.0]),
        (R16Float, le16(&[0x3e00]), [1.5, 0.0, 0.0, 1.0]),
        (Rg8Unorm, vec![255, 102], [1.0, 0.4, 0.0, 1.0]),
        (Rg8Snorm, vec![127, 0x81], [1.0, -1.0, 0.0, 1.0]),
        (Rg8Uint, vec![1, 2], [1.0, 2.0, 0.0, 1.0]),
        (Rg8Sint, vec![0xff, 2], [-1.0, 2.0, 0.0, 1.0]),
        (R32Uint, le32(&[1 << 20]), [1048576.0, 0.0, 0.0, 1.0]),
        (R32Sint, le32(&[!6]), [-7.0, 0.0, 0.0, 1.0]),
        (R32Float, f32s(&[2.25]), [2.25, 0.0, 0.0, 1.0]),
        (Rg16Uint, le16(&[3, 65535]), [3.0, 65535.0, 0.0, 1.0]),
        (Rg16Sint, le16(&[3, 0xffff]), [3.0, -1.0, 0.0, 1.0]),
        (Rg16Float, le16(&[0x3c00, 0xc000]), [1.0, -2.0, 0.0, 1.0]),
        (Rgba8Unorm, vec![0, 51, 102, 153], [0.0, 0.2, 0.4, 0.6]),
        (Rgba8UnormSrgb, vec![0, 128, 255, 51], [0.0, srgb(128.0), 1.0, 0.2]),
        (Rgba8Snorm, vec![127, 0, 0x81, 127], [1.0, 0.0, -1.0, 1.0]),
        (Rgba8Uint, vec![1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]),
        (Rgba8Sint, vec![0xff, 2, 0xfd, 4], [-1.0, 2.0, -3.0, 4.0]),
        (Bgra8Unorm, vec![0, 51, 102, 153], [0.4, 0.2, 0.0, 0.6]),
        (Bgra8UnormSrgb, vec![255, 0, 128, 51], [srgb(128.0), 0.0, 1.0, 0.2]),
        // Exponent 16, mantissas 256, 128, 64: 256 · 2^(16 − 15 − 9).
        (Rgb9e5Ufloat, le32(&[256 | 128 << 9 | 64 << 18 | 16 << 27]), [1.0, 0.5, 0.25, 1.0]),
        (Rgb10a2Uint, le32(&[1 | 2 << 10 | 1023 << 20 | 3 << 30]), [1.0, 2.0, 1023.0, 3.0]),
        (Rgb10a2Unorm, le32(&[1023 | 341 << 10 | 2 << 30]), [1.0, 1.0 / 3.0, 0.0, 2.0 / 3.0]),
        // Exponents 15, 16 and 14 with mantissas 0.
        (Rg11b10Ufloat, le32(&[15 << 6 | (16 << 6) << 11 | (14 << 5) << 22]), [1.0, 2.0, 0.5, 1.0]),
        (Rg32Uint, le32(&[5, 6]), [5.0, 6.0, 0.0, 1.0]),
        (Rg32Sint, le32(&[5, !5]), [5.0, -6.0, 0.0, 1.0]),
        (Rg32Float, f32s(&[5.5, -6.0]), [5.5, -6.0, 0.0, 1.0]),
        (Rgba16Uint, le16(&[1, 2, 3, 40000]), [1.0, 2.0, 3.0, 40000.0]),
        (Rgba16Sint, le16(&[1, 0xfffe, 3, 4]), [1.0, -2.0, 3.0, 4.0]),
        (Rgba16Float, le16(&[0x3c00, 0x4000, 0xbc00, 0x3800]), [1.0, 2.0, -1.0, 0.5]),
        (Rgba32Uint, le32(&[1, 2, 3, 4]), [1.0, 2.0, 3.0, 4.0]),
        (Rgba32Sint, le32(&[1, !1, 3, 4]), [1.0, -2.0, 3.0, 4.0]),
        (Rgba32Float, f32s(&[1.5, 2.5, -3.5, 4.5]), [1.5, 2.5, -3.5, 4.5]),
        (R16Unorm, le16(&[13107]), [0.2, 0.0, 0.0, 1.0]),
        (R16Snorm, le16(&[0x8001]), [-1.0, 0.0, 0.0, 1.0]),
        (Rg16Unorm, le16(&[65535, 26214]), [1.0, 0.4, 0.0, 1.0]),
        (Rg16Snorm, le16(&[32767, 0x8001]), [1.0, -1.0, 0.0, 1.0]),
        (Rgba16Unorm, le16(&[65535, 0, 26214, 13107]), [1.0, 0.0, 0.4, 0.2]),
        (Rgba16Snorm, le16(&[32767, 0, 0x8001, 32767]), [1.0, 0.0, -1.0, 1.0]),
    ]
}

/// Returns WGSL's type of components.
fn scalar(format: TextureFormat) -> &'static str {
    match format.sample_type(None, None) {
        Some(wgpu::TextureSampleType::Uint) => "u32",
        Some(wgpu::TextureSampleType::Sint) => "i32",
        _ => "f32",
    }
}

#[test]
fn shaders_load_every_format() {
    let gpu = Gpu::new();
    for (format, texel, expected) in colors() {
        let texture = gpu.texture(format, [1, 1, 1], |_| ());
        gpu.write(&texture, &texel);
        let pipeline = gpu.compute(&format!(
            "@group(0) @binding(0) var t: texture_2d<{}>;
             @group(0) @binding(1) var<storage, read_write> out: vec4f;
             @compute @workgroup_size(1) fn main() {{ out = vec4f(textureLoad(t, vec2u(0), 0)); }}",
            scalar(format)
        ));
        let out = gpu.buffer(&[0; 16], BufferUsages::STORAGE);
        let view = texture.create_view(&Default::default());
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[wgpu::BindingResource::TextureView(&view), out.as_entire_binding()],
        );
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        let got = floats(&gpu.bytes(&out));
        for (got, expected) in got.iter().zip(expected) {
            assert!((f64::from(*got) - expected).abs() < 1e-3, "{format:?}: {got}, not {expected}");
        }
    }
}

#[test]
fn attachments_of_every_format() {
    let gpu = Gpu::new();
    let adapter_features = gpu.device.features();
    let mut count = 0;
    for (format, texel, [r, g, b, a]) in colors() {
        let allowed = format.guaranteed_format_features(adapter_features).allowed_usages;
        if !allowed.contains(TextureUsages::RENDER_ATTACHMENT) {
            continue;
        }
        count += 1;
        let texture = gpu.texture(format, [3, 2, 1], attachment);
        let view = texture.create_view(&Default::default());
        // A clear, then the same values by a shader into the right half.
        gpu.submit(|encoder| {
            begin(encoder, &view, wgpu::Color { r, g, b, a });
        });
        let cleared = gpu.texels(&texture);
        assert_eq!(cleared, texel.repeat(6), "{format:?} cleared");
        let scalar = scalar(format);
        let (r, g, b, a) = (r as f32, g as f32, b as f32, a as f32);
        let wgsl = format!(
            "{} @fragment fn fs() -> @location(0) vec4<{scalar}> {{
                 return vec4<{scalar}>(vec4f({r:?}, {g:?}, {b:?}, {a:?}));
             }}",
            crate::common::WHOLE
        );
        let targets = [Some(format.into())];
        let lists = Lists { targets: &targets, ..Lists::default() };
        let pipeline = gpu.pipeline_with(&wgsl, lists, |_| ());
        gpu.submit(|encoder| {
            let mut pass = begin(encoder, &view, wgpu::Color::TRANSPARENT);
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        });
        assert_eq!(gpu.texels(&texture), texel.repeat(6), "{format:?} drawn");
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn storage_textures_of_every_format() {
    let gpu = Gpu::new();
    for (format, name) in [
        (TextureFormat::R32Uint, "r32uint"),
        (TextureFormat::R32Sint, "r32sint"),
        (TextureFormat::R32Float, "r32float"),
        (TextureFormat::Rgba8Unorm, "rgba8unorm"),
        (TextureFormat::Rgba8Snorm, "rgba8snorm"),
        (TextureFormat::Rgba8Uint, "rgba8uint"),
        (TextureFormat::Rgba8Sint, "rgba8sint"),
        (TextureFormat::Bgra8Unorm, "bgra8unorm"),
        (TextureFormat::Rg32Uint, "rg32uint"),
        (TextureFormat::Rg32Sint, "rg32sint"),
        (TextureFormat::Rg32Float, "rg32float"),
        (TextureFormat::Rgba16Uint, "rgba16uint"),
        (TextureFormat::Rgba16Sint, "rgba16sint"),
        (TextureFormat::Rgba16Float, "rgba16float"),
        (TextureFormat::Rgba32Uint, "rgba32uint"),
        (TextureFormat::Rgba32Sint, "rgba32sint"),
        (TextureFormat::Rgba32Float, "rgba32float"),
        (TextureFormat::Rgba16Unorm, "rgba16unorm"),
        (TextureFormat::R16Snorm, "r16snorm"),
    ] {
        let found = colors().into_iter().find(|(it, ..)| *it == format).unwrap();
        let (_, texel, [r, g, b, a]) = found;
        let texture = gpu.texture(format, [2, 1, 1], |desc| {
            desc.usage |= TextureUsages::STORAGE_BINDING;
        });
        let scalar = scalar(format);
        let pipeline = gpu.compute(&format!(
            "@group(0) @binding(0) var t: texture_storage_2d<{name}, write>;
             @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) {{
                 textureStore(t, id.xy, vec4<{scalar}>(vec4f({r:?}, {g:?}, {b:?}, {a:?})));
             }}"
        ));
        let view = texture.create_view(&Default::default());
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[wgpu::BindingResource::TextureView(&view)],
        );
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        assert_eq!(gpu.texels(&texture), texel.repeat(2), "{format:?}");
    }
}

#[test]
fn compressed_blocks_are_copied_and_sampled() {
    let gpu = Gpu::new();
    // Blocks of one colour: BC1 with both ends 0xf800 (red), BC4 with both ends 51.
    for (format, block, expected) in [
        (TextureFormat::Bc1RgbaUnorm, vec![0, 0xf8, 0, 0xf8, 0, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
        (TextureFormat::Bc4RUnorm, vec![51, 51, 0, 0, 0, 0, 0, 0], [0.2, 0.0, 0.0, 1.0]),
        // The signature of a block of constant colour, then 16-bit channels.
        (
            TextureFormat::Astc { block: wgpu::AstcBlock::B4x4, channel: wgpu::AstcChannel::Unorm },
            vec![
                0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff,
            ],
            [0.0, 1.0, 0.0, 1.0],
        ),
        // EAC with base 128 and multiplier 0: 128 · 8 + 4 of 2047.
        (
            TextureFormat::EacR11Unorm,
            vec![128, 0, 0, 0, 0, 0, 0, 0],
            [1028.0 / 2047.0, 0.0, 0.0, 1.0],
        ),
    ] {
        // Two levels: 8×8, and 4×4 as the level of one block.
        let texture = gpu.texture(format, [8, 8, 1], |desc| desc.mip_level_count = 4);
        gpu.write(&texture, &block.repeat(4));
        for level in 1..4 {
            gpu.write_level(&texture, level, TextureAspect::All, &block);
            assert_eq!(gpu.level(&texture, level, TextureAspect::All), block, "{format:?}");
        }
        assert_eq!(gpu.texels(&texture), block.repeat(4), "{format:?}");
        let pipeline = gpu.compute(
            "@group(0) @binding(0) var t: texture_2d<f32>;
             @group(0) @binding(1) var<storage, read_write> out: array<vec4f, 2>;
             @compute @workgroup_size(1) fn main() {
                 out[0] = textureLoad(t, vec2u(5, 6), 0);
                 out[1] = textureLoad(t, vec2u(0, 0), 3);
             }",
        );
        let out = gpu.buffer(&[0; 32], BufferUsages::STORAGE);
        let view = texture.create_view(&Default::default());
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[wgpu::BindingResource::TextureView(&view), out.as_entire_binding()],
        );
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        for texel in floats(&gpu.bytes(&out)).chunks(4) {
            for (got, expected) in texel.iter().zip(expected) {
                assert!((got - expected as f32).abs() < 2e-3, "{format:?}: {texel:?}");
            }
        }
    }
}

#[test]
fn blocks_beyond_a_level_are_copied() {
    let gpu = Gpu::new();
    let format = TextureFormat::Bc1RgbaUnorm;
    // Levels of 16×16 texels, and of 15×15 with the last blocks beyond the edge: 16 blocks each.
    let whole = gpu.texture(format, [16, 16, 1], |_| {});
    let partly = gpu.texture(format, [60, 60, 1], |desc| desc.mip_level_count = 3);
    let blocks: Vec<u8> = (0..128).collect();
    let size = wgpu::Extent3d { width: 16, height: 16, depth_or_array_layers: 1 };
    let at = |texture, mip_level| wgpu::TexelCopyTextureInfo {
        texture,
        mip_level,
        origin: wgpu::Origin3d::ZERO,
        aspect: TextureAspect::All,
    };
    gpu.write(&whole, &blocks);
    gpu.submit(|encoder| encoder.copy_texture_to_texture(at(&whole, 0), at(&partly, 2), size));
    assert_eq!(gpu.level(&partly, 2, TextureAspect::All), blocks);
    let reversed: Vec<u8> = (0..128).rev().collect();
    gpu.write_level(&partly, 2, TextureAspect::All, &reversed);
    gpu.submit(|encoder| encoder.copy_texture_to_texture(at(&partly, 2), at(&whole, 0), size));
    assert_eq!(gpu.texels(&whole), reversed);
}

#[test]
fn volumes_of_compressed_blocks_are_slices() {
    let gpu = Gpu::new();
    let astc =
        TextureFormat::Astc { block: wgpu::AstcBlock::B4x4, channel: wgpu::AstcChannel::Unorm };
    // Blocks of one colour each: both ends of BC1, or ASTC's signature and 16-bit channels.
    let bc1 = |r: u16, g: u16, b: u16| {
        let ends = (r * 31) << 11 | (g * 63) << 5 | (b * 31);
        [ends.to_le_bytes(), ends.to_le_bytes(), [0; 2], [0; 2]].concat()
    };
    let astc_block = |r: u16, g: u16, b: u16| {
        let mut block = vec![0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        for channel in [r, g, b, 1] {
            block.extend((channel * 0xffff).to_le_bytes());
        }
        block
    };
    // The slices of level 0, level 1 and level 2.
    let colors = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]];
    for format in [TextureFormat::Bc1RgbaUnorm, astc] {
        let block = |[r, g, b]: [u16; 3]| match format {
            TextureFormat::Bc1RgbaUnorm => bc1(r, g, b),
            _ => astc_block(r, g, b),
        };
        let texture = gpu.texture(format, [8, 8, 4], |desc| {
            desc.dimension = wgpu::TextureDimension::D3;
            desc.mip_level_count = 3;
        });
        let slices = |colors: &[[u16; 3]], blocks: usize| -> Vec<u8> {
            colors.iter().flat_map(|color| block(*color).repeat(blocks)).collect()
        };
        let levels = [slices(&colors[..4], 4), slices(&colors[4..6], 1), slices(&colors[6..], 1)];
        for (level, bytes) in levels.iter().enumerate() {
            gpu.write_level(&texture, level as u32, TextureAspect::All, bytes);
        }
        for (level, bytes) in levels.iter().enumerate() {
            let got = gpu.level(&texture, level as u32, TextureAspect::All);
            assert_eq!(got, *bytes, "{format:?}, level {level}");
        }
        let pipeline = gpu.compute(
            "@group(0) @binding(0) var t: texture_3d<f32>;
             @group(0) @binding(1) var s: sampler;
             @group(0) @binding(2) var<storage, read_write> out: array<vec4f, 8>;
             @compute @workgroup_size(1) fn main() {
                 for (var z = 0u; z < 4; z++) { out[z] = textureLoad(t, vec3u(6, z, z), 0); }
                 for (var z = 0u; z < 2; z++) { out[4 + z] = textureLoad(t, vec3u(1, 2, z), 1); }
                 out[6] = textureLoad(t, vec3u(1, 0, 0), 2);
                 // Halfway between the slices 1 and 2.
                 out[7] = textureSampleLevel(t, s, vec3f(0.5), 0.0);
             }",
        );
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let out = gpu.buffer(&[0; 128], BufferUsages::STORAGE);
        let view = texture.create_view(&Default::default());
        let group = gpu.group(
            &pipeline.get_bind_group_layout(0),
            &[
                wgpu::BindingResource::TextureView(&view),
                wgpu::BindingResource::Sampler(&sampler),
                out.as_entire_binding(),
            ],
        );
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        let expected =
            colors.map(|color| color.map(f32::from)).into_iter().chain([[0.0, 0.5, 0.5]]);
        for (texel, [r, g, b]) in floats(&gpu.bytes(&out)).chunks(4).zip(expected) {
            for (got, expected) in texel.iter().zip([r, g, b, 1.0]) {
                assert!((got - expected).abs() < 4e-3, "{format:?}: {texel:?}");
            }
        }
    }
}

#[test]
fn depth_is_read_back() {
    let gpu = Gpu::new();
    for (format, expected) in [
        (TextureFormat::Depth16Unorm, vec![0x66, 0x66]),
        (TextureFormat::Depth32Float, 0.4f32.to_le_bytes().to_vec()),
        (TextureFormat::Depth32FloatStencil8, 0.4f32.to_le_bytes().to_vec()),
    ] {
        let texture = gpu.texture(format, [3, 1, 1], attachment);
        let view = texture.create_view(&Default::default());
        gpu.submit(|encoder| {
            encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &view,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0.4),
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: format.has_stencil_aspect().then_some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(9),
                        store: wgpu::StoreOp::Store,
                    }),
                }),
                ..Default::default()
            });
        });
        let bytes = gpu.level(&texture, 0, TextureAspect::DepthOnly);
        assert_eq!(bytes, expected.repeat(3), "{format:?}");
    }
}
