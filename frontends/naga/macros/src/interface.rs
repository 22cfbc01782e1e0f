//! Slots, structs and vertex elements as Rust code.

use std::collections::BTreeSet;
use std::fmt::Write;

use naga_frontend::{Interface, Member, MemberType, ResourceKind, Scalar};

use crate::parse::{Item, Options};

/// Returns the module of an item's interface; `None` for an expression.
pub(crate) fn module(item: &Item, interface: &Interface) -> Option<String> {
    let options = &item.options;
    let (name, visibility) = (item.name.as_ref()?.to_lowercase(), &item.visibility);
    let mut code = String::new();
    let mut structs = BTreeSet::new();
    for resource in &interface.resources {
        let kind = resource.kind.slot_kind();
        // SPIR-V need not have names.
        let constant = match (resource.name.as_str(), resource.binding) {
            ("", Some((group, binding))) => format!("BINDING_{group}_{binding}_SLOT"),
            ("", None) => "IMMEDIATES_SLOT".into(),
            (name, _) => format!("{}_SLOT", upper(name)),
        };
        let _ = writeln!(
            code,
            "/// The slot of `{}`, a {kind:?}.\npub const {constant}: usize = {};",
            resource.name, resource.slot
        );
        if let ResourceKind::Uniform { ty, .. } | ResourceKind::Storage { ty, .. } = &resource.kind
        {
            declare(ty, options, &mut structs, &mut code);
        }
    }
    if !interface.vertex_inputs.is_empty() {
        vertex(interface, options, &mut code);
    }
    let entry = &interface.entry;
    Some(format!(
        "/// The interface of the entry point `{entry}`.\n\
         #[allow(dead_code, unreachable_pub)]\n{visibility} mod {name} {{ {code} }}"
    ))
}

/// Returns a name as Rust has it; names that Rust reserves are raw.
fn identifier(name: &str) -> String {
    const RESERVED: &str = " abstract as async await become box break const continue do dyn else \
        enum extern false final fn for gen if impl in let loop macro match mod move mut override \
        priv pub ref return static struct trait true try type typeof unsafe unsized use virtual \
        where while yield ";
    match name {
        "self" | "Self" | "super" | "crate" | "_" => format!("{name}_"),
        name if RESERVED.contains(&format!(" {name} ")) => format!("r#{name}"),
        name => name.to_owned(),
    }
}

/// Returns a constant's name.
fn upper(name: &str) -> String {
    let mut upper = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && upper.ends_with(|last: char| last.is_ascii_lowercase()) {
            upper.push('_');
        }
        upper.push(letter);
    }
    upper.to_uppercase()
}

fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "i32",
        Scalar::Uint => "u32",
        Scalar::Float => "f32",
        // The bits: Rust has no type for them.
        Scalar::Half => "u16",
    }
}

/// Returns the Rust type with the same bytes as a member; the bytes of it that are filled.
fn rust_type(ty: &MemberType) -> (String, u32) {
    match ty {
        MemberType::Scalar(it) | MemberType::Atomic(it) => (scalar(*it).into(), it.bytes()),
        MemberType::Vector { size, scalar: it } => {
            (format!("[{}; {size}]", scalar(*it)), it.bytes() * u32::from(*size))
        }
        // Columns of three have a fourth component.
        MemberType::Matrix { columns, scalar: it, stride, .. } => {
            let column = format!("[{}; {}]", scalar(*it), stride / it.bytes());
            (format!("[{column}; {columns}]"), stride * u32::from(*columns))
        }
        MemberType::Array { element, count, stride } => {
            let count = count.unwrap_or(1);
            let (inner, size) = rust_type(element);
            let bytes = stride.saturating_mul(count);
            match stride.checked_sub(size) {
                Some(0) => (format!("[{inner}; {count}]"), bytes),
                // Scalars and vectors that are padded to the stride.
                _ => {
                    let it = match **element {
                        MemberType::Scalar(it) | MemberType::Vector { scalar: it, .. } => it,
                        _ => Scalar::Uint,
                    };
                    (format!("[[{}; {}]; {count}]", scalar(it), stride / it.bytes()), bytes)
                }
            }
        }
        MemberType::Struct { name, size, .. } => (identifier(name), *size),
    }
}

/// Declares the structs that a type is made of.
fn declare(ty: &MemberType, options: &Options, known: &mut BTreeSet<String>, code: &mut String) {
    match ty {
        MemberType::Array { element, .. } => declare(element, options, known, code),
        MemberType::Struct { name, members, size } => {
            for member in members {
                declare(&member.ty, options, known, code);
            }
            if known.insert(name.clone()) {
                structure(name, members, *size, options, code);
            }
        }
        MemberType::Scalar(_)
        | MemberType::Atomic(_)
        | MemberType::Vector { .. }
        | MemberType::Matrix { .. } => {}
    }
}

/// Declares a struct with its padding as fields.
fn structure(name: &str, members: &[Member], size: u32, options: &Options, code: &mut String) {
    let bytemuck = &options.bytemuck;
    let _ = writeln!(
        code,
        "/// `{name}` as the shader reads it.\n#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {} {{",
        identifier(name)
    );
    let (mut at, mut paddings) = (0, 0);
    for member in members {
        // An array that ends where its buffer does follows the struct.
        if matches!(member.ty, MemberType::Array { count: None, .. }) {
            continue;
        }
        pad(at, member.offset, &mut paddings, code);
        let (ty, bytes) = rust_type(&member.ty);
        let _ = writeln!(
            code,
            "/// At byte {}.\npub {}: {ty},",
            member.offset,
            identifier(&member.name)
        );
        at = member.offset + bytes;
    }
    pad(at, size, &mut paddings, code);
    let name = identifier(name);
    let _ = writeln!(
        code,
        "}}\n// Every bit pattern is a value of words, and the padding is fields.\n\
         const _: () = assert!(::core::mem::size_of::<{name}>() == {size});"
    );
    pod(&name, bytemuck, code);
}

/// Makes a struct plain data.
fn pod(name: &str, bytemuck: &str, code: &mut String) {
    let _ = writeln!(
        code,
        "unsafe impl {bytemuck}::Zeroable for {name} {{}}\n\
         unsafe impl {bytemuck}::Pod for {name} {{}}"
    );
}

/// Declares the vertex struct and the elements of a buffer of it.
fn vertex(interface: &Interface, options: &Options, code: &mut String) {
    let Options { pipe, formats, bytemuck, .. } = options;
    let (mut fields, mut elements) = (String::new(), String::new());
    let (mut offset, mut next, mut paddings) = (0u32, 0, 0);
    let none = format!("{pipe}::VertexElement::per_vertex(0, {formats}::Format::None)");
    for input in &interface.vertex_inputs {
        // Locations without an input have an element too, as elements are counted.
        while next < input.location {
            elements += &format!("{none},");
            next += 1;
        }
        next = input.location + 1;
        let bytes = input.format.block_bytes() as u32;
        let name = match input.name.as_str() {
            "" => format!("location{}", input.location),
            name => identifier(name),
        };
        // `R32G32_FLOAT` is the variant `R32G32Float`.
        let (kind, variant) = match input.format.name().split_once('_') {
            Some((channels, "SINT")) => (Scalar::Int, format!("{channels}Sint")),
            Some((channels, "UINT")) => (Scalar::Uint, format!("{channels}Uint")),
            Some((channels, _)) if channels.starts_with("R16") => {
                (Scalar::Half, format!("{channels}Float"))
            }
            Some((channels, _)) => (Scalar::Float, format!("{channels}Float")),
            None => (Scalar::Float, "None".into()),
        };
        let (count, ty) = (bytes / kind.bytes(), scalar(kind));
        let ty = if count == 1 { ty.into() } else { format!("[{ty}; {count}]") };
        let begin = if kind == Scalar::Half { offset } else { offset.next_multiple_of(4) };
        pad(offset, begin, &mut paddings, &mut fields);
        offset = begin;
        fields += &format!("/// `@location({})`.\npub {name}: {ty},", input.location);
        elements +=
            &format!("{pipe}::VertexElement::per_vertex({offset}, {formats}::Format::{variant}),");
        offset += bytes;
    }
    let size = offset.next_multiple_of(4);
    pad(offset, size, &mut paddings, &mut fields);
    let _ = writeln!(
        code,
        "/// A vertex with every attribute.\n#[repr(C)]\n#[derive(Clone, Copy, Debug)]\n\
         pub struct Vertex {{ {fields} }}\n\
         const _: () = assert!(::core::mem::size_of::<Vertex>() == {size});\n\
         /// The vertex elements of a buffer of [`Vertex`].\n\
         pub const ELEMENTS: [{pipe}::VertexElement; {next}] = [{elements}];"
    );
    pod("Vertex", bytemuck, code);
}

/// Declares the padding from byte `at` to byte `to`, if there is any, and counts it.
fn pad(at: u32, to: u32, paddings: &mut u32, code: &mut String) {
    let Some(bytes @ 1..) = to.checked_sub(at) else { return };
    // After halves, the padding begins or ends within a word.
    let (unit, size) = if (at | to).is_multiple_of(4) { ("u32", 4) } else { ("u16", 2) };
    let count = bytes / size;
    let _ = writeln!(code, "/// Not read.\npub padding{paddings}: [{unit}; {count}],");
    *paddings += 1;
}
