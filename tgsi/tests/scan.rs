//! Scan results of shaders small enough to check by eye.
#![cfg(feature = "text")]

use gallium_tgsi::declaration::{Semantic, SemanticName};
use gallium_tgsi::opcode::Opcode;
use gallium_tgsi::register::{File, WriteMask};
use gallium_tgsi::scan::{Does, ShaderInfo, read_mask, registers_read};
use gallium_tgsi::shader::TextureTarget;
use gallium_tgsi::text;
use os_shim::Memory;

fn scan(text: &str) -> ShaderInfo<'static> {
    let shader = text::parse(text, Memory::system()).unwrap_or_else(|error| panic!("{error}"));
    ShaderInfo::new(&shader).unwrap()
}

#[test]
fn a_fragment_shader() {
    let info = scan(
        "FRAG
        DCL IN[0].xy, GENERIC[9], PERSPECTIVE
        DCL IN[1], COLOR, COLOR
        DCL OUT[0], COLOR
        DCL OUT[1], POSITION
        DCL OUT[2], COLOR[3]
        DCL SV[0], SAMPLEID
        DCL SAMP[0..2]
        DCL CONST[0..4]
        DCL CONST[3][0]
        DCL TEMP[0..6]
        IMM[0] UINT32 {0, 0, 0, 0}
        IMM[1] UINT32 {0, 0, 0, 0}
        TEX TEMP[0], IN[0].xyyy, SAMP[2], SHADOW2D
        UIF SV[0].xxxx
          BGNLOOP
            BRK
          ENDLOOP
          KILL_IF TEMP[0]
        ENDIF
        MOV OUT[0].xyz, TEMP[TEMP[1].x]
        MOV OUT[1].z, IN[1].wwww
        END",
    );
    assert_eq!(info.instructions, 10);
    assert_eq!(
        (info.count(Opcode::Mov), info.count(Opcode::Tex), info.count(Opcode::Add)),
        (2, 1, 0)
    );
    let wanted = Does::KILL
        | Does::DERIVATIVES
        | Does::WRITE_DEPTH
        | Does::CONTROL_FLOW
        | Does::TEXTURES
        | Does::PER_SAMPLE;
    assert_eq!(info.does, wanted);
    assert_eq!(info.depth, 2);
    assert_eq!(info.samplers, 0b100);
    assert_eq!(info.targets[2], Some(TextureTarget::Shadow2D));
    assert_eq!(info.constant_buffers, 0b1001);
    assert_eq!(info.colors_written, 0b1);
    assert_eq!(info.last[File::Temporary as usize], Some(6));
    assert_eq!(info.last[File::Immediate as usize], Some(1));
    assert_eq!(info.last[File::Address as usize], None);
    assert_eq!(info.indirect_reads, 1 << File::Temporary as u32);
    assert_eq!(info.indirect_writes, 0);
    // The coordinate's z, the reference value, is read through the swizzle from y.
    assert_eq!(info.input(Semantic::generic(9)).unwrap().mask, WriteMask::XY);
    assert_eq!(info.input(Semantic::color(0)).unwrap().mask, WriteMask::W);
    assert_eq!(info.output(Semantic::color(0)).unwrap().mask, WriteMask::XYZ);
    assert_eq!(info.output(Semantic::color(3)).unwrap().mask, WriteMask::empty());
    assert_eq!(info.system_values[0].mask, WriteMask::X);
}

#[test]
fn a_vertex_shader() {
    let info = scan(
        "VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1..2], ARRAY(1), CLIPDIST
        DCL OUT[3], PSIZE
        DCL ADDR[0]
        MOV OUT[0], IN[1]
        MOV OUT[1].xy, IN[1]
        MOV OUT[ADDR[0].x+1](1).z, IN[0].xxxx
        END",
    );
    assert_eq!(info.does, Does::WRITE_POSITION | Does::WRITE_POINT_SIZE);
    // A write at a computed index may reach any output.
    assert_eq!(info.clip_distances, 0b0100_0111);
    assert_eq!(info.inputs[1].semantic, Semantic::generic(1));
    assert_eq!(info.inputs[0].mask, WriteMask::X);
    assert_eq!(info.outputs[2].semantic, Semantic::new(SemanticName::ClipDistance, 1));
    assert_eq!(info.indirect_writes, 1 << File::Output as u32);
}

#[test]
fn split_varyings_are_one_slot() {
    let info = scan("FRAG DCL IN[0].xyz, GENERIC[0], LINEAR DCL IN[0].w, GENERIC[0], LINEAR END");
    assert_eq!(info.inputs.len(), 1);
}

/// Checks the components that one instruction reads from each source register.
#[track_caller]
fn reads(instruction: &str, wanted: &[&str]) {
    let shader = text::parse(&format!("FRAG {instruction}"), Memory::system()).unwrap();
    let instruction = shader.instructions()[0];
    let masks = instruction.srcs().iter().enumerate().map(|(at, src)| {
        let mask = registers_read(src, read_mask(&instruction, at));
        "xyzw".char_indices().filter(|(at, _)| mask.has(*at)).map(|(_, letter)| letter).collect()
    });
    assert_eq!(masks.collect::<Vec<String>>(), wanted, "{instruction}");
}

#[test]
fn components_read() {
    reads("MOV TEMP[0].yz, TEMP[1]", &["yz"]);
    reads("MOV TEMP[0].yz, TEMP[1].xxwx", &["xw"]);
    reads("DP3 TEMP[0].w, TEMP[1], TEMP[2].yyyy", &["xyz", "y"]);
    reads("RCP TEMP[0], TEMP[1].wzyx", &["w"]);
    reads("LIT TEMP[0].xw, TEMP[1]", &[""]);
    reads("LIT TEMP[0].z, TEMP[1]", &["xyw"]);
    reads("DST TEMP[0], TEMP[1], TEMP[2]", &["yz", "yw"]);
    reads("KILL_IF TEMP[0].xyxy", &["xy"]);
    reads("DADD TEMP[0].xy, TEMP[1], TEMP[2].zwxy", &["xy", "zw"]);
    reads("DSLT TEMP[0].x, TEMP[1], TEMP[2]", &["xy", "xy"]);
    reads("DSLT TEMP[0].z, TEMP[1], TEMP[2]", &["zw", "zw"]);
    reads("D2F TEMP[0].x, TEMP[1]", &["xy"]);
    reads("D2F TEMP[0].zw, TEMP[1]", &["xyzw"]);
    reads("F2D TEMP[0].zw, TEMP[1]", &["y"]);
    reads("U64SHL TEMP[0].zw, TEMP[1], TEMP[2]", &["zw", "z"]);
    reads("DFRACEXP TEMP[0].xy, TEMP[1].x, TEMP[2]", &["xy"]);
    reads("TEX TEMP[0], TEMP[1], SAMP[0], 2D", &["xy", ""]);
    reads("TEX TEMP[0], TEMP[1], SAMP[0], SHADOW1D", &["xz", ""]);
    reads("TEX TEMP[0], TEMP[1], SAMP[0], SHADOW2D_ARRAY", &["xyzw", ""]);
    reads("TXP TEMP[0], TEMP[1], SAMP[0], 2D", &["xyw", ""]);
    reads("TXD TEMP[0], TEMP[1], TEMP[2], TEMP[3], SAMP[0], 2D_ARRAY", &["xyz", "xy", "xy", ""]);
    reads("STORE BUFFER[0].xy, TEMP[1].xxxx, TEMP[2]", &["x", "xy"]);
    reads("IF TEMP[0].yyyy", &["y"]);
}
