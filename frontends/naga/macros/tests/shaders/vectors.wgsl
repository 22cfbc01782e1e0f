// Vectors, matrices, composites.
@group(0) @binding(0) var<storage> as_: array<f32>;
@group(0) @binding(1) var<storage> bs: array<f32>;
@group(0) @binding(2) var<storage> cs: array<f32>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;
struct Inner { p: vec3f, q: array<vec2f, 2> }
fn inner(v: vec3f, w: vec2f) -> Inner { return Inner(v * 2.0, array(w, w.yx)); }
fn quaternary(v: vec3f) -> vec4f { return vec4f(v, dot(v, v)); }
fn add_to(p: ptr<function, array<f32, 4>>, at: u32, value: f32) { (*p)[at % 4] += value; }
fn local(at: u32) -> f32 {
    var all = array(1.0, 2.0, 3.0, 4.0);
    add_to(&all, at, 10.0);
    add_to(&all, at * 7 + 1, 0.5);
    return all[at % 4] + all[(at * 7 + 1) % 4] * 100.0;
}
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let a = as_[i]; let b = bs[i]; let c = cs[i];
    let v = vec3f(a, b, c); let w = vec3f(b, c, a); let u = vec3f(c, 0.5, b); let w2 = vec2f(a, c);
    let m = mat3x2f(a, b, c, 1, 2, a); let n = mat2x3f(c, b, a, 3, b, 1);
    results[i * 64 + 0] = bitcast<u32>((cross(v, w)).x);
    results[i * 64 + 1] = bitcast<u32>((cross(v, w)).y);
    results[i * 64 + 2] = bitcast<u32>((cross(v, w)).z);
    results[i * 64 + 3] = bitcast<u32>((normalize(v)).x);
    results[i * 64 + 4] = bitcast<u32>((normalize(v)).y);
    results[i * 64 + 5] = bitcast<u32>((normalize(v)).z);
    results[i * 64 + 6] = bitcast<u32>((reflect(v, w)).x);
    results[i * 64 + 7] = bitcast<u32>((reflect(v, w)).y);
    results[i * 64 + 8] = bitcast<u32>((reflect(v, w)).z);
    results[i * 64 + 9] = bitcast<u32>((refract(normalize(v), normalize(w), 0.75)).x);
    results[i * 64 + 10] = bitcast<u32>((refract(normalize(v), normalize(w), 0.75)).y);
    results[i * 64 + 11] = bitcast<u32>((refract(normalize(v), normalize(w), 0.75)).z);
    results[i * 64 + 12] = bitcast<u32>((faceForward(v, w, u)).x);
    results[i * 64 + 13] = bitcast<u32>((faceForward(v, w, u)).y);
    results[i * 64 + 14] = bitcast<u32>((faceForward(v, w, u)).z);
    results[i * 64 + 15] = bitcast<u32>((m * v).x);
    results[i * 64 + 16] = bitcast<u32>((m * v).y);
    results[i * 64 + 17] = bitcast<u32>((w2 * m).x);
    results[i * 64 + 18] = bitcast<u32>((w2 * m).y);
    results[i * 64 + 19] = bitcast<u32>((w2 * m).z);
    results[i * 64 + 20] = bitcast<u32>((transpose(m)[1]).x);
    results[i * 64 + 21] = bitcast<u32>((transpose(m)[1]).y);
    results[i * 64 + 22] = bitcast<u32>((transpose(m)[1]).z);
    results[i * 64 + 23] = bitcast<u32>(((m * n)[1]).x);
    results[i * 64 + 24] = bitcast<u32>(((m * n)[1]).y);
    results[i * 64 + 25] = bitcast<u32>(((n * m)[2]).x);
    results[i * 64 + 26] = bitcast<u32>(((n * m)[2]).y);
    results[i * 64 + 27] = bitcast<u32>(((n * m)[2]).z);
    results[i * 64 + 28] = bitcast<u32>(((m + m * c)[i % 3]).x);
    results[i * 64 + 29] = bitcast<u32>(((m + m * c)[i % 3]).y);
    results[i * 64 + 30] = bitcast<u32>((v.zxy + w).x);
    results[i * 64 + 31] = bitcast<u32>((v.zxy + w).y);
    results[i * 64 + 32] = bitcast<u32>((v.zxy + w).z);
    results[i * 64 + 33] = bitcast<u32>((min(v, w)).x);
    results[i * 64 + 34] = bitcast<u32>((min(v, w)).y);
    results[i * 64 + 35] = bitcast<u32>((min(v, w)).z);
    results[i * 64 + 36] = bitcast<u32>((mix(v, w, u)).x);
    results[i * 64 + 37] = bitcast<u32>((mix(v, w, u)).y);
    results[i * 64 + 38] = bitcast<u32>((mix(v, w, u)).z);
    results[i * 64 + 39] = bitcast<u32>((select(v, w, v < w)).x);
    results[i * 64 + 40] = bitcast<u32>((select(v, w, v < w)).y);
    results[i * 64 + 41] = bitcast<u32>((select(v, w, v < w)).z);
    results[i * 64 + 42] = bitcast<u32>((inner(v, w2).p).x);
    results[i * 64 + 43] = bitcast<u32>((inner(v, w2).p).y);
    results[i * 64 + 44] = bitcast<u32>((inner(v, w2).p).z);
    results[i * 64 + 45] = bitcast<u32>((inner(v, w2).q[i % 2]).x);
    results[i * 64 + 46] = bitcast<u32>((inner(v, w2).q[i % 2]).y);
    results[i * 64 + 47] = bitcast<u32>((array(v, w, u)[i % 3]).x);
    results[i * 64 + 48] = bitcast<u32>((array(v, w, u)[i % 3]).y);
    results[i * 64 + 49] = bitcast<u32>((array(v, w, u)[i % 3]).z);
    results[i * 64 + 50] = bitcast<u32>(dot(v, w));
    results[i * 64 + 51] = bitcast<u32>(length(v));
    results[i * 64 + 52] = bitcast<u32>(distance(v, w));
    results[i * 64 + 53] = bitcast<u32>(determinant(mat3x3(v, w, u)));
    results[i * 64 + 54] = bitcast<u32>(determinant(mat2x2(w2, v.xy)));
    results[i * 64 + 55] = bitcast<u32>(determinant(mat4x4(vec4(v, a), vec4(w, b), vec4(u, c), vec4(v.yyy, 1))));
    results[i * 64 + 56] = bitcast<u32>(v[i % 3]);
    results[i * 64 + 57] = bitcast<u32>(quaternary(v)[i % 4]);
    results[i * 64 + 58] = bitcast<u32>(local(i));
    results[i * 64 + 59] = bitcast<u32>(local(i + 3));
    results[i * 64 + 60] = bitcast<u32>(v[0]);
    results[i * 64 + 61] = bitcast<u32>(v[1]);
    results[i * 64 + 62] = bitcast<u32>(v[2]);
    results[i * 64 + 63] = bitcast<u32>(v[0]);
}
