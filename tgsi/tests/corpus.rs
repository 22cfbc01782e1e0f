//! Shaders from real clients: text is reproduced through the IR and through tokens, passes the
//! checker, and compiles.
#![cfg(feature = "text")]

use gallium_tgsi::compile::{CompileOptions, compile};
use gallium_tgsi::{sanity, scan::ShaderInfo, text, token};
use os_shim::Memory;

/// Checks each shader of a file with shaders that end at lines `=====`. Returns their number.
fn check(name: &str, file: &str) -> usize {
    let memory = Memory::system();
    let mut count = 0;
    for (number, shader) in file.split_terminator("=====\n").enumerate() {
        let place = format!("{name}, shader {number}");
        let parsed = text::parse(shader, memory).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(parsed.to_string(), shader, "{place}: text");
        let tokens = token::encode(&parsed, memory).unwrap();
        let decoded = token::decode(&tokens, memory).unwrap();
        assert_eq!(decoded, parsed, "{place}: tokens");
        assert_eq!(decoded.to_string(), shader, "{place}: text of tokens");
        let summary = sanity::check(&parsed, &mut |_| {}).unwrap();
        assert_eq!(summary.first_error, None, "{place}");
        for optimize in [true, false] {
            let options = CompileOptions { optimize, ..CompileOptions::DEFAULT };
            let compiled = compile(&parsed, &options, memory);
            let compiled = compiled.unwrap_or_else(|error| panic!("{place}: {error}\n{shader}"));
            assert_eq!(compiled.program().validate(), Ok(()), "{place}");
        }
        let info = ShaderInfo::new(&parsed).unwrap();
        assert_eq!(info.instructions, shader.lines().filter(|line| is_instruction(line)).count());
        count += 1;
    }
    count
}

fn is_instruction(line: &str) -> bool {
    let number = line.trim_start().split(':').next().unwrap_or("");
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn selection() {
    let count = check("vert", include_str!("shaders/vert.txt"))
        + check("frag", include_str!("shaders/frag.txt"))
        + check("geom", include_str!("shaders/geom.txt"))
        + check("comp", include_str!("shaders/comp.txt"))
        + check("tess_ctrl", include_str!("shaders/tess_ctrl.txt"))
        + check("tess_eval", include_str!("shaders/tess_eval.txt"));
    assert_eq!(count, 47);
}

/// Checks the whole collection, if the variable `GALLIUM_SHARED` names its folder.
#[test]
fn whole_collection() {
    let Ok(folder) = std::env::var("GALLIUM_SHARED") else { return };
    let mut count = 0;
    for stage in ["vert", "frag", "geom", "comp", "tess_ctrl", "tess_eval"] {
        let path = format!("{folder}/shaders/{stage}.txt");
        count += check(stage, &std::fs::read_to_string(&path).unwrap());
    }
    assert_eq!(count, 2368);
}
