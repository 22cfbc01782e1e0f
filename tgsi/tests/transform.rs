//! Passes over shaders, as drivers use them.
#![cfg(feature = "text")]

mod common;

use common::constant_buffer;
use gallium_tgsi::builder::{BuildError, Builder};
use gallium_tgsi::declaration::{Declaration, Semantic, SemanticName};
use gallium_tgsi::property::Property;
use gallium_tgsi::register::{DstRegister, File, SrcRegister, WriteMask};
use gallium_tgsi::sanity;
use gallium_tgsi::shader::{Immediate, Instruction, Shader};
use gallium_tgsi::text;
use gallium_tgsi::transform::{Transform, redirect, transform};
use os_shim::Memory;

fn apply(source: &str, pass: &mut dyn Transform) -> Shader<'static> {
    let memory = Memory::system();
    let shader = text::parse(source, memory).expect("the text is right");
    let made = transform(&shader, pass, memory).unwrap_or_else(|error| panic!("{error}"));
    let summary = sanity::check(&made, &mut |_| {}).expect("there is memory");
    assert!(summary.passed(), "{:?}\n{made}", summary.first_error);
    made
}

struct Nothing;

impl Transform for Nothing {}

#[test]
fn a_pass_that_does_nothing_changes_nothing() {
    let source = "FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0..3]
DCL CONST[1][2..4]
DCL TEMP[0..1]
DCL TEMP[2..5], ARRAY(1), LOCAL
DCL ADDR[0]
IMM[0] UINT32 {1, 1, 1, 1}
IMM[1] UINT32 {1, 1, 1, 1}
  0: UIF IN[0].xxxx :3
  1:   MOV TEMP[0], CONST[1][2]
  2: ELSE :4
  3:   MOV TEMP[0], IMM[1]
  4: ENDIF
  5: BGNLOOP :0
  6:   BRK
  7: ENDLOOP :0
  8: MOV OUT[0], TEMP[0]
  9: END
";
    // The branch labels are corrected: each is the number of its target instruction.
    let expected = source.replace("xxxx :3", "xxxx :2");
    assert_eq!(apply(source, &mut Nothing).to_string(), expected);
}

/// Discards fragments with an alpha below a constant.
struct AlphaTest {
    color: i32,
    result: i32,
}

impl Transform for AlphaTest {
    fn prologue(&mut self, builder: &mut Builder<'_>) {
        self.color = builder.output(Semantic::color(0)).index;
        self.result = builder.temporary().index;
    }

    fn instruction(&mut self, builder: &mut Builder<'_>, mut instruction: Instruction) {
        redirect(&mut instruction, (File::Output, self.color), (File::Temporary, self.result));
        builder.instruction(instruction);
    }

    fn epilogue(&mut self, builder: &mut Builder<'_>) {
        let result = SrcRegister::new(File::Temporary, self.result);
        let reference = builder.constant(1, 0);
        let difference = builder.temporary();
        builder.add(difference.masked(WriteMask::X), result.w(), reference.x().neg());
        builder.kill_if(difference.as_src().x());
        builder.mov(DstRegister::new(File::Output, self.color), result);
    }
}

#[test]
fn fragments_of_little_alpha_are_discarded_wherever_the_shader_ends() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\n\
        MOV OUT[0], IN[0]\nIF IN[1].xxxx\nRET\nENDIF\nADD OUT[0].w, OUT[0].wwww, IN[1].yyyy\nEND\n";
    let made = apply(source, &mut AlphaTest { color: 0, result: 0 });
    let float = |x: f32| x.to_bits();
    let alpha = |alpha: f32, returns: f32, more: f32| {
        vec![[float(0.0), 0, 0, float(alpha)], [float(returns), float(more), 0, 0]]
    };
    let inputs = [
        alpha(0.75, 0.0, 0.0),
        alpha(0.25, 0.0, 0.0),
        alpha(0.25, 0.0, 0.5),
        alpha(0.25, 1.0, 0.5),
        alpha(0.5, 1.0, -1.0),
    ];
    let nothing = constant_buffer(&[]);
    let reference = constant_buffer(&[0.5]);
    let results = common::run_all(&made.to_string(), &inputs, &[&nothing, &reference]);
    let alphas: Vec<Option<f32>> =
        results.iter().map(|lane| lane.as_ref().map(|out| f32::from_bits(out[0][3]))).collect();
    assert_eq!(alphas, [Some(0.75), None, Some(0.75), None, Some(0.5)]);
}

/// Adds distances to two planes, computed from the position that is written.
struct ClipPlanes;

impl Transform for ClipPlanes {
    fn property(&mut self, property: Property, value: u32) -> Option<u32> {
        (property != Property::NextShader).then_some(value)
    }

    fn prologue(&mut self, builder: &mut Builder<'_>) {
        builder.property(Property::NumClipdistEnabled, 2);
    }

    fn epilogue(&mut self, builder: &mut Builder<'_>) {
        let position = builder.output(Semantic::POSITION).as_src();
        let distances = builder.output(Semantic::new(SemanticName::ClipDistance, 0));
        for (plane, mask) in [(0, WriteMask::X), (1, WriteMask::Y)] {
            let equation = builder.constant(1, plane);
            builder.dp4(distances.masked(mask), position, equation);
        }
    }
}

#[test]
fn clip_planes_become_distances() {
    let source =
        "VERT\nPROPERTY NEXT_SHADER FRAG\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND";
    let made = apply(source, &mut ClipPlanes);
    let properties = made.properties();
    assert_eq!(properties.get(Property::NextShader), None);
    assert_eq!(properties.get(Property::NumClipdistEnabled), Some(2));
    let planes = constant_buffer(&[1.0, 0.0, 0.0, 0.5, 0.0, -2.0, 0.0, 1.0]);
    let input = [1.0f32, 3.0, 0.0, 1.0].map(f32::to_bits);
    let results = common::run_all(&made.to_string(), &[vec![input]], &[&[], &planes]);
    let registers = results[0].as_ref().expect("vertices are not killed");
    assert_eq!(registers[1].map(f32::from_bits)[..2], [1.5, -5.0]);
}

/// Adds an instruction before each instruction.
struct Doubling;

impl Transform for Doubling {
    fn instruction(&mut self, builder: &mut Builder<'_>, instruction: Instruction) {
        builder.nop();
        builder.instruction(instruction);
    }
}

#[test]
fn subroutines_are_found_again() {
    let source = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nCAL :4\n\
        MOV OUT[0], TEMP[0]\nEND\nBGNSUB\nADD TEMP[0], TEMP[0], TEMP[0]\nRET\nENDSUB\n";
    let made = apply(source, &mut Doubling);
    let cal = made.instructions().iter().find_map(|instruction| instruction.label);
    assert_eq!(cal, Some(9));
    let input = [3.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    let results = common::run_all(&made.to_string(), &[vec![input]], &[]);
    assert_eq!(f32::from_bits(results[0].as_ref().unwrap()[0][0]), 6.0);
}

/// Drops unused declarations and doubles immediates.
struct Items;

impl Transform for Items {
    fn declaration(&mut self, declaration: Declaration) -> Option<Declaration> {
        (declaration.file != File::Constant).then_some(declaration)
    }

    fn immediate(&mut self, mut immediate: Immediate) -> Immediate {
        immediate.bits = immediate.bits.map(|bits| 2 * bits);
        immediate
    }
}

#[test]
fn declarations_go_and_immediates_change() {
    let source = "VERT\nDCL OUT[0], POSITION\nDCL CONST[0..3]\nIMM[0] UINT32 {1, 2, 3, 4}\nMOV OUT[0], IMM[0]\nEND\n";
    assert_eq!(
        apply(source, &mut Items).to_string(),
        "VERT\nDCL OUT[0], POSITION\nIMM[0] UINT32 {2, 4, 6, 8}\n  0: MOV OUT[0], IMM[0]\n  1: END\n"
    );
}

#[test]
fn new_registers_come_after_the_shaders_own() {
    struct More;
    impl Transform for More {
        fn prologue(&mut self, builder: &mut Builder<'_>) {
            let texcoord =
                builder.input(Semantic::generic(6), gallium_tgsi::declaration::Interpolate::Linear);
            // IN[1..3] has GENERIC[5] to GENERIC[7].
            assert_eq!(texcoord.index, 2);
            assert_eq!(builder.temporary().index, 9);
            assert_eq!(builder.address().index, 1);
            let constant = builder.constant(0, 6);
            let own = builder.float([7.0; 4]);
            assert_eq!(own.index, 1);
            let temporary = DstRegister::new(File::Temporary, 9);
            builder.mad(temporary, texcoord, constant, own);
        }
    }
    let source = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1..3], GENERIC[5], LINEAR\nDCL OUT[0], COLOR\nDCL CONST[0..3]\n\
        DCL TEMP[0..1]\nDCL TEMP[5..8], ARRAY(1)\nDCL ADDR[0]\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n";
    let text = apply(source, &mut More).to_string();
    assert!(text.contains("DCL CONST[0..3]\nDCL CONST[4..6]\n"), "{text}");
    assert!(
        text.contains("DCL TEMP[0..1]\nDCL TEMP[2..4]\nDCL TEMP[5..8], ARRAY(1)\nDCL TEMP[9]\n"),
        "{text}"
    );
}

#[test]
fn what_is_wrong_is_an_error() {
    struct Open;
    impl Transform for Open {
        fn prologue(&mut self, builder: &mut Builder<'_>) {
            let zero = builder.uint([0; 4]);
            builder.uif(zero);
        }
    }
    let shader = text::parse("VERT\nEND", Memory::system()).unwrap();
    let error = transform(&shader, &mut Open, Memory::system()).unwrap_err();
    assert_eq!(error, BuildError::Nesting(0));
}
