//! `cargo xtask playground`: the page that draws shaders, in one file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{npm, shell, toolchain};

/// Builds the page that compiles and draws shaders while one types: target/playground/index.html.
///
/// The driver is inside as WebAssembly, so the file opens without a server.
#[derive(Args)]
pub struct Options {}

/// Rust's target of the engine.
const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes of the engine, compressed: 3 MB.
const LIMIT: usize = 3_000_000;

/// The page, built.
pub struct Built {
    /// Its folder.
    pub folder: PathBuf,
    /// The bytes of the engine.
    pub engine: usize,
    /// The same compressed.
    pub compressed: usize,
}

/// Runs the command.
///
/// # Errors
/// See [`build`].
pub fn run(_: &Options) -> Result<()> {
    let built = build()?;
    println!(
        "{}: engine of {} KiB, {} KiB compressed",
        built.folder.join("index.html").display(),
        built.engine / 1024,
        built.compressed / 1024
    );
    Ok(())
}

/// Builds the engine and the page.
///
/// # Errors
/// The compiler lacks the target and it cannot be installed; the build fails; the engine is too large.
pub fn build() -> Result<Built> {
    let mut cargo = toolchain::cargo("rustc", TARGET)?;
    cargo.args(["--profile", "web", "--package", "gallium-playground", "--lib"]);
    shell::output(cargo.args(["--crate-type", "cdylib"]))?;
    let engine = read(&shell::target_dir().join(TARGET).join("web/gallium_playground.wasm"))?;
    let packed = packed(&engine)?;
    // Base64 has four characters for three bytes.
    let compressed = packed.len() / 4 * 3;
    ensure!(
        compressed <= LIMIT,
        "the engine has {compressed} bytes compressed, over the limit of {LIMIT}"
    );
    let folder = shell::target_dir().join("playground");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let inside = format!("<script type=\"gzip\" id=\"engine\">{packed}</script>");
    let source = |name: &str| text(&format!("tools/playground/src/page/{name}"));
    // The page has the colours and the controls of the inspector's page.
    let style = text("tools/inspect/src/page/page.css")?;
    let index = whole(
        &source("playground.html")?,
        &[("page.css", &style), ("playground.css", &source("playground.css")?)],
        &[
            ("engine.js", &source("engine.js")?),
            ("examples.js", &source("examples.js")?),
            ("playground.js", &source("playground.js")?),
        ],
        &inside,
    )?;
    let path = folder.join("index.html");
    fs::write(&path, index).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Built { folder, engine: engine.len(), compressed })
}

/// Returns bytes as a part of a page: compressed, as text.
fn packed(bytes: &[u8]) -> Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(STANDARD.encode(gzip.finish()?))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn text(path: &str) -> Result<String> {
    Ok(String::from_utf8(read(&shell::root().join(path))?)?)
}

/// Returns a page with its styles and scripts inside. The scripts, and before them `inside`, are at
/// its end, where all elements exist.
fn whole(
    page: &str,
    styles: &[(&str, &str)],
    scripts: &[(&str, &str)],
    inside: &str,
) -> Result<String> {
    let mut page = page.to_owned();
    for (name, style) in styles {
        let link = format!("<link rel=\"stylesheet\" href=\"/{name}\">");
        ensure!(page.contains(&link), "the page has no link to {name}");
        page = page.replace(&link, &format!("<style>\n{style}</style>"));
    }
    let mut end = format!("{inside}\n");
    for (name, script) in scripts {
        ensure!(!script.contains("</"), "{name} would end its own element");
        for tag in ["", " defer"] {
            page = page.replace(&format!("<script src=\"/{name}\"{tag}></script>\n"), "");
        }
        end += &format!("<script>\n{script}</script>\n");
    }
    let (before, after) = page.rsplit_once("</body>").context("the page has no end")?;
    ensure!(!before.contains("src=\"/"), "the page loads another file");
    Ok(format!("{before}{end}</body>{after}"))
}

/// The program that drives the browser, and its dependency with version and hash.
const FILES: [(&str, &str); 3] = [
    (npm::PROGRAM, include_str!("run.mjs")),
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
];

/// Opens the page in Debian's chromium: the test of the playground that needs it. Returns a note.
///
/// # Errors
/// See [`build`] and [`npm::install`]; a test fails.
pub fn test() -> Result<String> {
    if !shell::has("chromium") {
        return Ok(": left out, without chromium (apt-get install chromium)".into());
    }
    let driver = npm::install("browser", &FILES, "playwright-core")?;
    let built = build()?;
    let mut tests = shell::cargo();
    tests.args(["test", "--test", "it"]).args(shell::COMMANDS).args(["--", "in_a_browser"]);
    tests.env("GALLIUM_PLAYGROUND", &built.folder).env("GALLIUM_BROWSER", driver);
    let output = shell::output(tests.args(["--nocapture"]))?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures = output.lines().filter_map(|line| line.split_once("figures: "));
    let figures: Vec<&str> = figures.map(|(_, figures)| figures).collect();
    ensure!(!figures.is_empty(), "no test opened the page");
    let Built { compressed, .. } = built;
    Ok(format!(": engine {} KiB compressed, {}", compressed / 1024, figures.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn a_page_has_its_files_inside() {
        let page = "<link rel=\"stylesheet\" href=\"/a.css\">\n<script src=\"/a.js\" defer></script>\n<body>\n</body>\n";
        let made = whole(page, &[("a.css", "b { }\n")], &[("a.js", "f();\n")], "<i></i>").unwrap();
        assert_eq!(
            made,
            "<style>\nb { }\n</style>\n<body>\n<i></i>\n<script>\nf();\n</script>\n</body>\n"
        );
        assert!(whole(page, &[("b.css", "")], &[], "").is_err());
        assert!(whole(page, &[], &[("a.js", "'</script>'")], "").is_err());
    }
}
