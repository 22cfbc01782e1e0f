//! Machine code of shaders draws the pixels that interpreting them draws.

use crate::common::*;
use codegen::Generator;
use gallium_raster::{Config, Host, Profile, Screen, Small};
use os_shim::Os;
use pipe_core::{PrimType, ShaderType};

/// Branches, a loop, a discard, derivatives and a power, between runs of arithmetic.
const SHADER: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0]
DCL TEMP[0..3]
IMM[0] FLT32 { 0.0, 1.0, 5.0, 0.25 }
MAD TEMP[0], IN[0], CONST[0], IN[0].yzxw
DP3 TEMP[1].x, TEMP[0], TEMP[0]
RSQ TEMP[1].y, TEMP[1].xxxx
MUL TEMP[0].xyz, TEMP[0], TEMP[1].yyyy
DDX TEMP[1].z, TEMP[0].xxxx
ADD TEMP[0].z, TEMP[0].zzzz, |TEMP[1].zzzz|
SLT TEMP[1].w, IN[0].xxxx, IMM[0].wwww
IF TEMP[1].wwww
  FRC TEMP[2], TEMP[0].zxyw
  MAX TEMP[2], TEMP[2], IMM[0].wwww
  MIN TEMP[0], TEMP[2], TEMP[0].yxzw
ELSE
  SLT TEMP[1].w, IN[0].yyyy, IMM[0].wwww
  KILL_IF -TEMP[1].wwww
ENDIF
MOV TEMP[3].x, IMM[0].xxxx
BGNLOOP
  SGE TEMP[3].y, TEMP[3].xxxx, IMM[0].zzzz
  IF TEMP[3].yyyy
    BRK
  ENDIF
  ADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy
  MAD TEMP[0], TEMP[0].yzxw, IMM[0].wwww, TEMP[0]
  MUL TEMP[0], TEMP[0], CONST[0]
ENDLOOP
POW TEMP[0].y, |TEMP[0].yyyy|, IMM[0].zzzz
FRC OUT[0], TEMP[0]
END";

/// Returns the pixels of two triangles over the whole target.
fn pixels<P: Profile>(generator: Option<&Generator>) -> Vec<u8> {
    let mut screen = Screen::<P>::new(Os::host(), Config::default());
    if let Some(generator) = generator {
        screen = screen.with_generator(generator);
    }
    let options = Options { width: 100, height: 70, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let corners = [(-1.0, -1.0, RED), (1.0, -1.0, GREEN), (-1.0, 1.0, BLUE), (1.0, 1.0, WHITE)];
    let corners = corners.map(|(x, y, color)| vertex(x, y, 0.0, color));
    setup.upload(&screen, &corners).unwrap();
    setup.shaders(PASS, SHADER).unwrap();
    setup.constants(ShaderType::Fragment, &[0.9, 0.7, 1.1, 1.0]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::TriangleStrip, 4).unwrap();
    setup.pixels().unwrap()
}

#[test]
fn machine_code_draws_the_same_pixels() {
    let expected = pixels::<Host>(None);
    let distinct: std::collections::HashSet<_> = expected.chunks(4).collect();
    assert!(distinct.len() > 100, "the picture shows something");
    let Some(generator) = Generator::new() else { return };
    // At once; from the middle of the draw on, after some batches; never, in rows of other widths.
    assert!(pixels::<Host>(Some(&generator.after(0))) == expected);
    assert!(pixels::<Host>(Some(&generator.after(7))) == expected);
    assert!(pixels::<Small>(Some(&generator.after(0))) == pixels::<Small>(None));
}
