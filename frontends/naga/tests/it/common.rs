//! Translates and checks.

use gallium_naga::{Module, Options, Translation};
use wgsl_random::check::fault;

/// Translates an entry point of WGSL that is right.
#[track_caller]
pub(crate) fn translate(wgsl: &str, entry: &str) -> Translation {
    translate_with(wgsl, entry, &Options::default())
}

/// Translates an entry point of WGSL that is right, with options.
#[track_caller]
pub(crate) fn translate_with(wgsl: &str, entry: &str, options: &Options) -> Translation {
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap_or_else(|error| panic!("{error}"));
    let translation = module.translate(entry, options).unwrap_or_else(|error| panic!("{error}"));
    if let Some(fault) = fault(&translation) {
        panic!("{fault}\n{}", translation.shader);
    }
    translation
}
