//! Tests the C API: its example in C on the host and in QEMU, against the same scene in Rust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Steps, features_tests, passes};
use crate::{board, shell, size, toolchain};

/// The folder of the examples.
const EXAMPLES: &str = "kit/c/examples";

/// The core of the board in `mps2-an386`.
const TARGET: &str = "thumbv7em-none-eabihf";

/// The board in QEMU.
const BOARD: &str = "mps2-an386";

/// The maximum flash of the example in C over that in Rust, in bytes.
const FLASH_OVER_RUST: u64 = 4096;

/// The features on this machine: one build of the driver for the tests and the archives.
const ON_HOST: &str = "std,textured";

/// A language of the example: the archive that the C compiler's objects are linked with, and the
/// objects.
#[derive(Clone, Copy)]
struct Language {
    name: &'static str,
    archive: &'static str,
    /// The file with the scene, if it is in C.
    scene: Option<&'static str>,
}

const C: Language = Language { name: "c", archive: "libgallium_c.a", scene: Some("cube.c") };
const RUST: Language = Language { name: "rust", archive: "examples/libcube.a", scene: None };

impl Language {
    /// Returns cargo's arguments that build the archive.
    fn arguments(self) -> (&'static str, &'static [&'static str]) {
        match self.scene {
            Some(_) => ("rustc", &["--lib", "--crate-type", "staticlib"]),
            None => ("build", &["--example", "cube"]),
        }
    }
}

/// The result of a step that is left out.
const LEFT_OUT: &str = ": left out, without clang (apt-get install clang)";

/// Tests the C API.
pub(super) fn api(steps: &Steps) {
    steps.step("C API: clippy for thumbv6m-none-eabi", || {
        let mut cargo = toolchain::cargo("clippy", "thumbv6m-none-eabi")?;
        cargo.args(["--package", "gallium-c", "--profile", "firmware", "--no-default-features"]);
        passes(cargo.args(["--features", "bare,mesh,lanes-4", "--", "-D", "warnings"]))
    });
    steps.step("C API: the header in C++", || {
        if !shell::has("clang") {
            return Ok(LEFT_OUT.into());
        }
        let mut clang = shell::command("clang");
        clang.args(["-x", "c++", "-std=c++11", "-ffreestanding", "-fsyntax-only"]);
        clang.args(["-Wall", "-Wextra", "-Wno-pragma-once-outside-header", "-Werror"]);
        passes(clang.arg("kit/c/include/gallium.h"))
    });
    features_tests(
        steps,
        "C API: host tests with numbers in errors",
        &["gallium-c", "--test", "calls", "--features", ON_HOST],
    );
    steps.step("C API: the cube on a PC, pixels as by Rust", || {
        let picture = on_host(C)?;
        ensure!(picture == on_host(RUST)?, "the pictures by C and by Rust differ");
        Ok(format!(": {} bytes", picture.len()))
    });
    steps.step("C API: the cube on a PC by CMake, pixels as by Rust", || {
        if !shell::has("cmake") {
            return Ok(": left out, without CMake (apt-get install cmake make)".into());
        }
        ensure!(by_cmake()? == on_host(RUST)?, "the pictures by CMake and by Rust differ");
        Ok(String::new())
    });
    steps.step("C API: the cube in QEMU, pixels and flash as by Rust", || {
        if !shell::has("clang") {
            return Ok(LEFT_OUT.into());
        }
        let (by_c, by_rust) = (on_board(C)?, on_board(RUST)?);
        ensure!(by_c.0 == on_host(RUST)?, "the pictures by C in QEMU and by Rust on a PC differ");
        ensure!(by_c.0 == by_rust.0, "the pictures by C and by Rust differ in QEMU");
        let (c, rust) = (by_c.1, by_rust.1);
        ensure!(
            c <= rust + FLASH_OVER_RUST,
            "flash {c} bytes, more than {FLASH_OVER_RUST} over the {rust} bytes in Rust"
        );
        Ok(format!(": flash {c} bytes, in Rust {rust}"))
    });
}

/// Returns an empty folder for a program.
fn folder(machine: &str, language: Language) -> Result<PathBuf> {
    let folder = shell::target_dir().join("c").join(machine).join(language.name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Returns the picture that a program wrote to its folder.
fn picture(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join("cube.ppm");
    fs::read(&path).with_context(|| format!("the program wrote no {}", path.display()))
}

/// Builds the example for this machine, runs it, and returns its picture.
fn on_host(language: Language) -> Result<Vec<u8>> {
    shell::need("cc", "gcc")?;
    let (verb, arguments) = language.arguments();
    let mut cargo = shell::cargo();
    cargo.args([verb, "--package", "gallium-c", "--features", ON_HOST]).args(arguments);
    shell::output(&mut cargo)?;
    let folder = folder("host", language)?;
    let examples = shell::root().join(EXAMPLES);
    let mut cc = shell::command("cc");
    cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    cc.arg("-I").arg(shell::root().join("kit/c/include"));
    cc.args(language.scene.map(|file| examples.join(file)));
    cc.arg(examples.join("host.c")).arg(shell::target_dir().join("debug").join(language.archive));
    cc.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(folder.join("cube"));
    shell::output(&mut cc)?;
    shell::output(shell::command(folder.join("cube")).current_dir(&folder))?;
    picture(&folder)
}

/// Builds the example for this machine by its CMake project, runs it, and returns its picture.
fn by_cmake() -> Result<Vec<u8>> {
    let folder = folder("cmake", C)?;
    let mut cmake = shell::command("cmake");
    cmake.arg("-S").arg(shell::root().join(EXAMPLES)).arg("-B").arg(&folder);
    // The build of `on_host`.
    cmake.arg(format!("-DGALLIUM_TARGET_DIR={}", shell::target_dir().display()));
    cmake.arg(format!("-DGALLIUM_FEATURES={ON_HOST},lanes-16,mesh"));
    shell::output(cmake.arg("-DGALLIUM_PROFILE=dev"))?;
    shell::output(shell::command("cmake").arg("--build").arg(&folder))?;
    shell::output(shell::command(folder.join("cube")).current_dir(&folder))?;
    picture(&folder)
}

/// Builds the example for the board, runs it in QEMU, and returns its picture and its flash in
/// bytes.
fn on_board(language: Language) -> Result<(Vec<u8>, u64)> {
    let (verb, arguments) = language.arguments();
    let mut cargo = toolchain::cargo(verb, TARGET)?;
    cargo.args(["--package", "gallium-c", "--profile", "firmware", "--features", "bare"]);
    if language.scene.is_none() {
        // As a user's program is built, which has another name than the archive's package.
        cargo.args(["--config", "profile.firmware.package.gallium-c.opt-level='s'"]);
    }
    shell::output(cargo.args(arguments))?;
    let folder = folder(BOARD, language)?;
    let examples = shell::root().join(EXAMPLES);
    let mut lld = shell::command(linker()?);
    lld.args(["-flavor", "gnu", "--gc-sections", "-T"]).arg(examples.join(BOARD).join("link.ld"));
    for file in ["mps2-an386/start.c"].into_iter().chain(language.scene) {
        let object = folder.join(file.replace('/', "-")).with_extension("o");
        let mut clang = shell::command("clang");
        clang.args(["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"]);
        clang.args(["-std=c11", "-Os", "-ffreestanding", "-ffunction-sections"]);
        clang.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
        clang.arg(shell::root().join("kit/c/include")).arg("-c").arg(examples.join(file));
        shell::output(clang.arg("-o").arg(&object))?;
        lld.arg(object);
    }
    let image = folder.join("cube.elf");
    lld.arg(shell::target_dir().join(TARGET).join("firmware").join(language.archive));
    shell::output(lld.arg("-o").arg(&image))?;
    let board = board::find(BOARD)?;
    let board::Emulator::Qemu(machine) = &board.emulator else {
        anyhow::bail!("{BOARD} is not a board of QEMU")
    };
    board.emulator.install()?;
    let mut qemu = shell::command(&machine.program);
    qemu.args(&machine.arguments).args(["-semihosting-config", "enable=on,target=native"]);
    shell::output(qemu.arg("-kernel").arg(&image).current_dir(&folder))?;
    Ok((picture(&folder)?, size::measure(&image)?.flash))
}

/// Returns the linker for bare metal: Rust's, or the distribution's.
fn linker() -> Result<PathBuf> {
    let folder = toolchain::host_programs()?;
    let linker = folder.join("rust-lld");
    if linker.is_file() {
        return Ok(linker);
    }
    shell::need("ld.lld", "lld")?;
    Ok("lld".into())
}
