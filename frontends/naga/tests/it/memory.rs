//! Buffers, uniforms, workgroup memory, atomics, barriers.

use gallium_naga::Options;

use crate::common::translate;
use crate::run::{COUNT, run, run_with};

#[test]
fn members_lie_where_wgsl_says() {
    // Offsets by the alignment of WGSL: 0, 4, 16, 28, 32 (stride 16), 80 (columns 16 apart), 128, 136.
    let wgsl = "
        struct S {
            a: u32, b: u32, c: vec3u, d: u32, e: array<vec3u, 3>, f: mat3x3f, g: vec2u, h: u32,
        }
        @group(0) @binding(0) var<storage, read> s: S;
        @group(0) @binding(1) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            if i > 0 { return; }
            results[0] = s.a; results[1] = s.b; results[2] = s.c.z; results[3] = s.d;
            results[4] = s.e[2].y; results[5] = bitcast<u32>(s.f[2].z); results[6] = s.g.y;
            results[7] = s.h;
            let whole = s;
            results[8] = whole.e[1].x + whole.d;
        }";
    let words: Vec<u32> = (0..36).collect();
    let results = run(wgsl, &[words, vec![0; 9]]);
    assert_eq!(results[1], [0, 1, 6, 7, 17, 20 + 8 + 2, 33, 34, 12 + 7]);
}

#[test]
fn vectors_of_three_leave_the_fourth_word_alone() {
    let wgsl = "
        struct S { a: vec3u, b: u32 }
        @group(0) @binding(0) var<storage, read_write> s: array<S>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            s[i].a = vec3(i, i + 1, i + 2);
            if i % 2 == 0 { s[i].a.y = 100; s[i].a[i % 3] += 1000; }
        }";
    let results = run(wgsl, &[vec![7; COUNT * 4]]);
    for (i, row) in (0u32..).zip(results[0].chunks(4)) {
        let mut expected = [i, i + 1, i + 2, 7];
        if i % 2 == 0 {
            expected[1] = 100;
            expected[(i % 3) as usize] += 1000;
        }
        assert_eq!(row, expected);
    }
}

#[test]
fn arrays_know_their_lengths_and_their_bounds() {
    let wgsl = "
        struct S { head: vec4u, rest: array<vec2u> }
        @group(0) @binding(0) var<storage, read_write> s: S;
        @group(0) @binding(1) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            results[2 * i] = arrayLength(&s.rest) * 100 + arrayLength(&results);
            results[2 * i + 1] = s.rest[i].y;
            s.rest[i * 1000 + 9] = vec2(1);
        }";
    // 4 words, then 2½ elements: two count.
    let results = run(wgsl, &[(0..9).collect(), vec![0; 128]]);
    assert_eq!(results[0], (0..9).collect::<Vec<u32>>());
    for (i, pair) in results[1].chunks(2).enumerate() {
        assert_eq!(pair[0], 328);
        assert_eq!(pair[1], [5, 7].get(i).copied().unwrap_or(0));
    }
}

#[test]
fn uniforms_by_fixed_and_computed_indices() {
    let wgsl = "
        struct Light { color: vec3f, power: f32 }
        struct U { m: mat4x4f, lights: array<Light, 4>, two: mat2x2f, n: u32, v: vec4f }
        @group(0) @binding(1) var<uniform> u: U;
        @group(0) @binding(0) var<uniform> first: vec4f;
        @group(1) @binding(0) var<storage, read_write> results: array<vec4f>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            let l = u.lights[i % 4];
            results[i] = vec4(
                u.m[i % 4].y + first.w,
                l.color.z * 1000 + l.power,
                u.two[i % 2][1] + f32(u.n),
                u.v[i % 4],
            );
        }";
    let translation = translate(wgsl, "main");
    let slots: Vec<_> =
        translation.interface.resources.iter().map(|it| (it.binding, it.slot)).collect();
    assert_eq!(slots, [(Some((0, 0)), 0), (Some((0, 1)), 1), (Some((1, 0)), 0)]);
    let bytes = |words: &[f32]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    // m: 16 words, lights: 16, two: 4, n and padding: 4, v: 4.
    let mut words: Vec<f32> = (0..44).map(|it| it as f32).collect();
    words[36] = f32::from_bits(5);
    let (first, u) = (bytes(&[0.0, 0.0, 0.0, 0.5]), bytes(&words));
    let results = run_with(&translation, &[vec![0; 256]], &[&first, &u]);
    for (i, row) in results[0].chunks(4).enumerate() {
        let got: Vec<f32> = row.iter().map(|bits| f32::from_bits(*bits)).collect();
        let light = (16 + i % 4 * 4) as f32;
        let expected = [
            (i % 4 * 4 + 1) as f32 + 0.5,
            (light + 2.0) * 1000.0 + light + 3.0,
            (32 + i % 2 * 2 + 1) as f32 + 5.0,
            (40 + i % 4) as f32,
        ];
        assert_eq!(got, expected, "i = {i}");
    }
}

#[test]
fn workgroup_memory_between_barriers() {
    // Each sums its neighbours' values; bools and packed vectors share the memory.
    let wgsl = "
        struct W { flag: bool, v: vec3u, grid: array<array<u32, 3>, 64> }
        var<workgroup> w: W;
        var<workgroup> sums: array<u32, 64>;
        var<workgroup> total: atomic<u32>;
        @group(0) @binding(0) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            if i == 0 { w.flag = true; w.v = vec3(1, 2, 3); }
            w.grid[i][i % 3] = i;
            atomicAdd(&total, i);
            workgroupBarrier();
            var sum = 0u;
            for (var k = 0u; k < 3; k++) { sum += w.grid[(i + 1) % 64][k]; }
            sums[i] = sum;
            workgroupBarrier();
            let flag = workgroupUniformLoad(&w.flag);
            results[i] = sums[63 - i] + select(0u, 1000u, flag) + w.v.z * 10000
                + atomicLoad(&total) * 100000;
        }";
    let results = run(wgsl, &[vec![0; COUNT]]);
    for (i, got) in (0u32..).zip(&results[0]) {
        assert_eq!(*got, (64 - i) % 64 + 1000 + 30000 + 2016 * 100000);
    }
}

#[test]
fn workgroup_variables_do_not_reach_into_each_other() {
    let wgsl = "
        var<workgroup> a: array<u32, 4>;
        var<workgroup> b: array<u32, 4>;
        @group(0) @binding(0) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            a[i * 7 + 4] = 99;
            workgroupBarrier();
            results[i] = b[i % 4];
        }";
    assert_eq!(run(wgsl, &[vec![5; COUNT]])[0], vec![0; COUNT]);
}

#[test]
fn atomics() {
    let wgsl = "
        struct A { sum: atomic<u32>, low: atomic<i32>, high: atomic<i32>, umax: atomic<u32>,
            bits: atomic<u32>, all: atomic<u32>, odd: atomic<u32>, left: atomic<i32>,
            swaps: atomic<u32>, cas: atomic<u32>, stored: atomic<u32>, won: atomic<u32> }
        @group(0) @binding(0) var<storage, read_write> a: A;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            atomicAdd(&a.sum, i);
            atomicMin(&a.low, -i32(i));
            atomicMax(&a.high, i32(i) - 5);
            atomicMax(&a.umax, i | 0x80000000u);
            atomicOr(&a.bits, 1u << (i % 32));
            atomicAnd(&a.all, ~(1u << (i % 8)));
            atomicXor(&a.odd, i);
            atomicSub(&a.left, 2);
            let before = atomicExchange(&a.swaps, i + 1);
            let r = atomicCompareExchangeWeak(&a.cas, 0u, 7u);
            if r.exchanged { atomicAdd(&a.won, 1u + r.old_value); }
            atomicStore(&a.stored, 3u);
            if before > 64 { atomicAdd(&a.won, 100u); }
        }";
    let results = run(wgsl, &[vec![0, 0, 0, 0, 0, !0, 0, 200, 0, 0, 0, 0]]);
    let expected = [
        2016,
        -63i32 as u32,
        58,
        0x8000_003f,
        !0,
        0xffff_ff00,
        (0..64).fold(0, |x, i| x ^ i),
        200 - 128,
        64,
        7,
        3,
        1,
    ];
    assert_eq!(results[0], expected);
}

#[test]
fn atomics_of_floats() {
    let wgsl = "
        struct A { sum: atomic<f32>, swapped: atomic<f32>, stored: atomic<f32> }
        @group(0) @binding(0) var<storage, read_write> a: A;
        @group(0) @binding(1) var<storage, read_write> results: array<f32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            // Multiples of a quarter: the sum is exact in any order.
            atomicAdd(&a.sum, f32(i) * 0.25);
            results[i] = atomicExchange(&a.swapped, f32(i) + 0.5);
            atomicStore(&a.stored, 7.25);
            if i == 0 { results[64] = atomicLoad(&a.stored); }
        }";
    let results = run(wgsl, &[vec![1f32.to_bits(), 0, 0], vec![0; 65]]);
    assert_eq!(results[0][0], (1.0f32 + 2016.0 * 0.25).to_bits());
    assert_eq!(results[0][2], 7.25f32.to_bits());
    // Each value is swapped out once, except the last.
    let mut seen: Vec<f32> = results[1][..64].iter().map(|bits| f32::from_bits(*bits)).collect();
    seen.push(f32::from_bits(results[0][1]));
    seen.sort_by(f32::total_cmp);
    let expected: Vec<f32> = [0.0].into_iter().chain((0..64).map(|i| i as f32 + 0.5)).collect();
    assert_eq!(seen, expected);
    assert_eq!(results[1][64], 7.25f32.to_bits());
}

#[test]
fn overrides_have_the_values_of_the_pipeline() {
    let wgsl = "
        override count: u32 = 3;
        @id(7) override scale: f32;
        override sum = f32(count) * scale;
        var<workgroup> w: array<f32, count>;
        @group(0) @binding(0) var<storage, read_write> results: array<f32>;
        @compute @workgroup_size(count * 32)
        fn main(@builtin(local_invocation_index) i: u32) {
            w[i % count] = sum;
            workgroupBarrier();
            results[i] = w[1] + f32(count);
        }";
    let module = gallium_naga::Module::wgsl(wgsl, "o.wgsl").unwrap();
    let error = module.translate("main", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), gallium_naga::ErrorKind::Constants);
    let mut options = Options::default();
    options.constants.insert("7".into(), 2.5);
    options.constants.insert("count".into(), 2.0);
    let translation = module.translate("main", &options).unwrap();
    assert_eq!(translation.interface.workgroup_size, [64, 1, 1]);
    assert_eq!(translation.interface.shared_memory, 16);
    let results = run_with(&translation, &[vec![0; COUNT]], &[]);
    assert_eq!(results[0], vec![7f32.to_bits(); COUNT]);
}

#[test]
fn built_in_inputs_of_compute() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> results: array<vec4u>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u,
                @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u,
                @builtin(local_invocation_index) i: u32) {
            results[g.x] = vec4(l.x, i, w.x + w.y * 10 + g.y, n.x + n.z);
        }";
    let results = run(wgsl, &[vec![0; 4 * COUNT]]);
    for (i, row) in (0u32..).zip(results[0].chunks(4)) {
        assert_eq!(row, [i, i, 0, 2]);
    }
}
