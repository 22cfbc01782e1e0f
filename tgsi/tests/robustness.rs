//! No input makes the readers, the printer, the checker, the scan, the compiler or the executor
//! panic. Random shaders survive text and tokens. A failing allocation does no harm.
#![cfg(feature = "text")]

use gallium_tgsi::builder::Builder;
use gallium_tgsi::compile::{CompileOptions, compile};
use gallium_tgsi::declaration::{Interpolate, ReturnType, Semantic};
use gallium_tgsi::exec::{self, ExecError, NoResources};
use gallium_tgsi::opcode::{Flags, Opcode, Type};
use gallium_tgsi::register::{DstRegister, File, Indirect, SrcRegister, Swizzle, WriteMask};
use gallium_tgsi::scan::ShaderInfo;
use gallium_tgsi::shader::{
    Immediate, ImmediateType, Instruction, MemoryInfo, MemoryQualifiers, Processor, Shader,
    TextureInfo, TextureTarget,
};
use gallium_tgsi::{sanity, text, token};
use os_shim::{FailAt, Memory};
use proptest::prelude::*;

const SHADERS: &str = concat!(
    include_str!("shaders/vert.txt"),
    include_str!("shaders/frag.txt"),
    include_str!("shaders/geom.txt"),
    include_str!("shaders/comp.txt"),
    include_str!("shaders/tess_ctrl.txt"),
    include_str!("shaders/tess_eval.txt"),
);

fn shaders() -> Vec<&'static str> {
    SHADERS.split_terminator("=====\n").collect()
}

/// Runs everything that reads a shader.
fn look(shader: &Shader<'_>) {
    let memory = Memory::system();
    let printed = shader.to_string();
    sanity::check(shader, &mut |finding| assert!(!finding.to_string().is_empty())).unwrap();
    ShaderInfo::new(shader).unwrap();
    let tokens = token::encode(shader, memory).unwrap();
    assert_eq!(&token::decode(&tokens, memory).unwrap(), shader, "{printed}");
    run(shader);
}

/// Checks that a compiled shader is well formed and runs, to its end or until its turns are used
/// up.
fn run(shader: &Shader<'_>) {
    for optimize in [true, false] {
        let options = CompileOptions { optimize, loop_budget: 50, ..CompileOptions::DEFAULT };
        let Ok(compiled) = compile(shader, &options, Memory::system()) else { continue };
        let program = compiled.program();
        assert_eq!(program.validate(), Ok(()), "{shader}");
        let mut rows = vec![[0x7FC0_0001u32, 0, u32::MAX, 5]; program.rows.into()];
        exec::prepare(&program, &mut rows, &[&[1; 40]]).unwrap();
        let result = exec::run(&program, &mut rows, 0b0111, &[&[1; 40]], &mut NoResources);
        assert!(matches!(result, Ok(_) | Err(ExecError::Budget { .. })), "{result:?}\n{shader}");
    }
}

/// Checks that a shader from text prints as a text that reads back as an equal shader.
fn look_at_text(shader: &Shader<'_>) {
    look(shader);
    for printed in [shader.to_string(), format!("{shader:#}")] {
        let again = text::parse(&printed, Memory::system());
        let again = again.unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(&again, shader, "{printed}");
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Remove(usize, usize),
    Copy(usize, usize, usize),
    Insert(usize, &'static str),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let pieces = prop::sample::select(vec![
        "[",
        "]",
        "..",
        "|",
        "-",
        "+",
        ".",
        ",",
        "{",
        "}",
        ":",
        "(",
        ")",
        "0",
        "99999999999",
        "\n",
        " ",
        "#",
        "ADDR[0].x",
        "0x3f800000",
        "xyzw",
        "x",
        "_SAT",
        "_PRECISE",
        "DCL",
        "IMM",
        "PROPERTY",
        "END\n",
        "SUB TEMP[0], TEMP[0], TEMP[1]\n",
        "XPD TEMP[0], TEMP[0], TEMP[1]\n",
        "EMIT\n",
        "é",
        "\0",
        "IF TEMP[0] :3\n",
        "IN",
        "OUT",
        "CONST",
        "ARRAY(1)",
        "LOCAL",
        "GENERIC",
        "2D",
        "COHERENT",
        "PIPE_FORMAT_R32_UINT",
    ]);
    let edit = prop_oneof![
        (any::<usize>(), 0..40usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (any::<usize>(), 0..40usize, any::<usize>()).prop_map(|(at, n, to)| Edit::Copy(at, n, to)),
        (any::<usize>(), pieces).prop_map(|(at, piece)| Edit::Insert(at, piece)),
    ];
    prop::collection::vec(edit, 1..8)
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for edit in edits {
        let place = |at: usize| at % (chars.len() + 1);
        match *edit {
            Edit::Remove(at, count) => {
                let at = place(at);
                let end = (at + count).min(chars.len());
                chars.drain(at..end);
            }
            Edit::Copy(at, count, to) => {
                let (at, to) = (place(at), place(to));
                let piece = chars[at..(at + count).min(chars.len())].to_vec();
                chars.splice(to..to, piece);
            }
            Edit::Insert(at, piece) => {
                let at = place(at);
                chars.splice(at..at, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

fn swizzle() -> impl Strategy<Value = Swizzle> {
    (0..4u32).prop_map(Swizzle::from_bits)
}

fn indirect() -> impl Strategy<Value = Option<Indirect>> {
    let some = (swizzle(), 0..3i16, 0..1024u16).prop_map(|(swizzle, index, array_id)| Indirect {
        file: File::Address,
        swizzle,
        index,
        array_id,
    });
    prop::option::weighted(0.2, some)
}

fn source(kind: Type) -> impl Strategy<Value = SrcRegister> {
    let files = match kind {
        Type::Unit => vec![File::Sampler, File::Buffer, File::Image, File::SamplerView],
        _ => vec![File::Input, File::Temporary, File::Constant, File::Immediate, File::SystemValue],
    };
    let place = (prop::sample::select(files), 0..9i32, any::<i16>(), indirect());
    (place, [swizzle(), swizzle(), swizzle(), swizzle()], any::<(bool, bool)>()).prop_map(
        |((file, index, offset, indirect), swizzle, (absolute, negate))| {
            let mut src = SrcRegister::new(file, index).swizzled(swizzle);
            if let Some(indirect) = indirect {
                src = src.indexed(indirect);
                src.index = offset.into();
            }
            (src.absolute, src.negate) = (absolute, negate);
            src
        },
    )
}

fn instruction() -> impl Strategy<Value = Instruction> {
    prop::sample::select(Opcode::ALL.to_vec()).prop_flat_map(|opcode| {
        let sources: Vec<_> = opcode.info().src.iter().map(|kind| source(*kind).boxed()).collect();
        let dsts = prop::collection::vec((0..9i32, 1..16u8), opcode.dst_count());
        let target = prop::sample::select(TextureTarget::ALL.to_vec());
        let rest = (any::<(bool, bool)>(), target, 1..16u8, prop::option::of(0..1u32 << 24));
        (sources, dsts, rest).prop_map(move |(sources, dsts, (suffixes, target, bits, label))| {
            let mut instruction = Instruction::new(opcode);
            (instruction.saturate, instruction.precise) = suffixes;
            for (to, src) in instruction.src.iter_mut().zip(sources) {
                *to = src;
            }
            for (to, (index, mask)) in instruction.dst.iter_mut().zip(dsts) {
                let mask = WriteMask::from_bits_truncate(mask);
                *to = DstRegister::new(File::Temporary, index).masked(mask);
            }
            let flags = opcode.info().flags;
            if flags.contains(Flags::TEXTURE) {
                instruction.texture = Some(TextureInfo::new(target));
            }
            if flags.contains(Flags::MEMORY) {
                let qualifiers = MemoryQualifiers::from_bits_truncate(bits);
                instruction.memory = Some(MemoryInfo { qualifiers, target, ..MemoryInfo::NONE });
            }
            if flags.contains(Flags::LABEL) {
                instruction.label = label;
            }
            instruction
        })
    })
}

fn shader() -> impl Strategy<Value = Shader<'static>> {
    let kinds = prop::sample::select(ImmediateType::ALL.to_vec());
    let immediates = prop::collection::vec((kinds, any::<[u32; 4]>()), 0..6);
    let processors = prop::sample::select(Processor::ALL.to_vec());
    let instructions = prop::collection::vec(instruction(), 0..20);
    (processors, immediates, instructions).prop_map(|(processor, immediates, instructions)| {
        let mut shader = Shader::new(processor, Memory::system());
        for (kind, bits) in immediates {
            shader.push_immediate(Immediate { kind, bits }).unwrap();
        }
        for instruction in instructions {
            shader.push_instruction(instruction).unwrap();
        }
        shader
    })
}

proptest! {
    #[test]
    fn edited_text_is_a_shader_or_an_error(number in 0..47usize, edits in edits()) {
        let text = apply(shaders()[number], &edits);
        match text::parse(&text, Memory::system()) {
            Ok(shader) => look_at_text(&shader),
            Err(error) => {
                let position = error.position().unwrap();
                let lines = text.split('\n').count() as u32;
                prop_assert!((1..=lines).contains(&position.line), "{error}\n{text}");
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn any_text_is_an_error_or_a_shader(text in "(FRAG|VERT|GEOM)[ -~\n]{0,60}") {
        if let Ok(shader) = text::parse(&text, Memory::system()) {
            look_at_text(&shader);
        }
    }

    #[test]
    fn edited_tokens_are_a_shader_or_an_error(
        number in 0..47usize,
        edits in prop::collection::vec((any::<usize>(), 0..32u32, any::<Option<u32>>()), 1..8),
        cut in prop::option::weighted(0.2, any::<usize>()),
    ) {
        let parsed = text::parse(shaders()[number], Memory::system()).unwrap();
        let tokens = token::encode(&parsed, Memory::system()).unwrap();
        let mut tokens = tokens.to_vec();
        for (at, bit, replacement) in edits {
            let at = at % tokens.len();
            tokens[at] = replacement.unwrap_or(tokens[at] ^ 1 << bit);
        }
        tokens.truncate(cut.map_or(usize::MAX, |cut| cut % tokens.len()));
        if let Ok(shader) = token::decode(&tokens, Memory::system()) {
            look(&shader);
        }
    }

    #[test]
    fn any_tokens_are_an_error_or_a_shader(tokens in prop::collection::vec(any::<u32>(), 0..40)) {
        let mut framed = vec![2 | (tokens.len() as u32) << 8, 4];
        framed.extend(tokens);
        if let Ok(shader) = token::decode(&framed, Memory::system()) {
            look(&shader);
        }
    }

    #[test]
    fn random_shaders_survive(shader in shader()) {
        look_at_text(&shader);
    }
}

#[test]
fn built_shaders_survive_and_pass() {
    let mut b = Builder::new(Processor::Fragment, Memory::system());
    let coord = b.input(Semantic::generic(0), Interpolate::Perspective);
    let color = b.output(Semantic::color(0));
    let sampler = b.sampler(0, TextureTarget::Texture2D, ReturnType::Float);
    let (texel, address) = (b.temporary(), b.address());
    let zero = b.float([0.0; 4]);
    b.constant(1, 3);
    let rows = b.constant(1, 0);
    b.tex(texel, coord, sampler, TextureTarget::Texture2D);
    b.if_(texel.as_src().w());
    b.uarl(address.masked(WriteMask::X), zero);
    b.mov(texel, rows.indexed(Indirect::address(0)));
    b.else_();
    b.bgnloop();
    b.brk();
    b.endloop();
    b.endif();
    b.mov(color, texel.as_src().abs().neg());
    b.saturate();
    let shader = b.finish().unwrap();
    look_at_text(&shader);
    let summary = sanity::check(&shader, &mut |finding| panic!("{finding}")).unwrap();
    assert!(summary.passed());
    let labels: Vec<_> = shader.instructions().iter().map(|i| i.label).collect();
    let wanted = [None, Some(4), None, None, Some(8), Some(0), None, Some(0), None, None, None];
    assert_eq!(labels, wanted);
}

#[test]
fn builder_reports_its_first_error() {
    let mut b = Builder::new(Processor::Vertex, Memory::system());
    b.op(Opcode::Mov, &[], &[]);
    b.endif();
    let error = b.finish().unwrap_err().to_string();
    assert_eq!(error, "MOV takes 1 destinations and 1 sources");
    let mut b = Builder::new(Processor::Vertex, Memory::system());
    b.endif();
    assert_eq!(b.finish().unwrap_err().to_string(), "blocks do not nest at instruction 0");
}

#[test]
fn every_failing_allocation_is_an_error() {
    let text = shaders()[10];
    let run = |memory: Memory<'_>| -> Result<(), os_shim::OutOfMemory> {
        let shader = match text::parse(text, memory) {
            Ok(shader) => shader,
            Err(text::TextError::OutOfMemory(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        };
        let tokens = match token::encode(&shader, memory) {
            Ok(tokens) => tokens,
            Err(token::EncodeError::OutOfMemory(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        };
        match token::decode(&tokens, memory) {
            Ok(decoded) => assert_eq!(decoded, shader),
            Err(token::TokenError::OutOfMemory(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        }
        sanity::check(&shader, &mut |_| {})?;
        ShaderInfo::new(&shader)?;
        Ok(())
    };
    // A separate heap, because other tests use the system's at the same time.
    let mut bytes = vec![std::mem::MaybeUninit::uninit(); 1 << 20];
    let region = os_shim::Region::new(&mut bytes);
    for nth in 0.. {
        let heap = FailAt::new(Memory::new(&region), nth);
        let live = Memory::new(&heap).usage().allocations;
        let result = run(Memory::new(&heap));
        assert_eq!(Memory::new(&heap).usage().allocations, live, "a leak at request {nth}");
        if result.is_ok() {
            assert!(nth > 10);
            break;
        }
    }
}
