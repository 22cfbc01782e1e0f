//! Measures how long WGSL takes to become lane code: parsed and validated by naga, translated, compiled. The shaders
//! are typical ones of programs, and the five longest of the folder that `GALLIUM_WGSL` names.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use naga_frontend::{Module, Options};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};

/// The shaders that programs draw with.
const TYPICAL: [(&str, &str); 6] = [
    ("unlit", include_str!("shaders/unlit.wgsl")),
    ("textured", include_str!("shaders/textured.wgsl")),
    ("lit", include_str!("../../../frontends/naga/macros/tests/shaders/lit.wgsl")),
    ("interface", include_str!("shaders/interface.wgsl")),
    ("blur", include_str!("shaders/blur.wgsl")),
    ("particles", include_str!("shaders/particles.wgsl")),
];

/// Makes lane code of each entry point of a text; returns the number of ops.
fn lane_code(wgsl: &str) -> usize {
    let module = Module::wgsl(wgsl, "bench.wgsl").unwrap_or_else(|error| panic!("{error}"));
    let mut ops = 0;
    for (name, stage) in module.entry_points() {
        let translation = module
            .translate_stage(stage, name, &Options::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let compiled = compile(&translation.shader, &CompileOptions::DEFAULT, Memory::system())
            .unwrap_or_else(|error| panic!("{error}"));
        ops += compiled.program().body.len();
    }
    ops
}

/// Lists the WGSL files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|it| it == "wgsl") {
            found.push(path);
        }
    }
}

fn typical(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("typical");
    for (name, wgsl) in TYPICAL {
        group.bench_function(name, |bencher| bencher.iter(|| lane_code(black_box(wgsl))));
    }
    group.finish();
}

/// The steps of one shader, to see where the time goes.
fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("steps of lit");
    let (_, wgsl) = TYPICAL[2];
    let module = Module::wgsl(wgsl, "bench.wgsl").unwrap_or_else(|error| panic!("{error}"));
    let translate = || module.translate("fs", &Options::default()).expect("it translates");
    let shader = translate().shader;
    group.bench_function("parse and validate", |bencher| {
        bencher.iter(|| Module::wgsl(black_box(wgsl), "bench.wgsl"));
    });
    group.bench_function("translate", |bencher| bencher.iter(translate));
    group.bench_function("compile", |bencher| {
        bencher.iter(|| compile(&shader, &CompileOptions::DEFAULT, Memory::system()).is_ok());
    });
    group.finish();
}

fn from_folder(criterion: &mut Criterion) {
    let Some(folder) = std::env::var_os("GALLIUM_WGSL") else { return };
    let mut found = Vec::new();
    files(Path::new(&folder), &mut found);
    let mut texts: Vec<(String, String)> = found
        .into_iter()
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_owned();
            Some((name, std::fs::read_to_string(&path).ok()?))
        })
        // A refused shader takes less time.
        .filter(|(_, text)| Module::wgsl(text, "bench.wgsl").is_ok())
        .collect();
    texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    let mut group = criterion.benchmark_group("the longest");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, wgsl) in texts.iter().take(5) {
        group.bench_function(name, |bencher| bencher.iter(|| lane_code(black_box(wgsl))));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = typical, steps, from_folder
}
criterion_main!(benches);
