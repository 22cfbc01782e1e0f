//! Texture lookups: the request of each opcode, for each target.

mod common;

use common::{compiled, run_batch};
use gallium_tgsi::compile::{CompileError, CompileOptions, compile};
use gallium_tgsi::exec::{Lanes, Resources, SampleRequest};
use gallium_tgsi::text;
use os_shim::Memory;
use std::fmt::Write;

/// Logs each request with the values of lane 0, and returns 10, 20, 30, 40 times the number of
/// requests so far.
#[derive(Default)]
struct Recorder {
    log: Vec<String>,
    integers: bool,
}

impl Recorder {
    fn number(&self, bits: u32) -> String {
        if self.integers { (bits as i32).to_string() } else { f32::from_bits(bits).to_string() }
    }
}

impl<R: Lanes> Resources<R> for Recorder {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let lane = |row: &R| self.number(row.as_slice()[0]);
        let three = |rows: [&R; 3]| rows.map(lane).join(" ");
        let mut line = format!("{:?} {:?} {}", request.kind, request.target, three(request.coord));
        let optional =
            [("layer", request.layer), ("compare", request.compare), ("lod", request.lod)];
        for (name, row) in optional {
            if let Some(row) = row {
                write!(line, " {name} {}", lane(row)).unwrap();
            }
        }
        let (ddx, ddy) = (three(request.ddx), three(request.ddy));
        if (ddx.as_str(), ddy.as_str()) != ("0 0 0", "0 0 0") {
            write!(line, " ddx {ddx} ddy {ddy}").unwrap();
        }
        if request.offset != [0; 3] {
            write!(line, " offset {:?}", request.offset).unwrap();
        }
        if request.component != 0 {
            write!(line, " component {}", request.component).unwrap();
        }
        if (request.view, request.sampler) != (2, 2) {
            write!(line, " view {} sampler {}", request.view, request.sampler).unwrap();
        }
        if request.live != 0xF {
            write!(line, " live {:b}", request.live).unwrap();
        }
        self.log.push(line);
        for (component, row) in out.iter_mut().enumerate() {
            let value = (10 * (component + 1) * self.log.len()) as f32;
            *row = R::splat(value.to_bits());
        }
    }
}

const HEAD: &str = "DCL IN[0..3], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[2]\nDCL TEMP[0..1]\nDCL ADDR[2]\n\
    IMM[0] INT32 {-1, 2, 3, 1}\nIMM[1] INT32 {4, 5, 6, 7}\n";

/// Runs instructions on inputs 1 to 12; returns the requests, and `OUT[0]` of lane 0.
#[track_caller]
fn ask(processor: &str, body: &str, integers: bool) -> (Vec<String>, [f32; 4]) {
    let head =
        if processor == "VERT" { HEAD.replace(", GENERIC[0], LINEAR", "") } else { HEAD.into() };
    let head =
        if processor == "VERT" { head.replace("OUT[0], COLOR", "OUT[0], POSITION") } else { head };
    let source = format!("{processor}\n{head}{body}\nEND\n");
    let number = |value: i32| if integers { value as u32 } else { (value as f32).to_bits() };
    let registers: Vec<_> = (0..4)
        .map(|at| std::array::from_fn(|component| number(4 * at + component as i32 + 1)))
        .collect();
    let inputs = vec![registers; 4];
    let mut answers = [true, false].map(|optimize| {
        let compiled = compiled(&source, optimize);
        let mut recorder = Recorder { log: Vec::new(), integers };
        let results = run_batch::<[u32; 4]>(&compiled.program(), &inputs, 0xF, &[], &mut recorder);
        (recorder.log, results.lanes[0][0].map(f32::from_bits))
    });
    assert_eq!(answers[0], answers[1], "optimised and not\n{source}");
    std::mem::take(&mut answers[0])
}

#[track_caller]
fn check(instruction: &str, expected: &str) {
    let (log, out) = ask("FRAG", instruction, false);
    assert_eq!(log, [expected], "{instruction}");
    assert_eq!(out, [10.0, 20.0, 30.0, 40.0], "{instruction}");
}

#[track_caller]
fn check_integers(instruction: &str, expected: &str) {
    let (log, _) = ask("FRAG", instruction, true);
    assert_eq!(log, [expected], "{instruction}");
}

#[test]
fn coordinates_by_target() {
    for (target, expected) in [
        ("1D", "Texture1D 1 0 0"),
        ("2D", "Texture2D 1 2 0"),
        ("RECT", "Rect 1 2 0"),
        ("3D", "Texture3D 1 2 3"),
        ("CUBE", "Cube 1 2 3"),
        ("1D_ARRAY", "Array1D 1 0 0 layer 2"),
        ("2D_ARRAY", "Array2D 1 2 0 layer 3"),
        ("CUBEARRAY", "CubeArray 1 2 3 layer 4"),
        ("SHADOW1D", "Shadow1D 1 0 0 compare 3"),
        ("SHADOW2D", "Shadow2D 1 2 0 compare 3"),
        ("SHADOWRECT", "ShadowRect 1 2 0 compare 3"),
        ("SHADOW1D_ARRAY", "ShadowArray1D 1 0 0 layer 2 compare 3"),
        ("SHADOW2D_ARRAY", "ShadowArray2D 1 2 0 layer 3 compare 4"),
        ("SHADOWCUBE", "ShadowCube 1 2 3 compare 4"),
    ] {
        check(&format!("TEX OUT[0], IN[0], SAMP[2], {target}"), &format!("Implicit {expected}"));
    }
    check(
        "TEX2 OUT[0], IN[0], IN[1], SAMP[2], SHADOWCUBEARRAY",
        "Implicit ShadowCubeArray 1 2 3 layer 4 compare 5",
    );
}

#[test]
fn bias_and_level() {
    check("TXB OUT[0], IN[0], SAMP[2], 2D", "Bias Texture2D 1 2 0 lod 4");
    check("TXL OUT[0], IN[0], SAMP[2], SHADOW2D", "Lod Shadow2D 1 2 0 compare 3 lod 4");
    check("TXB2 OUT[0], IN[0], IN[1], SAMP[2], CUBEARRAY", "Bias CubeArray 1 2 3 layer 4 lod 5");
    check("TXL2 OUT[0], IN[0], IN[1], SAMP[2], SHADOWCUBE", "Lod ShadowCube 1 2 3 compare 4 lod 5");
    check(
        "TXL2 OUT[0], IN[0], IN[1], SAMP[2], SHADOW2D_ARRAY",
        "Lod ShadowArray2D 1 2 0 layer 3 compare 4 lod 5",
    );
    check(
        "TXB2 OUT[0], IN[0], IN[1], SAMP[2], SHADOWCUBEARRAY",
        "Bias ShadowCubeArray 1 2 3 layer 4 compare 5 lod 6",
    );
    check("TEX_LZ OUT[0], IN[0], SAMP[2], 2D", "Lod Texture2D 1 2 0");
}

#[test]
fn projection_divides_the_reference_too() {
    check("TXP OUT[0], IN[0], SAMP[2], SHADOW2D", "Implicit Shadow2D 0.25 0.5 0 compare 0.75");
    check("TXP OUT[0], IN[0], SAMP[2], 3D", "Implicit Texture3D 0.25 0.5 0.75");
}

#[test]
fn gradients() {
    check(
        "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[2], 2D",
        "Gradient Texture2D 1 2 0 ddx 5 6 0 ddy 9 10 0",
    );
    check(
        "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[2], CUBE",
        "Gradient Cube 1 2 3 ddx 5 6 7 ddy 9 10 11",
    );
    check(
        "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[2], SHADOW1D_ARRAY",
        "Gradient ShadowArray1D 1 0 0 layer 2 compare 3 ddx 5 0 0 ddy 9 0 0",
    );
}

#[test]
fn fetches_and_queries_are_integer() {
    for (target, expected) in [
        ("BUFFER", "Buffer 1 0 0"),
        ("1D", "Texture1D 1 0 0 lod 4"),
        ("2D", "Texture2D 1 2 0 lod 4"),
        ("3D", "Texture3D 1 2 3 lod 4"),
        ("1D_ARRAY", "Array1D 1 0 0 layer 2 lod 4"),
        ("2D_ARRAY", "Array2D 1 2 0 layer 3 lod 4"),
        ("2D_MSAA", "Msaa2D 1 2 0 lod 4"),
        ("2D_ARRAY_MSAA", "MsaaArray2D 1 2 0 layer 3 lod 4"),
    ] {
        check_integers(
            &format!("TXF OUT[0], IN[0], SAMP[2], {target}"),
            &format!("Fetch {expected}"),
        );
    }
    check_integers("TXF_LZ OUT[0], IN[0], SAMP[2], 2D", "Fetch Texture2D 1 2 0");
    check_integers("TXQ OUT[0], IN[0].zzzz, SAMP[2], 2D_ARRAY", "SizeQuery Array2D 0 0 0 lod 3");
    check("LODQ OUT[0], IN[0], SAMP[2], 2D", "LodQuery Texture2D 1 2 0");
}

#[test]
fn offsets() {
    check(
        "TEX OUT[0], IN[0], SAMP[2], 2D, IMM[0].xyz",
        "Implicit Texture2D 1 2 0 offset [-1, 2, 0]",
    );
    check(
        "TEX OUT[0], IN[0], SAMP[2], 3D, IMM[0].zyx",
        "Implicit Texture3D 1 2 3 offset [3, 2, -1]",
    );
    check_integers(
        "TXF OUT[0], IN[0], SAMP[2], 2D, IN[1].zyx",
        "Fetch Texture2D 1 2 0 lod 4 offset [7, 6, 0]",
    );
}

#[test]
fn gathers() {
    check("TG4 OUT[0], IN[0], IMM[0].yyyy, SAMP[2], 2D", "Gather Texture2D 1 2 0 component 2");
    check("TG4 OUT[0], IN[0], IN[1], SAMP[2], SHADOW2D", "Gather Shadow2D 1 2 0 compare 3");
    check(
        "TG4 OUT[0], IN[0], IN[1], SAMP[2], SHADOWCUBEARRAY",
        "Gather ShadowCubeArray 1 2 3 layer 4 compare 5",
    );
    check_integers(
        "TG4 OUT[0], IN[0], IN[1].zzzz, SAMP[2], 2D",
        "Gather Texture2D 1 2 0 component 3",
    );
    // The first of two brackets is the view.
    check(
        "TG4 OUT[0], IN[0], IN[1], SAMP[5][2], SHADOW2D",
        "Gather Shadow2D 1 2 0 compare 3 view 5 sampler 2",
    );
    let (log, out) = ask(
        "FRAG",
        "TG4 OUT[0], IN[0], IMM[0].wwww, SAMP[2], 2D, IMM[0].xyx, IMM[0].yzx, IMM[1].xyx, IMM[1].zwx",
        false,
    );
    let offsets = ["[-1, 2, 0]", "[2, 3, 0]", "[4, 5, 0]", "[6, 7, 0]"];
    let expected = offsets.map(|it| format!("Gather Texture2D 1 2 0 offset {it} component 1"));
    assert_eq!(log, expected);
    // Each component comes from a separate gather.
    assert_eq!(out, [10.0, 40.0, 90.0, 160.0]);
}

#[test]
fn offsets_of_each_lane() {
    let source = format!(
        "FRAG\n{HEAD}MOV TEMP[0], IN[1]\n\
         TG4 OUT[0], IN[0], IMM[0].wwww, SAMP[2], 2D, TEMP[0].xyx\nEND\n"
    );
    let lane = |x: i32, y: i32| vec![[0; 4], [x as u32, y as u32, 0, 0], [0; 4], [0; 4]];
    let inputs = [lane(1, 2), lane(3, -1), lane(1, 2), lane(-8, 7)];
    let compiled = compiled(&source, true);
    let mut recorder = Recorder { log: Vec::new(), integers: true };
    let results = run_batch::<[u32; 4]>(&compiled.program(), &inputs, 0xF, &[], &mut recorder);
    // One request per offset; each lane gets the result for its offset.
    let expected = [("[1, 2, 0]", "101"), ("[3, -1, 0]", "10"), ("[-8, 7, 0]", "1000")];
    let expected = expected.map(|(offset, live)| {
        format!("Gather Texture2D 0 0 0 offset {offset} component 1 live {live}")
    });
    assert_eq!(recorder.log, expected);
    let answers = [0, 1, 2, 3].map(|lane| f32::from_bits(results.lanes[lane][0][0]));
    assert_eq!(answers, [10.0, 20.0, 10.0, 30.0]);
}

#[test]
fn computed_units() {
    check_integers(
        "UARL ADDR[2].x, IN[0].yyyy\nTEX OUT[0], IN[0], SAMP[ADDR[2].x+2], 2D",
        "Implicit Texture2D 1 2 0 view 4 sampler 4",
    );
    // A number beyond the slots does not wrap around to a slot.
    let (log, _) =
        ask("FRAG", "UARL ADDR[2].x, IN[0].yyyy\nTEX OUT[0], IN[0], SAMP[ADDR[2].x+2], 2D", false);
    assert_eq!(log, ["Implicit Texture2D 1 2 0 view 65535 sampler 65535"]);
}

#[test]
fn without_quads_there_is_no_implicit_level() {
    for (instruction, expected) in [
        ("TEX OUT[0], IN[0], SAMP[2], 2D", "Lod Texture2D 1 2 0"),
        ("TXB OUT[0], IN[0], SAMP[2], 2D", "Lod Texture2D 1 2 0 lod 4"),
        ("TXL OUT[0], IN[0], SAMP[2], 2D", "Lod Texture2D 1 2 0 lod 4"),
    ] {
        let (log, _) = ask("VERT", instruction, false);
        assert_eq!(log, [expected]);
    }
}

#[test]
fn lookups_know_which_lanes_run() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[2]\nDCL TEMP[0]\n\
        UIF IN[0].xxxx\nTEX TEMP[0], IN[0], SAMP[2], 2D\nENDIF\nMOV OUT[0], TEMP[0]\nEND\n";
    let compiled = compiled(source, true);
    let inputs: Vec<_> = [0, 1, 1, 0].iter().map(|&x| vec![[x, 0, 0, 0]]).collect();
    let mut recorder = Recorder { log: Vec::new(), integers: true };
    let results = run_batch::<[u32; 4]>(&compiled.program(), &inputs, 0xF, &[], &mut recorder);
    assert_eq!(recorder.log, ["Implicit Texture2D 0 0 0 live 110"]);
    let first: Vec<_> = results.lanes.iter().map(|lane| f32::from_bits(lane[0][0])).collect();
    assert_eq!(first, [0.0, 10.0, 10.0, 0.0]);
    // No lane enters, so no request is made.
    let inputs = vec![vec![[0; 4]]; 4];
    let mut recorder = Recorder::default();
    run_batch::<[u32; 4]>(&compiled.program(), &inputs, 0xF, &[], &mut recorder);
    assert_eq!(recorder.log, [""; 0]);
}

#[test]
fn lookups_nobody_needs_are_not_done() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[2]\nDCL TEMP[0]\n\
        TEX TEMP[0], IN[0], SAMP[2], 2D\nMOV OUT[0], IN[0]\nEND\n";
    let compiled = compiled(source, true);
    assert!(compiled.program().body.is_empty());
    // The list of samplers still follows the text.
    assert_eq!(compiled.program().samplers.len(), 1);
}

#[test]
fn what_is_not_supported_is_named() {
    let memory = Memory::system();
    for (body, message) in [
        (
            "DCL SVIEW[0], 2D, FLOAT\n SAMPLE OUT[0], IN[0], SVIEW[1], SAMP[2]",
            "line 10, column 2: an operand of SAMPLE is not declared, or of a file or index that it cannot have",
        ),
        (
            "TEX OUT[0], IN[0], SAMP[2], UNKNOWN",
            "line 9, column 1: an operand of TEX is not declared, or of a file or index that it cannot have",
        ),
        (
            "MOV OUT[0], IN[5]",
            "line 9, column 1: an operand of MOV is not declared, or of a file or index that it cannot have",
        ),
        (
            "MOV OUT[0], SAMP[2]",
            "line 9, column 1: an operand of MOV is not declared, or of a file or index that it cannot have",
        ),
        (
            "MOV CONST[0], IN[0]",
            "line 9, column 1: an operand of MOV is not declared, or of a file or index that it cannot have",
        ),
    ] {
        let source = format!("FRAG\n{HEAD}{body}\nEND\n");
        let shader = text::parse(&source, memory).unwrap();
        let error = compile(&shader, &CompileOptions::DEFAULT, memory).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn running_out_of_memory_is_an_error_everywhere() {
    let source = format!(
        "FRAG\n{HEAD}BGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nTEX TEMP[0], IN[0], SAMP[2], 2D\n\
         ADD OUT[0], TEMP[0], IN[1]\nENDLOOP\nEND\n"
    );
    let shader = text::parse(&source, Memory::system()).unwrap();
    let mut bytes = vec![std::mem::MaybeUninit::uninit(); 1 << 20];
    let region = os_shim::Region::new(&mut bytes);
    let mut failures = 0;
    for nth in 0.. {
        let failing = os_shim::FailAt::new(Memory::new(&region), nth);
        match compile(&shader, &CompileOptions::DEFAULT, Memory::new(&failing)) {
            Ok(compiled) => {
                assert!(!compiled.program().body.is_empty());
                break;
            }
            Err(error) => {
                assert!(matches!(error, CompileError::OutOfMemory(_)), "{error}");
                failures += 1;
            }
        }
        assert_eq!(Memory::new(&region).usage().allocations, 0, "nothing leaks");
    }
    assert!(failures > 10);
}
