//! Prints shaders as the reference printer does.

use super::instruction::QUALIFIERS;
use crate::declaration::{Declaration, DeclarationKind, Interpolation, Location, ReturnType};
use crate::opcode::Flags;
use crate::property::{Primitive, Property};
use crate::register::{Dimension, DstRegister, File, Indirect, SrcRegister, Swizzle, WriteMask};
use crate::shader::{
    Immediate, ImmediateType, Instruction, Item, Processor, Shader, TextureTarget,
};
use core::fmt::{self, Display, Formatter, Write};

/// Prints the shader as text, one line per item.
///
/// 32-bit floats are written in hexadecimal, as virgl clients send them. `{:#}` writes finite
/// floats in decimal for readers, with enough digits to read back the same bits.
impl Display for Shader<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.processor())?;
        let mut depth = 0usize;
        // A vertex bracket can be read back only if an item implies its number.
        let mut implied = self.processor() != Processor::Geometry;
        for item in self.items() {
            match item {
                Item::Property(property, value) => {
                    if property == Property::GsInputPrimitive {
                        let primitive = u8::try_from(value).ok().and_then(Primitive::from_code);
                        implied = primitive.is_some();
                    }
                    write_property(f, property, value)?;
                }
                Item::Declaration(dcl) => {
                    write_declaration(
                        f,
                        dcl,
                        implied && is_per_vertex(self.processor(), dcl),
                        self.processor(),
                    )?;
                }
                Item::Immediate(index, immediate) => write_immediate(f, index, immediate)?,
                Item::Instruction(number, instruction) => {
                    let flags = instruction.opcode.info().flags;
                    depth = depth.saturating_sub(usize::from(flags.contains(Flags::CLOSES)));
                    // Deeper indentation does not help readers, and quadratic text is a risk.
                    let indent = 2 * depth.min(64);
                    writeln!(f, "{number:3}: {:indent$}{instruction}", "")?;
                    depth += usize::from(flags.contains(Flags::OPENS));
                }
            }
        }
        Ok(())
    }
}

fn write_property(f: &mut Formatter<'_>, property: Property, value: u32) -> fmt::Result {
    write!(f, "PROPERTY {property} ")?;
    let code = u8::try_from(value).ok();
    let named = match property {
        Property::GsInputPrimitive | Property::GsOutputPrimitive => {
            code.and_then(Primitive::from_code).map(Primitive::name)
        }
        Property::FsCoordOrigin => match value {
            0 => Some("UPPER_LEFT"),
            1 => Some("LOWER_LEFT"),
            _ => None,
        },
        Property::FsCoordPixelCenter => match value {
            0 => Some("HALF_INTEGER"),
            1 => Some("INTEGER"),
            _ => None,
        },
        Property::NextShader => code.and_then(Processor::from_code).map(Processor::name),
        _ => None,
    };
    match named {
        Some(name) => writeln!(f, "{name}"),
        None => writeln!(f, "{value}"),
    }
}

fn write_declaration(
    f: &mut Formatter<'_>,
    dcl: &Declaration,
    per_vertex: bool,
    processor: Processor,
) -> fmt::Result {
    write!(f, "DCL {}", dcl.file)?;
    if per_vertex {
        f.write_str("[]")?;
    }
    if let Some(dimension) = dcl.dimension {
        write!(f, "[{dimension}]")?;
    }
    write!(f, "[{}", dcl.first)?;
    if dcl.last != dcl.first {
        write!(f, "..{}", dcl.last)?;
    }
    f.write_char(']')?;
    write_mask(f, dcl.usage_mask)?;
    if dcl.array_id != 0 {
        write!(f, ", ARRAY({})", dcl.array_id)?;
    }
    if dcl.local {
        f.write_str(", LOCAL")?;
    }
    if let Some(semantic) = dcl.semantic {
        write!(f, ", {semantic}")?;
    }
    if dcl.streams != [0; 4] {
        let [x, y, z, w] = dcl.streams;
        write!(f, ", STREAM({x}, {y}, {z}, {w})")?;
    }
    write_kind(f, &dcl.kind)?;
    if let Some(Interpolation { mode, location }) = dcl.interpolation {
        let off_center = location != Location::Center;
        // The grammar has no location without a mode.
        if off_center || processor == Processor::Fragment && dcl.file == File::Input {
            write!(f, ", {mode}")?;
        }
        if off_center {
            write!(f, ", {location}")?;
        }
    }
    if dcl.invariant {
        f.write_str(", INVARIANT")?;
    }
    f.write_char('\n')
}

/// Returns true if the text has a vertex bracket that declarations do not store.
fn is_per_vertex(processor: Processor, dcl: &Declaration) -> bool {
    let per_patch = dcl.semantic.is_some_and(|semantic| semantic.name.is_per_patch());
    match (processor, dcl.file) {
        (Processor::Geometry, File::Input) => true,
        (Processor::TessControl, File::Input | File::Output)
        | (Processor::TessEval, File::Input) => !per_patch,
        _ => false,
    }
}

fn write_kind(f: &mut Formatter<'_>, kind: &DeclarationKind) -> fmt::Result {
    match *kind {
        DeclarationKind::Plain | DeclarationKind::Buffer { atomic: false } => Ok(()),
        DeclarationKind::Buffer { atomic: true } => f.write_str(", ATOMIC"),
        DeclarationKind::Memory(memory) => write!(f, ", {memory}"),
        DeclarationKind::Image { target, format, writable, raw } => {
            write!(f, ", {target}, PIPE_FORMAT_{}", format.name())?;
            f.write_str(if writable { ", WR" } else { "" })?;
            f.write_str(if raw { ", RAW" } else { "" })
        }
        DeclarationKind::SamplerView { target, returns } => {
            write!(f, ", {target}")?;
            let same = returns.iter().all(|&kind: &ReturnType| kind == returns[0]);
            for kind in returns.iter().take(if same { 1 } else { 4 }) {
                write!(f, ", {kind}")?;
            }
            Ok(())
        }
    }
}

fn write_immediate(f: &mut Formatter<'_>, index: usize, immediate: &Immediate) -> fmt::Result {
    write!(f, "IMM[{index}] {} {{", immediate.kind)?;
    let words = immediate.bits.map(u64::from);
    let [first, second] = immediate.pairs();
    let (values, count) = match immediate.kind.is_64bit() {
        true => ([first, second, 0, 0], 2),
        false => (words, 4),
    };
    for (at, value) in values.into_iter().take(count).enumerate() {
        f.write_str(if at > 0 { ", " } else { "" })?;
        match immediate.kind {
            ImmediateType::Float32 => write_float32(f, value as u32)?,
            ImmediateType::Uint32 | ImmediateType::Uint64 => write!(f, "{value}")?,
            ImmediateType::Int32 => write!(f, "{}", value as i32)?,
            ImmediateType::Float64 => write_float64(f, value)?,
            ImmediateType::Int64 => write!(f, "{}", value as i64)?,
        }
    }
    f.write_str("}\n")
}

/// A buffer for one number, used to check that the printed number reads back unchanged.
#[derive(Default)]
struct Digits {
    bytes: heapless::String<48>,
}

impl Digits {
    fn of(value: fmt::Arguments<'_>) -> Option<Digits> {
        let mut digits = Digits::default();
        digits.bytes.write_fmt(value).ok()?;
        Some(digits)
    }
}

fn write_float32(f: &mut Formatter<'_>, bits: u32) -> fmt::Result {
    let value = f32::from_bits(bits);
    let readable = f.alternate() && value.is_finite();
    let digits = Digits::of(format_args!("{value:.4}"))
        .filter(|digits| readable && digits.bytes.parse().map(f32::to_bits) == Ok(bits));
    match digits {
        Some(digits) => write!(f, "{:>10}", digits.bytes),
        None if readable => write!(f, "{value:e}"),
        None => write!(f, "0x{bits:08x}"),
    }
}

fn write_float64(f: &mut Formatter<'_>, bits: u64) -> fmt::Result {
    let value = f64::from_bits(bits);
    let sign = if bits >> 63 != 0 { "-" } else { "" };
    if value.is_nan() {
        return match bits & ((1 << 52) - 1) {
            0x8_0000_0000_0000 => write!(f, "{:>10}", if sign.is_empty() { "nan" } else { "-nan" }),
            payload => write!(f, "{sign}nan({payload:#x})"),
        };
    }
    let digits = Digits::of(format_args!("{value:.8}"));
    match digits.filter(|digits| digits.bytes.parse().map(f64::to_bits) == Ok(bits)) {
        Some(digits) => write!(f, "{:>10}", digits.bytes),
        // The reference printer drops the remaining digits; this form reads back unchanged.
        None => write!(f, "{value:e}"),
    }
}

/// Prints the instruction without its number.
impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.opcode.name())?;
        f.write_str(if self.saturate { "_SAT" } else { "" })?;
        f.write_str(if self.precise { "_PRECISE" } else { "" })?;
        let mut separator = " ";
        for dst in self.dsts() {
            write!(f, "{separator}{dst}")?;
            separator = ", ";
        }
        for src in self.srcs() {
            write!(f, "{separator}{src}")?;
            separator = ", ";
        }
        self.write_texture(f)?;
        self.write_memory(f)?;
        match self.label {
            Some(label) => write!(f, " :{label}"),
            None => Ok(()),
        }
    }
}

impl Instruction {
    fn write_texture(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(texture) = &self.texture else { return Ok(()) };
        if self.opcode.info().flags.contains(Flags::TEXTURE) {
            write!(f, ", {}", texture.target)?;
        }
        for offset in texture.offsets() {
            let [x, y, z] = offset.swizzle.map(Swizzle::letter);
            write!(f, ", {}[{}].{x}{y}{z}", offset.file, offset.index)?;
        }
        Ok(())
    }

    fn write_memory(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(memory) = &self.memory else { return Ok(()) };
        for (bit, name) in QUALIFIERS.iter().enumerate() {
            if memory.qualifiers.bits() >> bit & 1 != 0 {
                write!(f, ", {name}")?;
            }
        }
        if memory.target != TextureTarget::Buffer {
            write!(f, ", {}", memory.target)?;
        }
        if memory.format.code() != 0 {
            write!(f, ", PIPE_FORMAT_{}", memory.format.name())?;
        }
        Ok(())
    }
}

impl Display for DstRegister {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_register(f, self.file, self.index, &self.indirect, &self.dimension)?;
        write_mask(f, self.mask)
    }
}

impl Display for SrcRegister {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negate { "-" } else { "" })?;
        f.write_str(if self.absolute { "|" } else { "" })?;
        write_register(f, self.file, self.index, &self.indirect, &self.dimension)?;
        if self.swizzle != Swizzle::XYZW {
            let [x, y, z, w] = self.swizzle.map(Swizzle::letter);
            write!(f, ".{x}{y}{z}{w}")?;
        }
        f.write_str(if self.absolute { "|" } else { "" })
    }
}

fn write_register(
    f: &mut Formatter<'_>,
    file: File,
    index: i32,
    indirect: &Option<Indirect>,
    dimension: &Option<Dimension>,
) -> fmt::Result {
    f.write_str(file.name())?;
    if let Some(dimension) = dimension {
        write_index(f, dimension.index.into(), &dimension.indirect)?;
    }
    write_index(f, index, indirect)
}

fn write_index(f: &mut Formatter<'_>, index: i32, indirect: &Option<Indirect>) -> fmt::Result {
    let Some(indirect) = indirect else { return write!(f, "[{index}]") };
    write!(f, "[{}[{}].{}", indirect.file, indirect.index, indirect.swizzle.letter())?;
    match index {
        0 => f.write_char(']')?,
        _ => write!(f, "{index:+}]")?,
    }
    match indirect.array_id {
        0 => Ok(()),
        id => write!(f, "({id})"),
    }
}

fn write_mask(f: &mut Formatter<'_>, mask: WriteMask) -> fmt::Result {
    if mask == WriteMask::XYZW {
        return Ok(());
    }
    f.write_char('.')?;
    mask.components().try_for_each(|at| f.write_char(Swizzle::from_bits(at as u32).letter()))
}
