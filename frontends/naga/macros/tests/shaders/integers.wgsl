// Operators and built-in functions of integers.
@group(0) @binding(0) var<storage> as_: array<u32>;
@group(0) @binding(1) var<storage> bs: array<u32>;
@group(0) @binding(2) var<storage> cs: array<u32>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;
fn sum(count: u32) -> u32 {
    var all = 0u;
    for (var k = 0u; k < count; k++) {
        if k == 3 { continue; }
        switch k { case 5, 6: { all += 100; } default: { all += k; } }
    }
    return all;
}
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let a = as_[i]; let b = bs[i]; let c = cs[i];
    let x = bitcast<i32>(a); let y = bitcast<i32>(b); let z = bitcast<i32>(c);
    results[i * 64 + 0] = a + b;
    results[i * 64 + 1] = a - b;
    results[i * 64 + 2] = a * b;
    results[i * 64 + 3] = a / b;
    results[i * 64 + 4] = a % b;
    results[i * 64 + 5] = a & b;
    results[i * 64 + 6] = a | b;
    results[i * 64 + 7] = a ^ b;
    results[i * 64 + 8] = ~a;
    results[i * 64 + 9] = a << b;
    results[i * 64 + 10] = a >> b;
    results[i * 64 + 11] = min(a, b);
    results[i * 64 + 12] = max(a, b);
    results[i * 64 + 13] = clamp(a, b, c);
    results[i * 64 + 14] = countOneBits(a);
    results[i * 64 + 15] = reverseBits(a);
    results[i * 64 + 16] = countLeadingZeros(a);
    results[i * 64 + 17] = countTrailingZeros(a);
    results[i * 64 + 18] = firstLeadingBit(a);
    results[i * 64 + 19] = firstTrailingBit(a);
    results[i * 64 + 20] = extractBits(a, b, c);
    results[i * 64 + 21] = insertBits(a, 0xdeadbeefu, b, c);
    results[i * 64 + 22] = dot4U8Packed(a, b);
    results[i * 64 + 23] = bitcast<u32>(dot4I8Packed(a, b));
    results[i * 64 + 24] = unpack4xU8(a).y;
    results[i * 64 + 25] = bitcast<u32>(unpack4xI8(a).w);
    results[i * 64 + 26] = pack4xU8(vec4(a, b, c, 7));
    results[i * 64 + 27] = pack4xU8Clamp(vec4(a, b, c, 7));
    results[i * 64 + 28] = pack4xI8(bitcast<vec4i>(vec4(a, b, c, 7)));
    results[i * 64 + 29] = pack4xI8Clamp(bitcast<vec4i>(vec4(a, b, c, 7)));
    results[i * 64 + 30] = dot(vec3(a, b, c), vec3(b, c, a));
    results[i * 64 + 31] = select(a, b, c < 100);
    results[i * 64 + 32] = u32(a < b);
    results[i * 64 + 33] = u32(a >= b);
    results[i * 64 + 34] = u32(a == b);
    results[i * 64 + 35] = u32(all(vec3(a < b, b < c, c != 7)));
    results[i * 64 + 36] = u32(any(vec3(a < b, b < c, c != 7)));
    results[i * 64 + 37] = u32(a < b && b < c || c == 1);
    results[i * 64 + 38] = pack2x16snorm(unpack2x16snorm(a));
    results[i * 64 + 39] = pack2x16unorm(unpack2x16unorm(a));
    results[i * 64 + 40] = bitcast<u32>(unpack4x8unorm(a).z);
    results[i * 64 + 41] = bitcast<u32>(unpack4x8snorm(a).x);
    results[i * 64 + 42] = bitcast<u32>(unpack2x16unorm(a).y);
    results[i * 64 + 43] = bitcast<u32>(unpack2x16snorm(a).y);
    results[i * 64 + 44] = bitcast<u32>(unpack2x16float(a & 0xfbfffbff).y);
    results[i * 64 + 45] = bitcast<u32>(f32(a));
    results[i * 64 + 46] = bitcast<u32>(-x);
    results[i * 64 + 47] = bitcast<u32>(abs(x));
    results[i * 64 + 48] = bitcast<u32>(sign(x));
    results[i * 64 + 49] = bitcast<u32>(x / y);
    results[i * 64 + 50] = bitcast<u32>(x % y);
    results[i * 64 + 51] = bitcast<u32>(x >> b);
    results[i * 64 + 52] = bitcast<u32>(min(x, y));
    results[i * 64 + 53] = bitcast<u32>(max(x, y));
    results[i * 64 + 54] = bitcast<u32>(clamp(x, y, z));
    results[i * 64 + 55] = bitcast<u32>(countLeadingZeros(x));
    results[i * 64 + 56] = bitcast<u32>(firstLeadingBit(x));
    results[i * 64 + 57] = bitcast<u32>(extractBits(x, b, c));
    results[i * 64 + 58] = u32(x < y);
    results[i * 64 + 59] = u32(x >= y);
    results[i * 64 + 60] = bitcast<u32>(f32(x));
    results[i * 64 + 61] = bitcast<u32>(dot(vec2(x, y), vec2(z, x)));
    results[i * 64 + 62] = u32(vec2u(a, b)[c % 2]);
    results[i * 64 + 63] = u32(sum(b % 9));
}
