struct Light { direction: vec3f, ambient: f32, color: vec3f }
struct Scene { matrix: mat4x4f, lights: array<Light, 2>, factor: array<vec4f, 3> }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) uv: vec2f,
}

@vertex fn vs(@location(0) position: vec3f, @location(2) uv: vec2f, @location(1) normal: vec3f) -> Corner {
    return Corner(scene.matrix * vec4f(position, 1), normal, uv);
}

@fragment fn fs(corner: Corner) -> @location(0) vec4f {
    var sum = vec3f(0);
    for (var i = 0u; i < 2; i++) {
        let light = scene.lights[i];
        sum += light.color * (max(dot(corner.normal, light.direction), 0) + light.ambient);
    }
    return vec4f(sum, 1) * textureSample(image, filtering, corner.uv);
}
