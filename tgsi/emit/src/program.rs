//! A program as Rust code: an expression that a `static` can hold.

use crate::{Modes, Refusal, native, pixel};
use std::fmt::Display;
use tgsi::declaration::Semantic;
use tgsi::exec::MemoryKind;
use tgsi::program::{
    Access, Constant, ConstantSource, Input, InputAt, MemoryAccess, Op, Output, Program, Row,
    Sample, SamplerUse, Space, SystemValue, Wide,
};
use tgsi::shader::Properties;

/// Returns the expression of a program: a block of type `Program<'static>`.
///
/// * `text`: the text that it was compiled from.
/// * `path`: the path of the crate gallium-tgsi in the code.
///
/// # Errors
/// The reason why a mode cannot be made.
pub fn program(
    program: &Program<'_>,
    text: &str,
    path: &str,
    modes: &Modes,
) -> Result<String, Refusal> {
    let Modes { ref native, pixel } = *modes;
    let mut functions: String =
        native.iter().map(|&lanes| native::function(program, lanes)).collect::<Result<_, _>>()?;
    if pixel {
        functions += &pixel::function(program)?;
    }
    let interprets = functions.contains(native::STEP);
    let preamble = match pixel || !native.is_empty() {
        true => native::preamble(program),
        false => None,
    };
    functions += preamble.as_deref().unwrap_or_default();
    let fields = [
        field("processor", format!("shader::Processor::{:?}", program.processor)),
        field("uses", format!("program::Uses::from_bits_retain({})", program.uses.bits())),
        field("rows", program.rows),
        field("properties", properties(program.properties)),
        field("inputs", list(program.inputs, input)),
        field("system_values", list(program.system_values, system_value)),
        field("outputs", list(program.outputs, output)),
        field("constants", list(program.constants, constant)),
        field("samplers", list(program.samplers, sampler)),
        field("samples", list(program.samples, sample)),
        field("accesses", list(program.accesses, access)),
        field("wides", list(program.wides, wide)),
        field("memory", list(program.memory, memory)),
        field("inputs_at", list(program.inputs_at, input_at)),
        field("loop_budget", program.loop_budget),
        field("preamble", list(program.preamble, op)),
        field("body", list(program.body, op)),
        field("native", natives(native, pixel, preamble.is_some(), interprets)),
        field("source", format!("program::SourceText::of({text:?})")),
    ];
    let fields = fields.concat();
    // The block imports the modules by name, so that each path is written only once.
    let modules = "declaration, exec, program, property, shader";
    let names = format!("#[allow(unused_imports)] use {path}::{{{modules}}};");
    // Of the ELF file, if the firmware records its calls.
    let kept = format!("{path}::keep_text! {{ {:?} }}", directive(text));
    Ok(format!("{{ {names} {kept} {functions} program::Program {{ {fields} }} }}"))
}

/// Returns the assembler's line for a text that ends with a zero.
fn directive(text: &str) -> String {
    let escaped = |byte: &u8| match byte {
        b'\\' | b'"' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    format!(".asciz \"{}\"", text.as_bytes().iter().map(escaped).collect::<String>())
}

fn natives(lanes: &[usize], pixel: bool, preamble: bool, interprets: bool) -> String {
    let field = |width| match lanes.contains(&width) {
        true => field(&format!("lanes{width}"), format!("Some(body{width})")),
        false => field(&format!("lanes{width}"), "None"),
    };
    let rest = [
        self::field("pixel", if pixel { "Some(pixel)" } else { "None" }),
        self::field("preamble", if preamble { "Some(preamble)" } else { "None" }),
        self::field("interprets", interprets),
    ];
    format!("program::Native {{ {}{} }}", native::WIDTHS.map(field).concat(), rest.concat())
}

fn field(name: &str, value: impl Display) -> String {
    format!("{name}: {value}, ")
}

fn list<T>(items: &[T], item: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(item).collect();
    format!("&[{}]", items.join(", "))
}

/// Returns a reference, so that programs without properties share one value.
fn properties(properties: &Properties) -> String {
    let with = |(name, value)| format!(".with(property::Property::{name:?}, {value})");
    let values: String = properties.iter().map(with).collect();
    format!("&const {{ property::Properties::NONE{values} }}")
}

fn row(row: Row) -> String {
    format!("program::Row({})", row.0)
}

fn rows(rows: &[Row]) -> String {
    let rows: Vec<String> = rows.iter().copied().map(row).collect();
    format!("[{}]", rows.join(", "))
}

fn semantic(semantic: Semantic) -> String {
    let Semantic { name, index } = semantic;
    format!("declaration::Semantic::new(declaration::SemanticName::{name:?}, {index})")
}

fn input(input: &Input) -> String {
    let fields = [
        field("register", input.register),
        field("semantic", semantic(input.semantic)),
        field("interpolate", format!("declaration::Interpolate::{:?}", input.interpolate)),
        field("location", format!("declaration::Location::{:?}", input.location)),
        field("rows", rows(&input.rows)),
    ];
    format!("program::Input {{ {} }}", fields.concat())
}

fn system_value(value: &SystemValue) -> String {
    let fields = [field("semantic", semantic(value.semantic)), field("rows", rows(&value.rows))];
    format!("program::SystemValue {{ {} }}", fields.concat())
}

fn output(output: &Output) -> String {
    let fields = [
        field("register", output.register),
        field("semantic", semantic(output.semantic)),
        field("rows", rows(&output.rows)),
    ];
    format!("program::Output {{ {} }}", fields.concat())
}

fn constant(constant: &Constant) -> String {
    let source = match constant.source {
        ConstantSource::Immediate(bits) => format!("Immediate({bits})"),
        ConstantSource::Buffer { buffer, word } => {
            format!("Buffer {{ buffer: {buffer}, word: {word} }}")
        }
    };
    let fields = [
        field("row", row(constant.row)),
        field("source", format!("program::ConstantSource::{source}")),
    ];
    format!("program::Constant {{ {} }}", fields.concat())
}

fn sampler(sampler: &SamplerUse) -> String {
    let fields = [
        field("unit", sampler.unit),
        field("view", sampler.view),
        field("target", format!("shader::TextureTarget::{:?}", sampler.target)),
    ];
    format!("program::SamplerUse {{ {} }}", fields.concat())
}

fn sample(sample: &Sample) -> String {
    let fields = [
        field("view", sample.view),
        field("sampler", sample.sampler),
        field("view_row", row(sample.view_row)),
        field("sampler_row", row(sample.sampler_row)),
        field("target", format!("shader::TextureTarget::{:?}", sample.target)),
        field("kind", format!("exec::SampleKind::{:?}", sample.kind)),
        field("coord", rows(&sample.coord)),
        field("layer", row(sample.layer)),
        field("compare", row(sample.compare)),
        field("lod", row(sample.lod)),
        field("ddx", rows(&sample.ddx)),
        field("ddy", rows(&sample.ddy)),
        field("offset", format!("{:?}", sample.offset)),
        field("offset_rows", rows(&sample.offset_rows)),
        field("component", sample.component),
        field("component_row", row(sample.component_row)),
        field("dst", rows(&sample.dst)),
    ];
    format!("program::Sample {{ {} }}", fields.concat())
}

fn access(access: &Access) -> String {
    let space = match access.space {
        Space::Rows { first, registers } => {
            format!("Rows {{ first: {}, registers: {registers} }}", row(first))
        }
        Space::Constants { buffer } => format!("Constants {{ buffer: {buffer} }}"),
        Space::Vertices { place, vertex } => {
            format!("Vertices {{ place: exec::VertexPlace::{place:?}, vertex: {vertex} }}")
        }
    };
    let fields = [
        field("space", format!("program::Space::{space}")),
        field("index", access.index),
        field("component", access.component),
    ];
    format!("program::Access {{ {} }}", fields.concat())
}

fn wide(wide: &Wide) -> String {
    let fields = [
        field("code", format!("exec::WideCode::{:?}", wide.code)),
        field("dst", rows(&wide.dst)),
        field("a", rows(&wide.a)),
        field("b", rows(&wide.b)),
        field("c", rows(&wide.c)),
    ];
    format!("program::Wide {{ {} }}", fields.concat())
}

fn memory(access: &MemoryAccess) -> String {
    let kind = match access.kind {
        MemoryKind::Atomic(code) => format!("Atomic(exec::AtomicCode::{code:?})"),
        kind => format!("{kind:?}"),
    };
    let format = match access.format.code() {
        0 => "declaration::ImageFormat::NONE".into(),
        code => format!(
            "match declaration::ImageFormat::from_code({code}) {{ Some(format) => format, \
             None => declaration::ImageFormat::NONE }}"
        ),
    };
    let fields = [
        field("kind", format!("exec::MemoryKind::{kind}")),
        field("space", format!("exec::MemorySpace::{:?}", access.space)),
        field("unit", access.unit),
        field("unit_row", row(access.unit_row)),
        field("target", format!("shader::TextureTarget::{:?}", access.target)),
        field("format", format),
        field("address", rows(&access.address)),
        field("value", rows(&access.value)),
        field("compare", row(access.compare)),
        field("mask", access.mask),
        field("dst", rows(&access.dst)),
    ];
    format!("program::MemoryAccess {{ {} }}", fields.concat())
}

fn input_at(input: &InputAt) -> String {
    let fields = [
        field("register", input.register),
        field("place", format!("exec::InputPlace::{:?}", input.place)),
        field("at", rows(&input.at)),
        field("plain", rows(&input.plain)),
        field("dst", rows(&input.dst)),
    ];
    format!("program::InputAt {{ {} }}", fields.concat())
}

fn op(op: &Op) -> String {
    let Op { code, aux, dst, a, b, c } = *op;
    let operands = format!("{aux}, {}, {}, {}, {}", dst.0, a.0, b.0, c.0);
    format!("exec::Op::new(exec::OpCode::{code:?}, {operands})")
}

#[cfg(test)]
mod tests {
    use super::directive;

    #[test]
    fn the_assembler_reads_the_text_s_bytes() {
        // Octal numbers of three digits cannot take the digits that follow.
        assert_eq!(directive("END\n1"), r#".asciz "END\0121""#);
        assert_eq!(directive("\"\\\u{e9}"), r#".asciz "\"\\\303\251""#);
    }
}
