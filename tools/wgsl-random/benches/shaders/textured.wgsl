struct Camera { view: mat4x4f, projection: mat4x4f, fog: vec4f }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) depth: f32 }

@vertex
fn vs(@location(0) position: vec3f, @location(1) uv: vec2f) -> Corner {
    let seen = camera.view * vec4f(position, 1);
    return Corner(camera.projection * seen, uv, -seen.z);
}

@fragment
fn fs(corner: Corner) -> @location(0) vec4f {
    let texel = textureSample(image, filtering, corner.uv);
    if texel.a < 0.5 { discard; }
    let density = saturate(exp2(-corner.depth * camera.fog.a));
    return vec4f(mix(camera.fog.rgb, texel.rgb, density), 1);
}
