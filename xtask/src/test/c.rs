//! Tests the C API: its example in C on the host and in QEMU, against the same scene in Rust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Steps, features_tests, passes};
use crate::{board, shell, size, toolchain, wgsl, wrapper};

/// The folder of the examples.
const EXAMPLES: &str = "kit/c/examples";

/// The core of the board in `mps2-an386`.
const TARGET: &str = "thumbv7em-none-eabihf";

/// The board in QEMU.
const BOARD: &str = "mps2-an386";

/// The maximum flash of the example in C over that in Rust, in bytes.
const FLASH_OVER_RUST: u64 = 4096;

/// The features on this machine: one build of the driver for the tests and the archives.
const ON_HOST: &str = "std,textured,shaders";

/// A scene of the examples, in C and in Rust.
#[derive(Clone, Copy)]
struct Scene {
    name: &'static str,
    /// The features of the archive for the board.
    features: &'static str,
}

const CUBE: Scene = Scene { name: "cube", features: "bare" };
const HILL: Scene = Scene { name: "hill", features: "bare,shaders" };

/// The language of a scene: the archive that the C compiler's objects are linked with.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    C,
    Rust,
}

use Language::{C, Rust};

impl Language {
    fn name(self) -> &'static str {
        match self {
            C => "c",
            Rust => "rust",
        }
    }

    /// Returns cargo's arguments that build the archive.
    fn arguments(self, scene: Scene) -> Vec<&'static str> {
        match self {
            C => vec!["rustc", "--lib", "--crate-type", "staticlib"],
            Rust => vec!["build", "--example", scene.name],
        }
    }

    /// Returns the archive's path in cargo's folder.
    fn archive(self, scene: Scene) -> String {
        match self {
            C => "libgallium_c.a".into(),
            Rust => format!("examples/lib{}.a", scene.name),
        }
    }

    /// Returns the file with the scene, if it is in C.
    fn file(self, scene: Scene) -> Option<String> {
        (self == C).then(|| format!("{}.c", scene.name))
    }
}

/// The result of a step that is left out.
pub(super) const LEFT_OUT: &str = ": left out, without clang (apt-get install clang)";

/// Tests the C API.
pub(super) fn api(steps: &Steps) {
    steps.step("C API: clippy for thumbv6m-none-eabi", || {
        let mut cargo = toolchain::cargo("clippy", "thumbv6m-none-eabi")?;
        cargo.args(["--package", "gallium-c", "--package", toolchain::HOST_FEATURES]);
        cargo.args(["--no-default-features", "--features", "bare,mesh,lanes-4"]);
        cargo.args(["--features", toolchain::HOST_TESTS]);
        passes(cargo.args(["--", "-D", "warnings"]))
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
        let picture = on_host(CUBE, C)?;
        ensure!(picture == on_host(CUBE, Rust)?, "the pictures by C and by Rust differ");
        Ok(format!(": {} bytes", picture.len()))
    });
    steps.step("C API: the cube on a PC by CMake, pixels as by Rust", || {
        if !shell::has("cmake") {
            return Ok(": left out, without CMake (apt-get install cmake make)".into());
        }
        ensure!(by_cmake()? == on_host(CUBE, Rust)?, "the pictures by CMake and by Rust differ");
        Ok(String::new())
    });
    steps.step("C API: the cube in QEMU, pixels and flash as by Rust", || {
        if !shell::has("clang") {
            return Ok(LEFT_OUT.into());
        }
        let (by_c, by_rust) = (on_board(CUBE, C)?, on_board(CUBE, Rust)?);
        ensure!(
            by_c.0 == on_host(CUBE, Rust)?,
            "the pictures by C in QEMU and by Rust on a PC differ"
        );
        ensure!(by_c.0 == by_rust.0, "the pictures by C and by Rust differ in QEMU");
        let (c, rust) = (by_c.1, by_rust.1);
        ensure!(
            c <= rust + FLASH_OVER_RUST,
            "flash {c} bytes, more than {FLASH_OVER_RUST} over the {rust} bytes in Rust"
        );
        Ok(format!(": flash {c} bytes, in Rust {rust}"))
    });
    steps.step("C API: the components for ESP-IDF and Zephyr, with stand-ins", || {
        if !shell::has("cmake") {
            return Ok(": left out, without CMake (apt-get install cmake make)".into());
        }
        component("project", PROJECT, "thumbv6m-none-eabi")?;
        component("esp-idf", ESP_IDF, "riscv32imac-unknown-none-elf")?;
        component("zephyr", ZEPHYR, "thumbv7em-none-eabihf")?;
        Ok(String::new())
    });
    steps.step("C API: the Arduino library", || {
        if !shell::has("clang") {
            return Ok(LEFT_OUT.into());
        }
        arduino().map(|()| String::new())
    });
    steps.step("C API: the header of a shader is what `wgsl --c` makes", || {
        let path = shell::root().join(EXAMPLES).join("hill.wgsl");
        let made = wgsl::header(&path, &Default::default())?.finish();
        let path = path.with_extension("h");
        let there = fs::read_to_string(&path).unwrap_or_default();
        let command = "cargo xtask wgsl --c kit/c/examples/hill.wgsl -o kit/c/examples/hill.h";
        ensure!(made == there, "{} differs: run `{command}`", path.display());
        Ok(String::new())
    });
    steps.step("C API: a shader of a header in QEMU, pixels as by Rust on a PC", || {
        if !shell::has("clang") {
            return Ok(LEFT_OUT.into());
        }
        let by_rust = on_host(HILL, Rust)?;
        ensure!(on_host(HILL, C)? == by_rust, "the pictures by C and by Rust differ on a PC");
        let (picture, flash) = on_board(HILL, C)?;
        ensure!(picture == by_rust, "the pictures by C in QEMU and by Rust on a PC differ");
        Ok(format!(": flash {flash} bytes"))
    });
}

/// A project as in the README.
const PROJECT: &str = "
set(GALLIUM_RUST_TARGET thumbv6m-none-eabi)
add_subdirectory(${GALLIUM_C} gallium)
get_target_property(archive gallium IMPORTED_LOCATION)
message(STATUS \"archive ${archive}\")
";

/// A project with stand-ins for the commands of ESP-IDF that the component calls.
const ESP_IDF: &str = "
function(idf_component_register)
    cmake_parse_arguments(it \"\" \"\" INCLUDE_DIRS ${ARGN})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${it_INCLUDE_DIRS}/gallium.h)
        message(FATAL_ERROR \"no header in ${it_INCLUDE_DIRS}\")
    endif()
    add_library(component INTERFACE)
    set(COMPONENT_LIB component PARENT_SCOPE)
endfunction()
set(IDF_TARGET esp32c6)
add_subdirectory(${GALLIUM_C}/esp-idf/gallium component)
get_target_property(linked component INTERFACE_LINK_LIBRARIES)
get_target_property(archive ${linked} IMPORTED_LOCATION)
message(STATUS \"archive ${archive}\")
";

/// The same for Zephyr.
const ZEPHYR: &str = "
function(zephyr_include_directories folder)
    if(NOT EXISTS ${folder}/gallium.h)
        message(FATAL_ERROR \"no header in ${folder}\")
    endif()
endfunction()
function(zephyr_library_import name path)
    add_library(${name} STATIC IMPORTED GLOBAL)
    message(STATUS \"archive ${path}\")
endfunction()
set(CONFIG_GALLIUM y)
set(CONFIG_GALLIUM_FEATURES bare,mesh,lanes-16)
set(CONFIG_GALLIUM_RUST_TARGET thumbv7em-none-eabihf)
add_subdirectory(${GALLIUM_C}/zephyr module)
";

/// Configures a component in a project with stand-ins, and checks the core of its archive.
fn component(name: &str, project: &str, core: &str) -> Result<()> {
    let folder = folder(name, CUBE, C)?;
    let text = format!("cmake_minimum_required(VERSION 3.16)\nproject(stand_in C)\n{project}");
    fs::write(folder.join("CMakeLists.txt"), text)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let mut cmake = shell::command("cmake");
    cmake.arg("-S").arg(&folder).arg("-B").arg(folder.join("build"));
    cmake.arg(format!("-DGALLIUM_C={}", shell::root().join("kit/c").display()));
    let said = String::from_utf8_lossy(&shell::output(&mut cmake)?.stdout).into_owned();
    let archive = format!("{core}/firmware/libgallium_c.a");
    ensure!(said.contains(&archive), "{name}: no archive {archive} in:\n{said}");
    Ok(())
}

/// Completes the Arduino library for a core, and compiles its example with stand-ins.
fn arduino() -> Result<()> {
    let library = shell::root().join("kit/c/arduino");
    let mut make = shell::command(library.join("make.sh"));
    wrapper::set(&mut make)?;
    shell::output(make.arg("cortex-m4").env("CARGO_TARGET_DIR", shell::target_dir()))?;
    let library = library.join("Gallium");
    let archive = library.join("src/cortex-m4/fpv4-sp-d16-hard/libgallium_c.a");
    ensure!(archive.is_file(), "no {}", archive.display());
    let folder = folder("arduino", CUBE, C)?;
    // What the Arduino builder puts in front of a sketch.
    let sketch = library.join("examples/Cube/Cube.ino");
    let text = format!(
        "struct {{ void begin(long); void println(const char *); }} static Serial;\n#include \"{}\"\n",
        sketch.display()
    );
    let file = folder.join("sketch.cpp");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let mut clang = shell::command("clang");
    clang.args(["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"]);
    clang.args(["-std=gnu++17", "-ffreestanding", "-fsyntax-only", "-Wall", "-Wextra"]);
    clang.args(["-Wno-undefined-internal", "-Werror", "-I"]).arg(library.join("src"));
    passes(clang.arg(file))?;
    Ok(())
}

/// Returns an empty folder for a program.
fn folder(machine: &str, scene: Scene, language: Language) -> Result<PathBuf> {
    let folder = shell::target_dir().join("c").join(machine).join(scene.name).join(language.name());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Returns the picture that a program wrote to its folder.
fn picture(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join("picture.ppm");
    fs::read(&path).with_context(|| format!("the program wrote no {}", path.display()))
}

/// Builds the example for this machine, runs it, and returns its picture.
fn on_host(scene: Scene, language: Language) -> Result<Vec<u8>> {
    shell::need("cc", "gcc")?;
    let mut cargo = shell::cargo();
    cargo.args(language.arguments(scene)).args(["--package", "gallium-c", "--features", ON_HOST]);
    shell::output(shell::quickly(&mut cargo))?;
    let folder = folder("host", scene, language)?;
    let examples = shell::root().join(EXAMPLES);
    let mut cc = shell::command("cc");
    cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    cc.arg("-I").arg(shell::root().join("kit/c/include"));
    cc.args(language.file(scene).map(|file| examples.join(file)));
    cc.arg(examples.join("host.c"))
        .arg(shell::target_dir().join("debug").join(language.archive(scene)));
    cc.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(folder.join("cube"));
    shell::output(&mut cc)?;
    shell::output(shell::command(folder.join("cube")).current_dir(&folder))?;
    picture(&folder)
}

/// Builds the example for this machine by its CMake project, runs it, and returns its picture.
fn by_cmake() -> Result<Vec<u8>> {
    let folder = folder("cmake", CUBE, C)?;
    let mut cmake = shell::command("cmake");
    cmake.arg("-S").arg(shell::root().join(EXAMPLES)).arg("-B").arg(&folder);
    // The build of `on_host`.
    cmake.arg(format!("-DGALLIUM_TARGET_DIR={}", shell::target_dir().display()));
    cmake.arg(format!("-DGALLIUM_FEATURES={ON_HOST},lanes-16,mesh"));
    shell::output(cmake.arg("-DGALLIUM_PROFILE=dev"))?;
    shell::output(shell::quickly(shell::command("cmake").arg("--build").arg(&folder)))?;
    shell::output(shell::command(folder.join("cube")).current_dir(&folder))?;
    picture(&folder)
}

/// Builds the example for the board, runs it in QEMU, and returns its picture and its flash in
/// bytes.
fn on_board(scene: Scene, language: Language) -> Result<(Vec<u8>, u64)> {
    let arguments = language.arguments(scene);
    let (verb, arguments) = arguments.split_first().context("no verb")?;
    let mut cargo = toolchain::firmware_alone(verb, TARGET)?;
    cargo.args(["--package", "gallium-c", "--profile", "firmware", "--features", scene.features]);
    if language == Rust {
        // With the macros of the boards; `cargo rustc`, for C, builds one package.
        cargo.args(["--package", toolchain::HOST_FEATURES]);
        // As a user's program is built, which has another name than the archive's package.
        cargo.args(["--config", "profile.firmware.package.gallium-c.opt-level='s'"]);
    }
    shell::output(cargo.args(arguments))?;
    let folder = folder(BOARD, scene, language)?;
    let examples = shell::root().join(EXAMPLES);
    let mut lld = shell::command(linker()?);
    lld.args(["-flavor", "gnu", "--gc-sections", "-T"]).arg(examples.join(BOARD).join("link.ld"));
    for file in [String::from("mps2-an386/start.c")].into_iter().chain(language.file(scene)) {
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
    lld.arg(shell::target_dir().join(TARGET).join("firmware").join(language.archive(scene)));
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
pub(super) fn linker() -> Result<PathBuf> {
    let folder = toolchain::host_programs()?;
    let linker = folder.join("rust-lld");
    if linker.is_file() {
        return Ok(linker);
    }
    shell::need("ld.lld", "lld")?;
    Ok("lld".into())
}
