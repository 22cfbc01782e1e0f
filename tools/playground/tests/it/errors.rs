use gallium_playground::{Drawing, MAX_SOURCE, draw};

use crate::program;

/// Returns line, column and message of the only problem.
fn problem(source: &str) -> (u32, u32, String) {
    let drawing = draw(&program(source));
    let Drawing { problems, width: 0, pixels, .. } = drawing else { panic!("a picture") };
    assert!(pixels.is_empty());
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    (problem.line, problem.column, problem.message.clone())
}

#[test]
fn errors_have_places() {
    let (line, column, _) = problem("@fragment fn f() {\n    let x = 1 +;\n}");
    assert_eq!((line, column), (2, 16));
    let (line, _, message) = problem(
        "@fragment fn f() -> @location(0) vec4f {\n    let a = 1u;\n    return vec4f(a + 1.0);\n}",
    );
    assert_eq!(line, 3, "{message}");
}

#[test]
fn errors_in_the_second_program_of_a_text_have_its_lines() {
    let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n\n\
        FRAG\nDCL OUT[0], COLOR\nMOV OUT[0], IMM[0]\nEND\n";
    let (line, column, message) = problem(text);
    // Line 9 reads an immediate that is not there.
    assert_eq!((line, column > 0), (9, true), "{message}");
    assert!(message.contains("IMM[0]") && !message.contains("line"), "{message}");
    let (line, column, message) = problem(&text.replace("MOV OUT[0], IMM", "MOO OUT[0], IMM"));
    assert_eq!((line, column), (9, 1), "{message}");
}

#[test]
fn what_the_page_lacks_is_refused_by_name() {
    let body = "@fragment fn f() -> @location(0) vec4f";
    for (source, name) in [
        (
            format!(
                "@group(0) @binding(0) var deep: texture_3d<f32>;
                @group(0) @binding(1) var s: sampler;
                {body} {{ return textureSample(deep, s, vec3f()); }}"
            ),
            "`deep` is 3D",
        ),
        (
            format!(
                "@group(0) @binding(0) var<storage> list: array<f32>;
                {body} {{ return vec4f(list[0]); }}"
            ),
            "`list`",
        ),
        (
            "@fragment fn f(@location(0) @interpolate(flat) kind: u32) -> @location(0) vec4f {
                return vec4f(f32(kind));
            }"
            .into(),
            "`kind`",
        ),
        ("// @".into(), "no entry point"),
    ] {
        let (line, _, message) = problem(&source);
        assert_eq!(line, 0);
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn a_loop_without_end_ends() {
    let (_, _, message) = problem(
        "@fragment fn f() -> @location(0) vec4f {
            var x = 0.0;
            loop { x += 1.0; if x < 0.0 { break; } }
            return vec4f(x);
        }",
    );
    assert!(message.contains("work"), "{message}");
}

#[test]
fn stages_that_do_not_fit_are_named() {
    let (_, _, message) = problem(
        "@vertex fn v(@location(0) position: vec3f) -> @builtin(position) vec4f {
            return vec4f(position, 1.0);
        }
        @fragment fn f(@location(2) uv: vec2f) -> @location(0) vec4f { return vec4f(uv, 0.0, 1.0); }",
    );
    assert!(message.contains("location 2"), "{message}");
}

#[test]
fn a_program_without_fragments_has_code_and_no_picture() {
    let drawing = draw(&program(
        "@vertex fn v(@location(0) position: vec3f) -> @builtin(position) vec4f {
            return vec4f(position, 1.0);
        }",
    ));
    assert_eq!((drawing.problems.len(), drawing.stages.len(), drawing.width), (0, 1, 0));
    assert!(drawing.notes[0].contains("no fragment shader"));
}

#[test]
fn sizes_are_limited() {
    let long = " ".repeat(MAX_SOURCE + 1);
    assert!(problem(&long).2.contains("shorten"));
    let mut it = program("@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }");
    it.width = 4000;
    assert!(draw(&it).problems[0].message.contains("320"));
}
