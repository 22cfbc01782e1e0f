//! Shaders from outside this project, in the folder that `GALLIUM_WGSL` names: each entry point translates into a
//! program that the checker and the compiler take, or is refused by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gallium_naga::naga::ShaderStage;
use gallium_naga::{Error, Module, Options};
use wgsl_random::check::fault;

/// Lists the shaders below a folder.
fn shaders(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        match extension {
            _ if path.is_dir() => shaders(&path, found),
            "wgsl" | "vert" | "frag" | "comp" | "spv" => found.push(path),
            _ => {}
        }
    }
    found.sort();
}

/// Reads and validates a shader by its extension.
fn read(path: &Path) -> Result<Module, Error> {
    let bytes = std::fs::read(path).expect("the file is there");
    let name = path.display().to_string();
    let text = String::from_utf8_lossy(&bytes);
    match path.extension().and_then(|it| it.to_str()) {
        Some("vert") => Module::glsl(&text, ShaderStage::Vertex, &name),
        Some("frag") => Module::glsl(&text, ShaderStage::Fragment, &name),
        Some("comp") => Module::glsl(&text, ShaderStage::Compute, &name),
        Some("spv") => Module::spirv(&bytes),
        _ => Module::wgsl(&text, &name),
    }
}

#[test]
fn shaders_of_others_translate_or_are_refused_by_name() {
    let Some(folder) = std::env::var_os("GALLIUM_WGSL") else { return };
    let mut files = Vec::new();
    shaders(Path::new(&folder), &mut files);
    assert!(!files.is_empty(), "GALLIUM_WGSL names a folder without shaders");
    let (mut translated, mut invalid) = (0, 0);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for path in &files {
        let module = match read(path) {
            Ok(module) => module,
            Err(error) => {
                invalid += 1;
                println!("{}: {:?}: {}", path.display(), error.kind(), error.message());
                continue;
            }
        };
        let entries: Vec<_> =
            module.entry_points().map(|(name, stage)| (name.to_string(), stage)).collect();
        for (name, stage) in entries {
            match module.translate_stage(stage, &name, &Options::default()) {
                Ok(translation) => match fault(&translation) {
                    None => translated += 1,
                    Some(fault) => faults.push(format!("{} {name}: {fault}", path.display())),
                },
                Err(error) => {
                    *refused.entry(error.message().to_string()).or_default() += 1;
                    println!("{} {name}: {error}", path.display());
                }
            }
        }
    }
    println!("{} files; {invalid} invalid; {translated} entry points translated", files.len());
    println!("refused: {refused:#?}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
