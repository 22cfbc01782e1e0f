//! Compares the float routines in assembler with an FPU, in QEMU.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::{Steps, c};
use crate::shell;

/// The routines, in the strings of a macro.
const ROUTINES: &str = "os-shim/src/math/soft/armv6m.rs";

/// The program that calls them, for a Cortex-M4F: it runs the instructions of a Cortex-M0+, too.
const PROGRAM: &str = include_str!("floats.c");

const LINKER_SCRIPT: &str = "
SECTIONS {
    . = 0;
    .vectors : { KEEP(*(.vectors)) }
    .text : { *(.text*) *(.rodata*) }
    . = 0x20000000;
    .data : { *(.data*) *(.bss*) }
    /DISCARD/ : { *(.ARM.exidx*) }
}
";

/// Tests the routines.
pub(super) fn routines(steps: &Steps) {
    steps.step("soft floats: the assembler's results in QEMU", || {
        if !shell::has("clang") {
            return Ok(c::LEFT_OUT.into());
        }
        let said = run()?;
        let said = said.trim();
        ensure!(said.starts_with("0 of "), "results differ from the FPU's:\n{said}");
        Ok(format!(": {said} results differ"))
    });
}

/// Returns the instructions in a macro's strings, with other names than those that a compiler's
/// library defines. Rare operands go to functions of the program.
fn assembler(text: &str) -> String {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let mut assembler = String::from(".syntax unified\n.cpu cortex-m0\n.thumb\n");
    for line in lines {
        let line = line.replace("{multiply}", "rare_fmul").replace("{add}", "rare_fadd");
        let line = line.replace("{{", "{").replace("}}", "}").replace("\\\"", "\"");
        assembler.push_str(&line.replace("__aeabi_", "soft_"));
        assembler.push('\n');
    }
    assembler
}

/// Builds and runs the program; returns what it printed.
fn run() -> Result<String> {
    let folder = shell::target_dir().join("floats");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = shell::root().join(ROUTINES);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let files = [
        ("floats.s", assembler(&text), &["--target=thumbv6m-none-eabi"][..]),
        (
            "floats.c",
            PROGRAM.into(),
            &[
                "--target=thumbv7em-none-eabihf",
                "-mcpu=cortex-m4",
                "-mfpu=fpv4-sp-d16",
                "-std=c11",
                "-O1",
                "-ffreestanding",
                "-ffp-contract=off",
                "-Wall",
                "-Wextra",
                "-Werror",
            ],
        ),
    ];
    let script = folder.join("link.ld");
    fs::write(&script, LINKER_SCRIPT)?;
    let image = folder.join("floats.elf");
    let mut lld = shell::command(c::linker()?);
    lld.args(["-flavor", "gnu", "-e", "start", "-T"]).arg(&script).arg("-o").arg(&image);
    for (name, text, arguments) in files {
        let file = folder.join(name);
        let object = folder.join(name.replace('.', "-")).with_extension("o");
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let mut clang = shell::command("clang");
        shell::output(clang.args(arguments).arg("-c").arg(&file).arg("-o").arg(&object))?;
        lld.arg(object);
    }
    shell::output(&mut lld)?;
    shell::need("qemu-system-arm", "qemu-system-arm")?;
    let mut qemu = shell::command("qemu-system-arm");
    qemu.args(["-M", "mps2-an386", "-display", "none", "-serial", "none", "-semihosting"]);
    let output = shell::output(qemu.arg("-kernel").arg(&image))?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_become_instructions() {
        let text =
            "global_asm!(\n  \"push {{r4, lr}}\",\n  // 1\n  \"bl {add}\",\n  add = sym x,\n);";
        let lines = assembler(text);
        assert!(lines.ends_with(".thumb\npush {r4, lr}\nbl rare_fadd\n"), "{lines}");
    }
}
