//! The state that is derived from shaders and draw calls before a draw.

mod support;

use gallium_draw::{Draw, OutputModes};
use pipe_core::{DrawInfo, DrawStartCount, PrimType};
use support::program;

#[test]
fn fragment_inputs_decide_how_outputs_are_interpolated() {
    let vertex = program(
        "VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR[0]
DCL OUT[2], BCOLOR[0]
DCL OUT[3], GENERIC[4]
DCL OUT[4], GENERIC[5]
DCL OUT[5], GENERIC[6]
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1], IN[0]
  2: MOV OUT[2], IN[0]
  3: MOV OUT[3], IN[0]
  4: MOV OUT[4], IN[0]
  5: MOV OUT[5], IN[0]
  6: END
",
    );
    let fragment = program(
        "FRAG
DCL IN[0], COLOR[0], COLOR
DCL IN[1], GENERIC[6], CONSTANT
DCL IN[2], GENERIC[5], LINEAR
DCL IN[3], GENERIC[4], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
  0: ADD TEMP[0], IN[0], IN[1]
  1: ADD TEMP[0], TEMP[0], IN[2]
  2: ADD OUT[0], TEMP[0], IN[3]
  3: END
",
    );
    let link = |flatshade| OutputModes::link(&vertex.program(), &fragment.program(), flatshade);
    assert_eq!(link(false), OutputModes { flat: 1 << 5, linear: 1 << 4 });
    // Flat shading reaches both colours, front and back.
    assert_eq!(link(true), OutputModes { flat: 1 << 5 | 1 << 1 | 1 << 2, linear: 1 << 4 });
}

#[test]
fn parts_of_a_draw_call() {
    let info = DrawInfo {
        start_instance: 3,
        instance_count: 2,
        primitive_restart: true,
        restart_index: 0xffff,
        drawid_offset: 7,
        increment_draw_id: true,
        ..DrawInfo::new(PrimType::TriangleFan)
    };
    let range = DrawStartCount { start: 4, count: 5, index_bias: -6 };
    let draw = Draw::part(&info, 2, &range);
    assert_eq!(draw.mode, PrimType::TriangleFan);
    assert_eq!((draw.start, draw.count, draw.index_bias), (4, 5, -6));
    assert_eq!((draw.start_instance, draw.instance_count), (3, 2));
    assert_eq!((draw.restart_index, draw.draw_id), (Some(0xffff), 9));
    let plain = DrawInfo { primitive_restart: false, increment_draw_id: false, ..info };
    let draw = Draw::part(&plain, 2, &range);
    assert_eq!((draw.restart_index, draw.draw_id), (None, 7));
}
