// A user interface: rectangles with round corners and borders, with colours in linear space.
struct Screen { size: vec2f, gamma: u32 }
@group(0) @binding(0) var<uniform> screen: Screen;
@group(1) @binding(0) var atlas: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

struct Quad {
    @location(0) corner: vec2f,
    @location(1) place: vec4f,
    @location(2) color: u32,
    @location(3) border: u32,
    @location(4) radius: vec4f,
    @location(5) width: f32,
    @location(6) uv: vec4f,
}
struct Pixel {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) place: vec4f,
    @location(1) @interpolate(flat) color: vec4f,
    @location(2) @interpolate(flat) border: vec4f,
    @location(3) @interpolate(flat) radius: vec4f,
    @location(4) @interpolate(flat) width: f32,
    @location(5) uv: vec2f,
}

fn linear(srgb: vec3f) -> vec3f {
    let low = srgb / 12.92;
    let high = pow((srgb + 0.055) / 1.055, vec3f(2.4));
    return select(high, low, srgb <= vec3f(0.04045));
}

fn unpacked(color: u32) -> vec4f {
    let c = unpack4x8unorm(color);
    return vec4f(linear(c.rgb), c.a);
}

@vertex
fn vs(quad: Quad) -> Pixel {
    let at = quad.place.xy + quad.corner * quad.place.zw;
    var pixel: Pixel;
    pixel.position = vec4f(at / screen.size * vec2f(2, -2) + vec2f(-1, 1), 0, 1);
    pixel.place = quad.place;
    pixel.color = unpacked(quad.color);
    pixel.border = unpacked(quad.border);
    pixel.radius = min(quad.radius, vec4f(min(quad.place.z, quad.place.w) * 0.5));
    pixel.width = quad.width;
    pixel.uv = mix(quad.uv.xy, quad.uv.zw, quad.corner);
    return pixel;
}

fn corner_radius(at: vec2f, radius: vec4f) -> f32 {
    let side = select(radius.xw, radius.yz, at.x > 0.0);
    return select(side.x, side.y, at.y > 0.0);
}

fn distance_to(at: vec2f, half: vec2f, radius: f32) -> f32 {
    let q = abs(at) - half + radius;
    return min(max(q.x, q.y), 0.0) + length(max(q, vec2f(0))) - radius;
}

@fragment
fn fs(pixel: Pixel) -> @location(0) vec4f {
    let half = pixel.place.zw * 0.5;
    let at = pixel.position.xy - pixel.place.xy - half;
    let radius = corner_radius(at, pixel.radius);
    let outer = distance_to(at, half, radius);
    let inner = outer + pixel.width;
    let texel = textureSample(atlas, filtering, pixel.uv);
    var color = pixel.color * texel;
    if pixel.width > 0.0 {
        color = mix(color, pixel.border, smoothstep(-0.5, 0.5, inner));
    }
    let coverage = 1.0 - smoothstep(-0.5, 0.5, outer);
    if screen.gamma != 0u {
        color = vec4f(pow(color.rgb, vec3f(1.0 / 2.2)), color.a);
    }
    return vec4f(color.rgb * color.a, color.a) * coverage;
}
