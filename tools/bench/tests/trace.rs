//! `GALLIUM_TRACE` records the calls of the program, and the trace plays to the same pictures.

use std::path::PathBuf;
use std::process::Command;

use os_shim::{Memory, Os};
use pipe_core::wrap::record::Player;
use raster::{AnyProfile, Config};

/// Draws a scene in a process that records; returns the trace.
fn trace(scene: &str) -> &'static [u8] {
    let path = |ending: &str| {
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{scene}.{ending}"))
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_gallium-bench"));
    program.args(["grey", "--scene", scene, "--count", "7", "--out"]).arg(path("png"));
    let output = program.env("GALLIUM_TRACE", path("trace")).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    std::fs::read(path("trace")).expect("a trace").leak()
}

#[test]
fn traces_of_scenes_play_to_their_pictures() {
    // The shaders were compiled at build time; `life` also has compute programs.
    for scene in ["S4", "life"] {
        let trace = trace(scene);
        let config = Config { scene_bytes: 128 << 10 };
        let screen = AnyProfile::Host.screen(Os::host(), config);
        let mut player = Player::new(&*screen, trace, Memory::system()).expect("a header");
        let mut names = Vec::new();
        while let Some(played) = player.step().expect("a whole trace") {
            assert!(played.is_same, "{scene}: {} has another answer", played.name);
            names.push(played.name);
        }
        for name in ["create_shader_state", "draw_vbo", "present"] {
            assert!(names.contains(&name), "{scene}: no {name} among {names:?}");
        }
        assert_eq!(names.contains(&"launch_grid"), scene == "life", "{names:?}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_gallium-bench"));
    let output = program
        .args(["grey", "--scene", "S1", "--count", "7", "--out", "/dev/null"])
        .env("GALLIUM_TRACE", "/no such folder/trace")
        .output()
        .expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("GALLIUM_TRACE"), "{error}");
}
