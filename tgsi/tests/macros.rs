//! `tgsi!` makes the same program as the compiler at run time.

use gallium_tgsi::compile::{CompileOptions, compile};
use gallium_tgsi::program::{Program, SourceText};
use gallium_tgsi::text;
use os_shim::Memory;
use tgsi_macros::tgsi;

tgsi! {
    crate = ::gallium_tgsi;
    /// Everything a program can have.
    pub static WHOLE: FRAG
    PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
    DCL IN[0].xyz, GENERIC[9], PERSPECTIVE, CENTROID
    DCL IN[1].xy, GENERIC[10], LINEAR
    DCL SV[0], SAMPLEID
    DCL OUT[0], COLOR
    DCL OUT[1], POSITION
    DCL SAMP[0..1]
    DCL SVIEW[0], SHADOW2D, FLOAT
    DCL SVIEW[1], 2D_ARRAY, FLOAT
    DCL CONST[0..3]
    DCL CONST[1][0..15]
    DCL TEMP[0..2], ARRAY(1), LOCAL
    DCL TEMP[3..9]
    DCL ADDR[0]
    IMM[0] FLT32 {0x3f800000, 0.5, -2, 3e-2}
    IMM[1] UINT32 {4294967295, 1, 2, 3}
    IMM[2] INT32 {-1, 0, 1, 7}
      0: DP3 TEMP[3].x, IN[0].xyzx, CONST[1].xyzx // a comment
      1: MUL TEMP[4], CONST[0], CONST[2].xxxx
      2: TEX TEMP[5].x, IN[0].xyzz, SAMP[0], SHADOW2D, IMM[2].xyx
      3: UARL ADDR[0].x, SV[0].xxxx
      4: MOV TEMP[ADDR[0].x+1](1).xy, IN[1].xyyy
      5: MAD_SAT TEMP[6], TEMP[3].xxxx, -|TEMP[4]|, CONST[1][ADDR[0].x-2]
      6: TXL TEMP[7], IN[1].xyxy, SAMP[1], 2D_ARRAY
      7: UIF SV[0].xxxx :11
      8:   KILL_IF -TEMP[6].xxxx
      9: ELSE :11
     10:   ADD TEMP[7], TEMP[7], TEMP[ADDR[0].x](1)
     11: ENDIF
     12: MUL OUT[0], TEMP[6], TEMP[7]
     13: MOV OUT[1].z, TEMP[5].xxxx
     14: END
}

const WHOLE_TEXT: &str = "FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0].xyz, GENERIC[9], PERSPECTIVE, CENTROID
DCL IN[1].xy, GENERIC[10], LINEAR
DCL SV[0], SAMPLEID
DCL OUT[0], COLOR
DCL OUT[1], POSITION
DCL SAMP[0..1]
DCL SVIEW[0], SHADOW2D, FLOAT
DCL SVIEW[1], 2D_ARRAY, FLOAT
DCL CONST[0..3]
DCL CONST[1][0..15]
DCL TEMP[0..2], ARRAY(1), LOCAL
DCL TEMP[3..9]
DCL ADDR[0]
IMM[0] FLT32 {0x3f800000, 0.5, -2, 3e-2}
IMM[1] UINT32 {4294967295, 1, 2, 3}
IMM[2] INT32 {-1, 0, 1, 7}
  0: DP3 TEMP[3].x, IN[0].xyzx, CONST[1].xyzx
  1: MUL TEMP[4], CONST[0], CONST[2].xxxx
  2: TEX TEMP[5].x, IN[0].xyzz, SAMP[0], SHADOW2D, IMM[2].xyx
  3: UARL ADDR[0].x, SV[0].xxxx
  4: MOV TEMP[ADDR[0].x+1](1).xy, IN[1].xyyy
  5: MAD_SAT TEMP[6], TEMP[3].xxxx, -|TEMP[4]|, CONST[1][ADDR[0].x-2]
  6: TXL TEMP[7], IN[1].xyxy, SAMP[1], 2D_ARRAY
  7: UIF SV[0].xxxx :11
  8:   KILL_IF -TEMP[6].xxxx
  9: ELSE :11
 10:   ADD TEMP[7], TEMP[7], TEMP[ADDR[0].x](1)
 11: ENDIF
 12: MUL OUT[0], TEMP[6], TEMP[7]
 13: MOV OUT[1].z, TEMP[5].xxxx
 14: END
";

#[track_caller]
fn assert_same(made: &Program<'_>, source: &str) {
    let memory = Memory::system();
    let shader = text::parse(source, memory).expect("the text is right");
    let compiled = compile(&shader, &CompileOptions::DEFAULT, memory).expect("it compiles");
    // The macro keeps the text that it compiled; a program compiled at run time has none.
    let made = Program { source: compiled.program().source, ..*made };
    assert_eq!(format!("{made:?}"), format!("{:?}", compiled.program()));
}

#[test]
fn an_item_is_what_the_compiler_makes() {
    assert_same(&WHOLE, WHOLE_TEXT);
    assert_eq!(WHOLE.samples.len(), 2);
    assert!(!WHOLE.preamble.is_empty() && !WHOLE.accesses.is_empty());
}

#[test]
fn an_expression_is_what_the_compiler_makes() {
    let program: &'static Program<'static> = tgsi!(
        crate = ::gallium_tgsi;
        VERT DCL IN[0] DCL OUT[0], POSITION
        IMM[0] FLT32 { 0.0000, 1.0000, 2.0000, -1.5000 }
        MUL OUT[0], IN[0], IMM[0].zzzz END
    );
    assert_same(
        program,
        "VERT DCL IN[0] DCL OUT[0], POSITION IMM[0] FLT32 {0.0, 1.0, 2.0, -1.5} \
         MUL OUT[0], IN[0], IMM[0].zzzz END",
    );
}

#[test]
fn a_text_s_name_is_its_hash() {
    // Test vectors of the authors of FNV, for 64-bit FNV-1a.
    assert_eq!(SourceText::name_of(b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(SourceText::name_of(b"foobar"), 0x8594_4171_f739_67e8);
    assert_eq!(SourceText::NONE.name(), None);
}
