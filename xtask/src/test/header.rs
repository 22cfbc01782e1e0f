//! Tests that `kit/c/include/gallium.h` is what cbindgen makes of the source.

use std::path::PathBuf;

use crate::shell;

/// The files with items of the header, in the header's order.
const FILES: [&str; 12] = [
    "error.rs",
    "data.rs",
    "object.rs",
    "calls/errors.rs",
    "calls/device.rs",
    "calls/target.rs",
    "calls/mesh.rs",
    "calls/texture.rs",
    "calls/material.rs",
    "calls/pipeline.rs",
    "calls/sprites.rs",
    "calls/matrix.rs",
];

fn folder() -> PathBuf {
    shell::root().join("kit/c")
}

fn header() -> PathBuf {
    folder().join("include/gallium.h")
}

/// Writes the header with `GALLIUM_ACCEPT=1` in the environment.
#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let empty = cbindgen::Builder::new().with_config(config);
    let builder =
        FILES.iter().fold(empty, |builder, file| builder.with_src(folder().join("src").join(file)));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    if std::env::var_os("GALLIUM_ACCEPT").is_some() {
        std::fs::write(header(), &made).unwrap();
    }
    let checked_in = std::fs::read_to_string(header()).unwrap();
    let line = made.lines().zip(checked_in.lines()).find(|(made, checked_in)| made != checked_in);
    assert!(
        made == checked_in,
        "kit/c/include/gallium.h differs, first in {line:?}: run this test with GALLIUM_ACCEPT=1"
    );
}

/// Every function of the source is in the header: `FILES` names all files that have some.
#[test]
fn no_function_is_missing() {
    let header = std::fs::read_to_string(header()).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(folder().join("src/calls")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            let Some((_, rest)) = line.split_once("extern \"C\" fn gallium_") else { continue };
            let name = rest.split('(').next().unwrap();
            assert!(header.contains(&format!("gallium_{name}(")), "gallium_{name}");
            count += 1;
        }
    }
    assert!(count > 40, "{count} functions");
}
