//! Machine code of shaders draws the same pixels as the interpreter.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::common::*;
use codegen::Generator;
use gallium_raster::{Config, Host, Profile, Screen, Small};
use os_shim::options::Table;
use os_shim::{Box, Memory, Os, unsize_box};
use pipe_core::{PrimType, ShaderType};
use tgsi::exec::{Generate, Generated, Mask};
use tgsi::program::{Op, Program};

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
    assert!(pixels::<Host>(Some(&generator.clone().after(0))) == expected);
    assert!(pixels::<Host>(Some(&generator.clone().after(7))) == expected);
    assert!(pixels::<Small>(Some(&generator.clone().after(0))) == pixels::<Small>(None));
}

/// Moves and colours vertices by a loop, a branch and a square root.
const VERTEX: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL CONST[0]
DCL TEMP[0..3]
IMM[0] FLT32 { 0.0, 1.0, 3.0, 0.25 }
MOV TEMP[0], IN[0]
DP3 TEMP[1].x, IN[0], CONST[0]
SQRT TEMP[1].y, |TEMP[1].xxxx|
SLT TEMP[1].z, TEMP[1].xxxx, IMM[0].xxxx
MAD TEMP[3], IN[1], CONST[0], IN[1].yzxw
IF TEMP[1].zzzz
  MUL TEMP[3], TEMP[3].yzxw, TEMP[1].yyyy
ELSE
  MAX TEMP[3], TEMP[3], TEMP[1].yyyy
ENDIF
MOV TEMP[2].x, IMM[0].xxxx
BGNLOOP
  SGE TEMP[2].y, TEMP[2].xxxx, IMM[0].zzzz
  IF TEMP[2].yyyy
    BRK
  ENDIF
  ADD TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy
  MAD TEMP[0].xy, TEMP[0].yxzw, IMM[0].wwww, TEMP[0]
  MUL TEMP[0].xy, TEMP[0], CONST[0]
ENDLOOP
MOV OUT[0], TEMP[0]
FRC OUT[1], TEMP[3]
END";

/// The number of segments of a [`Counting`] generator's code that ran.
static SEGMENTS: AtomicU32 = AtomicU32::new(0);

/// A generator that counts the runs of its code.
#[derive(Debug)]
struct Counting(Generator);

/// Code that counts its runs.
#[derive(Debug)]
struct Counted<'m>(Box<'m, dyn Generated + 'm>);

impl Generate for Counting {
    fn generate<'m>(
        &self,
        program: &Program<'_>,
        memory: Memory<'m>,
    ) -> Option<Box<'m, dyn Generated + 'm>> {
        let code = Counted(self.0.generate(program, memory)?);
        Some(unsize_box!(Box::try_new_in(code, memory).ok()?))
    }
}

impl Generated for Counted<'_> {
    fn body(&self, program: &Program<'_>) -> Option<&[Op]> {
        self.0.body(program)
    }

    fn run(&self, segment: u16, rows: &mut [u32], exec: Mask) -> Option<u32> {
        SEGMENTS.fetch_add(1, Relaxed);
        self.0.run(segment, rows, exec)
    }
}

/// Returns the pixels of two draws of 900 vertices each with the shader [`VERTEX`].
fn many_vertices(generator: Option<&Counting>, options: &'static Table) -> Vec<u8> {
    let mut screen = Screen::<Host>::new(Os { options, ..Os::host() }, Config::default());
    if let Some(generator) = generator {
        screen = screen.with_generator(generator);
    }
    let options = Options { width: 100, height: 70, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let mut random = Random(7);
    let corners: Vec<_> = (0..900)
        .map(|_| {
            let color = [random.next(), random.next(), random.next(), 1.0];
            vertex(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.next(), color)
        })
        .collect();
    setup.upload(&screen, &corners).unwrap();
    setup.shaders(VERTEX, COLOR).unwrap();
    setup.constants(ShaderType::Vertex, &[0.9, 0.7, -1.1, 1.0]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 900).unwrap();
    setup.draw(PrimType::Points, 900).unwrap();
    setup.pixels().unwrap()
}

#[test]
fn machine_code_shades_the_same_vertices() {
    let expected = many_vertices(None, &Table(&[]));
    let distinct: std::collections::HashSet<_> = expected.chunks(4).collect();
    assert!(distinct.len() > 100, "the picture shows something");
    let Some(generator) = Generator::new() else { return };
    // Fragments only move a colour, so there is no arithmetic to generate code for.
    let counting = Counting(generator.after(0));
    assert!(many_vertices(Some(&counting), &Table(&[("DRAW_USE_LLVM", "false")])) == expected);
    assert_eq!(SEGMENTS.load(Relaxed), 0, "an option turns machine code of vertices off");
    assert!(many_vertices(Some(&counting), &Table(&[])) == expected);
    let batches = 2 * 900 / 64;
    assert!(SEGMENTS.load(Relaxed) >= batches, "{SEGMENTS:?} segments ran");
}
