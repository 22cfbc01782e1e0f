//! Each rule of the checker, with a shader that breaks it.
#![cfg(feature = "text")]

use gallium_tgsi::declaration::Declaration;
use gallium_tgsi::opcode::Opcode;
use gallium_tgsi::register::{DstRegister, File, SrcRegister, WriteMask};
use gallium_tgsi::sanity::{self, Finding, Severity};
use gallium_tgsi::shader::{Instruction, Processor, Shader};
use gallium_tgsi::text;
use os_shim::Memory;
use os_shim::options::Table;

fn findings(shader: &Shader<'_>) -> Vec<Finding> {
    let mut all = Vec::new();
    let summary = sanity::check(shader, &mut |finding| all.push(*finding)).unwrap();
    let errors = all.iter().filter(|finding| finding.severity() == Severity::Error);
    assert_eq!(errors.count() as u32, summary.errors);
    assert_eq!(all.len() as u32, summary.errors + summary.warnings);
    all
}

/// Checks that the text gives exactly these findings.
#[track_caller]
fn finds(text: &str, wanted: &[&str]) {
    let shader = text::parse(text, Memory::system()).unwrap_or_else(|error| panic!("{error}"));
    let shown: Vec<String> = findings(&shader).iter().map(|finding| finding.to_string()).collect();
    assert_eq!(shown, wanted, "{text}");
}

/// Checks items of a fragment shader that declares every register used below.
#[track_caller]
fn fragment(instructions: &str, wanted: &[&str]) {
    let declarations = "FRAG DCL IN[0], COLOR, COLOR DCL OUT[0], COLOR DCL TEMP[0..1] DCL ADDR[0] \
        DCL CONST[0] DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT DCL BUFFER[0] DCL IMAGE[0], 2D \
        IMM[0] UINT32 {0, 0, 0, 0}\n";
    let text = format!("{declarations}{instructions}\nEND");
    let shader = text::parse(&text, Memory::system()).unwrap_or_else(|error| panic!("{error}"));
    let shown: Vec<String> = findings(&shader)
        .iter()
        .filter(|finding| !matches!(finding.rule, sanity::Rule::Unused { .. }))
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(shown, wanted, "{instructions}");
}

#[test]
fn a_good_shader() {
    finds("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND", &[]);
}

#[test]
fn invalid_file() {
    fragment(
        "MOV OUT[0], NULL[0]",
        &["line 2, column 1: error: NULL is not a register file for operands"],
    );
    let mut shader = Shader::new(Processor::Vertex, Memory::system());
    shader.push_declaration(Declaration::new(File::Null, 0, 0)).unwrap();
    shader.push_instruction(Instruction::new(Opcode::End)).unwrap();
    assert_eq!(findings(&shader)[0].to_string(), "error: NULL is not a register file for operands");
}

#[test]
fn undeclared() {
    fragment("MOV OUT[0], IN[1]", &["line 2, column 1: error: IN[1] is not declared"]);
    fragment("MOV OUT[1], IN[0]", &["line 2, column 1: error: OUT[1] is not declared"]);
    fragment("MOV OUT[0], IMM[1]", &["line 2, column 1: error: IMM[1] is not declared"]);
    fragment("MOV OUT[0], CONST[1][0]", &["line 2, column 1: error: CONST[1][0] is not declared"]);
    fragment("MOV OUT[0], CONST[0][0]", &[]);
    fragment("MOV OUT[0], CONST[1]", &["line 2, column 1: error: CONST[1] is not declared"]);
    fragment(
        "TEX OUT[0], IN[0], SAMP[0], 2D, IMM[3].xyz",
        &["line 2, column 1: error: IMM[3] is not declared"],
    );
    fragment("MOV OUT[0], SV[ADDR[0].x]", &["line 2, column 1: error: no SV register is declared"]);
    fragment(
        "MOV OUT[0], TEMP[ADDR[1].x]",
        &["line 2, column 1: error: ADDR[1], an index, is not declared"],
    );
    fragment(
        "MOV OUT[0], CONST[ADDR[1].x][0]",
        &["line 2, column 1: error: ADDR[1], an index, is not declared"],
    );
    fragment("MOV OUT[0], TEMP[ADDR[0].x+9]", &[]);
}

#[test]
fn vertices_are_counted() {
    let head = "GEOM PROPERTY GS_INPUT_PRIMITIVE LINES DCL IN[][0], POSITION DCL IN[][1], PRIM_ID DCL OUT[0], POSITION\n";
    finds(
        &format!("{head}MOV OUT[0], IN[2][0]\nADD OUT[0], IN[1][0], IN[1]\nMOV OUT[0], IN[0]\nEND"),
        &[
            "line 2, column 1: error: IN[2][0] is not declared",
            "line 3, column 1: warning: PRIM_ID is declared per vertex but read once",
            "line 4, column 1: error: IN[0] is not declared",
        ],
    );
    finds(
        "TESS_CTRL PROPERTY TCS_VERTICES_OUT 3 DCL OUT[][0], POSITION DCL OUT[1], TESSOUTER\nMOV OUT[2][0], OUT[1]\nMOV OUT[3][0], OUT[1]\nMOV OUT[0], OUT[1]\nEND",
        &[
            "line 3, column 1: error: OUT[3][0] is not declared",
            "line 4, column 1: warning: OUT[0] is declared per vertex; the invocation's own is taken",
        ],
    );
}

#[test]
fn ends() {
    finds("FRAG\nEND\nEND", &["line 3, column 1: error: a second END"]);
    finds("FRAG\nNOP", &["error: END is missing"]);
}

#[test]
fn empty_mask() {
    let mut shader = Shader::new(Processor::Fragment, Memory::system());
    shader.push_declaration(Declaration::new(File::Temporary, 0, 0)).unwrap();
    let mut mov = Instruction::new(Opcode::Mov);
    mov.dst[0] = DstRegister::new(File::Temporary, 0).masked(WriteMask::empty());
    mov.src[0] = SrcRegister::new(File::Temporary, 0);
    shader.push_instruction(mov).unwrap();
    shader.push_instruction(Instruction::new(Opcode::End)).unwrap();
    assert_eq!(findings(&shader)[0].to_string(), "error: MOV writes no component");
}

#[test]
fn late_items() {
    finds(
        "FRAG\nNOP\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV TEMP[0], IMM[0]\nEND",
        &[
            "line 3, column 1: error: a declaration after the first instruction",
            "error: an immediate after the first instruction",
        ],
    );
}

#[test]
fn declared_twice() {
    finds(
        "FRAG\nDCL TEMP[0..3]\nDCL TEMP[3..4]\nMOV TEMP[ADDR[0].x], TEMP[0]\nEND",
        &[
            "line 3, column 1: error: TEMP[3..4] is declared more than once",
            "line 4, column 1: error: ADDR[0], an index, is not declared",
        ],
    );
    finds(
        "FRAG\nDCL SAMP[0]\nDCL SAMP[0]\nEND",
        &[
            "line 3, column 1: error: SAMP[0] is declared more than once",
            "line 2, column 1: warning: SAMP[0] is never used",
            "line 3, column 1: warning: SAMP[0] is never used",
        ],
    );
    let tail = "MOV OUT[0], IN[0]\nADD OUT[0], OUT[0], IN[1]\nEND";
    let head = "FRAG\nDCL OUT[0], COLOR\nDCL IN[0..1].xyz, GENERIC[0], LINEAR\n";
    finds(
        &format!("{head}DCL IN[1].w, GENERIC[1], LINEAR\n{tail}"),
        &["line 4, column 1: warning: IN[1] is declared again, as the same"],
    );
    finds(
        &format!("{head}DCL IN[1].w, GENERIC[2], LINEAR\n{tail}"),
        &["line 4, column 1: error: IN[1] is declared more than once"],
    );
    finds(
        "VERT DCL CONST[0][0] DCL CONST[1][0] DCL OUT[0], POSITION\nADD OUT[0], CONST[0][0], CONST[1][0] END",
        &[],
    );
}

#[test]
fn wide_immediates() {
    finds("FRAG\nIMM[0] FLT64 {0.0, 0.0}\nEND", &["warning: an immediate of 64 bits"]);
}

#[test]
fn never_used() {
    finds(
        "FRAG\nDCL TEMP[0..9]\nMOV TEMP[2], TEMP[7]\nEND",
        &[
            "line 2, column 1: warning: TEMP[0..1] is never used",
            "line 2, column 1: warning: TEMP[3..6] is never used",
            "line 2, column 1: warning: TEMP[8..9] is never used",
        ],
    );
    finds("FRAG\nDCL TEMP[0..9] DCL ADDR[0]\nMOV TEMP[2], TEMP[ADDR[0].x]\nEND", &[]);
}

#[test]
fn memory_index() {
    finds(
        "COMP DCL MEMORY[1], SHARED DCL TEMP[0]\nLOAD TEMP[0], MEMORY[0], TEMP[0]\nEND",
        &["line 2, column 1: warning: MEMORY is declared with another index"],
    );
}

#[test]
fn unknown_properties() {
    finds(
        "FRAG\nPROPERTY NEW_THING 1\nEND",
        &["warning: 1 properties are not known and were skipped"],
    );
}

#[test]
fn nesting() {
    fragment("ENDIF", &["line 2, column 1: error: ENDIF does not match what is open here"]);
    fragment(
        "IF IN[0] ELSE\nELSE ENDIF",
        &["line 3, column 1: error: ELSE does not match what is open here"],
    );
    fragment(
        "BGNLOOP IF IN[0]\nENDLOOP ENDIF ENDLOOP",
        &["line 3, column 1: error: ENDLOOP does not match what is open here"],
    );
    fragment("BRK", &["line 2, column 1: error: BRK does not match what is open here"]);
    fragment(
        "SWITCH IN[0] CASE IN[0] BRK\nCONT ENDSWITCH",
        &["line 3, column 1: error: CONT does not match what is open here"],
    );
    fragment("CASE IN[0]", &["line 2, column 1: error: CASE does not match what is open here"]);
    fragment("BGNLOOP SWITCH IN[0] CASE IN[0] CONT BRK DEFAULT ENDSWITCH BRK ENDLOOP", &[]);
    fragment(
        "IF IN[0]\nBGNSUB ENDIF ENDSUB",
        &[
            "line 3, column 1: error: BGNSUB does not match what is open here",
            "line 3, column 14: error: ENDSUB does not match what is open here",
        ],
    );
    finds(
        "FRAG\nUIF IN[0]\nEND",
        &["line 2, column 1: error: IN[0] is not declared", "error: UIF is never closed"],
    );
    let deep = |levels| "BGNLOOP ".repeat(levels) + &"ENDLOOP ".repeat(levels);
    fragment(&deep(64), &[]);
    fragment(&deep(65), &["line 2, column 513: error: more than 64 nested blocks"]);
}

#[test]
fn calls() {
    fragment("CAL :2 RET BGNSUB ENDSUB", &[]);
    fragment(
        "CAL :1 RET BGNSUB ENDSUB",
        &["line 2, column 1: error: CAL needs the label of a BGNSUB"],
    );
    fragment("CAL", &["line 2, column 1: error: CAL needs the label of a BGNSUB"]);
}

#[test]
fn stages() {
    fragment("EMIT IMM[0]", &["line 2, column 1: error: EMIT has no meaning in FRAG"]);
    fragment("BARRIER", &["line 2, column 1: error: BARRIER has no meaning in FRAG"]);
    finds("VERT\nKILL\nEND", &["line 2, column 1: error: KILL has no meaning in VERT"]);
}

#[test]
fn files() {
    fragment("MOV IN[0], IN[0]", &["line 2, column 1: error: MOV cannot write IN"]);
    fragment("MOV CONST[0], IN[0]", &["line 2, column 1: error: MOV cannot write CONST"]);
    fragment("STORE BUFFER[0], IN[0], IN[0]", &[]);
    fragment("STORE SAMP[0], IN[0], IN[0]", &["line 2, column 1: error: STORE cannot write SAMP"]);
    fragment("MOV OUT[0], SAMP[0]", &["line 2, column 1: error: MOV cannot read SAMP here"]);
    fragment(
        "TEX OUT[0], IN[0], SVIEW[0], 2D",
        &["line 2, column 1: error: TEX cannot read SVIEW here"],
    );
    fragment("TEX OUT[0], IN[0], TEMP[0], 2D", &[]);
    fragment("TG4 OUT[0], IN[0], IN[0], SAMP[0][0], SHADOW2D", &[]);
    fragment(
        "TG4 OUT[0], IN[0], IN[0], SAMP[7][0], SHADOW2D",
        &["line 2, column 1: error: SVIEW[7] is not declared"],
    );
    fragment("SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]", &[]);
    fragment(
        "SAMPLE OUT[0], IN[0], SAMP[0], SVIEW[0]",
        &[
            "line 2, column 1: error: SAMPLE cannot read SAMP here",
            "line 2, column 1: error: SAMPLE cannot read SVIEW here",
        ],
    );
    fragment("FBFETCH TEMP[0], IN[0]", &["line 2, column 1: error: FBFETCH cannot read IN here"]);
    fragment("MOV OUT[0], TEMP[IN[0].x]", &["line 2, column 1: error: IN cannot index registers"]);
}

#[test]
fn limits() {
    finds(
        "FRAG DCL SAMP[0..32]\nEND",
        &[
            "line 1, column 6: error: SAMP[0..32] is beyond the limit of 32",
            "line 1, column 6: warning: SAMP[0..32] is never used",
        ],
    );
    finds(
        "FRAG DCL CONST[32][0]\nEND",
        &[
            "line 1, column 6: error: CONST[32][0] is beyond the limit of 32",
            "line 1, column 6: warning: CONST[32][0] is never used",
        ],
    );
}

#[test]
fn targets() {
    let mut shader = Shader::new(Processor::Fragment, Memory::system());
    shader.push_declaration(Declaration::new(File::SamplerView, 0, 0)).unwrap();
    shader.push_instruction(Instruction::new(Opcode::End)).unwrap();
    assert_eq!(findings(&shader)[0].to_string(), "error: SVIEW[0] has no texture target");
}

#[test]
fn printing_is_an_option() {
    let shader = text::parse("FRAG\nNOP", Memory::system()).unwrap();
    let options = Table(&[(sanity::PRINT_OPTION, "true")]);
    let summary = sanity::check_logged(&shader, &options).unwrap();
    assert_eq!((summary.errors, summary.warnings, summary.passed()), (1, 0, false));
}
