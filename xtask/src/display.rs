//! A virtual display: windows without a screen.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// A virtual display. It ends when dropped.
pub struct Display {
    /// What the environment variable `DISPLAY` holds for its programs.
    pub name: String,
    server: Child,
}

impl Display {
    /// Starts Xvfb on a free display.
    ///
    /// # Errors
    /// Xvfb is missing, or does not start.
    pub fn new() -> Result<Display> {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().context("cannot start Xvfb (Debian: xvfb)")?;
        let mut name = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut name)?;
        }
        let display = Display { name: format!(":{}", name.trim()), server };
        ensure!(display.name.len() > 1, "Xvfb names no display");
        Ok(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
