//! QEMU's machine protocol over a local socket: takes a picture and ends the machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::picture::Picture;

/// Time-out after which QEMU counts as hung.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection to a QEMU that was started with [`argument`].
pub struct Qmp(BufReader<TcpStream>);

/// Returns a free local port.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no local port")?;
    Ok(listener.local_addr()?.port())
}

/// Returns the argument for QEMU's `-qmp`.
pub fn argument(port: u16) -> String {
    format!("tcp:127.0.0.1:{port},server=on,wait=off")
}

impl Qmp {
    /// Connects to a QEMU that was just started, and does the handshake.
    pub fn connect(port: u16) -> Result<Qmp> {
        let start = Instant::now();
        let stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(error) if start.elapsed() > PATIENCE => {
                    return Err(error).context("QEMU does not listen");
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut qmp = Qmp(BufReader::new(stream));
        qmp.execute("{\"execute\":\"qmp_capabilities\"}")?;
        Ok(qmp)
    }

    /// Takes the picture of the machine's display.
    pub fn screendump(&mut self, file: &Path) -> Result<Picture> {
        let path = file.display().to_string();
        if path.contains(['"', '\\']) {
            bail!("{path}: no quotes or backslashes, please");
        }
        let _ = std::fs::remove_file(file);
        self.execute(&format!(
            "{{\"execute\":\"screendump\",\"arguments\":{{\"filename\":\"{path}\"}}}}"
        ))?;
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {path}"))?;
        parse_ppm(&bytes).with_context(|| path)
    }

    /// Ends QEMU, which may exit before it answers.
    pub fn quit(mut self) -> Result<()> {
        writeln!(self.0.get_mut(), "{{\"execute\":\"quit\"}}").context("QEMU takes no commands")
    }

    /// Sends a command and waits for its answer; skips events and the greeting.
    fn execute(&mut self, command: &str) -> Result<()> {
        writeln!(self.0.get_mut(), "{command}").context("QEMU takes no commands")?;
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line);
            let read = read.with_context(|| format!("QEMU gave no answer to {command}"))?;
            ensure!(read > 0, "QEMU ended before it answered {command}");
            if line.starts_with("{\"return\"") {
                return Ok(());
            }
            if line.starts_with("{\"error\"") {
                bail!("{command}: {line}");
            }
        }
    }
}

/// Reads a binary PPM of 8 bits, as `screendump` writes it.
fn parse_ppm(bytes: &[u8]) -> Result<Picture> {
    let mut rest = bytes;
    let mut words = [""; 4];
    for word in &mut words {
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        rest = &rest[start.context("the header ends early")?..];
        let end = rest.iter().position(u8::is_ascii_whitespace).context("no pixels")?;
        *word = str::from_utf8(&rest[..end])?;
        rest = &rest[end..];
    }
    let ["P6", width, height, "255"] = words else { bail!("a picture of kind {words:?}") };
    let (width, height): (u32, u32) = (width.parse()?, height.parse()?);
    // One white space separates header and pixels.
    let pixels = &rest[1..];
    if pixels.len() as u64 != u64::from(width) * u64::from(height) * 3 {
        bail!("{} bytes of pixels for {width}×{height}", pixels.len());
    }
    let pixels = pixels.as_chunks::<3>().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect();
    Ok(Picture { width, height, pixels })
}

/// Reduces a magnified picture to its true size: every pixel is a square of `times` × `times`.
pub fn reduce(picture: &Picture, times: u32) -> Result<Picture> {
    let (width, height) = (picture.width / times, picture.height / times);
    let at = |x: u32, y: u32| picture.pixels[(y * picture.width + x) as usize];
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let pixel = at(x * times, y * times);
        let square = (0..times).flat_map(|dy| (0..times).map(move |dx| (dx, dy)));
        for (dx, dy) in square {
            if at(x * times + dx, y * times + dy) != pixel {
                bail!("pixel {x},{y} is not one of {times}×{times} alike");
            }
        }
        pixels.push(pixel);
    }
    Ok(Picture { width, height, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_screendump_writes() {
        let picture = parse_ppm(b"P6\n2 1\n255\n\x01\x02\x03\x20\x0a\x05").unwrap();
        assert_eq!((picture.width, picture.height), (2, 1));
        assert_eq!(picture.pixels, [[1, 2, 3, 255], [32, 10, 5, 255]]);
        for bad in [&b"P5 1 1 255 x"[..], b"P6 1 1 255 xy", b"P6 1", b"", b"P6 1 1 255"] {
            assert!(parse_ppm(bad).is_err());
        }
    }

    #[test]
    fn magnified_pixels_become_one() {
        let (a, b) = ([1, 1, 1, 255], [2, 2, 2, 255]);
        let picture = Picture { width: 4, height: 2, pixels: vec![a, a, b, b, a, a, b, b] };
        assert_eq!(reduce(&picture, 2).unwrap().pixels, [a, b]);
        let uneven = Picture { pixels: vec![a, a, b, b, a, a, b, a], ..picture };
        assert!(reduce(&uneven, 2).is_err());
    }
}
