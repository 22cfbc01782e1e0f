//! The shader debugger.

use formats::Format;
use gallium_inspect::debug::{Run, fragment, of_sample, vertex};
use pipe_core::*;

use crate::scene::{Stage, draws, inspector, recorded, sampled, whole};

fn run(shader: &'static str, draw: impl FnOnce(&mut Stage<'_, '_>)) -> Run {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.shader(ShaderType::Fragment, shader);
        draw(stage);
    });
    let inspector = inspector(trace);
    let call = *draws(&inspector).last().expect("a draw");
    inspector.at(0, move |session| fragment(session, call, [4, 4], 0, 1, 100)).expect("a run")
}

#[test]
fn arithmetic_is_stepped() {
    let run = run(
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nDCL CONST[0]\n\
         IMM[0] FLT32 {0.5, 0.25, 0.125, 1.0}\n\
         ADD TEMP[0], IN[0], IMM[0]\nMUL TEMP[1].x, TEMP[0].xxxx, CONST[0].xxxx\n\
         MOV OUT[0], TEMP[0]\nMOV OUT[0].w, TEMP[1].xxxx\nEND\n",
        |stage| {
            let bytes: Vec<u8> =
                [4.0f32, 0.0, 0.0, 0.0].iter().flat_map(|it| it.to_le_bytes()).collect();
            let constants = Some(ConstantBuffer::User(&bytes));
            stage.context.set_constant_buffer(ShaderType::Fragment, 0, constants).expect("set");
            stage.draw(&whole(0.0, [0.25, 0.5, 0.0, 0.0]));
        },
    );
    assert_eq!(run.steps, 4);
    let values: Vec<_> = run.shown.iter().map(|step| (step.instruction, step.floats())).collect();
    assert_eq!(
        values,
        [
            (0, [0.75, 0.75, 0.125, 1.0]),
            (1, [3.0, 0.0, 0.0, 0.0]),
            (2, [0.75, 0.75, 0.125, 1.0]),
            (3, [0.75, 0.75, 0.125, 3.0]),
        ]
    );
    assert_eq!(run.shown[0].text, "ADD TEMP[0], IN[0], IMM[0]");
}

#[test]
fn loops_and_branches_are_stepped() {
    // Adds 1 three times; the branch is taken in the last turn only.
    let run = run(
        "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nIMM[0] FLT32 {0.0, 1.0, 3.0, 0.5}\n\
         MOV TEMP[0].x, IMM[0].xxxx\nBGNLOOP\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n\
         SGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz\nIF TEMP[1].xxxx\nBRK\nENDIF\nENDLOOP\n\
         MOV OUT[0], TEMP[0].xxxx\nEND\n",
        |stage| stage.draw(&whole(0.0, [0.0; 4])),
    );
    let values: Vec<_> =
        run.shown.iter().map(|step| (step.instruction, step.floats()[0])).collect();
    assert_eq!(
        values,
        [(0, 0.0), (2, 1.0), (3, 0.0), (2, 2.0), (3, 0.0), (2, 3.0), (3, 1.0), (8, 3.0)]
    );
}

#[test]
fn the_fragment_of_a_single_sample_is_stepped() {
    let trace = sampled(Format::Z24UnormS8Uint, 4, |stage| {
        stage.rasterizer(&RasterizerState { multisample: true, ..RasterizerState::default() });
        stage.shader(
            ShaderType::Fragment,
            "FRAG\nDCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEPOS\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n\
             U2F TEMP[0].x, SV[0].xxxx\nMOV TEMP[1].xy, SV[1].xyyy\nMOV OUT[0], TEMP[0].xxxx\nEND\n",
        );
        // Left of column 4.5: samples 0 and 2 of column 4.
        let corner = |x, y| [x, y, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        stage.draw(&[corner(0.125, -3.0), corner(0.125, 5.0), corner(-7.0, 1.0)]);
    });
    let inspector = inspector(trace);
    let call = draws(&inspector)[0];
    let run = |sample| {
        inspector.at(0, move |session| of_sample(session, call, ([4, 4], sample), 0, 1, 100))
    };
    // The places of samples 0 and 2: (6, 2) and (2, 10) sixteenths.
    for (asked, sample, place) in [(None, 0, [0.375, 0.125]), (Some(2), 2, [0.125, 0.625])] {
        let run = run(asked).expect("a run");
        assert_eq!((run.sample, run.steps), (Some(sample), 3));
        assert_eq!(run.shown[0].floats()[0], sample as f32);
        assert_eq!(run.shown[1].floats()[..2], place);
    }
    let error = |sample| run(Some(sample)).expect_err("no fragment").to_string();
    assert_eq!(error(1), "the draw has no fragment 0 at the pixel");
    assert_eq!(error(4), "the framebuffer has 4 samples per pixel: there is no sample 4");
}

#[test]
fn a_pixel_outside_is_refused_by_name() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| stage.draw(&whole(0.0, [0.0; 4])));
    let inspector = inspector(trace);
    let call = draws(&inspector)[0];
    let refused = inspector.at(0, move |session| fragment(session, call, [8, 0], 0, 1, 10));
    let error = refused.expect_err("no such pixel").to_string();
    assert_eq!(error, "the framebuffer has 8 × 8 pixels: it has no pixel (8, 0)");
}

#[test]
fn vertex_shaders_are_stepped() {
    // Doubles x of the vertex that instance and index choose, and adds the instance's number.
    let text = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
        DCL SV[0], INSTANCEID\nDCL TEMP[0]\nIMM[0] FLT32 {2.0, 2.0, 2.0, 2.0}\n\
        U2F TEMP[0].x, SV[0].xxxx\nMAD OUT[0], IN[0], IMM[0], TEMP[0].xxxx\n\
        MOV OUT[1], IN[1]\nEND\n";
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.shader(ShaderType::Vertex, text);
        let corners = whole(0.25, [0.5, 0.0, 1.0, 1.0]);
        stage.draw(&corners);
        // The same vertices in another order, in three instances.
        let info = DrawInfo {
            index: Some(IndexBuffer::user(&[2, 1, 0], 1)),
            instance_count: 3,
            ..DrawInfo::new(PrimType::Triangles)
        };
        stage.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]).expect("drawn");
    });
    let inspector = inspector(trace);
    let [plain, indexed] = draws(&inspector)[..] else { panic!("two draws") };
    let run = |call, number, instance| {
        inspector.at(0, move |session| vertex(session, call, number, instance, 1, 100))
    };
    // Vertex 1 is (3, -1, 0.25, 1).
    let first = run(plain, 1, 0).expect("a run");
    assert_eq!(first.steps, 3);
    let values: Vec<_> = first.shown.iter().map(|step| (step.instruction, step.floats())).collect();
    assert_eq!(
        values,
        [(0, [0.0, 0.0, 0.0, 0.0]), (1, [6.0, -2.0, 0.5, 2.0]), (2, [0.5, 0.0, 1.0, 1.0]),]
    );
    // Entry 0 of the indices is vertex 2, (-1, 3, 0.25, 1); the instance adds 2.
    let second = run(indexed, 0, 2).expect("a run");
    assert_eq!(second.shown[1].floats(), [0.0, 8.0, 2.5, 4.0]);
    assert_eq!(second.shown[1].text, "MAD OUT[0], IN[0], IMM[0], TEMP[0].xxxx");
    let error = |call, number, instance| run(call, number, instance).expect_err("none").to_string();
    assert_eq!(error(plain, 3, 0), "the draw has 3 vertices: there is no vertex 3");
    assert_eq!(error(indexed, 0, 3), "the draw has 3 instances: there is no instance 3");
}
