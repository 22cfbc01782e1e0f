// The kit's ready shaders in WGSL, to copy and change. Each gives the same numbers as the shader of the same name in
// `gallium_kit::shaders`, which is TGSI; kit/tests/wgsl.rs compares them. For vertex shaders of your own, use
//
//     wgsl! { native(16); static LIT: "shaders/materials.wgsl" => lit; }

struct Draw {
    // From model to clip space.
    clip_from_model: mat4x4f,
    // The direction to the sun, in model space; w: ambient light.
    sun: vec4f,
    // The material's colour.
    color: vec4f,
    // The fog's colour.
    fog: vec4f,
    // Scale and offset of the fog, 1/reach² of the lamp.
    scales: vec4f,
    // The place of the lamp, in model space.
    lamp: vec4f,
    // Its colour, times that of the material.
    lamp_color: vec4f,
}
@group(0) @binding(0) var<uniform> draw: Draw;
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var filtered: sampler;

struct Colored {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
}

struct Textured {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

struct Both {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) color: vec4f,
}

fn clip(position: vec3f) -> vec4f {
    return draw.clip_from_model * vec4f(position, 1.0);
}

// The brightness of a face in the sun's light.
fn sunlight(normal: vec3f) -> f32 {
    return max(dot(normal, draw.sun.xyz), draw.sun.w);
}

// A colour behind fog; w is that of clip space.
fn fogged(color: vec3f, w: f32) -> vec3f {
    let share = saturate(w * draw.scales.x + draw.scales.y);
    return mix(draw.fog.xyz, color, share);
}

@vertex fn colored(@location(0) position: vec3f, @location(1) color: vec4f) -> Colored {
    return Colored(clip(position), color);
}

@vertex fn plain(@location(0) position: vec3f) -> Colored {
    return Colored(clip(position), draw.color);
}

@vertex fn lit(@location(0) position: vec3f, @location(1) normal: vec3f) -> Colored {
    return Colored(clip(position), vec4f(draw.color.xyz * sunlight(normal), draw.color.w));
}

@vertex fn colored_lit(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec4f,
) -> Colored {
    return Colored(clip(position), vec4f(color.xyz * sunlight(normal), color.w));
}

@vertex fn lit_fogged(@location(0) position: vec3f, @location(1) normal: vec3f) -> Colored {
    let place = clip(position);
    let color = draw.color.xyz * sunlight(normal);
    return Colored(place, vec4f(fogged(color, place.w), draw.color.w));
}

@vertex fn lamplit(@location(0) position: vec3f, @location(1) normal: vec3f) -> Colored {
    let place = clip(position);
    let to_lamp = draw.lamp.xyz - position;
    let squared = max(dot(to_lamp, to_lamp), 1.0e-12);
    let cosine = max(dot(normal, to_lamp), 0.0) * inverseSqrt(squared);
    let share = saturate(1.0 - squared * draw.scales.z);
    let color = draw.color.xyz * sunlight(normal) + draw.lamp_color.xyz * (cosine * share);
    return Colored(place, vec4f(fogged(color, place.w), draw.color.w));
}

@vertex fn textured(@location(0) position: vec3f, @location(1) uv: vec2f) -> Textured {
    return Textured(clip(position), uv);
}

@vertex fn textured_tinted(@location(0) position: vec3f, @location(1) uv: vec2f) -> Both {
    return Both(clip(position), uv, draw.color);
}

@vertex fn textured_lit(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Both {
    let color = vec4f(draw.color.xyz * sunlight(normal), draw.color.w);
    return Both(clip(position), uv, color);
}

// Selects one of sixteen brightnesses of the texture, one below the other, by the light of the sun.
@vertex fn shaded(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Textured {
    let least = draw.sun.w * 16.0;
    let light = max(dot(normal, draw.sun.xyz), 0.0);
    let row = floor(light * (16.0 - least - 0.1) + least);
    return Textured(clip(position), vec2f(uv.x, (row + uv.y) * 0.0625));
}

@fragment fn color(@location(0) color: vec4f) -> @location(0) vec4f {
    return color;
}

@fragment fn texel(@location(0) uv: vec2f) -> @location(0) vec4f {
    return textureSample(image, filtered, uv);
}

@fragment fn texel_times_color(
    @location(0) uv: vec2f,
    @location(1) color: vec4f,
) -> @location(0) vec4f {
    return textureSample(image, filtered, uv) * color;
}
