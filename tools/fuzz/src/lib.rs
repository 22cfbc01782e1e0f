//! Fuzz targets. Each target takes any bytes and panics if the code under test breaks a promise.
//!
//! `cargo xtask fuzz TARGET` searches for such bytes with libFuzzer. `tests/replay.rs` runs the
//! inputs in `corpus/TARGET` with any compiler: seeds and findings of earlier searches.
#![forbid(unsafe_code)]

#[cfg(feature = "driver")]
pub mod api;
#[cfg(feature = "assets")]
pub mod assets;
pub mod formats;
#[cfg(feature = "driver")]
mod input;
#[cfg(feature = "driver")]
pub mod recordings;
#[cfg(feature = "driver")]
pub mod session;
pub mod shader;
#[cfg(feature = "wgsl")]
pub mod wgsl;

use std::sync::OnceLock;

use codegen::Generator;

#[cfg(feature = "driver")]
pub use input::Input;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target, and of its folder in `corpus`.
    pub name: &'static str,
    /// Runs the code under test on one input; panics if it breaks a promise.
    pub run: fn(&[u8]),
}

/// All targets of this build.
pub const TARGETS: &[Target] = &[
    #[cfg(feature = "driver")]
    Target { name: "api", run: api::unchecked },
    #[cfg(feature = "driver")]
    Target { name: "api-checked", run: api::checked },
    #[cfg(feature = "assets")]
    Target { name: "assets", run: assets::run },
    #[cfg(feature = "driver")]
    Target { name: "commands", run: session::commands },
    Target { name: "execute", run: shader::execute },
    Target { name: "formats", run: formats::run },
    #[cfg(feature = "driver")]
    Target { name: "recordings", run: recordings::run },
    #[cfg(feature = "driver")]
    Target { name: "session", run: session::raw },
    Target { name: "text", run: shader::text },
    Target { name: "tokens", run: shader::tokens },
    #[cfg(feature = "wgsl")]
    Target { name: "wgsl", run: wgsl::run },
    #[cfg(feature = "wgsl")]
    Target { name: "wgsl-programs", run: wgsl::programs },
];

/// Returns the machine code generator that all targets share; `None` on unsupported machines. It
/// generates code immediately.
fn generator() -> Option<&'static Generator> {
    static GENERATOR: OnceLock<Option<Generator>> = OnceLock::new();
    let make = || Generator::new().map(|generator| generator.after(0));
    GENERATOR.get_or_init(make).as_ref()
}

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
