//! Texts that are wrong: none of them makes the translator panic, and each refusal has its place.

use gallium_naga::{ErrorKind, Module, Options};
use wgsl_random::check::fault;

const SOURCES: &[&str] = &[
    "struct S { a: atomic<u32>, b: array<vec3f> }
     @group(0) @binding(0) var<storage, read_write> s: S;
     var<workgroup> w: array<array<u32, 3>, 4>;
     fn f(p: ptr<function, i32>, x: i32) -> i32 {
         if x < 3 { return x; }
         for (var k = 0; k < x; k++) { if k % 2 == 0 { continue; } *p += k; }
         switch x { case 1, default: { return 4; } case 9: { break; } }
         return x / *p;
     }
     @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) g: vec3u) {
         var v = 3;
         w[g.x][g.y] = atomicAdd(&s.a, u32(f(&v, i32(g.x))));
         workgroupBarrier();
         s.b[g.x] = vec3f(f32(w[g.y][g.x]), atan2(1.5, f32(v)), f32(arrayLength(&s.b)));
     }",
    "@group(0) @binding(0) var t: texture_2d<f32>;
     @group(0) @binding(1) var s: sampler;
     @group(0) @binding(2) var<uniform> m: array<mat3x4f, 4>;
     var<private> state: vec4f = vec4f(1, 2, 3, 4);
     override scale = 2.0;
     @fragment fn fs(@builtin(position) p: vec4f, @location(3) @interpolate(flat) n: u32)
         -> @location(1) vec4f {
         if p.x > 3.0 { discard; }
         let a = array(1.0, 2.0, scale);
         state[n] = modf(p.x).fract;
         return textureGather(1, t, s, p.xy, vec2i(1, -2)) + m[n % 4] * dpdx(p.xyz) * a[n] + state;
     }",
];

#[test]
fn changed_texts_are_translated_or_refused() {
    let mut state = 1u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below.max(1)
    };
    let words =
        ["array", "vec3f", "0", "4294967295", "-1", "&", "*", "i", ";", "}", "{", "1e38", "@"];
    let mut translated = 0;
    for round in 0..3000 {
        let mut text: Vec<char> = SOURCES[round % SOURCES.len()].chars().collect();
        for _ in 0..=random(2) {
            let at = random(text.len());
            let end = (at + random(6)).min(text.len());
            let with: Vec<char> = match random(3) {
                0 => words[random(words.len())].chars().collect(),
                1 => {
                    let from = random(text.len());
                    text[from..(from + random(12)).min(text.len())].to_vec()
                }
                _ => Vec::new(),
            };
            text.splice(at..end, with);
        }
        let text: String = text.into_iter().collect();
        let Ok(module) = Module::wgsl(&text, "changed.wgsl") else { continue };
        for (name, stage) in module.entry_points() {
            let Ok(translation) = module.translate_stage(stage, name, &Options::default()) else {
                continue;
            };
            translated += 1;
            if let Some(fault) = fault(&translation) {
                panic!("{fault}\n{text}");
            }
        }
    }
    // Otherwise the changes break everything, and nothing was tried.
    assert!(translated > 100, "{translated}");
}

/// Translates the first entry point; returns the error, which must have a place.
#[track_caller]
fn refusal(wgsl: &str) -> (ErrorKind, String) {
    let module = match Module::wgsl(wgsl, "refused.wgsl") {
        Ok(module) => module,
        Err(error) => return (error.kind(), error.message().into()),
    };
    let (name, stage) = module.entry_points().next().expect("an entry point");
    let error = module.translate_stage(stage, name, &Options::default()).unwrap_err();
    assert!(error.location().is_some(), "{error}");
    assert!(error.to_string().contains("refused.wgsl:"), "{error}");
    (error.kind(), error.message().into())
}

#[test]
fn limits_are_refused_with_their_numbers() {
    let (kind, message) = refusal(
        "var<private> a: array<f32, 100000>;
         @fragment fn f(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4f {
             return vec4f(a[i]);
         }",
    );
    assert_eq!(kind, ErrorKind::Unsupported);
    assert_eq!(message, "the shader needs more than 32767 registers");
    let (_, message) = refusal(
        "var<private> a: array<f32, 5000>;
         @fragment fn f(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4f {
             let copy = a;
             return vec4f(copy[i]);
         }",
    );
    assert!(message.starts_with("a value takes 5000 registers"), "{message}");
    let (_, message) = refusal(
        "var<workgroup> a: array<f32, 1000000>;
         @compute @workgroup_size(1) fn f() { a[3] = 1; }",
    );
    assert_eq!(message, "4000000 bytes of workgroup memory, more than 1048576");
    let open = "if x > 1.0 { ".repeat(70);
    let nested = format!(
        "@fragment fn f(@location(0) x: f32) -> @location(0) vec4f {{
             var r = 0.0; {open} r = x; {} return vec4f(r);
         }}",
        "}".repeat(70)
    );
    // naga's parser calls itself for each level. Without optimisation, that takes more than 2 MiB.
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    let (_, message) = thread.spawn(move || refusal(&nested)).unwrap().join().unwrap();
    assert_eq!(message, "blocks are nested deeper than 64 levels");
}

#[test]
fn optional_features_are_refused_by_name() {
    for (wgsl, word) in [
        // naga takes the exponent of an f16 for an i16.
        ("enable f16; @compute @workgroup_size(1) fn f() { var x = 1h; _ = frexp(x); }", "i16"),
        ("@compute @workgroup_size(1) fn f() { var x = 1lf; _ = x; }", "f64"),
        ("@compute @workgroup_size(1) fn f() { var x = 1li; _ = x; }", "i64"),
        ("@compute @workgroup_size(1) fn f() { let x = subgroupAdd(1u); }", "subgroup"),
        (
            "@group(0) @binding(0) var t: texture_external;
          @fragment fn f() { _ = textureDimensions(t); }",
            "external",
        ),
    ] {
        let (_, message) = refusal(wgsl);
        assert!(message.to_lowercase().contains(word), "{message}");
    }
}

#[test]
fn entry_points_that_are_not_there_are_listed() {
    let module = Module::wgsl("@compute @workgroup_size(1) fn a() {}", "a.wgsl").unwrap();
    let error = module.translate("b", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntryPoint);
    assert_eq!(error.message(), "there is no entry point `b`; there are: a");
}

#[test]
fn stages_that_do_not_fit_are_told() {
    let wgsl = "struct V { @builtin(position) p: vec4f, @location(0) a: vec2f,
            @location(1) @interpolate(flat) b: u32 }
        @vertex fn vs() -> V { return V(); }
        @fragment fn right(v: V) -> @location(0) vec4f { return vec4f(v.a, f32(v.b), 0); }
        @fragment fn missing(@location(2) x: f32) -> @location(0) vec4f { return vec4f(x); }
        @fragment fn wrong(@location(0) x: vec3f) -> @location(0) vec4f { return vec4f(x, 0); }
        @fragment fn other(@location(0) @interpolate(linear) x: vec2f) -> @location(0) vec4f {
            return vec4f(x, x);
        }";
    let module = Module::wgsl(wgsl, "a.wgsl").unwrap();
    let of = |name| module.translate(name, &Options::default()).unwrap().interface;
    let vs = of("vs");
    assert_eq!(of("right").check_link(&vs), Ok(()));
    let message = |name| of(name).check_link(&vs).unwrap_err();
    assert_eq!(message("missing"), "`missing` reads `x` at location 2, which `vs` does not write");
    let expected = "`wrong` reads `x` at location 0 as Float×3, but `vs` writes Float×2";
    assert_eq!(message("wrong"), expected);
    let expected = "`other` interpolates `x` at location 0 by LINEAR, but `vs` says PERSPECTIVE";
    assert_eq!(message("other"), expected);
}

#[test]
fn glsl_is_translated_too() {
    let glsl = "#version 450
        layout(set = 0, binding = 1) uniform Block { mat4 matrix; vec2 offset; } block;
        layout(location = 0) in vec3 position;
        layout(location = 2) out vec2 uv;
        void main() {
            uv = position.xy + block.offset;
            gl_Position = block.matrix * vec4(position, 1.0);
        }";
    let module = Module::glsl(glsl, gallium_naga::naga::ShaderStage::Vertex, "a.vert").unwrap();
    let translation = module.translate("main", &Options::default()).unwrap();
    assert_eq!(fault(&translation), None);
    let uv = translation.interface.outputs.iter().find(|it| it.location == 2);
    assert_eq!(uv.map(|it| it.size), Some(2));
    let error = Module::glsl(
        "#version 450\nvoid main() { x = 1; }",
        gallium_naga::naga::ShaderStage::Vertex,
        "b.vert",
    )
    .unwrap_err();
    assert_eq!(error.location().map(|it| it.0), Some(2));
}
