use gallium_playground::{Drawing, Output, Profile, Program, Shape, draw};

use crate::program;

fn drawn(program: &Program) -> Drawing {
    let drawing = draw(program);
    assert_eq!(drawing.problems, []);
    assert_eq!(drawing.pixels.len(), (program.width * program.height * 4) as usize);
    drawing
}

fn pixel(drawing: &Drawing, x: u32, y: u32) -> [u8; 4] {
    let at = (y * drawing.width + x) as usize * 4;
    drawing.pixels[at..at + 4].try_into().expect("four bytes")
}

/// Returns 0 to 1 as 8 bits.
fn byte(value: f64) -> u8 {
    (value * 255.0).round() as u8
}

#[test]
fn coordinates_run_over_the_picture() {
    let source = "@fragment fn f(@location(0) uv: vec2f) -> @location(0) vec4f {
        return vec4f(uv, 0.0, 1.0);
    }";
    let drawing = drawn(&program(source));
    for (x, y) in [(0, 0), (127, 0), (0, 127), (64, 32), (127, 127)] {
        // The centres of pixels.
        let [u, v] = [x, y].map(|at| (f64::from(at) + 0.5) / 128.0);
        assert_eq!(pixel(&drawing, x, y), [byte(u), byte(v), 0, 255], "pixel ({x}, {y})");
    }
}

#[test]
fn the_texture_is_the_chosen_one() {
    let wgsl = "@group(0) @binding(0) var skin: texture_2d<f32>;
        @group(0) @binding(1) var filtering: sampler;
        @fragment fn f(@location(0) uv: vec2f) -> @location(0) vec4f {
            return textureSample(skin, filtering, uv);
        }";
    let tgsi = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
        TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n";
    // 128 texels on 128 pixels: texel (x, y) of the gradient is (2x, 2y, 96).
    for source in [wgsl, tgsi] {
        let drawing = drawn(&program(source));
        for (x, y) in [(0, 0), (100, 3), (127, 127)] {
            assert_eq!(pixel(&drawing, x, y), [2 * x as u8, 2 * y as u8, 96, 255]);
        }
    }
}

#[test]
fn names_of_inputs_select_attributes() {
    // The square faces z: its normal is (0, 0, 1), the colour half of it plus a half. Its corners are
    // at -1 and 1.
    for (input, color) in [
        ("normal: vec3f", [byte(0.0), byte(0.0), byte(1.0), 255]),
        ("color: vec3f", [byte(0.5), byte(0.5), byte(1.0), 255]),
        ("position: vec3f", [byte(0.5 / 64.0), 0, 0, 255]),
    ] {
        let name = input.split(':').next().expect("a name");
        let source = format!(
            "@fragment fn f(@location(3) {input}) -> @location(0) vec4f {{
                return vec4f({name}, 1.0);
            }}"
        );
        let drawing = drawn(&program(&source));
        assert_eq!(pixel(&drawing, 64, 64), color, "{input}");
    }
}

#[test]
fn constants_have_values_by_name() {
    let source = "struct S { size: vec2f, time: f32, mystery: f32, tint: vec4f }
        @group(0) @binding(0) var<uniform> s: S;
        @fragment fn f() -> @location(0) vec4f {
            return vec4f(s.size.x / 512.0, s.time, s.mystery, s.tint.a);
        }";
    let mut it = program(source);
    it.time = 0.5;
    let drawing = drawn(&it);
    assert_eq!(pixel(&drawing, 9, 9), [byte(0.25), byte(0.5), 0, 255]);
    assert_eq!(drawing.notes, ["`mystery` has no value here, so it is 0."]);

    let registers = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..10]\nIMM[0] FLT32 { 0.001953125, 0, 0, 1 }\n\
        MUL OUT[0], CONST[8].yxxx, IMM[0].xwyw\nEND\n";
    it.source = registers.into();
    it.language = gallium_playground::Language::Tgsi;
    assert_eq!(pixel(&drawn(&it), 9, 9)[..3], [byte(0.25), byte(0.5), 0]);
}

#[test]
fn an_own_vertex_shader_moves_the_mesh() {
    // Half as wide: the picture's outer quarters keep the background.
    let source = "@vertex fn v(@location(0) position: vec3f) -> @builtin(position) vec4f {
            return vec4f(position.x * 0.5, position.y, 0.0, 1.0);
        }
        @fragment fn f() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }";
    let drawing = drawn(&program(source));
    let red = [255, 0, 0, 255];
    let reds: Vec<bool> = (0..128).map(|x| pixel(&drawing, x, 70) == red).collect();
    assert_eq!(reds, (0..128).map(|x| (32..96).contains(&x)).collect::<Vec<_>>());
    let names: Vec<_> = drawing.stages.iter().map(|it| (it.name.as_str(), it.stage)).collect();
    assert_eq!(names, [("v", "vertex"), ("f", "fragment")]);
}

#[test]
fn every_profile_and_every_mesh_draws_alike() {
    let source = "struct S { light: vec3f }
        @group(0) @binding(0) var<uniform> s: S;
        @fragment fn f(@location(0) uv: vec2f, @location(1) normal: vec3f) -> @location(0) vec4f {
            return vec4f(uv, max(dot(normalize(normal), s.light), 0.0), 1.0);
        }";
    for mesh in [Shape::Square, Shape::Cube, Shape::Sphere, Shape::Torus, Shape::Plane] {
        let mut it = Program { mesh, turn: 0.1, output: Output::Rgb565, ..program(source) };
        let small = drawn(&it);
        let background = pixel(&small, 0, 0);
        let covered = small.pixels.chunks(4).filter(|it| **it != background).count();
        assert!(covered > 128 * 128 / 8, "{mesh:?} covers {covered} pixels");
        for profile in [Profile::Tiny, Profile::Host] {
            it.profile = profile;
            assert!(drawn(&it).pixels == small.pixels, "{mesh:?}, {profile:?}");
        }
    }
}

#[test]
fn tiles_cover_the_picture_once() {
    let source = "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut it = program(source);
    (it.width, it.height) = (100, 40);
    let drawing = drawn(&it);
    // Tiles of the profile `small` have 64×16 pixels.
    assert_eq!(drawing.tiles.len(), 2 * 3);
    let mut times = vec![0; 100 * 40];
    for [x, y, width, height] in &drawing.tiles {
        for row in *y..y + height {
            for column in *x..x + width {
                times[(row * 100 + column) as usize] += 1;
            }
        }
    }
    assert!(times.iter().all(|times| *times == 1));
    assert!(drawing.pixels.iter().all(|byte| *byte == 255));
}

#[test]
fn stages_have_code_and_costs() {
    let source = "@fragment fn f(@location(0) uv: vec2f) -> @location(0) vec4f {
        return vec4f(uv.x * uv.y);
    }";
    let drawing = drawn(&program(source));
    let [stage] = &drawing.stages[..] else { panic!("one stage") };
    assert!(stage.tgsi.starts_with("FRAG\n") && stage.tgsi.contains("MUL"), "{}", stage.tgsi);
    assert!(stage.lanes.contains("Mul"), "{}", stage.lanes);
    // A product is one op. Its result takes the place of a factor, so there are two rows.
    assert_eq!((stage.ops, stage.rows), (1, 2));
    // An op names three rows of two bytes each.
    assert!(stage.flash > 6, "{stage:?}");
    assert!(stage.pixel.is_some() && stage.native < stage.interpreted, "{stage:?}");
    assert_eq!((stage.one, &stage.refusal), ("pixel", &None));
}
