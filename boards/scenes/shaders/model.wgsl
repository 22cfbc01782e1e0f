// Models: transformed by a matrix, lit per vertex or per pixel, textured.

struct Constants {
    // From model to clip space.
    matrix: mat4x4f,
    // The directions to the light, and half-way between light and eye, in model space: normals need no matrix.
    light: vec3f,
    half: vec3f,
    ambient: vec3f,
    diffuse: vec3f,
    specular: vec3f,
}
@group(0) @binding(0) var<uniform> constants: Constants;
@group(1) @binding(0) var skin: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

fn clip(position: vec3f) -> vec4f {
    return constants.matrix * vec4f(position, 1.0);
}

fn lit(diffuse: f32, specular: f32) -> vec3f {
    return constants.specular * specular + (constants.diffuse * diffuse + constants.ambient);
}

fn power16(x: f32) -> f32 {
    let x2 = x * x;
    let x4 = x2 * x2;
    let x8 = x4 * x4;
    return x8 * x8;
}

struct Colored { @builtin(position) position: vec4f, @location(0) color: vec3f }

@vertex fn lit_vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Colored {
    let diffuse = max(dot(normal, constants.light), 0.0);
    let specular = power16(max(dot(normal, constants.half), 0.0));
    return Colored(clip(position), lit(diffuse, specular));
}

@vertex fn diffuse_vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Colored {
    let diffuse = max(dot(normal, constants.light), 0.0);
    return Colored(clip(position), constants.diffuse * diffuse + constants.ambient);
}

@fragment fn color_fragment(@location(0) color: vec3f) -> @location(0) vec4f {
    return vec4f(color, 1.0);
}

struct Normal { @builtin(position) position: vec4f, @location(0) normal: vec3f }

@vertex fn normal_vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Normal {
    return Normal(clip(position), normal);
}

// As `lit_vertex`, with a tighter highlight.
@fragment fn lit_fragment(@location(0) interpolated: vec3f) -> @location(0) vec4f {
    let normal = normalize(interpolated);
    let diffuse = max(dot(normal, constants.light), 0.0);
    let half = max(dot(normal, constants.half), 0.0);
    return vec4f(lit(diffuse, power16(half * half)), 1.0);
}

struct Textured { @builtin(position) position: vec4f, @location(0) uv: vec2f }

@vertex fn uv_vertex(@location(0) position: vec3f, @location(1) uv: vec2f) -> Textured {
    return Textured(clip(position), uv);
}

// The light is the third component.
struct LitTextured { @builtin(position) position: vec4f, @location(0) uv: vec3f }

@vertex fn textured_vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> LitTextured {
    let light = max(dot(normal, constants.light), 0.0) * 0.9 + 0.3;
    return LitTextured(clip(position), vec3f(uv, light));
}

@fragment fn textured_fragment(@location(0) uv: vec3f) -> @location(0) vec4f {
    return vec4f(textureSample(skin, filtering, uv.xy).rgb * uv.z, 1.0);
}
