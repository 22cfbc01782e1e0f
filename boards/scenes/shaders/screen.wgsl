// Full-screen quads, in clip space: a colour, interpolated colours, a texture.

@group(0) @binding(0) var<uniform> color: vec4f;
@group(1) @binding(0) var skin: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

@vertex fn flat_vertex(@location(0) position: vec4f) -> @builtin(position) vec4f {
    return position;
}

@fragment fn flat_fragment() -> @location(0) vec4f {
    return color;
}

struct Colored { @builtin(position) position: vec4f, @location(0) color: vec3f }

@vertex fn gouraud_vertex(@location(0) position: vec4f, @location(1) color: vec3f) -> Colored {
    return Colored(position, color);
}

struct Textured { @builtin(position) position: vec4f, @location(0) uv: vec2f }

@vertex fn uv_vertex(@location(0) position: vec4f, @location(1) uv: vec2f) -> Textured {
    return Textured(position, uv);
}

@fragment fn texel_fragment(@location(0) uv: vec2f) -> @location(0) vec4f {
    return textureSample(skin, filtering, uv);
}
