// A Gaussian blur along one axis.
struct Blur { step: vec2f, radius: i32 }
@group(0) @binding(0) var<uniform> blur: Blur;
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var filtering: sampler;

struct Pixel { @builtin(position) position: vec4f, @location(0) uv: vec2f }

@vertex
fn vs(@builtin(vertex_index) i: u32) -> Pixel {
    let uv = vec2f(f32(i % 2u) * 2.0, f32(i / 2u) * 2.0);
    return Pixel(vec4f(uv * vec2f(2, -2) + vec2f(-1, 1), 0, 1), uv);
}

@fragment
fn fs(pixel: Pixel) -> @location(0) vec4f {
    let sigma = f32(blur.radius) * 0.5 + 0.001;
    var sum = vec4f(0);
    var weights = 0.0;
    for (var k = -blur.radius; k <= blur.radius; k++) {
        let x = f32(k) / sigma;
        let weight = exp(-0.5 * x * x);
        sum += weight * textureSampleLevel(image, filtering, pixel.uv + f32(k) * blur.step, 0.0);
        weights += weight;
    }
    return sum / weights;
}
