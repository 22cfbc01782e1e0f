//! System values of fragment shaders, with one sample, one layer and one viewport.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::PrimType;

in_all_profiles! {
    samples_layers_and_viewports_are_the_first
    faces_are_masks
    positions_are_those_of_inputs
    helpers_lie_outside_of_the_primitive
}

/// Draws a triangle that covers the target, front-facing or back-facing, with a fragment shader.
fn picture<P: Profile>(shader: &str, front: bool) -> Vec<u8> {
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: 8, height: 8, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, shader).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    let mut vertices = corners.map(|(x, y)| vertex(x, y, 0.25, WHITE));
    if !front {
        vertices.reverse();
    }
    setup.upload(&screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    setup.pixels().unwrap()
}

/// Returns a shader that is green where `test` leaves all ones in `TEMP[0].x`, red elsewhere.
fn judge(declarations: &str, test: &str) -> String {
    format!(
        "FRAG
{declarations}
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {{ 0.0, 1.0, 0.5, 0.25 }}
IMM[1] UINT32 {{ 0, 1, 4294967295, 0 }}
{test}
UIF TEMP[0].xxxx
MOV OUT[0], IMM[0].xyxy
ELSE
MOV OUT[0], IMM[0].yxxy
ENDIF
END"
    )
}

fn all_green(pixels: &[u8]) -> bool {
    pixels.chunks(4).all(|pixel| pixel[..2] == [0, 255])
}

fn samples_layers_and_viewports_are_the_first<P: Profile>() {
    for (semantic, test) in [
        ("SAMPLEID", "USEQ TEMP[0].x, SV[0].xxxx, IMM[1].xxxx"),
        ("LAYER", "USEQ TEMP[0].x, SV[0].xxxx, IMM[1].xxxx"),
        ("VIEWPORT_INDEX", "USEQ TEMP[0].x, SV[0].xxxx, IMM[1].xxxx"),
        // Manual: without multisampling the mask is (1, 0, 0, 0).
        ("SAMPLEMASK", "USEQ TEMP[0].x, SV[0].xxxx, IMM[1].yyyy"),
        (
            "SAMPLEPOS",
            "FSEQ TEMP[0].xy, SV[0].xyyy, IMM[0].zzzz\nAND TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy",
        ),
    ] {
        let shader = judge(&format!("DCL SV[0], {semantic}"), test);
        assert!(all_green(&picture::<P>(&shader, true)), "{semantic} {}", P::NAME);
    }
    for semantic in ["LAYER", "VIEWPORT_INDEX"] {
        let input = format!("DCL IN[0], {semantic}, CONSTANT");
        let shader = judge(&input, "USEQ TEMP[0].x, IN[0].xxxx, IMM[1].xxxx");
        assert!(all_green(&picture::<P>(&shader, true)), "{semantic} {}", P::NAME);
    }
}

/// Manual: as a system value, all ones on front faces and 0 on back faces; w is 1. As an input, a
/// positive or negative float.
fn faces_are_masks<P: Profile>() {
    let value = judge("DCL SV[0], FACE", "MOV TEMP[0].x, SV[0].xxxx");
    let ones = judge("DCL SV[0], FACE", "USEQ TEMP[0].x, SV[0].xxxx, IMM[1].zzzz");
    let last = judge("DCL SV[0], FACE", "USEQ TEMP[0].x, SV[0].wwww, IMM[1].yyyy");
    let float = judge("DCL IN[0], FACE, CONSTANT", "FSLT TEMP[0].x, IMM[0].xxxx, IN[0].xxxx");
    // Counter-clockwise in the window is the front. `picture` has y down, which reverses the order.
    let pictures = |shader: &str| [true, false].map(|way| all_green(&picture::<P>(shader, way)));
    let faces = pictures(&float);
    assert_ne!(faces[0], faces[1]);
    assert_eq!(pictures(&value), faces);
    assert_eq!(pictures(&ones), faces);
    assert_eq!(pictures(&last), [true, true]);
}

fn positions_are_those_of_inputs<P: Profile>() {
    let show = |declaration: &str, register: &str| {
        format!(
            "FRAG\n{declaration}\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{ 0.125, 1.0, 0.0, 0.0 }}\n\
             MUL OUT[0], {register}, IMM[0].xxyy\nEND"
        )
    };
    let value = picture::<P>(&show("DCL SV[0], POSITION", "SV[0]"), true);
    assert_eq!(value, picture::<P>(&show("DCL IN[0], POSITION, LINEAR", "IN[0]"), true));
    // Pixel (2, 1): 2.5 / 8 and 1.5 / 8; z is 0.25 in clip space, 0.625 in the window; w is 1.
    assert_eq!(value[4 * 10..4 * 11], [80, 48, 159, 255]);
}

/// Half of a quad is covered. The derivative of HELPER_INVOCATION sees the other half.
fn helpers_lie_outside_of_the_primitive<P: Profile>() {
    let shader = "FRAG
DCL SV[0], HELPER_INVOCATION
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] UINT32 { 1, 0, 0, 0 }
IMM[1] FLT32 { 0.0, 1.0, 0.0, 0.0 }
AND TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
U2F TEMP[0].x, TEMP[0].xxxx
DDX TEMP[0].y, TEMP[0].xxxx
MOV OUT[0], TEMP[0].xyxx
MOV OUT[0].w, IMM[1].yyyy
END";
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: 8, height: 8, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, shader).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    // One triangle covers columns 0 to 2; column 3 is the uncovered half of its quads.
    let at = |x: f32, y: f32| vertex(x / 4.0 - 1.0, y / 4.0 - 1.0, 0.0, WHITE);
    setup.upload(&screen, &[at(3.0, -5.0), at(3.0, 13.0), at(-20.0, 4.0)]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let pixels = setup.pixels().unwrap();
    let row: Vec<_> = pixels[..4 * 8].chunks(4).map(|pixel| [pixel[0], pixel[1]]).collect();
    // Red: a drawn pixel is not a helper. Green: its right neighbour is one, in column 2 alone.
    assert_eq!(row, [[0, 0], [0, 0], [0, 255], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]);
    assert_eq!(pixels[4 * 3 + 2], 255, "column 3 is not drawn");
}
