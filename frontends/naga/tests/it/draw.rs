//! Translated shaders in the driver: a triangle with uniforms and a texture, and every kind of
//! texture call, pixel by pixel.

use formats::Format;
use gallium_naga::{Bindings, Module, Options};
use pipe_core::{Bind, CompareFunc, ResourceTemplate, SamplerState, TexCompare, TextureTarget};

use crate::machine::{EVERYTHING, FLOATS, bytes, draw, nearest};

#[test]
fn a_triangle_with_uniforms_and_a_texture() {
    let wgsl = "
        struct Camera { scale: vec2f, offset: vec2f }
        @group(0) @binding(0) var<uniform> camera: Camera;
        @group(0) @binding(1) var<uniform> tint: vec4f;
        @group(1) @binding(0) var image: texture_2d<f32>;
        @group(1) @binding(1) var nearest: sampler;
        struct Corner {
            @builtin(position) position: vec4f,
            @location(0) uv: vec2f,
            @location(1) @interpolate(flat) number: u32,
        }
        @vertex fn vs(@location(0) position: vec2f, @location(1) uv: vec2f,
                      @builtin(vertex_index) number: u32) -> Corner {
            let p = position * camera.scale + camera.offset;
            return Corner(vec4f(p, 0.5, 1), uv, number + 5);
        }
        @fragment fn fs(corner: Corner) -> @location(0) vec4f {
            if corner.position.x < 1.0 && corner.position.y > 3.0 { discard; }
            let texel = textureSample(image, nearest, corner.uv);
            return vec4f(texel.rg * tint.rg, f32(corner.number), corner.position.x);
        }";
    // A triangle of twice the target's size, in coordinates from 0 to 1 that the camera spreads.
    let corners = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0, -1.0];
    // 2×2 texels: their own coordinates.
    let template = ResourceTemplate::texture_2d(FLOATS, 2, 2, Bind::SAMPLER_VIEW);
    let texels = texels([2, 2, 1], |x, y, _| [x as f32, y as f32, 0.0, 1.0]);
    let pixels = draw([4, 4], wgsl, |machine, vs, fs| {
        machine.vertices(vs, &corners);
        machine.constants(vs, Some((0, 0)), &bytes(&[2.0, 2.0, -1.0, -1.0]));
        assert_eq!(fs.interface.resource(0, 1).unwrap().slot, 1);
        machine.constants(fs, Some((0, 1)), &bytes(&[2.0, 3.0, 0.0, 0.0]));
        let texture = machine.texture(template, &[texels]);
        machine.view(fs, (1, 0), texture, &template);
        machine.sampler(fs, (1, 1), &nearest());
    });
    for (at, pixel) in pixels.into_iter().enumerate() {
        let (x, y) = (at % 4, at / 4);
        let expected = match (x, y) {
            (0, 3) => [0.0; 4],
            // Clip space's y points up, and the texture's down as the target's.
            _ => [(x / 2) as f32 * 2.0, (y / 2) as f32 * 3.0, 5.0, x as f32 + 0.5],
        };
        assert_eq!(pixel, expected, "pixel {x}, {y}");
    }
}

/// A texture for [`evaluate`], with its sampler.
struct Bound {
    template: ResourceTemplate,
    levels: Vec<Vec<u8>>,
    sampler: SamplerState,
}

impl Bound {
    /// Returns a texture with one level of floats and a sampler without filters.
    fn floats(
        target: TextureTarget,
        size: [u32; 3],
        value: impl Fn(u32, u32, u32) -> [f32; 4],
    ) -> Bound {
        let [width, height, layers] = size;
        let is_volume = target == TextureTarget::Texture3D;
        let template = ResourceTemplate {
            target,
            depth0: if is_volume { layers } else { 1 },
            array_size: if is_volume { 1 } else { layers },
            ..ResourceTemplate::texture_2d(FLOATS, width, height, Bind::SAMPLER_VIEW)
        };
        Bound { template, levels: vec![texels(size, value)], sampler: nearest() }
    }
}

/// Evaluates expressions of type `vec4f` on the texture `t` and the sampler `s`, one expression per pixel.
#[track_caller]
fn evaluate(ty: &str, sampler_type: &str, bound: &Bound, expressions: &[(&str, [f32; 4])]) {
    let mut cases = String::new();
    for (at, (expression, _)) in expressions.iter().enumerate() {
        cases += &format!("let e{at} = vec4f({expression});\n");
        cases += &format!("if u32(p.x) == {at}u {{ r = e{at}; }}\n");
    }
    let wgsl = format!(
        "@group(0) @binding(0) var unused: texture_2d<f32>;
         @group(0) @binding(1) var t: {ty};
         @group(0) @binding(2) var s: {sampler_type};
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             // Not known to the compiler.
             let zero = floor(p.z);
             var r: vec4f;
             {cases}
             return r;
         }}"
    );
    let pixels = draw([expressions.len() as u32, 1], &wgsl, |machine, _, fs| {
        let texture = machine.texture(bound.template, &bound.levels);
        // The view is not the first, the sampler is: the numbers differ.
        assert_eq!(fs.interface.resources.first().map(|it| it.slot), Some(1));
        let last_level = bound.levels.len() as u32 - 1;
        let template = ResourceTemplate { last_level, ..bound.template };
        machine.view(fs, (0, 1), texture, &template);
        if fs.interface.resource(0, 2).is_some() {
            machine.sampler(fs, (0, 2), &bound.sampler);
        }
    });
    for ((expression, expected), got) in expressions.iter().zip(pixels) {
        let close = got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 2e-3);
        assert!(close, "{expression}: {got:?}, not {expected:?}");
    }
}

/// Texels of floats: `value(x, y, layer)` in a colour.
fn texels(size: [u32; 3], value: impl Fn(u32, u32, u32) -> [f32; 4]) -> Vec<u8> {
    let [width, height, layers] = size;
    let mut words = Vec::new();
    for layer in 0..layers {
        for y in 0..height {
            for x in 0..width {
                words.extend(value(x, y, layer));
            }
        }
    }
    bytes(&words)
}

#[test]
fn lookups_of_2d_textures() {
    let bound = Bound {
        template: ResourceTemplate::texture_2d(FLOATS, 4, 4, Bind::SAMPLER_VIEW),
        levels: vec![
            texels([4, 4, 1], |x, y, _| [x as f32, y as f32, 0.0, 1.0]),
            texels([2, 2, 1], |x, y, _| [x as f32, y as f32, 1.0, 1.0]),
            texels([1, 1, 1], |_, _, _| [0.0, 0.0, 2.0, 1.0]),
        ],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSampleLevel(t, s, vec2f(0.6, 0.9), 0.0 + zero)", [2.0, 3.0, 0.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.9), 1.0)", [1.0, 1.0, 1.0, 1.0]),
            ("textureSample(t, s, vec2f(0.3, 0.1))", [1.0, 0.0, 0.0, 1.0]),
            ("textureSample(t, s, vec2f(0.3, 0.1), vec2i(1, 2))", [2.0, 2.0, 0.0, 1.0]),
            // A texel a pixel: level 0, and with the bias 1.
            ("textureSampleBias(t, s, p.xy * 0.25, 1.0)", [0.0, 0.0, 1.0, 1.0]),
            // 2^17 texels a pixel less 16 levels, 2^-17 texels a pixel and 15.99 levels: WGSL's range
            // of the bias, known to the compiler and not.
            ("0, 0, textureSampleBias(t, s, p.xy * 0x1p15, -40.0).z, 1", [0.0, 0.0, 1.0, 1.0]),
            ("0, 0, textureSampleBias(t, s, p.xy * 0x1p15, zero - 40).z, 1", [0.0, 0.0, 1.0, 1.0]),
            ("0, 0, textureSampleBias(t, s, p.xy * 0x1p-19, 40.0).z, 1", [0.0, 0.0, 0.0, 1.0]),
            ("0, 0, textureSampleBias(t, s, p.xy * 0x1p-19, zero + 40).z, 1", [0.0, 0.0, 0.0, 1.0]),
            // A texel a pixel, then two.
            (
                "textureSampleGrad(t, s, vec2f(0.6, 0.9), vec2f(0.25, 0), vec2f(0, 0.25))",
                [2.0, 3.0, 0.0, 1.0],
            ),
            (
                "textureSampleGrad(t, s, vec2f(0.6, 0.9), vec2f(0.5, 0), vec2f(0, 0.5))",
                [1.0, 1.0, 1.0, 1.0],
            ),
            ("textureLoad(t, vec2i(3, 1), 0)", [3.0, 1.0, 0.0, 1.0]),
            ("textureLoad(t, vec2i(1, 0) + i32(zero), 1)", [1.0, 0.0, 1.0, 1.0]),
            ("vec2f(textureDimensions(t)), vec2f(textureDimensions(t, 1))", [4.0, 4.0, 2.0, 2.0]),
            ("vec3f(f32(textureNumLevels(t))), 0", [3.0, 3.0, 3.0, 0.0]),
            // (umin, vmax), (umax, vmax), (umax, vmin), (umin, vmin).
            ("textureGather(0, t, s, vec2f(0.5, 0.5))", [1.0, 2.0, 2.0, 1.0]),
            ("textureGather(1, t, s, vec2f(0.5, 0.5))", [2.0, 2.0, 1.0, 1.0]),
            ("textureGather(0, t, s, vec2f(0.5, 0.5), vec2i(1, 0))", [2.0, 3.0, 3.0, 2.0]),
            ("textureSampleBaseClampToEdge(t, s, vec2f(2.0, -1.0))", [3.0, 0.0, 0.0, 1.0]),
        ],
    );
}

#[test]
fn lookups_of_arrays_volumes_and_cubes() {
    let bound = Bound::floats(TextureTarget::Texture2DArray, [2, 2, 3], |x, y, z| {
        [x as f32, y as f32, z as f32, 1.0]
    });
    evaluate(
        "texture_2d_array<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec2f(0.6, 0.1), 2)", [1.0, 0.0, 2.0, 1.0]),
            ("textureSample(t, s, vec2f(0.6, 0.1), 1u + u32(zero))", [1.0, 0.0, 1.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.1), 99, 0.0)", [1.0, 0.0, 2.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.1), -5, 0.0)", [1.0, 0.0, 0.0, 1.0]),
            ("textureLoad(t, vec2i(0, 1), 1, 0)", [0.0, 1.0, 1.0, 1.0]),
            ("vec2f(textureDimensions(t)), f32(textureNumLayers(t)), 0", [2.0, 2.0, 3.0, 0.0]),
            ("textureGather(2, t, s, vec2f(0.5), 2)", [2.0; 4]),
        ],
    );
    let bound = Bound::floats(TextureTarget::Texture3D, [2, 2, 2], |x, y, z| {
        [x as f32, y as f32, z as f32, 1.0]
    });
    evaluate(
        "texture_3d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(0.6, 0.1, 0.9))", [1.0, 0.0, 1.0, 1.0]),
            ("textureLoad(t, vec3i(0, 1, 1), 0)", [0.0, 1.0, 1.0, 1.0]),
            ("vec3f(textureDimensions(t)), 0", [2.0, 2.0, 2.0, 0.0]),
        ],
    );
    let face = |_, _, z| [z as f32, 0.0, 0.0, 1.0];
    let bound = Bound::floats(TextureTarget::Cube, [2, 2, 6], face);
    evaluate(
        "texture_cube<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(1, 0.1, 0.2))", [0.0, 0.0, 0.0, 1.0]),
            ("textureSample(t, s, vec3f(0.1, -1, 0.2))", [3.0, 0.0, 0.0, 1.0]),
            ("textureSampleLevel(t, s, vec3f(0.1, 0.3, -1), 0)", [5.0, 0.0, 0.0, 1.0]),
            ("vec2f(textureDimensions(t)), 0, 0", [2.0, 2.0, 0.0, 0.0]),
        ],
    );
    let bound = Bound::floats(TextureTarget::CubeArray, [2, 2, 12], face);
    evaluate(
        "texture_cube_array<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(0.1, -1, 0.2), 1)", [9.0, 0.0, 0.0, 1.0]),
            ("f32(textureNumLayers(t)), vec2f(textureDimensions(t)), 0", [2.0, 2.0, 2.0, 0.0]),
            ("textureGather(0, t, s, vec3f(0.1, -1, 0.2), 1)", [9.0; 4]),
        ],
    );
    let bound =
        Bound::floats(TextureTarget::Texture1D, [4, 1, 1], |x, _, _| [x as f32, 0.0, 0.0, 1.0]);
    evaluate(
        "texture_1d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, 0.6)", [2.0, 0.0, 0.0, 1.0]),
            ("textureLoad(t, 3, 0)", [3.0, 0.0, 0.0, 1.0]),
            ("f32(textureDimensions(t)), 0, 0, 0", [4.0, 0.0, 0.0, 0.0]),
        ],
    );
}

#[test]
fn lookups_of_integers() {
    let bound = Bound {
        template: ResourceTemplate::texture_2d(Format::R8G8B8A8Uint, 2, 1, Bind::SAMPLER_VIEW),
        levels: vec![vec![1, 2, 3, 4, 250, 6, 7, 8]],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<u32>",
        "sampler",
        &bound,
        &[
            ("vec4f(textureLoad(t, vec2i(1, 0), 0))", [250.0, 6.0, 7.0, 8.0]),
            ("vec4f(textureGather(1, t, s, vec2f(0.5)))", [2.0, 6.0, 6.0, 2.0]),
        ],
    );
    let bound = Bound {
        template: ResourceTemplate::texture_2d(Format::R8G8B8A8Sint, 2, 1, Bind::SAMPLER_VIEW),
        levels: vec![vec![1, 2, 3, 4, 250, 6, 7, 8]],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<i32>",
        "sampler",
        &bound,
        &[("vec4f(textureLoad(t, vec2i(1, 0), 0))", [-6.0, 6.0, 7.0, 8.0])],
    );
}

#[test]
fn lookups_of_depth() {
    let compares = SamplerState {
        compare_mode: TexCompare::RToTexture,
        compare_func: CompareFunc::Less,
        ..nearest()
    };
    let depths = [0.2f32, 0.4, 0.6, 0.8];
    let flat = Bound {
        template: ResourceTemplate::texture_2d(Format::Z32Float, 2, 2, Bind::SAMPLER_VIEW),
        levels: vec![bytes(&depths)],
        sampler: compares,
    };
    evaluate(
        "texture_depth_2d",
        "sampler_comparison",
        &flat,
        &[
            ("textureSampleCompare(t, s, vec2f(0.1, 0.1), 0.1), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompare(t, s, vec2f(0.1, 0.1), 0.3 + zero), 0, 0, 0", [0.0; 4]),
            (
                "textureSampleCompareLevel(t, s, vec2f(0.9, 0.9), 0.7), 0, 0, 0",
                [1.0, 0.0, 0.0, 0.0],
            ),
            ("textureGatherCompare(t, s, vec2f(0.5, 0.5), 0.5)", [1.0, 1.0, 0.0, 0.0]),
            ("textureLoad(t, vec2i(1, 0), 0), 0, 0, 0", [0.4, 0.0, 0.0, 0.0]),
        ],
    );
    let plain = Bound { sampler: nearest(), ..flat };
    evaluate(
        "texture_depth_2d",
        "sampler",
        &plain,
        &[
            ("textureSample(t, s, vec2f(0.9, 0.1)), 0, 0, 0", [0.4, 0.0, 0.0, 0.0]),
            ("textureSampleLevel(t, s, vec2f(0.1, 0.9), 0), 0, 0, 0", [0.6, 0.0, 0.0, 0.0]),
            ("textureGather(t, s, vec2f(0.5, 0.5))", [0.6, 0.8, 0.4, 0.2]),
        ],
    );
    let layered = |target, count: u32| Bound {
        template: ResourceTemplate {
            target,
            array_size: count,
            ..ResourceTemplate::texture_2d(Format::Z32Float, 1, 1, Bind::SAMPLER_VIEW)
        },
        levels: vec![bytes(&(0..count).map(|it| it as f32 / 12.0).collect::<Vec<_>>())],
        sampler: compares,
    };
    evaluate(
        "texture_depth_2d_array",
        "sampler_comparison",
        &layered(TextureTarget::Texture2DArray, 3),
        &[
            ("textureSampleCompare(t, s, vec2f(0.5), 2, 0.1), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec2f(0.5), 1, 0.1), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec2f(0.5), 2, 0.1)", [1.0; 4]),
        ],
    );
    evaluate(
        "texture_depth_cube",
        "sampler_comparison",
        &layered(TextureTarget::Cube, 6),
        &[
            ("textureSampleCompare(t, s, vec3f(0, -1, 0), 0.2), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec3f(1, 0, 0), 0.2), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec3f(0, -1, 0), 0.2)", [1.0; 4]),
        ],
    );
    evaluate(
        "texture_depth_cube_array",
        "sampler_comparison",
        &layered(TextureTarget::CubeArray, 12),
        &[
            ("textureSampleCompare(t, s, vec3f(0, -1, 0), 1, 0.7), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec3f(0, -1, 0), 0, 0.7), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec3f(0, -1, 0), 1, 0.7)", [1.0; 4]),
        ],
    );
}

#[test]
fn derivatives_and_faces() {
    let wgsl = "
        struct V { @builtin(position) p: vec4f, @location(0) v: vec2f,
            @location(1) @interpolate(linear) l: f32 }
        @vertex fn vs(@location(0) p: vec4f) -> V { return V(p, p.xy, 3); }
        @fragment fn fs(in: V, @builtin(front_facing) front: bool,
                        @builtin(sample_index) sample: u32) -> @location(0) vec4f {
            return vec4f(dpdx(in.v.x), dpdyFine(in.v.y), fwidth(in.v.x + in.v.y),
                select(7.0, 9.0, front) + in.l + f32(sample));
        }";
    let corners = EVERYTHING.map(|[x, y]| [x, y, 0.0, 1.0]).concat();
    let pixels = draw([4, 4], wgsl, |machine, vs, _| machine.vertices(vs, &corners));
    for pixel in pixels {
        // Two units of clip space over four pixels; y points up.
        assert!(pixel[3] == 10.0 || pixel[3] == 12.0);
        for (got, expected) in pixel.iter().zip([0.5, -0.5, 1.0]) {
            assert!((got - expected).abs() < 1e-5, "{pixel:?}");
        }
    }
}

#[test]
fn slots_that_the_caller_wants() {
    let wgsl = "
        @group(0) @binding(0) var<uniform> a: vec4f;
        @group(0) @binding(1) var<uniform> b: vec4f;
        @group(2) @binding(0) var<uniform> c: vec4f;
        @fragment fn fs() -> @location(0) vec4f { return a + b + c; }";
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap();
    let options = Options { bindings: Bindings::from([((0, 1), 7)]), ..Options::default() };
    let translated = module.translate("fs", &options).unwrap();
    let slots: Vec<_> =
        translated.interface.resources.iter().map(|it| (it.binding, it.slot)).collect();
    assert_eq!(slots, [(Some((0, 0)), 0), (Some((0, 1)), 7), (Some((2, 0)), 8)]);
    let too_many = Options { bindings: Bindings::from([((0, 1), 16)]), ..Options::default() };
    let error = module.translate("fs", &too_many).unwrap_err();
    assert_eq!(error.location(), Some((3, 31)));
}

#[test]
fn immediates_in_the_slot_that_the_caller_wants() {
    let wgsl = "
        @group(0) @binding(0) var<uniform> a: vec4f;
        var<immediate> b: vec4f;
        @fragment fn fs() -> @location(0) vec4f { return a + b; }";
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap();
    for (wanted, expected) in [(None, 1), (Some(9), 9)] {
        let options = Options { immediates: wanted, ..Options::default() };
        let interface = module.translate("fs", &options).unwrap().interface;
        let slots: Vec<_> = interface.resources.iter().map(|it| (it.binding, it.slot)).collect();
        assert_eq!(slots, [(Some((0, 0)), 0), (None, expected)]);
    }
}

#[test]
fn modules_of_naga_itself() {
    let wgsl = "@fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }";
    let module = gallium_naga::naga::front::wgsl::parse_str(wgsl).unwrap();
    let flags = gallium_naga::naga::valid::ValidationFlags::all();
    let mut validator =
        gallium_naga::naga::valid::Validator::new(flags, gallium_naga::CAPABILITIES);
    let info = validator.validate(&module).unwrap();
    let ours = Module::from_naga(module, info, Some((wgsl.into(), "test.wgsl".into())));
    let same = Module::wgsl(wgsl, "test.wgsl").unwrap();
    let text =
        |module: &Module| module.translate("fs", &Options::default()).unwrap().shader.to_string();
    assert_eq!(text(&ours), text(&same));
}
