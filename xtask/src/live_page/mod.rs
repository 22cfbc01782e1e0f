//! The inspector's live page in chromium, while an OpenGL program draws through gallium-vtest.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::mesa::{Server, ServerCommand};
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

    /// Waits for the first line of the program's output.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the program ended without a line of output");
        }
        Ok(line.trim_end().to_owned())
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
    let log = pictures.join("server.log");
    fs::write(&log, "")?;
    let program = shell::test_program("gallium-vtest")?.get_program().into();
    let mut server = ServerCommand::vtest(program, Vec::new());
    server.environment.push(("GALLIUM_RBUG", "true".into()));
    let server = Server::new(server, log.clone())?;
    let printed = fs::read_to_string(&log)?;
    let link = printed.lines().find_map(|line| line.strip_prefix("GALLIUM_RBUG: "));
    let link = link.with_context(|| format!("the server's log names no page: {printed}"))?;
    let mut display = shell::command("Xvfb");
    let mut display =
        Running::new(display.args(["-displayfd", "1", "-screen", "0", "800x600x24"]))?;
    let number = display.line()?;
    let mut client = shell::command("es2gears_x11");
    server.virpipe.apply(client.env("DISPLAY", format!(":{number}")));
    let _client = Running::new(&mut client)?;
    let mut node = shell::command("node");
    node.current_dir(folder).arg(npm::PROGRAM).arg(link).arg(&pictures);
    let output = shell::output(&mut node).with_context(|| {
        format!("the server's log: {}", fs::read_to_string(&log).unwrap_or_default())
    })?;
    Ok(format!(": {}", String::from_utf8_lossy(&output.stdout).trim()))
}
