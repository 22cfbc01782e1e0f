//! The grammar, construct by construct: valid texts, their canonical form, and invalid texts.
#![cfg(feature = "text")]

use gallium_tgsi::{text, token};
use os_shim::Memory;

/// Parses `items` in a stage and prints them without the header.
fn print(stage: &str, items: &str) -> String {
    let text = format!("{stage}\n{items}");
    let shader =
        text::parse(&text, Memory::system()).unwrap_or_else(|error| panic!("{items}: {error}"));
    let tokens = token::encode(&shader, Memory::system()).unwrap();
    let decoded = token::decode(&tokens, Memory::system()).unwrap();
    assert_eq!(decoded, shader, "{items}");
    let printed = shader.to_string();
    printed.split_once('\n').unwrap().1.to_owned()
}

/// Checks that each line parses alone and prints unchanged.
#[track_caller]
fn same(stage: &str, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let instruction = !["DCL", "IMM", "PROPERTY"].iter().any(|item| line.starts_with(item));
        let wanted = if instruction { format!("  0: {line}\n") } else { format!("{line}\n") };
        assert_eq!(print(stage, line), wanted, "{stage}");
    }
}

/// Checks that the text prints as `wanted`.
#[track_caller]
fn printed(stage: &str, items: &str, wanted: &str) {
    assert_eq!(print(stage, items), wanted, "{stage} {items}");
}

#[track_caller]
fn refused(text: &str, wanted: &str) {
    let error = text::parse(text, Memory::system()).expect_err(text);
    assert_eq!(error.to_string(), wanted, "{text}");
}

#[test]
fn vertex() {
    same(
        "VERT",
        "DCL IN[0]
        DCL IN[1..2]
        DCL OUT[0], POSITION, INVARIANT
        DCL OUT[1].xy, GENERIC[9]
        DCL OUT[2], CLIPDIST[1]
        DCL OUT[3..6], ARRAY(1), GENERIC[3]
        DCL SV[0], INSTANCEID
        DCL CONST[0..4]
        DCL CONST[1][0..63]
        DCL TEMP[0..7]
        DCL TEMP[8..15], ARRAY(2), LOCAL
        DCL ADDR[0..1]
        DCL HWATOMIC[0][3]
        DCL HWATOMIC[1][1..3], ARRAY(1)
        IMM[0] FLT32 {0x3f800000, 0x00000000, 0xbf800000, 0x7f800000}
        IMM[0] UINT32 {4294967295, 0, 1, 2}
        PROPERTY NEXT_SHADER GEOM
        PROPERTY SEPARABLE_PROGRAM 1
        PROPERTY NUM_CLIPDIST_ENABLED 2
        MOV OUT[0], IN[0]
        MOV_SAT OUT[1].xw, -|TEMP[3].wzyx|
        MUL_PRECISE TEMP[0], TEMP[1], IMM[0].xxxx
        MAD TEMP[0].xyz, CONST[1][2].xyzx, IN[0].yyyy, -TEMP[1].xyzx
        ADD_SAT_PRECISE TEMP[0], TEMP[1], TEMP[2]
        UARL ADDR[0].x, TEMP[0].xxxx
        MOV TEMP[1], CONST[ADDR[0].x+3]
        MOV TEMP[1], CONST[1][ADDR[0].x]
        MOV TEMP[1], CONST[ADDR[1].x+1][ADDR[0].x-2]
        MOV TEMP[ADDR[0].x+8](2).xy, TEMP[ADDR[0].y+9](2).xyxx
        DFRACEXP TEMP[0].xy, TEMP[1].x, TEMP[2].xyxy
        UIF TEMP[0].xxxx :12
        CAL :20",
    );
    printed(
        "VERT",
        "IMM FLT32 { 1.0, -2, .5, 3e-2 }",
        "IMM[0] FLT32 {0x3f800000, 0xc0000000, 0x3f000000, 0x3cf5c28f}\n",
    );
    printed(
        "VERT",
        "IMM[0] INT32 {-1, +7, 0, 2147483647}",
        "IMM[0] INT32 {-1, 7, 0, 2147483647}\n",
    );
    printed("VERT", "IMM[0] FLT64 {1.5, -0.25}", "IMM[0] FLT64 {1.50000000, -0.25000000}\n");
    printed("VERT", "IMM[0] INT64 {-5, 0x10}", "IMM[0] INT64 {-5, 16}\n");
    printed(
        "VERT",
        "IMM[0] UINT64 {18446744073709551615, 010}",
        "IMM[0] UINT64 {18446744073709551615, 8}\n",
    );
}

#[test]
fn fragment() {
    same(
        "FRAG",
        "DCL IN[0], POSITION, LINEAR
        DCL IN[1].xy, GENERIC[3], PERSPECTIVE, CENTROID
        DCL IN[2], COLOR, COLOR
        DCL IN[3].x, FACE, CONSTANT
        DCL IN[4], GENERIC[7], PERSPECTIVE, SAMPLE
        DCL OUT[0], COLOR
        DCL SAMP[0..1]
        DCL SVIEW[0], SHADOW2D_ARRAY, FLOAT
        DCL SVIEW[1], BUFFER, UINT, SINT, UINT, UINT
        PROPERTY FS_COORD_ORIGIN LOWER_LEFT
        PROPERTY FS_COORD_PIXEL_CENTER INTEGER
        PROPERTY FS_DEPTH_LAYOUT 2
        TEX TEMP[0], IN[1].xyyy, SAMP[0], 2D
        TEX TEMP[0], IN[1].xyyy, SAMP[ADDR[2].x+1], 2D, IMM[0].xyx
        TG4 TEMP[0], IN[1].xyyy, IMM[0].xxxx, SAMP[0], 2D, IMM[1].xyx, IMM[1].yyx, IMM[1].xxx, IMM[1].yxx
        TXD TEMP[0], TEMP[1], TEMP[2], TEMP[3], SAMP[0], SHADOWRECT
        TEX2 TEMP[0], TEMP[1], TEMP[2].xxxx, SAMP[0], SHADOWCUBEARRAY
        TXQ TEMP[0].xyz, IMM[0].xxxx, SAMP[0], 2D_ARRAY
        TXQS TEMP[0].x, SAMP[0], 2D_MSAA
        SAMPLE_D TEMP[0], TEMP[1], SVIEW[0], SAMP[0], TEMP[2], TEMP[3], IMM[0].xyz
        INTERP_OFFSET TEMP[0], IN[1], TEMP[1].xyyy
        KILL_IF -TEMP[0].xxxx
        KILL
        FBFETCH TEMP[0], OUT[0]
        DDX_FINE TEMP[0].xy, IN[1].xyxx",
    );
    printed("FRAG", "DCL SVIEW[1], BUFFER, UINT, UINT, UINT, UINT", "DCL SVIEW[1], BUFFER, UINT\n");
}

#[test]
fn locations_keep_the_mode_that_the_grammar_wants_before_them() {
    for (stage, text) in [
        ("VERT", "DCL OUT[0], GENERIC[1], PERSPECTIVE, CENTROID"),
        ("FRAG", "DCL OUT[0], COLOR, CONSTANT, SAMPLE, INVARIANT"),
        ("FRAG", "DCL SV[0], FACE, LINEAR, CENTROID"),
        ("GEOM", "DCL OUT[0], ARRAY(1), GENERIC[1], STREAM(0, 1, 2, 3), LINEAR, SAMPLE"),
        ("TESS_EVAL", "DCL OUT[0..3], ARRAY(2), LOCAL, GENERIC[1], COLOR, CENTROID"),
        ("COMP", "DCL BUFFER[0], ATOMIC, LINEAR, CENTROID"),
    ] {
        same(stage, text);
    }
    // Without a location, only fragment inputs have a mode.
    printed("VERT", "DCL OUT[0], GENERIC[1], LINEAR, CENTER", "DCL OUT[0], GENERIC[1]\n");
}

#[test]
fn nothing_follows_the_return_types_of_a_view() {
    for clause in ["LINEAR", "INVARIANT", "LINEAR, CENTROID", "FLOAT"] {
        let name = clause.split(',').next().unwrap();
        refused(
            &format!("FRAG\nDCL SVIEW[0], 2D, FLOAT, FLOAT, FLOAT, FLOAT, {clause}\nEND\n"),
            &format!(
                "line 2, column 47: expected no more clauses (a view's return types are the last), \
                 found \"{name}\""
            ),
        );
    }
}

#[test]
fn compute() {
    same(
        "COMP",
        "PROPERTY CS_FIXED_BLOCK_WIDTH 64
        DCL SV[0], THREAD_ID
        DCL BUFFER[0]
        DCL BUFFER[1], ATOMIC
        DCL MEMORY[1], SHARED
        DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
        LOAD TEMP[0].xy, BUFFER[0], TEMP[1].xxxx, COHERENT, VOLATILE
        LOAD TEMP[0], BUFFER[ADDR[2].x+1], TEMP[1].xxxx
        LOAD TEMP[0], IMAGE[0], TEMP[1], RESTRICT, 2D, PIPE_FORMAT_R32_UINT
        STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx
        STORE IMAGE[0], TEMP[0], TEMP[1], 2D, PIPE_FORMAT_R32_UINT
        RESQ TEMP[0].x, BUFFER[0]
        RESQ TEMP[0].xy, IMAGE[0], 2D
        ATOMUADD TEMP[0].x, HWATOMIC[0][ADDR[2].x+1](1), IMM[0].xxxx, IMM[0].yyyy
        ATOMFADD TEMP[0].x, IMAGE[0], TEMP[1], TEMP[2].xxxx, COHERENT, 2D
        ATOMCAS TEMP[0].x, MEMORY[0], IMM[0].xxxx, TEMP[1].xxxx, TEMP[2].xxxx
        MEMBAR IMM[0].xxxx
        BARRIER",
    );
    printed(
        "COMP",
        "DCL IMAGE[1], CUBEARRAY, RAW, WR, PIPE_FORMAT_NONE",
        "DCL IMAGE[1], CUBEARRAY, PIPE_FORMAT_NONE, WR, RAW\n",
    );
    printed("COMP", "DCL MEMORY[0]", "DCL MEMORY[0], GLOBAL\n");
}

#[test]
fn geometry_and_tessellation() {
    let properties = "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY\n";
    printed(
        "GEOM",
        &format!("{properties}DCL IN[][0], POSITION\n"),
        &format!("{properties}DCL IN[][0], POSITION\n"),
    );
    printed(
        "GEOM",
        &format!("{properties}DCL IN[3][0], POSITION\n"),
        &format!("{properties}DCL IN[][0], POSITION\n"),
    );
    // Without the property an empty bracket could not be read back.
    printed("GEOM", "DCL IN[0]", "DCL IN[0]\n");
    same(
        "GEOM",
        "PROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP
        DCL OUT[1].xy, GENERIC[0], STREAM(0, 1, 0, 0)
        MOV OUT[0], IN[2][0]
        MOV OUT[0], IN[ADDR[1].x][0]
        EMIT IMM[0].xxxx
        ENDPRIM IMM[0].xxxx",
    );
    same(
        "TESS_CTRL",
        "PROPERTY TCS_VERTICES_OUT 3
        DCL IN[][0], POSITION
        DCL OUT[][0], POSITION
        DCL OUT[1].xyz, TESSOUTER
        DCL OUT[2], PATCH[3]
        MOV OUT[ADDR[1].x][0], IN[ADDR[1].x][0]
        MOV OUT[ADDR[1].x][ADDR[0].x+1], TEMP[0]",
    );
    same("TESS_EVAL", "DCL IN[][0], POSITION\nDCL IN[2], PATCH\nMOV TEMP[0], IN[2][ADDR[0].x]");
}

#[test]
fn nesting_indents_and_numbers_are_renewed() {
    printed(
        "FRAG",
        "7: IF TEMP[0].xxxx :2 ELSE MOV OUT[0], IN[0] 1:ENDIF BGNLOOP :0 BRK ENDLOOP :0 END",
        "  0: IF TEMP[0].xxxx :2\n  1: ELSE\n  2:   MOV OUT[0], IN[0]\n  3: ENDIF\n  4: BGNLOOP :0\n  5:   BRK\n  6: ENDLOOP :0\n  7: END\n",
    );
}

#[test]
fn order_of_items_is_kept() {
    let text = "DCL CONST[0]\nIMM[0] UINT32 {1, 2, 3, 4}\nPROPERTY SEPARABLE_PROGRAM 1\nDCL TEMP[0..3]\n  0: END\n";
    printed("FRAG", text, text);
}

#[test]
fn leniences() {
    printed("VERT", "mov out[0], in[1].XYZX", "  0: MOV OUT[0], IN[1].xyzx\n");
    printed("VERT", "MOV TEMP[0], TEMP[1].y", "  0: MOV TEMP[0], TEMP[1].yyyy\n");
    printed("VERT", "MOV TEMP[0], # why\r\n TEMP[1]\r\n# the end", "  0: MOV TEMP[0], TEMP[1]\n");
    printed(
        "VERT",
        "MOV TEMP [ 0 ] . x , - | TEMP[ADDR[0] + 3] . xyzw |",
        "  0: MOV TEMP[0].x, -|TEMP[ADDR[0].x+3]|\n",
    );
    printed(
        "VERT",
        "MOV TEMP[0], TEMP[ADDR [ 0 ] . y - 3]",
        "  0: MOV TEMP[0], TEMP[ADDR[0].y-3]\n",
    );
    printed("VERT", "PROPERTY FROM_THE_FUTURE 1 2 3\nEND", "  0: END\n");
    printed("FRAG", "PROPERTY MUL_ZERO_WINS 1", "PROPERTY LEGACY_MATH_RULES 1\n");
    printed("FRAG", "END\0 not text any more", "  0: END\n");
}

/// Spellings in the manual that the reference parser refuses; each prints in canonical form.
#[test]
fn the_manuals_own_writing() {
    // The manual's examples unchanged, one of each kind.
    for (example, canonical) in [
        ("SAMPLE TEMP[0], TEMP[1], SVIEW[0], SAMP[0]", ""),
        ("SAMPLE_I TEMP[0], TEMP[1], SVIEW[0]", ""),
        (
            "SAMPLE_B TEMP[0], TEMP[1], SVIEW[0], SAMP[0], TEMP[2].x",
            "SAMPLE_B TEMP[0], TEMP[1], SVIEW[0], SAMP[0], TEMP[2].xxxx",
        ),
        (
            "SAMPLE_C TEMP[0], TEMP[1], SVIEW[0].r, SAMP[0], TEMP[2].x",
            "SAMPLE_C TEMP[0], TEMP[1], SVIEW[0].xxxx, SAMP[0], TEMP[2].xxxx",
        ),
        ("SAMPLE_D TEMP[0], TEMP[1], SVIEW[0], SAMP[0], TEMP[2], TEMP[3]", ""),
        ("SVIEWINFO TEMP[0], TEMP[1].x, SVIEW[0]", "SVIEWINFO TEMP[0], TEMP[1].xxxx, SVIEW[0]"),
        ("RESQ TEMP[0], BUFFER[0]", ""),
        ("FBFETCH TEMP[0], OUT[0]", ""),
        ("IMG2HND TEMP[0], IMAGE[0]", ""),
        ("SAMP2HND TEMP[0], SAMP[0]", ""),
        ("ATOMINC_WRAP TEMP[0], BUFFER[0], TEMP[1], TEMP[2]", ""),
        ("VOTE_ANY TEMP[0].x, TEMP[1].x", "VOTE_ANY TEMP[0].x, TEMP[1].xxxx"),
        ("BALLOT TEMP[0].xy, TEMP[1].x", "BALLOT TEMP[0].xy, TEMP[1].xxxx"),
    ] {
        let canonical = if canonical.is_empty() { example } else { canonical };
        printed("FRAG", example, &format!("  0: {canonical}\n"));
    }
    printed(
        "VERT",
        "DCL CONST[0][0..7]       # declare first 8 vectors of constbuf 0\n\
         DCL CONST[3][0]          # declare first vector of constbuf 3\n",
        "DCL CONST[0][0..7]\nDCL CONST[3][0]\n",
    );
    printed(
        "FRAG",
        "DCL SVIEW[0], 2DArray, UNORM\nDCL RES[0], 1DArray, WR, RAW\nDCL IN[0], PRIMID, CONSTANT",
        "DCL SVIEW[0], 2D_ARRAY, UNORM\nDCL IMAGE[0], 1D_ARRAY, PIPE_FORMAT_NONE, WR, RAW\n\
         DCL IN[0], PRIM_ID, CONSTANT\n",
    );
    // An example that counts from 1, in a text with CR LF.
    printed(
        "VERT",
        "DCL TEMP[0], LOCAL\r\n  1: DP3 TEMP[0].x, IN[0].xyzz, IN[1].xyzz\r\n  2: END\r\n",
        "DCL TEMP[0], LOCAL\n  0: DP3 TEMP[0].x, IN[0].xyzz, IN[1].xyzz\n  1: END\n",
    );
}

#[test]
fn comments_stand_anywhere_between_words() {
    printed(
        "VERT # the stage",
        "#a whole line\n\t# another\nMOV # opcode\nTEMP[0] #dst\n, #comma\nTEMP[#\n1 #\n]#end\n",
        "  0: MOV TEMP[0], TEMP[1]\n",
    );
    printed("VERT", "IMM[0] UINT32 {1, # one\n2, 3, 4}", "IMM[0] UINT32 {1, 2, 3, 4}\n");
    printed("VERT", "# \u{e9}\u{4e2d} is text too\nEND #", "  0: END\n");
    refused(
        "VERT\n# MVO is only said\nMVO",
        "line 3, column 1: expected an opcode, found \"MVO\" (did you mean MOV?)",
    );
}

/// Errors name constructs that TGSI had in 2010 and lacks today, with the replacement.
#[test]
fn errors_name_what_left_tgsi() {
    let error = |text: &str| {
        let error = text::parse(text, Memory::system()).expect_err(text).to_string();
        assert!(!error.contains("did you mean"), "{error}");
        error
    };
    for (line, name) in [
        ("ARA ADDR[0].x, TEMP[0]", "ARA left it"),
        ("BRA :3", "BRA left it"),
        ("PUSHA ADDR[0].x", "PUSHA left it"),
        ("popa ADDR[0].x", "POPA left it"),
        ("SETP PRED[0].x, TEMP[0], TEMP[1]", "predicates left it"),
        ("DCL PRED[0]", "predicates left it"),
        ("(PRED[0].x) MOV TEMP[0], TEMP[1]", "predicates left TGSI"),
        ("MOV_SATNV TEMP[0], TEMP[1]", "_SATNV left it"),
        ("DCL TEMPX[0][0..3]", "TEMPX left it"),
        ("MOV TEMP[0], IMMX[0][1]", "IMMX left it"),
        ("DCL IN[0], GENERIC[0], PERSPECTIVE, CYLWRAP_X", "cylindrical wrap left it"),
        ("DCL IN[0], GENERIC[0], CYLWRAP_XY", "cylindrical wrap left it"),
    ] {
        let error = error(&format!("FRAG\n{line}\nEND\n"));
        assert!(error.starts_with("line 2, ") && error.contains(name), "{line}: {error}");
    }
}

#[test]
fn old_spellings() {
    printed("FRAG", "KIL TEMP[0] KILP", "  0: KILL_IF TEMP[0]\n  1: KILL\n");
    printed("FRAG", "ABS TEMP[0], -TEMP[1]", "  0: MOV TEMP[0], |TEMP[1]|\n");
    printed(
        "FRAG",
        "SUB_SAT TEMP[0], TEMP[1], -TEMP[2].x",
        "  0: ADD_SAT TEMP[0], TEMP[1], TEMP[2].xxxx\n",
    );
    printed("FRAG", "SHR TEMP[0], TEMP[1], TEMP[2]", "  0: ISHR TEMP[0], TEMP[1], TEMP[2]\n");
    printed(
        "GEOM",
        "IMM[0] UINT32 {7, 0, 7, 7} EMIT ENDPRIM END",
        "IMM[0] UINT32 {7, 0, 7, 7}\n  0: EMIT IMM[0].yyyy\n  1: ENDPRIM IMM[0].yyyy\n  2: END\n",
    );
    printed("GEOM", "EMIT END", "IMM[0] UINT32 {0, 0, 0, 0}\n  0: EMIT IMM[0].xxxx\n  1: END\n");
    printed(
        "FRAG",
        "DCL TEMP[0..2] DP2A_SAT TEMP[0], TEMP[1], TEMP[2], TEMP[0].w CLAMP TEMP[0], TEMP[0], TEMP[1], TEMP[2]",
        "DCL TEMP[0..2]\nDCL TEMP[3]\n  0: DP2 TEMP[3].x, TEMP[1], TEMP[2]\n  1: ADD_SAT TEMP[0], TEMP[3].xxxx, TEMP[0].wwww\n  2: MAX TEMP[3], TEMP[0], TEMP[1]\n  3: MIN TEMP[0], TEMP[3], TEMP[2]\n",
    );
}

#[test]
fn labels_move_with_old_instructions() {
    printed(
        "FRAG",
        "DCL TEMP[0..1] DPH TEMP[0], TEMP[0], TEMP[1] CAL :3 END BGNSUB BREAKC TEMP[0] ENDSUB",
        "DCL TEMP[0..1]\nDCL TEMP[2]\n  0: DP3 TEMP[2].x, TEMP[0], TEMP[1]\n  1: ADD TEMP[0], TEMP[2].xxxx, TEMP[1].wwww\n  2: CAL :4\n  3: END\n  4: BGNSUB\n  5:   UIF TEMP[0]\n  6:     BRK\n  7:   ENDIF\n  8: ENDSUB\n",
    );
}

#[test]
fn decimal_floats() {
    let text = "FRAG\nIMM[0] FLT32 {1.0, -0.5, 1e-9, 0x7fc00001}\n";
    let shader = text::parse(text, Memory::system()).unwrap();
    let decimal = format!("{shader:#}");
    assert_eq!(decimal, "FRAG\nIMM[0] FLT32 {    1.0000,    -0.5000, 1e-9, 0x7fc00001}\n");
    assert_eq!(text::parse(&decimal, Memory::system()).unwrap(), shader);
}

#[test]
fn doubles_lose_nothing() {
    // The reference printer would print 1/16777215 as 0.00000006.
    for value in [1.0 / 16777215.0, 6e-8, f64::MAX, f64::MIN_POSITIVE / 8.0, 1e300, -0.0] {
        let text = format!("FRAG\nIMM[0] FLT64 {{{value:e}, 0.0}}");
        let shader = text::parse(&text, Memory::system()).unwrap();
        let again = text::parse(&shader.to_string(), Memory::system()).unwrap();
        assert_eq!(again.immediates()[0].pairs()[0], value.to_bits(), "{text}");
    }
    printed("FRAG", "IMM[0] FLT64 {inf, -nan(0x123)}", "IMM[0] FLT64 {       inf, -nan(0x123)}\n");
    printed("FRAG", "IMM[0] FLT64 {0.00000006, nan}", "IMM[0] FLT64 {0.00000006,        nan}\n");
}

#[test]
fn errors() {
    refused(
        "",
        "line 1, column 1: expected a stage: VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG or COMP, found the end of the text",
    );
    refused(
        "FRAGG",
        "line 1, column 1: expected a stage: VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG or COMP, found \"FRAGG\" (did you mean FRAG?)",
    );
    refused(
        "FRAG\n  0: MVO OUT[0], IN[0]",
        "line 2, column 6: expected an opcode, found \"MVO\" (did you mean MOV?)",
    );
    refused(
        "FRAG\nMOV_PRECISE_SAT OUT[0], IN[0]",
        "line 2, column 1: expected an opcode, found \"MOV_PRECISE_SAT\"",
    );
    refused(
        "FRAG\nMOV OUT[0]\n\n  IN[0]",
        "line 4, column 3: expected \",\" and another operand, found \"IN\"",
    );
    refused(
        "FRAG\nMOV OUT[0], TMP[0]",
        "line 2, column 13: expected a register, found \"TMP\" (did you mean TEMP?)",
    );
    refused(
        "FRAG\nMOV OUT[0], IN[0].xy",
        "line 2, column 19: expected a swizzle: four letters of xyzw, or one, found \"xy\"",
    );
    refused(
        "FRAG\nMOV OUT[0].yx, IN[0]",
        "line 2, column 12: expected a mask: letters of xyzw, in this order, found \"yx\"",
    );
    refused(
        "FRAG\nMOV OUT[0], IN[-1]",
        "line 2, column 16: expected a register number, or an address register, found \"-\"",
    );
    refused(
        "FRAG\nMOV OUT[0], IN[40000]",
        "line 2, column 16: expected a register number up to 32767, found \"40000\"",
    );
    refused("FRAG\nMOV OUT[0], |-IN[0]|", "line 2, column 14: expected a register, found \"-\"");
    refused(
        "FRAG\nMOV OUT[0], IN[0]MOV",
        "line 2, column 18: expected white space, or a comma, found \"MOV\"",
    );
    refused(
        "FRAG\nTEX TEMP[0], IN[0], SAMP[0]\nEND",
        "line 3, column 1: expected \",\" and a texture target, found \"END\"",
    );
    refused(
        "FRAG\nTEX TEMP[0], IN[0], SAMP[0], 2D_ARAY",
        "line 2, column 30: expected a texture target, found \"2D_ARAY\" (did you mean 2D_ARRAY?)",
    );
    refused(
        "FRAG\n5: DCL IN[0]",
        "line 2, column 4: expected an instruction after its number, found \"DCL\"",
    );
    refused(
        "FRAG\nDCL IN[0], PERSPECTIVE",
        "line 2, column 12: expected a semantic, found \"PERSPECTIVE\"",
    );
    refused(
        "FRAG\nDCL IN[0], GENERIK[0]",
        "line 2, column 12: expected a semantic, found \"GENERIK\" (did you mean GENERIC?)",
    );
    refused(
        "FRAG\nDCL IN[3..1]",
        "line 2, column 8: expected a range that does not end before it starts, found \"3\"",
    );
    refused(
        "FRAG\nDCL IN[0], COLOR, COLOR, LINEAR",
        "line 2, column 26: expected no more clauses of this kind (order: ARRAY, LOCAL, semantic, STREAM, interpolation, location, INVARIANT), found \"LINEAR\"",
    );
    refused(
        "FRAG\nDCL IN[]",
        "line 2, column 8: expected a register number (nothing implies a size here), found \"]\"",
    );
    refused(
        "GEOM\nDCL IN[][0], POSITION",
        "line 2, column 8: expected a register number (nothing implies a size here), found \"]\"",
    );
    refused(
        "VERT\nDCL IN[0], GENERIC[0]",
        "line 2, column 12: expected ARRAY (vertex inputs have no semantics), found \"GENERIC\"",
    );
    refused(
        "VERT\nIMM[1] UINT32 {0, 0, 0, 0}",
        "line 2, column 5: expected the number of immediates before this one, found \"1\"",
    );
    refused(
        "VERT\nIMM[0] FLT32 {0x3f8, 0, 0, 0}",
        "line 2, column 15: expected a float, or 0x and eight hexadecimal digits, found \"0x3f8\"",
    );
    refused(
        "VERT\nIMM[0] FLT32 {1.f, 0, 0, 0}",
        "line 2, column 15: expected a float, or 0x and eight hexadecimal digits, found \"1\"",
    );
    refused(
        "VERT\nIMM[0] FLT32 {inf, 0, 0, 0}",
        "line 2, column 15: expected a float, or 0x and eight hexadecimal digits, found \"inf\"",
    );
    refused(
        "VERT\nIMM[0] UINT32 {-1, 0, 0, 0}",
        "line 2, column 16: expected an integer of 32 bits, found \"-\"",
    );
    refused(
        "VERT\nIMM[0] UINT32 {1, 2, 3}",
        "line 2, column 23: expected \",\" and the next value, found \"}\"",
    );
    refused(
        "VERT\nIMM[0] FLT64 {1, 2, 3}",
        "line 2, column 19: expected \"}\" after two values, found \",\"",
    );
    refused(
        "FRAG\nPROPERTY FS_COORD_ORIGIN LEFT",
        "line 2, column 26: expected UPPER_LEFT or LOWER_LEFT, found \"LEFT\"",
    );
    refused("FRAG\nMOV OUT[0], IN[0] é", "line 2, column 19: expected an opcode, found \"é\"");
    refused(
        "FRAG\nDCL IMAGE[0], 2D, PIPE_FORMAT_R33_UINT",
        "line 2, column 19: expected a known format, found \"PIPE_FORMAT_R33_UINT\"",
    );
}
