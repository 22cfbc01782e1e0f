//! `cargo xtask playground`: the page that draws shaders, in one file.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::shell;
use crate::web::{self, Engine, text};

/// Builds the page that compiles and draws shaders while one types: target/playground/index.html.
///
/// The driver is inside as WebAssembly, so the file opens without a server.
#[derive(Args)]
pub struct Options {}

/// Runs the command.
///
/// # Errors
/// See [`build`].
pub fn run(_: &Options) -> Result<()> {
    let (folder, engine) = build()?;
    println!("{}: {}", folder.join("index.html").display(), engine.sizes());
    Ok(())
}

/// Builds the engine and the page; returns the page's folder.
///
/// # Errors
/// The engine cannot be built, or the page cannot be written.
fn build() -> Result<(PathBuf, Engine)> {
    let engine = web::engine("gallium-playground", &[])?;
    let source = |name: &str| text(&format!("tools/playground/src/page/{name}"));
    // The page has the colours and the controls of the inspector's page.
    let style = text("tools/inspect/src/page/page.css")?;
    let index = web::whole(
        &source("playground.html")?,
        &[("page.css", &style), ("playground.css", &source("playground.css")?)],
        &[
            ("engine.js", &text("tools/web/src/page/engine.js")?),
            ("examples.js", &source("examples.js")?),
            ("playground.js", &source("playground.js")?),
        ],
        &engine.part,
    )?;
    let folder = shell::target_dir().join("playground");
    web::write(&folder.join("index.html"), &index)?;
    Ok((folder, engine))
}

/// Opens the page in Debian's chromium: the test of the playground that needs it. Returns a note.
///
/// # Errors
/// See [`build`] and [`web::driver`]; a test fails.
pub fn test() -> Result<String> {
    let Some(driver) = web::driver()? else { return Ok(web::LEFT_OUT.into()) };
    let (folder, engine) = build()?;
    let figures = web::run_tests("in_a_browser", ("GALLIUM_PLAYGROUND", &folder), &driver)?;
    Ok(format!(": {}, {figures}", engine.sizes()))
}
