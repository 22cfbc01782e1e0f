//! Subgroup system values, in every stage (manual, TGSI, `SUBGROUP_SIZE` to `SUBGROUP_LT_MASK`).

use crate::common::*;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{Cap, ComputeCap, PrimType, Screen as _, ShaderState, ShaderType, TessState};

in_all_profiles! {
    vertices_know_their_lane
    primitives_know_their_lane
    patches_know_their_lane
    pixels_know_their_lane
    uniform_programs_still_differ_by_lane
    threads_know_their_lane
    batches_of_vertices_are_counted
}

/// Returns the lanes of a subgroup, as the screen announces them.
fn lanes<P: Profile>(screen: &Screen<'_, P>) -> u32 {
    assert_eq!(screen.get_param(Cap::ShaderBallot), 1);
    screen.get_compute_param(ComputeCap::SubgroupSize)[0] as u32
}

/// Declares the seven values as `SV[4]` to `SV[10]`, and the constants of [`CHECK`].
fn declarations(lanes: u32) -> String {
    let names = ["SIZE", "INVOCATION", "EQ_MASK", "GE_MASK", "GT_MASK", "LE_MASK", "LT_MASK"];
    let mut text = String::new();
    for (index, name) in names.into_iter().enumerate() {
        text += &format!("DCL SV[{}], SUBGROUP_{name}\n", 4 + index);
    }
    let all = u64::MAX >> (64 - lanes);
    text + &format!(
        "DCL TEMP[10..14]\nIMM[0] UINT32 {{ 0, 4294967295, {lanes}, 0 }}\n\
         IMM[1] UINT32 {{ {}, {}, 0, 0 }}\nIMM[2] FLT32 {{ 0.0, 1.0, 0.0, 0.0 }}\n",
        all as u32,
        all >> 32
    )
}

/// Leaves all ones in `TEMP[10].x` if the values agree with each other, with ballots and with reads
/// of other lanes, else 0.
const CHECK: &str = "USEQ TEMP[10].x, SV[4].xxxx, IMM[0].zzzz
USLT TEMP[11].x, SV[5].xxxx, SV[4].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
OR TEMP[11].xy, SV[6], SV[8]
USEQ TEMP[11].xy, TEMP[11], SV[7]
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].yyyy
OR TEMP[11].xy, SV[6], SV[10]
USEQ TEMP[11].xy, TEMP[11], SV[9]
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].yyyy
OR TEMP[11].xy, SV[10], SV[7]
USEQ TEMP[11].xy, TEMP[11], IMM[1]
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].yyyy
AND TEMP[11].xy, SV[9], SV[8]
OR TEMP[11].x, TEMP[11].xxxx, TEMP[11].yyyy
USEQ TEMP[11].x, TEMP[11].xxxx, IMM[0].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
POPC TEMP[11].xy, SV[10]
UADD TEMP[11].x, TEMP[11].xxxx, TEMP[11].yyyy
USEQ TEMP[11].x, TEMP[11].xxxx, SV[5].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
OR TEMP[11].x, SV[4].yyyy, SV[5].zzzz
OR TEMP[11].x, TEMP[11].xxxx, SV[6].zzzz
USEQ TEMP[11].x, TEMP[11].xxxx, IMM[0].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
BALLOT TEMP[11].xy, IMM[0].yyyy
AND TEMP[11].xy, TEMP[11], SV[6]
USEQ TEMP[11].xy, TEMP[11], SV[6]
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].yyyy
READ_FIRST TEMP[12].x, SV[5]
READ_INVOC TEMP[12].y, SV[5].xxxx, TEMP[12].xxxx
USEQ TEMP[11].x, TEMP[12].xxxx, TEMP[12].yyyy
AND TEMP[10].x, TEMP[10].xxxx, TEMP[11].xxxx
USEQ TEMP[13].x, SV[5].xxxx, TEMP[12].xxxx
BALLOT TEMP[13].xy, TEMP[13].xxxx
READ_FIRST TEMP[14].xy, SV[6]
USEQ TEMP[13].xy, TEMP[13], TEMP[14]
AND TEMP[10].x, TEMP[10].xxxx, TEMP[13].xxxx
AND TEMP[10].x, TEMP[10].xxxx, TEMP[13].yyyy
";

/// Writes green to a register if [`CHECK`] found agreement, else red.
fn verdict(register: &str) -> String {
    format!(
        "{CHECK}UIF TEMP[10].xxxx\nMOV {register}, IMM[2].xyxy\nELSE\nMOV {register}, IMM[2].yxxy\nENDIF\n"
    )
}

fn setup<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>) -> Setup<'s, 'm> {
    Setup::new(screen, Options { width: 8, height: 8, ..Options::default() }).unwrap()
}

fn bind_stage(setup: &mut Setup<'_, '_>, stage: ShaderType, text: &str) {
    let shader = setup.context.create_shader_state(stage, &ShaderState::text(text)).unwrap();
    setup.context.bind_shader_state(stage, Some(shader)).unwrap();
}

/// Returns one point in the middle of each pixel.
fn points() -> Vec<Vertex> {
    let at = |place: u32| (place as f32 + 0.5) / 4.0 - 1.0;
    (0..64).map(|pixel| vertex(at(pixel % 8), at(pixel / 8), 0.0, RED)).collect()
}

/// Draws a point in every pixel and expects all of them to be green.
fn expect_green<P: Profile>(setup: &mut Setup<'_, '_>, mode: PrimType) {
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(mode, 64).unwrap();
    assert_picture!(setup.text(), ["gggggggg"; 8], "{}", P::NAME);
}

fn vertices_know_their_lane<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    let text = format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n{}MOV OUT[0], IN[0]\n{}END",
        declarations(lanes(&screen)),
        verdict("OUT[1]")
    );
    setup.shaders(&text, COLOR).unwrap();
    setup.upload(&screen, &points()).unwrap();
    expect_green::<P>(&mut setup, PrimType::Points);
}

/// A segment of three vertices is a batch with lanes that do not run.
fn batches_of_vertices_are_counted<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    let text = "VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL SV[0], SUBGROUP_LT_MASK
DCL TEMP[0]
IMM[0] UINT32 { 1, 0, 2, 3 }
BALLOT TEMP[0].xy, IMM[0].xxxx
POPC TEMP[0].xy, TEMP[0]
UADD TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
USEQ TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
I2F OUT[1].x, -TEMP[0].xxxx
MOV OUT[0], IN[0]
END";
    setup.shaders(text, COLOR).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, BLACK))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), ["rrrrrrrr"; 8], "{}", P::NAME);
}

fn primitives_know_their_lane<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    let text = format!(
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
         PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n\
         DCL OUT[1], COLOR\n{}{}MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND",
        declarations(lanes(&screen)),
        verdict("OUT[1]")
    );
    bind_stage(&mut setup, ShaderType::Geometry, &text);
    setup.upload(&screen, &points()).unwrap();
    expect_green::<P>(&mut setup, PrimType::Points);
}

fn patches_know_their_lane<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    // Each control invocation judges its lane. The evaluation shader judges its own lane and takes
    // the worst result.
    let control = format!(
        "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 4\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\n\
         DCL SV[1], TESS_DEFAULT_OUTER_LEVEL\nDCL SV[2], TESS_DEFAULT_INNER_LEVEL\n\
         DCL OUT[][0], POSITION\nDCL OUT[][1], GENERIC[0]\nDCL OUT[2], TESSOUTER\n\
         DCL OUT[3], TESSINNER\nDCL ADDR[0]\nDCL TEMP[0]\n{}{}\
         UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\n\
         MOV OUT[ADDR[0].x][1], TEMP[0]\nMOV OUT[2], SV[1]\nMOV OUT[3], SV[2]\nEND",
        declarations(lanes(&screen)),
        verdict("TEMP[0]")
    );
    let evaluation = format!(
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 2\nDCL IN[][0], POSITION\n\
         DCL IN[][1], GENERIC[0]\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
         DCL TEMP[0..2]\n{}LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]\n\
         LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]\nLRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]\n{}\
         MAX TEMP[2].x, TEMP[2].xxxx, IN[0][1].xxxx\nMAX TEMP[2].x, TEMP[2].xxxx, IN[1][1].xxxx\n\
         MAX TEMP[2].x, TEMP[2].xxxx, IN[2][1].xxxx\nMAX TEMP[2].x, TEMP[2].xxxx, IN[3][1].xxxx\n\
         MIN TEMP[2].y, TEMP[2].yyyy, IN[3][1].yyyy\nMOV OUT[1], TEMP[2]\nEND",
        declarations(lanes(&screen)),
        verdict("TEMP[2]")
    );
    bind_stage(&mut setup, ShaderType::TessCtrl, &control);
    bind_stage(&mut setup, ShaderType::TessEval, &evaluation);
    let state = TessState { default_outer_level: [5.0; 4], default_inner_level: [5.0; 2] };
    setup.context.set_tess_state(&state);
    setup.context.set_patch_vertices(4).unwrap();
    // Sixteen patches of two by two pixels.
    let corner = |patch: u32, corner: u32| {
        let (x, y) = (patch % 4 + corner % 2, patch / 4 + corner / 2);
        vertex(x as f32 / 2.0 - 1.0, y as f32 / 2.0 - 1.0, 0.0, RED)
    };
    let vertices: Vec<Vertex> = (0..64).map(|at| corner(at / 4, at % 4)).collect();
    setup.upload(&screen, &vertices).unwrap();
    expect_green::<P>(&mut setup, PrimType::Patches);
}

/// Returns the fragment program of [`verdict`]; `input` declares an input that makes pixels differ.
fn fragment<P: Profile>(screen: &Screen<'_, P>, input: &str) -> String {
    format!(
        "FRAG\n{input}DCL OUT[0], COLOR\n{}{}END",
        declarations(lanes(screen)),
        verdict("OUT[0]")
    )
}

fn pixels_know_their_lane<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    for input in ["", "DCL IN[0], COLOR, PERSPECTIVE\n"] {
        setup.shaders(PASS, &fragment(&screen, input)).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        // Two triangles that share quads along their edge, and points alone in their quads.
        let corners =
            [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        assert_picture!(setup.text(), ["gggggggg"; 8], "{}", P::NAME);
        setup.upload(&screen, &points()).unwrap();
        expect_green::<P>(&mut setup, PrimType::Points);
    }
}

/// A program without inputs still gives its pixels different colours: lane `4 q + i` is pixel i of
/// a quad (`tgsi::exec`, "Inputs and outputs of the stages").
fn uniform_programs_still_differ_by_lane<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen);
    let text = "FRAG
DCL OUT[0], COLOR
DCL SV[0], SUBGROUP_INVOCATION
DCL TEMP[0]
IMM[0] UINT32 { 1, 2, 0, 0 }
IMM[1] FLT32 { 0.0, 0.5, 1.0, 0.0 }
AND TEMP[0].xy, SV[0].xxxx, IMM[0]
U2F TEMP[0].xy, TEMP[0]
MUL TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy
MOV OUT[0].xy, TEMP[0]
MOV OUT[0].zw, IMM[1].xxxz
END";
    setup.shaders(PASS, text).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let pixels = setup.pixels().unwrap();
    for (at, pixel) in pixels.chunks(4).enumerate() {
        let (x, y) = (at % 8, at / 8);
        let wanted = [255 * (x as u8 & 1), 255 * (y as u8 & 1)];
        assert_eq!(pixel[..2], wanted, "pixel {x}, {y}, {}", P::NAME);
    }
}

/// Returns the manual's formulas, computed in 128 bits: size, number, and five masks.
fn formulas(invocation: u32, size: u32) -> Vec<u32> {
    let below = (1u128 << invocation) - 1;
    let ge = ((1u128 << (size - invocation)) - 1) << invocation;
    let gt = ((1u128 << (size - invocation - 1)) - 1) << (invocation + 1);
    let le = (1u128 << (invocation + 1)) - 1;
    let masks = [1u128 << invocation, ge, gt, le, below];
    let words = masks.into_iter().flat_map(|mask| [mask as u32, (mask >> 32) as u32]);
    [size, invocation].into_iter().chain(words).collect()
}

/// 70 threads are not a whole number of subgroups in any profile.
fn threads_know_their_lane<P: Profile>() {
    const THREADS: usize = 70;
    const WORDS: usize = 16;
    let screen = crate::compute::screen::<P>();
    let lanes = lanes(&screen);
    let mut machine = crate::compute::Machine::new(&screen, &[&[0; WORDS * THREADS]]);
    // Odd and even threads diverge; each reads some values in its own branch.
    let text = format!(
        "{}{}IMM[3] UINT32 {{ {}, 1, 16, 4 }}\nDCL BUFFER[0]\nDCL TEMP[0..7]\n\
         UMUL TEMP[0].x, SV[0].xxxx, IMM[3].xxxx\n\
         AND TEMP[1].x, SV[0].xxxx, IMM[3].yyyy\n\
         UIF TEMP[1].xxxx\n\
         MOV TEMP[2].x, SV[4]\nMOV TEMP[2].y, SV[5].xxxx\nMOV TEMP[2].zw, SV[6].xxxy\n\
         MOV TEMP[3].xy, SV[7]\nMOV TEMP[3].zw, SV[8].xxxy\nBALLOT TEMP[5].xy, IMM[3].yyyy\n\
         ELSE\n\
         MOV TEMP[2].zw, SV[6].xxxy\nMOV TEMP[2].y, SV[5].xxxx\nMOV TEMP[2].x, SV[4]\n\
         MOV TEMP[3].zw, SV[8].xxxy\nMOV TEMP[3].xy, SV[7]\nBALLOT TEMP[5].xy, IMM[3].yyyy\n\
         ENDIF\n\
         MOV TEMP[4].xy, SV[9]\nMOV TEMP[4].zw, SV[10].xxxy\nBALLOT TEMP[6].xy, IMM[3].yyyy\nMOV TEMP[5].zw, TEMP[6].xxxy\n\
         STORE BUFFER[0], TEMP[0].xxxx, TEMP[2]\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[3].zzzz\n\
         STORE BUFFER[0], TEMP[0].xxxx, TEMP[3]\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[3].zzzz\n\
         STORE BUFFER[0], TEMP[0].xxxx, TEMP[4]\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[3].zzzz\n\
         STORE BUFFER[0], TEMP[0].xxxx, TEMP[5]\nEND",
        invocation!(""),
        declarations(lanes),
        4 * WORDS
    );
    machine.program(&text, 0);
    machine.launch([THREADS as u32, 1, 1], [1, 1, 1]);
    let words = machine.words(0, (WORDS * THREADS) as u32);
    for (thread, words) in words.chunks(WORDS).enumerate() {
        let (first, lane) = (thread as u32 / lanes * lanes, thread as u32 % lanes);
        // The running lanes of the subgroup: all of them, and the lanes of the same parity.
        let there = u64::MAX >> (64 - lanes.min(THREADS as u32 - first));
        let alike = there & (0x5555_5555_5555_5555 << (lane & 1));
        let mut wanted = formulas(lane, lanes);
        wanted.extend([alike as u32, (alike >> 32) as u32, there as u32, (there >> 32) as u32]);
        assert_eq!(words, wanted, "thread {thread}, {}", P::NAME);
    }
}
