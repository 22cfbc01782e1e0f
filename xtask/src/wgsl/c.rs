//! `cargo xtask wgsl --c`: shaders as a C header, with structs of their uniforms.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use naga_frontend::{Interface, Member, MemberType, ResourceKind, Scalar};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};

use super::source;
use crate::c_shader::Header;

/// Makes the header of a file's vertex and fragment shaders, which have the names of the file and of
/// their entry points.
///
/// # Errors
/// A file that cannot be read; a shader that is not valid, or that the C API cannot draw with.
pub fn header(path: &Path, options: &naga_frontend::Options) -> Result<Header> {
    let module = source::read(path)?.map_err(|error| anyhow!("{error}"))?;
    let mut header = Header::new("wgsl", path);
    for (entry, stage) in module.entry_points() {
        let translation =
            module.translate_stage(stage, entry, options).map_err(|error| anyhow!("{error}"))?;
        let compiled = compile(&translation.shader, &CompileOptions::DEFAULT, Memory::system())
            .map_err(|error| anyhow!("{entry}: {error}"))?;
        let name = header.name(entry);
        header.push(&interface(&name, &translation.interface)?);
        header.shader(&name, &compiled.program())?;
    }
    Ok(header)
}

/// Returns a comment about a shader's vertices, and a struct of its uniform buffer.
fn interface(name: &str, interface: &Interface) -> Result<String> {
    let mut text = format!("/* {:?} shader `{}`.", interface.stage, interface.entry);
    for input in &interface.vertex_inputs {
        text += &format!(" Location {}: {}.", input.location, input.name);
    }
    text += " */\n";
    for resource in &interface.resources {
        match &resource.kind {
            ResourceKind::Uniform { ty, size } => {
                if resource.slot != 0 || resource.binding.is_none() {
                    bail!("{name} has more than one uniform buffer, or immediates");
                }
                text += &format!(
                    "typedef struct {{\n{}}} {name}_constants;\n\n",
                    members(&resource.name, ty, *size)?
                );
            }
            ResourceKind::Texture { .. } | ResourceKind::Sampler { .. } => {}
            ResourceKind::Storage { .. } | ResourceKind::Image { .. } => {
                bail!("{name} has storage buffers or images, which the C API lacks")
            }
        }
    }
    Ok(text)
}

/// Returns the members of a uniform buffer as members of a C struct, with its padding.
fn members(name: &str, ty: &MemberType, size: u32) -> Result<String> {
    let single = [Member { name: name.to_owned(), offset: 0, ty: ty.clone(), size }];
    let all = match ty {
        MemberType::Struct { members, .. } => members.as_slice(),
        _ => &single,
    };
    let (mut text, mut at) = (String::new(), 0);
    for member in all {
        text += &padding(at, member.offset);
        text += &format!("    {}\n", declaration(member).context("a uniform of no fixed size")?);
        at = member.offset + member.size;
    }
    Ok(text + &padding(at, size))
}

/// Returns unused words between two places of a struct.
fn padding(from: u32, to: u32) -> String {
    match to.saturating_sub(from) {
        0 => String::new(),
        bytes if !(from | to).is_multiple_of(4) => {
            format!("    uint16_t unused_{from}[{}];\n", bytes / 2)
        }
        bytes => format!("    uint32_t unused_{from}[{}];\n", bytes / 4),
    }
}

/// Returns the C declaration of a member; `None` if its size is not fixed.
fn declaration(member: &Member) -> Option<String> {
    let Member { name, ty, size, .. } = member;
    let scalar = |scalar: &Scalar| match scalar {
        Scalar::Int => "int32_t",
        Scalar::Uint => "uint32_t",
        Scalar::Float => "float",
        Scalar::Half => "uint16_t",
    };
    Some(match ty {
        MemberType::Scalar(of) | MemberType::Atomic(of) => format!("{} {name};", scalar(of)),
        MemberType::Vector { size, scalar: of } => format!("{} {name}[{size}];", scalar(of)),
        MemberType::Matrix { columns: 4, rows: 4, scalar: Scalar::Float, .. } => {
            format!("gallium_mat4 {name};")
        }
        MemberType::Matrix { scalar: of, .. } => {
            format!("{} {name}[{}];", scalar(of), size / of.bytes())
        }
        MemberType::Array { element, count: Some(_), .. } => match element.as_ref() {
            MemberType::Scalar(of) | MemberType::Vector { scalar: of, .. } => {
                format!("{} {name}[{}];", scalar(of), size / of.bytes())
            }
            _ => format!("float {name}[{}];", size / 4),
        },
        MemberType::Array { count: None, .. } => return None,
        MemberType::Struct { .. } => format!("float {name}[{}];", size / 4),
    })
}
