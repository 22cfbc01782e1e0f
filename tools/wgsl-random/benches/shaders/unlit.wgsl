struct Camera { matrix: mat4x4f, tint: vec4f }
@group(0) @binding(0) var<uniform> camera: Camera;

struct Corner { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex
fn vs(@location(0) position: vec3f, @location(1) color: vec4f) -> Corner {
    return Corner(camera.matrix * vec4f(position, 1), color * camera.tint);
}

@fragment
fn fs(corner: Corner) -> @location(0) vec4f {
    return corner.color;
}
