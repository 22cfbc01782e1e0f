//! The page of the inspector with its engine inside, for exports.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell;
use crate::web::{self, Engine, text};

/// Builds the engine and the page; returns the page's file. `gallium-inspect --export` puts a recording in.
///
/// # Errors
/// The engine cannot be built, or the page cannot be written.
pub fn build() -> Result<(PathBuf, Engine)> {
    let engine =
        web::engine("gallium-inspect", &["--no-default-features", "--features", "boards"])?;
    let source = |name: &str| text(&format!("tools/inspect/src/page/{name}"));
    let worker = text("tools/web/src/page/engine.js")? + &source("worker.js")?;
    let parts = format!(
        "{}\n<script type=\"text\" id=\"worker\">\n{worker}</script>\n<!-- recording -->",
        engine.part
    );
    let page = web::whole(
        &source("page.html")?,
        &[("page.css", &source("page.css")?)],
        &[("inside.js", &source("inside.js")?), ("page.js", &source("page.js")?)],
        &parts,
    )?;
    let path = shell::target_dir().join("inspect/page.html");
    web::write(&path, &page)?;
    Ok((path, engine))
}

/// Opens an exported page in Debian's chromium. Returns a note.
///
/// # Errors
/// See [`build`] and [`web::driver`]; a test fails.
pub fn test() -> Result<String> {
    let Some(driver) = web::driver()? else { return Ok(web::LEFT_OUT.into()) };
    let (page, engine) = build()?;
    let figures = web::run_tests("exported", ("GALLIUM_INSPECT_PAGE", &page), &driver)?;
    Ok(format!(": {}, {figures}", engine.sizes()))
}
