//! The inspector's live page in chromium, while an OpenGL program draws through gallium-vtest.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{npm, shell};

/// The program that works with the page, and its dependency with version and hash.
const FILES: [(&str, &str); 3] = [
    (npm::PROGRAM, include_str!("run.mjs")),
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
];

/// Programs that the test needs, and their Debian packages.
const PROGRAMS: [(&str, &str); 3] = [
    ("chromium", "chromium"),
    ("Xvfb", "xvfb"),
    ("es2gears_x11", "mesa-utils-bin libgl1-mesa-dri"),
];

/// A program that ends with the test.
struct Running {
    process: Child,
    /// Its output, which stays open: a program that prints into a closed pipe ends.
    output: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a program.
    fn new(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| shell::line(command))?;
        let output = process.stdout.take().context("the program has no output")?;
        Ok(Self { process, output: BufReader::new(output) })
    }

    /// Waits for a line of the program's output that begins with `start`, and returns the rest.
    fn line(&mut self, start: &str) -> Result<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line)? > 0 {
            if let Some(rest) = line.trim_end().strip_prefix(start) {
                return Ok(rest.to_owned());
            }
            line.clear();
        }
        bail!("the program ended without a line that begins with `{start}`")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Holds an OpenGL program at its draws from the page, and edits its shaders. Without the programs for
/// that on the machine, returns a note.
///
/// # Errors
/// The page does not do what it says; pictures of it are in `target/tmp/live-page`.
pub fn test() -> Result<String> {
    for (program, packages) in PROGRAMS {
        if !shell::on_path(program) {
            return Ok(format!(": not run, without {program} (apt-get install {packages})"));
        }
    }
    let folder = npm::install("live-page", &FILES, "playwright-core")?;
    let pictures = shell::target_dir().join("tmp/live-page");
    fs::create_dir_all(&pictures)
        .with_context(|| format!("cannot create {}", pictures.display()))?;
    let mut server = shell::test_program("gallium-vtest")?;
    let mut server = Running::new(server.env("GALLIUM_RBUG", "true"))?;
    let link = server.line("GALLIUM_RBUG: ")?;
    let mut display = shell::command("Xvfb");
    let mut display =
        Running::new(display.args(["-displayfd", "1", "-screen", "0", "800x600x24"]))?;
    let number = display.line("")?;
    let mut client = shell::command("es2gears_x11");
    client.env("DISPLAY", format!(":{number}"));
    client.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "virpipe");
    let _client = Running::new(&mut client)?;
    let mut node = shell::command("node");
    node.current_dir(folder).arg(npm::PROGRAM).arg(link).arg(&pictures);
    let output = shell::output(&mut node)?;
    Ok(format!(": {}", String::from_utf8_lossy(&output.stdout).trim()))
}
