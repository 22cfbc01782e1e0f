struct Cube {
    // From model to clip space.
    matrix: mat4x4f,
    // The direction to the light, in model space.
    light: vec3f,
}
@group(0) @binding(0) var<uniform> cube: Cube;
@group(0) @binding(1) var pictures: texture_2d<f32>;
@group(0) @binding(2) var nearest: sampler;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

// The light on the face selects one of the texture's sixteen pictures, one below the other.
@vertex fn vs(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Corner {
    let clip = cube.matrix * vec4f(position, 1.0);
    let light = max(dot(normal, cube.light), 0.0);
    let picture = floor(light * 11.9 + 4.0);
    return Corner(clip, vec2f(uv.x, (picture + uv.y) / 16.0));
}

@fragment fn fs(@location(0) uv: vec2f) -> @location(0) vec4f {
    return textureSample(pictures, nearest, uv);
}
