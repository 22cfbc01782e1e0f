//! The packages and features that tests and lints of the host select. Builds that select the same compile each crate
//! once.

/// Firmware, which is built for the boards' cores.
const BOARDS: [&str; 6] = [
    "gallium-board-support",
    "gallium-lm3s6965evb",
    "gallium-mps2-an386",
    "gallium-netduinoplus2",
    "gallium-pico",
    "gallium-riscv-virt",
];

/// Returns true if `cargo xtask test` runs every check: with `--all`, or with `CI` in the environment.
pub fn has_all(asked: bool) -> bool {
    asked || std::env::var_os("CI").is_some()
}

/// Returns cargo's arguments for the default members with the developer commands, which are a feature of this package;
/// with `wgpu`, also for the wgpu adapter with its live page. It is no default member, so that other builds do not
/// compile wgpu. Macros get what programs have, so that both share the crates that they need.
pub fn arguments(wgpu: bool) -> Vec<&'static str> {
    let mut arguments = vec!["--features", "xtask/commands,gallium-host-features/tests"];
    if wgpu {
        arguments.extend(["--workspace", "--features", "gallium-wgpu/rbug"]);
        arguments.extend(BOARDS.iter().flat_map(|board| ["--exclude", board]));
    }
    arguments
}
