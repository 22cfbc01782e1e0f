//! Pages of one file with an engine inside: WebAssembly, which the file's scripts run without a server.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{npm, shell, toolchain};

/// Rust's target of the engines.
const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes of an engine, compressed: 3 MB.
const LIMIT: usize = 3_000_000;

/// An engine, built.
pub struct Engine {
    /// The part of a page that has it.
    pub part: String,
    /// Its bytes.
    pub bytes: usize,
    /// The same compressed.
    pub compressed: usize,
}

impl Engine {
    /// Returns the sizes as text.
    pub fn sizes(&self) -> String {
        format!("engine of {} KiB, {} KiB compressed", self.bytes / 1024, self.compressed / 1024)
    }
}

/// Builds the library of a package as an engine; cargo gets further arguments.
///
/// # Errors
/// The compiler lacks the target and it cannot be installed; the build fails; the engine is too large.
pub fn engine(package: &str, arguments: &[&str]) -> Result<Engine> {
    let mut cargo = toolchain::cargo("rustc", TARGET)?;
    cargo.args(["--profile", "web", "--package", package, "--lib", "--crate-type", "cdylib"]);
    shell::output(cargo.args(arguments))?;
    let file = format!("web/{}.wasm", package.replace('-', "_"));
    let engine = read(&shell::target_dir().join(TARGET).join(file))?;
    let packed = packed(&engine)?;
    // Base64 has four characters for three bytes.
    let compressed = packed.len() / 4 * 3;
    ensure!(
        compressed <= LIMIT,
        "the engine has {compressed} bytes compressed, over the limit of {LIMIT}"
    );
    let part = format!("<script type=\"gzip\" id=\"engine\">{packed}</script>");
    Ok(Engine { part, bytes: engine.len(), compressed })
}

/// Writes a page; its folder is created.
///
/// # Errors
/// The file system refuses it.
pub fn write(path: &Path, page: &str) -> Result<()> {
    let folder = path.parent().context("the page has no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))
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

/// Returns a file of the workspace.
///
/// # Errors
/// It cannot be read, or is no text.
pub fn text(path: &str) -> Result<String> {
    Ok(String::from_utf8(read(&shell::root().join(path))?)?)
}

/// Returns a page with its styles and scripts inside. The scripts, and before them `inside`, are at
/// its end, where all elements exist.
///
/// # Errors
/// The page lacks a link to a style or its end, loads another file, or a script would end its element.
pub fn whole(
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

/// Installs the program that drives a browser; returns its folder. `None` without Debian's chromium.
///
/// # Errors
/// See [`npm::install`].
pub fn driver() -> Result<Option<PathBuf>> {
    let has_browser = shell::has("chromium");
    has_browser.then(|| npm::install("browser", &FILES, "playwright-core")).transpose()
}

/// The note of a test that needs a browser, without one.
pub const LEFT_OUT: &str = ": left out, without chromium (apt-get install chromium)";

/// Runs the tests whose names contain `filter` in a browser; returns the figures that they print.
///
/// # Errors
/// A test fails, or none ran.
pub fn run_tests(filter: &str, page: (&str, &Path), driver: &Path) -> Result<String> {
    let mut tests = shell::cargo();
    tests.args(["test", "--test", "it"]).args(shell::selection()).args(["--", filter]);
    tests.env(page.0, page.1).env("GALLIUM_BROWSER", driver);
    let output = shell::output(tests.args(["--nocapture"]))?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures = output.lines().filter_map(|line| line.split_once("figures: "));
    let figures: Vec<&str> = figures.map(|(_, figures)| figures).collect();
    ensure!(!figures.is_empty(), "no test opened the page");
    Ok(figures.join(", "))
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
