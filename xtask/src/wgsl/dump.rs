//! `cargo xtask wgsl dump`: what becomes of a shader.

use anyhow::{Result, bail};
use clap::Args;
use emit::Modes;
use naga_frontend::naga::ShaderStage;
use naga_frontend::{Interface, Member, MemberType, Module, ResourceKind, Translation};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, Compiled, Listing, compile};
use tgsi::scan::ShaderInfo;

use super::{Files, Overrides, source};
use crate::tgsi::print_info;

/// Shows what shaders become: interface, TGSI, lane code, the modes of `wgsl!` that take them, and an estimate
/// of their cost on a microcontroller.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask wgsl dump shader.wgsl
  cargo xtask wgsl dump --entry fs --no-optimize shader.wgsl")]
pub struct Options {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    overrides: Overrides,
    /// Show only the entry point of this name.
    #[arg(long)]
    entry: Option<String>,
    /// Compile without simplifying anything.
    #[arg(long)]
    no_optimize: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut failed = 0;
    for path in source::files(&options.files.files)? {
        let module = match source::read(&path)? {
            Ok(module) => module,
            Err(error) => {
                println!("{error}");
                failed += 1;
                continue;
            }
        };
        for (name, stage) in module.entry_points() {
            if options.entry.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            println!("===== {} {stage:?} {name}", path.display());
            match module.translate_stage(stage, name, &options.overrides.options()) {
                Ok(translation) => {
                    let modes = modes(&module, (stage, name), &options.overrides.options());
                    failed += u32::from(!dump(options, &translation, modes)?);
                }
                Err(error) => {
                    println!("{error}");
                    failed += 1;
                }
            }
        }
    }
    if failed > 0 {
        bail!("{failed} shaders cannot be shown whole");
    }
    Ok(())
}

/// Shows one program and the `modes` that take it; `false` if it cannot be compiled.
fn dump(
    options: &Options,
    translation: &Translation,
    modes: Result<String, String>,
) -> Result<bool> {
    let shader = &translation.shader;
    print!("── interface\n{}", interface(&translation.interface));
    println!("── text\n{shader}");
    println!("── scan");
    print_info(&ShaderInfo::new(shader)?);
    println!("\n── lane code");
    let compile_options =
        CompileOptions { optimize: !options.no_optimize, ..CompileOptions::DEFAULT };
    let compiled = match compile(shader, &compile_options, Memory::system()) {
        Ok(compiled) => compiled,
        Err(error) => {
            println!("error: {error}");
            return Ok(false);
        }
    };
    let program = compiled.program();
    print!("{}", Listing(&program));
    println!("── modes\nrows: {}, ops: {}", program.rows, program.body.len());
    match modes {
        Ok(modes) => print!("{modes}"),
        Err(error) => println!("error: {error}"),
    }
    Ok(true)
}

/// Returns the modes of `wgsl!` that take an entry point, or the reasons why they do not, and the
/// estimated cost.
fn modes(
    module: &Module,
    (stage, entry): (ShaderStage, &str),
    options: &naga_frontend::Options,
) -> Result<String, String> {
    let compiled = |unroll| {
        let options = naga_frontend::Options { unroll, ..options.clone() };
        let translation =
            module.translate_stage(stage, entry, &options).map_err(|error| error.to_string())?;
        let options = CompileOptions::DEFAULT;
        let compiled = compile(&translation.shader, &options, Memory::system());
        Ok::<_, String>((translation, compiled.map_err(|error| error.to_string())?))
    };
    let (plain, unrolled) = (compiled(0)?, compiled(naga_frontend::Options::UNROLL_ALL)?);
    let refusal = |(translation, compiled): &(Translation, Compiled<'_>), modes: Modes| {
        let refusal = emit::program(&compiled.program(), "", "::tgsi", &modes).err()?;
        let instruction = refusal.op.and_then(|op| compiled.instruction(op));
        Some(module.error_at(translation, instruction, refusal.reason).to_string())
    };
    let native = refusal(&plain, Modes { native: emit::WIDTHS.to_vec(), pixel: false });
    let pixel = refusal(&unrolled, Modes { native: Vec::new(), pixel: true });
    let mut text = String::new();
    for (name, refusal) in [("native", &native), ("pixel", &pixel)] {
        text += &match refusal {
            None => format!("{name}: yes\n"),
            Some(reason) => format!("{name}: no, {reason}\n"),
        };
    }
    let unrolled = unrolled.1.program();
    text += "── cost on a Cortex-M4F\n";
    let estimate = cost::estimate(&plain.1.program(), pixel.is_none().then_some(&unrolled));
    text += &format!("{estimate}\n");
    Ok(text)
}

/// Returns an interface as lines.
fn interface(interface: &Interface) -> String {
    let mut text = String::new();
    for resource in &interface.resources {
        let binding = match resource.binding {
            Some((group, binding)) => format!("@group({group}) @binding({binding})"),
            None => "immediates".into(),
        };
        let kind = resource.kind.slot_kind();
        text += &format!("{binding} {}: {kind:?} {}", resource.name, resource.slot);
        match &resource.kind {
            ResourceKind::Uniform { ty, size } | ResourceKind::Storage { ty, size, .. } => {
                text += &format!(", {size} bytes\n{}", members(ty, 0, "  "));
            }
            ResourceKind::Texture { target, returns, .. } => {
                text += &format!(", {target} {returns}\n");
            }
            ResourceKind::Sampler { comparison } => {
                text += if *comparison { ", compares\n" } else { "\n" };
            }
            ResourceKind::Image { target, format, .. } => {
                text += &format!(", {target} {}\n", format.name());
            }
        }
    }
    for input in &interface.vertex_inputs {
        text += &format!("element {} {}: {}\n", input.location, input.name, input.format.name());
    }
    for (way, varyings) in [("in", &interface.inputs), ("out", &interface.outputs)] {
        for it in varyings {
            let (size, scalar, mode) = (it.size, it.scalar, it.interpolation.mode);
            text += &format!("{way} {} {}: {scalar:?}×{size} {mode}\n", it.semantic, it.name);
        }
    }
    if interface.workgroup_size != [1; 3] || interface.shared_memory > 0 {
        let [x, y, z] = interface.workgroup_size;
        text += &format!("workgroup {x}×{y}×{z}, {} bytes shared\n", interface.shared_memory);
    }
    text
}

/// Returns the members of a type as lines, with their places.
fn members(ty: &MemberType, base: u32, indent: &str) -> String {
    let MemberType::Struct { members: all, .. } = ty else { return String::new() };
    let mut text = String::new();
    for Member { name, offset, ty, size } in all {
        text += &format!("{indent}{:>5} {name}: {}, {size} bytes\n", base + offset, label(ty));
        text += &members(ty, base + offset, &format!("{indent}  "));
    }
    text
}

fn label(ty: &MemberType) -> String {
    match ty {
        MemberType::Scalar(scalar) => format!("{scalar:?}"),
        MemberType::Atomic(scalar) => format!("atomic {scalar:?}"),
        MemberType::Vector { size, scalar } => format!("{scalar:?}×{size}"),
        MemberType::Matrix { columns, rows, stride, .. } => {
            format!("{columns} columns of {rows}, {stride} apart")
        }
        MemberType::Array { element, count, stride } => {
            let count = count.map_or("any number".into(), |count| count.to_string());
            format!("{count} of {}, {stride} apart", label(element))
        }
        MemberType::Struct { name, .. } => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_shown_with_their_places() {
        let wgsl = "struct In { a: f32, b: vec3f } struct U { first: u32, inner: In }
            @group(0) @binding(3) var<uniform> u: U;
            @fragment fn fs(@location(1) c: vec2f) -> @location(0) vec4f {
                return vec4f(u.inner.b, c.x);
            }";
        let module = Module::wgsl(wgsl, "a.wgsl").expect("the module is right");
        let translation = module.translate("fs", &Default::default()).expect("it translates");
        assert_eq!(
            interface(&translation.interface),
            "@group(0) @binding(3) u: ConstantBuffer 0, 48 bytes
      0 first: Uint, 4 bytes
     16 inner: In, 32 bytes
       16 a: Float, 4 bytes
       32 b: Float×3, 12 bytes
in GENERIC[1] c: Float×2 PERSPECTIVE
out COLOR : Float×4 PERSPECTIVE
"
        );
    }
}
