"use strict";
globalThis.examples = [
  {
    name: "lit texture", language: "wgsl", mesh: "torus", texture: "bricks", filter: "trilinear",
    source: `// The page's vertex shader gives each input what its name says.
struct Scene { light: vec3f }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var skin: texture_2d<f32>;
@group(0) @binding(2) var filtering: sampler;

@fragment fn main(
    @location(0) uv: vec2f,
    @location(1) normal: vec3f,
) -> @location(0) vec4f {
    let texel = textureSample(skin, filtering, uv * vec2f(6.0, 2.0));
    let diffuse = max(dot(normalize(normal), scene.light), 0.0);
    return texel * (0.25 + 0.85 * diffuse);
}
`,
  },
  {
    name: "highlight", language: "wgsl", mesh: "sphere", texture: "marble", filter: "bilinear",
    source: `struct Scene { light: vec3f, eye: vec3f, tint: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;

@fragment fn main(
    @location(0) normal: vec3f,
    @location(1) position: vec3f,
) -> @location(0) vec4f {
    let n = normalize(normal);
    let view = normalize(scene.eye - position);
    let half = normalize(view + scene.light);
    let diffuse = max(dot(n, scene.light), 0.0);
    let x = max(dot(n, half), 0.0);
    let x4 = x * x * x * x;
    let x16 = x4 * x4 * x4 * x4;
    let rim = 1.0 - max(dot(n, view), 0.0);
    let color = scene.tint.rgb * (0.15 + 0.8 * diffuse) + vec3f(x16 * 0.9)
        + vec3f(0.2, 0.35, 0.6) * rim * rim * rim;
    return vec4f(color, 1.0);
}
`,
  },
  {
    name: "waves", language: "wgsl", mesh: "square", texture: "white", filter: "nearest",
    source: `struct Scene { size: vec2f, time: f32 }
@group(0) @binding(0) var<uniform> scene: Scene;

@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    let p = (uv - 0.5) * vec2f(scene.size.x / scene.size.y, 1.0);
    let a = sin(length(p) * 34.0 - scene.time * 4.0);
    let b = sin(p.x * 18.0 + sin(p.y * 9.0 + scene.time) * 2.0);
    let value = 0.5 + 0.25 * (a + b);
    return vec4f(value, value * value, 0.35 + 0.5 * (1.0 - value), 1.0);
}
`,
  },
  {
    name: "own vertex shader", language: "wgsl", mesh: "sphere", texture: "checker", filter: "bilinear",
    source: `struct Scene { clip_from_model: mat4x4f, time: f32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var skin: texture_2d<f32>;
@group(0) @binding(2) var filtering: sampler;

struct Inner {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) shade: f32,
}

@vertex fn swell(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Inner {
    let wave = sin(position.y * 8.0 + scene.time * 3.0) * 0.07;
    let moved = position + normal * wave;
    return Inner(scene.clip_from_model * vec4f(moved, 1.0), uv, 0.8 + wave * 3.0);
}

@fragment fn paint(in: Inner) -> @location(0) vec4f {
    return textureSample(skin, filtering, in.uv) * in.shade;
}
`,
  },
  {
    name: "TGSI", language: "tgsi", mesh: "cube", texture: "checker", filter: "bilinear",
    source: `FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL CONST[0..10]
DCL TEMP[0..1]
IMM[0] FLT32 { 0.0, 0.3, 0.8, 1.0 }
TEX TEMP[0], IN[0], SAMP[0], 2D
DP3 TEMP[1].x, IN[1], CONST[9]
MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
MAD TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz, IMM[0].yyyy
MUL OUT[0], TEMP[0], TEMP[1].xxxx
END
`,
  },
];
