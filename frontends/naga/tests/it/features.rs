//! Storage textures, several samples per pixel, and the features beyond WebGPU's core, in the driver.

use formats::Format;
use gallium_naga::Module;
use gallium_naga::naga::ShaderStage;
use pipe_core::{
    Bind, BlendFactor, BlendFunc, BlendState, RasterizerState, RenderTargetBlendState,
    ResourceTemplate, TextureTarget,
};

use crate::machine::{
    FLOATS, bytes, draw, nearest, rasterizer, shader, translate, whole, with_machine, words,
};

fn image(
    target: TextureTarget,
    format: Format,
    [width, height, layers]: [u32; 3],
) -> ResourceTemplate {
    let is_volume = target == TextureTarget::Texture3D;
    ResourceTemplate {
        target,
        depth0: if is_volume { layers } else { 1 },
        array_size: if is_volume { 1 } else { layers },
        ..ResourceTemplate::texture_2d(format, width, height, Bind::SHADER_IMAGE)
    }
}

/// Runs `body` for each texel of a storage texture `t` of an 8×4×2 grid; returns the texture's words.
fn over_image(ty: &str, template: &ResourceTemplate, texels: &[u8], body: &str) -> Vec<u32> {
    let wgsl = format!(
        "@group(0) @binding(0) var t: {ty};
         @compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) i: vec3u) {{
             {body}
         }}"
    );
    let cs = shader(&wgsl, "main");
    with_machine([1, 1], 1, |machine| {
        let texture = machine.texture(*template, &[texels.to_vec()]);
        machine.image(&cs, (0, 0), texture, template);
        machine.launch(&cs, [2, 1, 2]);
        words(&machine.read(texture, &whole(template, 0)))
    })
}

#[test]
fn storage_textures_of_every_shape_are_written() {
    let number = |at: usize| {
        let (x, y, z) = (at % 8, at / 8 % 4, at / 32);
        (x + 10 * y + 100 * z) as u32
    };
    let expected: Vec<u32> = (0..64).map(number).collect();
    let shapes = [
        (TextureTarget::Texture1D, [8, 1, 1], "1d", "i.x", 8),
        (TextureTarget::Texture2D, [8, 4, 1], "2d", "i.xy", 32),
        (TextureTarget::Texture2DArray, [8, 4, 2], "2d_array", "i.xy, i.z", 64),
        (TextureTarget::Texture3D, [8, 4, 2], "3d", "i", 64),
    ];
    for (target, size, name, place, count) in shapes {
        let template = image(target, Format::R32Uint, size);
        let body = format!(
            // One invocation per texel.
            "if i.z * {most}u < 2u && (i.y == 0 || {height}u > 1u) {{
                 textureStore(t, {place}, vec4u(i.x + 10 * i.y + 100 * i.z, 0, 0, 0));
             }}",
            most = if size[2] == 1 { 2 } else { 1 },
            height = size[1],
        );
        let ty = format!("texture_storage_{name}<r32uint, write>");
        let texels = vec![0xaa; 4 * count];
        assert_eq!(over_image(&ty, &template, &texels, &body), expected[..count], "{name}");
    }
}

#[test]
fn storage_textures_convert_their_formats() {
    let cases = [
        // To the nearest number of each format, clamped.
        ("rgba8unorm", Format::R8G8B8A8Unorm, "vec4f(0.2, 2, -1, 0.25)", 0x4000_ff33u32),
        ("rgba8snorm", Format::R8G8B8A8Snorm, "vec4f(1, -1, 0, 0.25)", 0x2000_817f),
        ("rgba8uint", Format::R8G8B8A8Uint, "vec4u(1, 2, 3, 255)", 0xff03_0201),
        ("rgba8sint", Format::R8G8B8A8Sint, "vec4i(-1, 2, -128, 127)", 0x7f80_02ff),
        ("r32float", Format::R32Float, "vec4f(1.5, 9, 9, 9)", 0x3fc0_0000),
        ("r32sint", Format::R32Sint, "vec4i(-5)", 0xffff_fffb),
    ];
    for (name, format, value, expected) in cases {
        let template = image(TextureTarget::Texture2D, format, [8, 4, 1]);
        let body = format!("textureStore(t, i.xy, {value});");
        let ty = format!("texture_storage_2d<{name}, write>");
        let texels = vec![0; 4 * 32];
        assert_eq!(over_image(&ty, &template, &texels, &body), [expected; 32], "{name}");
    }
}

#[test]
fn storage_textures_are_read_and_written() {
    // Each texel has its neighbour's number added, read before it is written: rows are independent.
    let template = image(TextureTarget::Texture2D, Format::R32Uint, [8, 4, 1]);
    let texels: Vec<u8> = (0..32u32).flat_map(u32::to_le_bytes).collect();
    let body = "
        let size = textureDimensions(t);
        if i.z == 0 {
            let old = textureLoad(t, i.xy).x;
            // Outside: 0.
            let outside = textureLoad(t, i.xy + vec2u(100, 0)).x;
            textureStore(t, i.xy, vec4u(old * 2 + outside + size.x * 1000 + size.y * 100));
        }
        // Outside: nothing happens.
        textureStore(t, i.xy + size, vec4u(7));";
    let expected: Vec<u32> = (0..32).map(|it| it * 2 + 8400).collect();
    let got = over_image("texture_storage_2d<r32uint, read_write>", &template, &texels, body);
    assert_eq!(got, expected);
}

#[test]
fn atomics_on_storage_textures() {
    let template = image(TextureTarget::Texture2D, Format::R32Uint, [8, 4, 1]);
    let texels = [5u32.to_le_bytes(); 32].concat();
    // 64 invocations; a texel of the first row counts those of its column.
    let body = "textureAtomicAdd(t, vec2u(i.x, 0), 1u);
        textureAtomicMax(t, vec2u(i.x, 1), i.y + 10 * i.z);";
    let got = over_image("texture_storage_2d<r32uint, atomic>", &template, &texels, body);
    assert_eq!(got[..8], [13; 8]);
    assert_eq!(got[8..16], [13; 8]);
    assert_eq!(got[16..], [5; 16]);
}

#[test]
fn workgroup_memory_is_zero_in_every_workgroup() {
    let write = shader(
        "struct W { words: array<u32, 500>, counter: atomic<u32> }
         var<workgroup> w: W;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             for (var k = i; k < 500; k += 4) { w.words[k] = ~k; }
             atomicAdd(&w.counter, 77u);
         }",
        "main",
    );
    let read = shader(
        "struct W { words: array<u32, 500>, counter: atomic<u32> }
         var<workgroup> w: W;
         @group(0) @binding(0) var<storage, read_write> results: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u,
                                             @builtin(num_workgroups) count: vec3u) {
             var all = atomicLoad(&w.counter);
             for (var k = 0; k < 500; k++) { all |= w.words[k]; }
             // The next workgroup must not see this.
             w.words[id.x % 500] = 1;
             results[id.x + id.y * count.x + id.z * count.x * count.y] = all;
         }",
        "main",
    );
    with_machine([1, 1], 1, |machine| {
        let results = machine.storage(&read, (0, 0), &[0xaa; 4 * 60]);
        machine.launch(&write, [5, 4, 3]);
        machine.launch(&read, [5, 4, 3]);
        let region = pipe_core::Region::bytes(0, 4 * 60);
        assert_eq!(words(&machine.read(results, &region)), [0; 60]);
    });
}

/// Draws to four samples per pixel with the entry point `fs`; returns red of each sample.
fn samples(wgsl: &str) -> Vec<[f32; 4]> {
    let (vs, fs) = (shader(crate::machine::COVER, "cover"), shader(wgsl, "fs"));
    let read = shader(
        "@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
         @group(0) @binding(1) var<storage, read_write> results: array<f32>;
         @compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) i: vec3u) {
             let count = textureNumSamples(t);
             for (var k = 0u; k < count; k++) {
                 results[4 * (i.x + i.y * textureDimensions(t).x) + k] = textureLoad(t, i.xy, k).x;
             }
         }",
        "main",
    );
    with_machine([2, 2], 4, |machine| {
        machine.shaders(&vs, &fs);
        machine.vertices(&vs, &[0.0; 12]);
        machine.draw(3);
        machine.view_target(&read, (0, 0));
        let results = machine.storage(&read, (0, 1), &[0xff; 4 * 16]);
        machine.launch(&read, [1, 1, 1]);
        let region = pipe_core::Region::bytes(0, 4 * 16);
        let floats: Vec<f32> =
            words(&machine.read(results, &region)).into_iter().map(f32::from_bits).collect();
        floats.as_chunks().0.to_vec()
    })
}

#[test]
fn samples_have_their_numbers_and_masks() {
    let by_number = samples(
        "@fragment fn fs(@builtin(sample_index) k: u32, @builtin(position) p: vec4f)
             -> @location(0) vec4f { return vec4f(f32(k) + 10 * floor(p.x) + 100 * floor(p.y)); }",
    );
    for (at, pixel) in by_number.iter().enumerate() {
        let first = (at % 2 * 10 + at / 2 * 100) as f32;
        assert_eq!(*pixel, [0.0, 1.0, 2.0, 3.0].map(|it| it + first));
    }
    // Only the samples of the mask are written; what comes in covers all four.
    let masked = samples(
        "struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
         @fragment fn fs(@builtin(sample_mask) covered: u32) -> Out {
             return Out(vec4f(f32(covered)), covered & 5);
         }",
    );
    assert_eq!(masked, [[15.0, 0.0, 15.0, 0.0]; 4]);
}

#[test]
fn multisampled_depth_is_loaded() {
    let read = shader(
        "@group(0) @binding(0) var t: texture_depth_multisampled_2d;
         @group(0) @binding(1) var<storage, read_write> results: array<f32>;
         @compute @workgroup_size(1) fn main() {
             results[0] = textureLoad(t, vec2u(1, 0), 2);
             results[1] = f32(textureNumSamples(t)) + f32(textureDimensions(t).x) * 10;
         }",
        "main",
    );
    with_machine([2, 2], 1, |machine| {
        let bind = Bind::DEPTH_STENCIL | Bind::SAMPLER_VIEW;
        let template = ResourceTemplate {
            nr_samples: 4,
            ..ResourceTemplate::texture_2d(Format::Z32Float, 2, 2, bind)
        };
        let depth = machine.cleared_depth(&template, 0.75);
        machine.view(&read, (0, 0), depth, &template);
        let results = machine.storage(&read, (0, 1), &[0; 8]);
        machine.launch(&read, [1, 1, 1]);
        let bytes = machine.read(results, &pipe_core::Region::bytes(0, 8));
        assert_eq!(words(&bytes).into_iter().map(f32::from_bits).collect::<Vec<_>>(), [0.75, 24.0]);
    });
}

#[test]
fn clip_distances_cut_triangles() {
    // Positive in the right half alone, by the first distance; the second is positive everywhere.
    let wgsl = "enable clip_distances;
        struct V { @builtin(position) p: vec4f, @builtin(clip_distances) d: array<f32, 2> }
        @vertex fn vs(@location(0) p: vec2f) -> V {
            return V(vec4f(p, 0, 1), array(p.x, 1.0));
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }";
    let pixels = draw([4, 1], wgsl, |machine, _, _| {
        machine.rasterizer(&RasterizerState { clip_plane_enable: 3, ..rasterizer() });
    });
    let red: Vec<f32> = pixels.iter().map(|pixel| pixel[0]).collect();
    assert_eq!(red, [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn two_colours_are_blended() {
    let wgsl = "enable dual_source_blending;
        struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
        @fragment fn fs() -> Out { return Out(vec4f(4, 0.5, 4, 0.5), vec4f(2, 3, -2, 0.25)); }";
    let pixels = draw([1, 1], wgsl, |machine, _, _| {
        let target = RenderTargetBlendState {
            alpha_src_factor: BlendFactor::Src1Alpha,
            ..RenderTargetBlendState::uniform(
                BlendFunc::Add,
                BlendFactor::Src1Color,
                BlendFactor::Zero,
            )
        };
        machine.blend(&BlendState::uniform(target));
    });
    assert_eq!(pixels, [[8.0, 1.5, -8.0, 0.125]]);
}

#[test]
fn immediates_have_the_last_constant_buffer() {
    let wgsl = "struct I { a: vec2f, b: f32 }
        var<immediate> it: I;
        @group(0) @binding(3) var<uniform> u: vec4f;
        @fragment fn fs() -> @location(0) vec4f { return vec4f(it.a, it.b, u.w); }";
    let pixels = draw([1, 1], wgsl, |machine, _, fs| {
        let last = fs.interface.resources.last().unwrap();
        assert_eq!((last.binding, last.slot), (None, 1));
        machine.constants(fs, None, &bytes(&[1.0, 2.0, 3.0, 0.0]));
        machine.constants(fs, Some((0, 3)), &bytes(&[0.0, 0.0, 0.0, 4.0]));
    });
    assert_eq!(pixels, [[1.0, 2.0, 3.0, 4.0]]);
}

#[test]
fn primitives_are_counted() {
    let wgsl = "enable primitive_index;
        @fragment fn fs(@builtin(primitive_index) k: u32) -> @location(0) vec4f {
            return vec4f(f32(k) + 5);
        }";
    assert_eq!(draw([1, 1], wgsl, |_, _, _| ()), [[5.0; 4]]);
}

#[test]
fn arrays_of_lines_come_from_glsl() {
    let glsl = "#version 450
        layout(set = 0, binding = 0) uniform texture1DArray t;
        layout(set = 0, binding = 1) uniform sampler s;
        layout(location = 0) out vec4 color;
        void main() {
            color = vec4(
                texture(sampler1DArray(t, s), vec2(0.6, 1.0)).x,
                texelFetch(sampler1DArray(t, s), ivec2(3, 2), 0).x,
                float(textureSize(sampler1DArray(t, s), 0).x),
                texture(sampler1DArray(t, s), vec2(0.1, 99.0)).x);
        }";
    let module = Module::glsl(glsl, ShaderStage::Fragment, "lines.frag")
        .unwrap_or_else(|error| panic!("{error}"));
    let (vs, fs) = (shader(crate::machine::COVER, "cover"), translate(&module, "main"));
    let template = ResourceTemplate {
        target: TextureTarget::Texture1DArray,
        array_size: 3,
        ..ResourceTemplate::texture_2d(FLOATS, 4, 1, Bind::SAMPLER_VIEW)
    };
    let texels: Vec<f32> =
        (0..12).flat_map(|at| [(at % 4 + at / 4 * 10) as f32, 0.0, 0.0, 1.0]).collect();
    let pixels = with_machine([1, 1], 1, |machine| {
        machine.shaders(&vs, &fs);
        machine.vertices(&vs, &[0.0; 12]);
        let texture = machine.texture(template, &[bytes(&texels)]);
        machine.view(&fs, (0, 0), texture, &template);
        machine.sampler(&fs, (0, 1), &nearest());
        machine.draw(3);
        machine.pixels()
    });
    assert_eq!(pixels, [[12.0, 23.0, 4.0, 20.0]]);
}
