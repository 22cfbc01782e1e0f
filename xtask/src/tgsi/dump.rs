//! `cargo xtask tgsi dump`: prints a shader's text, resources, tokens and lane code.

use anyhow::{Result, bail};
use clap::Args;
use os_shim::Memory;
use tgsi::compile::{CompileOptions, Listing, compile};
use tgsi::opcode::Opcode;
use tgsi::register::File as RegisterFile;
use tgsi::scan::{ShaderInfo, Slot};
use tgsi::shader::{Position, Shader};
use tgsi::{text, token};

use super::source::{File, Source};
use super::{Files, check};

/// Prints shaders: the canonical text, the resources that they use, their lane code.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask tgsi dump shader.txt
  cargo xtask tgsi dump --tokens shader.txt
  cargo xtask tgsi dump --no-optimize shader.txt    # every instruction as it stands")]
pub struct Options {
    #[command(flatten)]
    files: Files,
    /// Print the binary tokens, too.
    #[arg(long)]
    tokens: bool,
    /// Compile without simplifying anything.
    #[arg(long)]
    no_optimize: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut failed = 0;
    for path in &options.files.files {
        let file = File::read(path)?;
        let shaders = file.shaders();
        for source in &shaders {
            if shaders.len() > 1 || options.files.files.len() > 1 {
                println!("===== {} shader {}", file.name, source.number);
            }
            failed += u32::from(!dump(options, *source)?);
        }
    }
    if failed > 0 {
        bail!("{failed} shaders cannot be shown whole");
    }
    Ok(())
}

/// Prints one shader; returns false if it is not valid or cannot be compiled.
fn dump(options: &Options, source: Source<'_>) -> Result<bool> {
    let memory = Memory::system();
    let shader = match text::parse(source.text, memory) {
        Ok(shader) => shader,
        Err(error) => {
            print!("{}", check::syntax(source, &error));
            return Ok(false);
        }
    };
    println!("── text\n{shader}");
    if options.tokens {
        tokens(&shader)?;
    }
    println!("── scan");
    print_info(&ShaderInfo::new(&shader)?);
    println!("\n── lane code");
    let compile_options =
        CompileOptions { optimize: !options.no_optimize, ..CompileOptions::DEFAULT };
    match compile(&shader, &compile_options, memory) {
        Ok(compiled) => print!("{}", Listing(&compiled.program())),
        Err(error) => {
            let at = error.position().unwrap_or(Position::NONE);
            print!("{}", source.note("error", at, error));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Prints the words, eight per line.
fn tokens(shader: &Shader<'_>) -> Result<()> {
    let tokens = token::encode(shader, Memory::system())?;
    println!("── tokens: {} words", tokens.len());
    for (line, words) in tokens.chunks(8).enumerate() {
        print!("{:>5}:", 8 * line);
        for word in words {
            print!(" {word:08x}");
        }
        println!();
    }
    println!();
    Ok(())
}

/// Prints the registers, effects and opcodes of a shader.
pub fn print_info(info: &ShaderInfo<'_>) {
    let (blocks, textures) = (info.depth, info.texture_instructions);
    println!(
        "{} instructions, {textures} texture lookups, {blocks} blocks deep",
        info.instructions
    );
    slots("IN", &info.inputs);
    slots("SV", &info.system_values);
    slots("OUT", &info.outputs);
    let does: Vec<String> =
        info.does.iter_names().map(|(name, _)| name.to_lowercase().replace('_', " ")).collect();
    if !does.is_empty() {
        println!("does: {}", does.join(", "));
    }
    for file in RegisterFile::ALL {
        if let Some(last) = info.last[*file as usize] {
            let bit = |bits: u32| bits >> *file as u32 & 1 != 0;
            let reads = if bit(info.indirect_reads) { ", read at computed indices" } else { "" };
            let writes =
                if bit(info.indirect_writes) { ", written at computed indices" } else { "" };
            let registers = if last == 0 { String::from("0") } else { format!("0..{last}") };
            println!("{file}[{registers}]{reads}{writes}");
        }
    }
    for (unit, target) in info.targets.iter().enumerate() {
        if let Some(target) = target {
            println!("SAMP[{unit}] {target}");
        }
    }
    let counts: Vec<String> = Opcode::ALL
        .iter()
        .map(|&opcode| (opcode, info.count(opcode)))
        .filter(|&(_, count)| count > 0)
        .map(|(opcode, count)| format!("{opcode} {count}"))
        .collect();
    println!("opcodes: {}", counts.join(", "));
}

fn slots(file: &str, slots: &[Slot]) {
    for slot in slots {
        print!("{file}[{}].{} {}", slot.register, components(slot), slot.semantic);
        if let Some(how) = slot.interpolation {
            print!(" {} {}", how.mode, how.location);
        }
        println!();
    }
}

/// Returns the letters of the used components.
fn components(slot: &Slot) -> String {
    let used: String = slot.mask.components().map(|at| ['x', 'y', 'z', 'w'][at]).collect();
    if used.is_empty() { String::from("(unused)") } else { used }
}
