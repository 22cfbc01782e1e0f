// Every function of WGSL on numbers, so that `native` is seen to take it.
@group(0) @binding(0) var<storage, read_write> memory: array<vec4f, 64>;
@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;

fn floats(a: vec4f, b: vec4f) -> vec4f {
    var sum = abs(a) + acos(a) + acosh(abs(a) + 1) + asin(a) + asinh(a) + atan(a) + atan2(a, b) + atanh(a) + ceil(a);
    sum += clamp(a, vec4f(-0.5), vec4f(0.5)) + cos(a) + cosh(a) + vec4f(cross(a.xyz, b.xyz), 0) + degrees(a);
    sum += distance(a, b) + dot(a, b) + exp(a) + exp2(a) + faceForward(a, b, b) + floor(a) + fma(a, b, a) + fract(a);
    sum += frexp(a).fract + inverseSqrt(abs(a)) + ldexp(a, vec4i(2)) + length(a) + log(abs(a)) + log2(abs(a));
    sum += max(a, b) + min(a, b) + mix(a, b, 0.3) + modf(a).whole + normalize(a) + pow(abs(a), b) + quantizeToF16(a);
    sum += radians(a) + reflect(a, b) + refract(normalize(a), normalize(b), 1.1) + round(a) + saturate(a) + sign(a);
    sum += sin(a) + sinh(a) + smoothstep(vec4f(0), vec4f(1), a) + sqrt(abs(a)) + step(b, a) + tan(a) + tanh(a) + trunc(a);
    let m = mat4x4f(a, b, a * b, a + b);
    sum += m * b + transpose(m) * a + determinant(m) + select(a, b, a < b);
    return sum;
}

fn integers(a: vec4i, b: vec4u) -> vec4u {
    var sum = vec4u(abs(a)) + vec4u(clamp(a, vec4i(-3), vec4i(3))) + countLeadingZeros(b) + countOneBits(b);
    sum += countTrailingZeros(b) + extractBits(b, 3, 7) + vec4u(extractBits(a, 3, 7)) + firstLeadingBit(b);
    sum += vec4u(firstLeadingBit(a)) + firstTrailingBit(b) + insertBits(b, vec4u(a), 4, 9) + max(b, vec4u(3)) + reverseBits(b);
    sum += vec4u(sign(a)) + b / vec4u(3, 6, 7, 8) + b % vec4u(5, 6, 7, 8) + vec4u(a / vec4i(-3, 6, 7, 8)) + (b << vec4u(3));
    sum += vec4u(a >> vec4u(2)) + vec4u(u32(dot(a, a))) + dot4U8Packed(b.x, b.y) + u32(dot4I8Packed(b.x, b.y));
    return sum;
}

fn packing(a: vec4f, b: vec4u) -> vec4f {
    var sum = unpack4x8snorm(pack4x8snorm(a)) + unpack4x8unorm(pack4x8unorm(a));
    sum += vec4f(unpack2x16snorm(pack2x16snorm(a.xy)), unpack2x16unorm(pack2x16unorm(a.xy)));
    sum += vec4f(unpack2x16float(pack2x16float(a.xy)), 0, 0) + vec4f(unpack4xU8(pack4xU8(b)));
    sum += vec4f(unpack4xI8(pack4xI8(vec4i(b)))) + vec4f(f32(pack4xU8Clamp(b)), f32(pack4xI8Clamp(vec4i(b))), 0, 0);
    return sum;
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let a = vec4f(0.25, -0.5, 0.75, 0.1) + f32(id.x) * 0.01;
    let b = a.wzyx * vec4f(2, -3, 0.5, 1);
    let bits = bitcast<vec4u>(a) ^ vec4u(id.x, 7, 99, 12345);
    var results = array(floats(a, b), vec4f(integers(bitcast<vec4i>(bits), bits)), packing(a, bits), vec4f());
    let old = atomicAdd(&counter, 1) & 0;
    for (var i = 0u; i < id.x % 4 + 1; i++) {
        if i == 2 { continue; }
        results[3] += results[i % 3];
    }
    switch id.x % 3 {
        case 0: { results[3].x += 1; }
        case 1: { results[3].y += 1; }
        default: { if results[3].x > 0 { return; } }
    }
    memory[id.x + old] = results[0] + results[1] + results[2] + results[3] + f32(arrayLength(&numbers));
}

@group(0) @binding(2) var<storage> numbers: array<u32>;
