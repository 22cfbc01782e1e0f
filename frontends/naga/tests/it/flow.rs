//! Statements: branches, loops, switches, calls, and the order of evaluation.

use gallium_naga::{Module, Options};
use tgsi::opcode::Opcode;

use crate::common::translate_with;
use crate::run::{COUNT, run};

/// Runs `body`, which sets `r` from `i`, for i of 0 to 63; compares with `expected`.
#[track_caller]
fn check(declarations: &str, body: &str, expected: impl Fn(i32) -> i32) {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> results: array<i32>;
         {declarations}
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) index: u32) {{
             let i = i32(index);
             var r: i32;
             {body}
             results[index] = r;
         }}"
    );
    let results = run(&wgsl, &[vec![0xBAD; COUNT]]);
    for (i, got) in results[0].iter().enumerate() {
        assert_eq!(*got as i32, expected(i as i32), "i = {i} of {body}");
    }
}

#[test]
fn branches() {
    check("", "if i < 10 { r = 1; } else if i < 20 { r = 2; } else { r = i; }", |i| {
        if i < 10 {
            1
        } else if i < 20 {
            2
        } else {
            i
        }
    });
    // The second operand is not evaluated, so that the store does not happen.
    check(
        "var<private> calls: i32;
         fn side(x: i32) -> bool { calls += 1; return x > 40; }",
        "if i > 20 && side(i) { r = 100; } r += calls;",
        |i| i32::from(i > 40) * 100 + i32::from(i > 20),
    );
}

#[test]
fn loops_and_continuing() {
    check("", "for (var k = 0; k < i; k++) { r += k; }", |i| (0..i).sum());
    check("", "for (var k = 0; k < i; k++) { if k % 3 == 0 { continue; } r += k; }", |i| {
        (0..i).filter(|k| k % 3 != 0).sum()
    });
    check("", "for (var k = 0; k < 100; k++) { if k > i { break; } r += k; }", |i| (0..=i).sum());
    check("", "var k = i; while k > 0 { k /= 2; r++; }", |i| {
        (i as u32).checked_ilog2().map_or(0, |it| it as i32 + 1)
    });
    check("", "loop { r += 2; continuing { r += 1; break if r > i; } }", |i| (i / 3 + 1) * 3);
    // `continuing` sees what the body emitted before its `continue`.
    check(
        "",
        "var k = 0;
         loop {
             let twice = k * 2;
             if twice > 20 { break; }
             if k % 2 == 1 { continue; }
             r += 100;
             continuing { r += twice; k += 1; }
         }",
        |_| (0..=10).map(|k| 2 * k + if k % 2 == 1 { 0 } else { 100 }).sum(),
    );
    // A `continue` out of a switch, and a loop within a loop.
    check(
        "",
        "for (var k = 0; k < 6; k++) {
             switch k { case 1: { continue; } case 4: { break; } default: { r += 10; } }
             for (var m = 0; m < k; m++) { if m == i { break; } r += 1; }
         }",
        |i| {
            let mut r = 0;
            for k in 0..6 {
                match k {
                    1 => continue,
                    4 => {}
                    _ => r += 10,
                }
                r += k.min(i);
            }
            r
        },
    );
    // Variables of a loop's body are initialised again in each turn.
    check("", "for (var k = 0; k < 3; k++) { var x: i32; x += i; r += x; }", |i| 3 * i);
}

#[test]
fn switches() {
    check(
        "",
        "switch i { case 0: { r = 5; } case 1, 2: { r = 6; } default: { r = 7; } case 9: { r = 8; } }",
        |i| match i {
            0 => 5,
            1 | 2 => 6,
            9 => 8,
            _ => 7,
        },
    );
    check(
        "",
        "switch i % 4 { case 3, default: { r = 1; } case 0: { r = 2; if i > 30 { break; } r = 3; } }",
        |i| match i % 4 {
            0 if i > 30 => 2,
            0 => 3,
            _ => 1,
        },
    );
    check("", "switch u32(i) { case 7u: { r = 1; } default: {} }", |i| i32::from(i == 7));
}

#[test]
fn returns_leave_functions_from_any_depth() {
    let functions = "
        fn early(x: i32) -> i32 {
            if x < 5 { return 100; }
            for (var k = 0; k < 50; k++) {
                if k * k > x { return k; }
                switch k { case 7: { return -7; } default: {} }
            }
            return 200;
        }
        fn none(x: i32, p: ptr<function, i32>) { if x > 30 { return; } *p += 1; }
        fn twice(x: i32) -> i32 { return early(x) + early(x + 20); }";
    let early = |x: i32| {
        if x < 5 {
            return 100;
        }
        let root = (0..50).find(|k| k * k > x).unwrap_or(50);
        if root > 7 { -7 } else { root }
    };
    check(functions, "r = early(i);", early);
    check(functions, "r = twice(i);", |i| early(i) + early(i + 20));
    check(functions, "var x = 5; none(i, &x); none(i + 10, &x); r = x;", |i| {
        5 + i32::from(i <= 30) + i32::from(i + 10 <= 30)
    });
    // The entry point may return early too.
    check("", "r = 3; if i % 2 == 0 { results[index] = 1; return; }", |i| {
        if i % 2 == 0 { 1 } else { 3 }
    });
}

#[test]
fn loads_happen_where_they_are_written() {
    check("", "var x = i; let before = x; x += 1; r = before * 1000 + x;", |i| i * 1000 + i + 1);
    check(
        "var<private> p: i32 = 7;
         fn change() -> i32 { p += 1; return p; }",
        "let old = p; let a = change(); let b = change(); r = old * 10000 + a * 100 + b;",
        |_| 70809,
    );
    check("", "var a = vec2(i, 1); a = a.yx; r = a.x * 100 + a.y;", |i| 100 + i);
}

#[test]
fn variables_indexed_at_run_time() {
    check(
        "",
        "var a: array<i32, 4>; for (var k = 0; k < 4; k++) { a[k] = k * i; } r = a[i % 4];",
        |i| (i % 4) * i,
    );
    check(
        "",
        "var v = vec4(10, 20, 30, 40); v[i % 4] += 5; r = v.x + 2 * v.y + 3 * v.z + 4 * v.w;",
        |i| 300 + 5 * (i % 4 + 1),
    );
    check(
        "struct S { n: i32, a: array<array<vec2i, 3>, 2>, last: i32 }",
        "var s: S; s.n = 1; s.last = 9;
         s.a[i % 2][i % 3] = vec2(i, 7);
         s.a[i % 2][i % 3].y += 1;
         let t = s.a;
         r = t[1][2].x * 100 + t[i % 2][i % 3].y + s.n * 1000 + s.last * 10000;",
        |i| if i % 2 == 1 && i % 3 == 2 { i * 100 } else { 0 } + 8 + 1000 + 90000,
    );
    check(
        "",
        "var m = mat3x2f(1, 2, 3, 4, 5, 6); m[i % 3][i % 2] = 50; r = i32(m[2].y + m[i % 3].x);",
        |i| {
            let mut m = [[1, 2], [3, 4], [5, 6]];
            m[(i % 3) as usize][(i % 2) as usize] = 50;
            m[2][1] + m[(i % 3) as usize][0]
        },
    );
    check(
        "const T = array(3, 1, 4, 1, 5, 9, 2, 6);",
        "r = T[i % 8] + vec3(1, 2, 3)[i % 3];",
        |i| [3, 1, 4, 1, 5, 9, 2, 6][(i % 8) as usize] + i % 3 + 1,
    );
    check(
        "fn add(p: ptr<function, array<i32, 4>>, at: i32) { (*p)[at] += 10; }
         fn one(p: ptr<function, i32>) { *p += 1; }",
        "var a = array(1, 2, 3, 4); add(&a, i % 4); one(&a[(i + 1) % 4]); r = a[i % 4] * 100 + a[(i + 1) % 4];",
        |i| (i % 4 + 11) * 100 + (i + 1) % 4 + 2,
    );
    // Outside its array a variable reads as something of the array or 0, and nothing else changes.
    check(
        "",
        "var before = 5; var a = array(1, 1, 1, 1); var after = 6; a[i * 1000 + 4] = 77;
         r = before * 10 + after;",
        |_| 56,
    );
    // Nor do other parts of the variable.
    check(
        "struct S { before: array<i32, 2>, a: array<i32, 3>, m: mat2x2f, n: array<array<i32, 2>, 2>, after: vec2i }
         fn zero(p: ptr<function, i32>) { *p = 0; }",
        "var s: S; s.before = array(1, 2); s.after = vec2(3, 4);
         var three = 3; s.a[three] = 0; s.m[three - 1] = vec2f();
         s.a[i + 3] = 0; s.a[-1 - i] = 0; zero(&s.a[i * 1000 + 3]);
         s.m[i + 2] = vec2f(); s.m[-1 - i].y = 0; s.n[i + 2][i + 2] = 0; s.n[0][-1 - i] = 0;
         let read = s.a[i + 3] + s.a[-1 - i] + i32(s.m[i + 2].x) + s.n[1][i + 2] + s.n[-1 - i][1];
         r = read * 10000 + s.before[0] * 1000 + s.before[1] * 100 + s.after.x * 10 + s.after.y;",
        |_| 1234,
    );
}

#[test]
fn structs_and_composites() {
    check(
        "struct P { a: vec3i, b: i32 } struct Q { p: array<P, 2>, c: mat2x2f }
         fn make(x: i32) -> Q { return Q(array(P(vec3(x), 2), P(vec3(1, 2, 3), x)), mat2x2f(1, 2, 3, 4)); }",
        "let q = make(i); r = q.p[0].a.z + q.p[1].b * 10 + i32(q.c[1][0]) * 1000;",
        |i| i + i * 10 + 3000,
    );
    check(
        "struct S { x: i32, y: vec2i }",
        "var s = S(1, vec2(i, 3)); let t = s; s.y.x = 0; r = t.y.x + s.y.y;",
        |i| i + 3,
    );
    check(
        "",
        "let a = array(vec2(i, 1), vec2(2, 3)); var b = a; b[0] = vec2(9); r = a[0].x + b[0].y;",
        |i| i + 9,
    );
}

/// Returns the number of loops that are left of a body where loops are written out to this many
/// expressions.
fn loops_left(body: &str, unroll: usize) -> usize {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> results: array<i32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) index: u32) {{
             let i = i32(index);
             var r: i32;
             {body}
             results[index] = r;
         }}"
    );
    let options = Options { unroll, ..Options::default() };
    let translation = translate_with(&wgsl, "main", &options);
    let opcodes = translation.shader.instructions().iter().map(|it| it.opcode);
    opcodes.filter(|opcode| *opcode == Opcode::Bgnloop).count()
}

#[test]
fn loops_with_a_known_number_of_turns_are_written_out() {
    for (body, left) in [
        ("for (var k = 0; k < 4; k++) { r += k * i; }", 0),
        ("for (var k = 9u; k > 0; k -= 3) { r += i32(k); }", 0),
        ("for (var x = 0.0; x <= 1.0; x += 0.25) { r += i32(x * 8); }", 0),
        ("for (var k = 0; k < 0; k++) { r = 1; }", 0),
        ("for (var k = 0; k < 3; k++) { for (var m = 0; m <= k; m++) { r += k * m; } }", 0),
        ("let n = 2; for (var k = 0; k != n * 2; k++) { r += k; if r > i { r -= 1; } }", 0),
        ("var k = 2; loop { if !(k < 5) { break; } r += k; continuing { k += 1; } } r += k;", 0),
        ("for (var k = 0; k < 3; k++) { switch i { case 1: { break; } default: { r += k; } } }", 0),
        // The number of turns is not known.
        ("for (var k = 0; k < i; k++) { r += k; }", 1),
        ("for (var k = i; k < 100; k++) { r += k; }", 1),
        ("for (var k = 0; k < 4; k++) { if k == i { break; } r += k; }", 1),
        ("for (var k = 0; k < 4; k++) { if k == i { continue; } r += k; }", 1),
        ("for (var k = 0; k < 9; k++) { r += k; k += 1; }", 1),
        ("var n = 1; if i > 3 { n = 2; } for (var k = 0; k < n; k++) { r += 1; }", 1),
        ("for (var k = 0; k < i; k++) { for (var m = 0; m < 2; m++) { r += m; } }", 1),
        // More expressions than may be written out.
        ("for (var k = 0; k < 20000; k++) { r += k; }", 1),
    ] {
        assert_eq!(loops_left(body, Options::UNROLL_ALL), left, "{body}");
        // `run` compares with the loop.
        check("", body, |i| interpret(body, i));
    }
}

#[test]
fn loops_are_written_out_to_a_number_of_expressions() {
    let turns = |count: u32| format!("for (var k = 0; k < {count}; k++) {{ r += k * i; }}");
    let left = |body: &str| loops_left(body, 100);
    assert_eq!([1, 4, 10].map(|count| left(&turns(count))), [0; 3]);
    assert_eq!([50, 100, 1000].map(|count| left(&turns(count))), [1; 3]);
    // Each of these fits, and not all of them together.
    let all = turns(10).repeat(8);
    let left = left(&all);
    assert!((1..8).contains(&left), "{left}");
    assert_eq!(loops_left(&turns(1), 0), 1);
    check("", &all, |i| 8 * 45 * i);
}

/// Computes the loops above.
fn interpret(body: &str, i: i32) -> i32 {
    let mut r = 0;
    match body {
        body if body.contains("k < 4; k++) { r += k * i") => r = 6 * i,
        body if body.contains("9u") => r = 9 + 6 + 3,
        body if body.contains("0.25") => r = 2 + 4 + 6 + 8,
        body if body.contains("k < 0") => {}
        body if body.contains("m <= k") => r = 1 + 2 + 4,
        body if body.contains("n * 2") => {
            for k in 0..4 {
                r += k;
                r -= i32::from(r > i);
            }
        }
        body if body.contains("!(k < 5)") => r = 2 + 3 + 4 + 5,
        body if body.contains("switch") => r = if i == 1 { 0 } else { 3 },
        body if body.contains("k = i") => r = (i..100).sum(),
        body if body.contains("break") => r = (0..4.min(i)).sum(),
        body if body.contains("continue") => r = (0..4).filter(|k| *k != i).sum(),
        body if body.contains("k += 1") => r = 2 + 4 + 6 + 8,
        body if body.contains("n = 2") => r = 1 + i32::from(i > 3),
        body if body.contains("m < 2") => r = i,
        body if body.contains("20000") => r = (0..20000).sum(),
        _ => r = (0..i).sum(),
    }
    r
}

#[test]
fn known_values_are_those_at_the_place_of_evaluation() {
    check(
        "fn change(p: ptr<function, i32>) { *p += 2; }",
        "var a = array(10, 20, 30, 40);
         for (var k = 0; k < 3; k++) {
             var m = k;
             let before = m;
             m = 3;
             r += a[before] + 100 * a[m];
             change(&m);
             if i > 5 { m = 0; } else { m -= 4; }
             r += a[m];
             a[k] = i;
         }",
        |i| {
            let mut a = [10, 20, 30, 40];
            let mut r = 0;
            for k in 0..3 {
                r += a[k] + 100 * a[3];
                r += a[if i > 5 { 0 } else { 1 }];
                a[k] = i;
            }
            r
        },
    );
}

#[test]
fn instructions_know_their_place_in_the_source() {
    let wgsl = "@fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f {\n\
        \x20   var sum = c;\n    if c.x > 0.5 {\n        sum = dpdx(c);\n    }\n    return sum;\n}\n";
    let module = Module::wgsl(wgsl, "place.wgsl").expect("it is right");
    let translation = module.translate("fs", &Options::default()).expect("it translates");
    let instructions = translation.shader.instructions();
    let at = instructions.iter().position(|it| it.opcode == Opcode::Ddx).expect("it is there");
    let place = instructions[at].position;
    assert_eq!((place.line, place.column), (4, 15));
    let error = module.error_at(&translation, Some(at as u32), "no derivatives");
    assert_eq!(error.location(), Some((4, 15)));
    let text = error.to_string();
    assert!(text.contains("place.wgsl:4:15") && text.contains("no derivatives"), "{text}");
    // Without an instruction, the place is the entry point's name.
    assert_eq!(module.error_at(&translation, None, "no").location(), Some((1, 14)));
}
