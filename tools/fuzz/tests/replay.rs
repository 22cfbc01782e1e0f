//! Runs the inputs of the corpus, seeds and findings, through their targets.

use std::path::{Path, PathBuf};

use gallium_fuzz::{TARGETS, target};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Runs each input of a target; returns the number of inputs.
fn replay(name: &str) -> usize {
    let run = target(name).expect("a target").run;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus().join(name))
        .expect("a folder of the target's name")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in &paths {
        let input = std::fs::read(path).expect("an input");
        println!("{}", path.display());
        run(&input);
    }
    paths.len()
}

macro_rules! replays {
    ($($test:ident: $name:literal,)+) => { $(
        #[test]
        fn $test() {
            assert!(replay($name) > 0, "the corpus of {} is empty", $name);
        }
    )+ };
}

replays! {
    api: "api",
    api_checked: "api-checked",
    assets: "assets",
    commands: "commands",
    execute: "execute",
    formats: "formats",
    recordings: "recordings",
    session: "session",
    text: "text",
    tokens: "tokens",
    wgsl: "wgsl",
    wgsl_programs: "wgsl-programs",
}

#[test]
fn every_folder_is_a_target_s() {
    let mut folders: Vec<String> = std::fs::read_dir(corpus())
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    folders.sort();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(folders, names);
}
