//! Runs a Raspberry Pi Pico's firmware in rp2040js, an emulator of the RP2040 (npm, MIT), and
//! captures the pictures that it sends to its display.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::picture::Picture;
use crate::profile::Counts;
use crate::{budget, firmware, golden, npm, shell, size};

/// The emulator's settings for a board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rp2040js {
    /// Number of frames that the tests draw; instructions are counted in the last one.
    pub frames: u32,
    /// Width of the ST7789 on SPI0, in pixels.
    pub width: u32,
    /// Height of the ST7789 on SPI0, in pixels.
    pub height: u32,
    /// The GPIO of the display's data/command line.
    pub dc: u32,
    /// The feature that disables the float routines of the chip's boot ROM.
    pub soft_floats: String,
}

/// The environment variable that names an image of the chip's boot ROM (16 KiB), for firmware that
/// uses the ROM's float routines. The image is not part of this project: its licence is for the
/// chip alone.
const ROM: &str = "GALLIUM_PICO_ROM";

/// The program that runs the emulator, and its dependency with version and hash.
const FILES: [(&str, &str); 3] = [
    (npm::PROGRAM, include_str!("run.mjs")),
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
];

/// A frame: from the last pixel of the previous frame to the last pixel of this one.
pub struct Frame {
    /// The pixels.
    pub picture: Picture,
    /// The figures.
    pub figures: Figures,
}

/// The figures of a frame, as `run.mjs` prints them.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Number of instructions, including waiting loops.
    pub instructions: u64,
    /// Time of the whole frame. Flash is as fast as RAM here, so a real chip takes a little longer.
    pub micros: u64,
    /// Time that the processor slept.
    pub asleep_micros: u64,
    /// Time that the display's wires were busy.
    pub wire_micros: u64,
    /// The maximum stack use so far, in bytes.
    pub stack: u64,
}

impl Figures {
    fn text(&self) -> String {
        let Figures { instructions, micros, asleep_micros, wire_micros, stack } = self;
        let millis = |micros: &u64| *micros as f64 / 1e3;
        format!(
            "{:.3} M instructions, {:.1} ms ({:.1} ms of it asleep, {:.1} ms sending), stack {stack} bytes",
            *instructions as f64 / 1e6,
            millis(micros),
            millis(asleep_micros),
            millis(wire_micros)
        )
    }
}

#[derive(Serialize)]
struct Arguments<'a> {
    elf: &'a Path,
    rom: Option<PathBuf>,
    folder: &'a Path,
    frames: u32,
    width: u32,
    height: u32,
    dc: u32,
    record: bool,
}

/// Returns the image of the boot ROM, if the environment names one.
///
/// # Errors
/// The named file does not exist.
pub fn rom() -> Result<Option<PathBuf>> {
    let Some(path) = std::env::var_os(ROM).map(PathBuf::from) else { return Ok(None) };
    let path = path.canonicalize().with_context(|| format!("{ROM}: {}", path.display()))?;
    Ok(Some(path))
}

/// Returns the name of the board's only scene in board.toml.
fn scene(board: &Board) -> &str {
    board.scenes.first().map_or("frame", String::as_str)
}

/// The frames that a board drew.
pub struct Drawn {
    /// The firmware.
    pub image: PathBuf,
    /// The folder with the pictures.
    pub folder: PathBuf,
    /// The frames.
    pub frames: Vec<Frame>,
}

/// Builds a board's firmware, with the float routines of the boot ROM if there is one, draws its
/// frames, and compares them with the host's, bit for bit.
///
/// # Errors
/// See [`run`]; a picture differs.
pub fn draw(board: &Board, emulator: &Rp2040js, rom: Option<PathBuf>) -> Result<Drawn> {
    let (features, floats) = match rom {
        Some(_) => (vec![], "rom-floats"),
        None => (vec![emulator.soft_floats.as_str()], "soft-floats"),
    };
    let image = board.build(&features)?;
    let folder = shell::target_dir().join("rp2040js").join(&board.name).join(floats);
    let frames = run(emulator, &image, &folder, emulator.frames, rom)?;
    let mut host = shell::cargo();
    host.args(["run", "--package", &board.package, "--example", "host", "--"]);
    shell::output(host.arg(emulator.frames.to_string()).arg(&folder))?;
    for (number, frame) in (0..).zip(&frames) {
        frame.picture.write(&folder.join(format!("{number}.png")))?;
        let expected = folder.join(format!("host-{number}.rgb565"));
        let expected = from_rgb565(emulator.width, emulator.height, &fs::read(&expected)?)?;
        golden::compare_with(
            &frame.picture,
            &expected,
            &format!("{}-{number}", scene(board)),
            &board.name,
        )?;
    }
    Ok(Drawn { image, folder, frames })
}

/// Runs `cargo xtask firmware` for a board in this emulator.
///
/// # Errors
/// See [`draw`].
pub fn firmware(board: &Board, emulator: &Rp2040js, options: &firmware::Options) -> Result<()> {
    let rom = rom()?;
    let Drawn { image, folder, frames } = draw(board, emulator, rom.clone())?;
    let size = size::measure(&image)?;
    for (number, Frame { figures, .. }) in frames.iter().enumerate() {
        println!("{}: {}", folder.join(format!("{number}.png")).display(), figures.text());
    }
    print!("{}", size::report(board, &board.budget, &size));
    let Some(last) = frames.last() else { bail!("no frames") };
    if rom.is_some() {
        return Ok(());
    }
    println!("{}", rom_hint());
    if options.accept {
        return budget::accept(board, &[(scene(board), last.figures.instructions)]);
    }
    budget::check(board, scene(board), last.figures.instructions)
}

/// Draws with software floats and, if there is an image of the ROM, with its routines. Checks
/// pictures, instructions and RAM; returns a note.
///
/// # Errors
/// See [`draw`]; a budget is exceeded.
pub fn test(board: &Board, emulator: &Rp2040js) -> Result<String> {
    let drawn = draw(board, emulator, None)?;
    let Some(Frame { figures, .. }) = drawn.frames.last() else { bail!("no frames") };
    budget::check(board, scene(board), figures.instructions)?;
    let statics = size::measure(&drawn.image)?.statics;
    ensure!(
        statics + figures.stack <= board.budget.ram * 1024,
        "{}: RAM: {statics} bytes of statics and {} of stack, over the budget of {} KiB",
        board.name,
        figures.stack,
        board.budget.ram
    );
    let soft = format!(": {}, statics {statics} bytes", figures.text());
    let Some(rom) = rom()? else { return Ok(format!("{soft}; {}", rom_hint())) };
    let drawn = draw(board, emulator, Some(rom))?;
    let with_rom = drawn.frames.last().map(|frame| frame.figures.text()).unwrap_or_default();
    Ok(format!("{soft}; with the boot ROM's floats {with_rom}"))
}

/// Returns a hint on drawing with the ROM's float routines.
fn rom_hint() -> String {
    format!("the boot ROM's float routines: left out, {ROM} names no image of the ROM")
}

/// Installs the emulator among the build products, if it is missing; returns its folder.
///
/// # Errors
/// Node.js or npm is missing and cannot be installed, or the package cannot be fetched.
pub fn install() -> Result<PathBuf> {
    npm::install("rp2040js", &FILES, "rp2040js")
}

/// Runs a firmware until it has shown `frames` frames. With `rom`, the chip has its boot ROM.
///
/// # Errors
/// See [`install`]; the firmware panics, or shows nothing.
pub fn run(
    emulator: &Rp2040js,
    image: &Path,
    folder: &Path,
    frames: u32,
    rom: Option<PathBuf>,
) -> Result<Vec<Frame>> {
    emulate(emulator, image, folder, frames, rom, false)
}

/// Runs a firmware that records its calls, with software floats, until it has recorded the board's number of frames.
/// Returns the image and the recording.
///
/// # Errors
/// As for [`run`].
pub fn record(board: &Board, emulator: &Rp2040js) -> Result<(PathBuf, PathBuf)> {
    let image = board.build(&[emulator.soft_floats.as_str(), "record"])?;
    let folder = shell::target_dir().join("rp2040js").join(&board.name).join("record");
    // A frame is complete before its present is recorded.
    emulate(emulator, &image, &folder, emulator.frames + 1, None, true)?;
    Ok((image, folder.join("recording.bin")))
}

/// Runs a firmware, and writes what it sends over its UART to `recording.bin` if it records.
fn emulate(
    emulator: &Rp2040js,
    image: &Path,
    folder: &Path,
    frames: u32,
    rom: Option<PathBuf>,
    record: bool,
) -> Result<Vec<Frame>> {
    let &Rp2040js { width, height, dc, .. } = emulator;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let arguments = Arguments { elf: image, rom, folder, frames, width, height, dc, record };
    let mut node = shell::command("node");
    node.current_dir(install()?).arg(npm::PROGRAM).arg(serde_json::to_string(&arguments)?);
    let output = shell::output(&mut node)?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let frames: Result<Vec<Frame>> = (0..)
        .zip(lines.lines())
        .map(|(number, line)| {
            let path = folder.join(format!("{number}.rgb565"));
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let figures = serde_json::from_str(line).with_context(|| line.to_owned())?;
            Ok(Frame { picture: from_rgb565(width, height, &bytes)?, figures })
        })
        .collect();
    frames
}

/// Converts RGB565 pixels, low byte first, to 8 bits per channel.
fn from_rgb565(width: u32, height: u32, bytes: &[u8]) -> Result<Picture> {
    ensure!(bytes.len() == (width * height * 2) as usize, "{} bytes of pixels", bytes.len());
    let pixels = bytes.as_chunks::<2>().0.iter().map(|&pixel| {
        let pixel = u16::from_le_bytes(pixel);
        let [r, g, b] = [pixel >> 11, pixel >> 5 & 63, pixel & 31];
        [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255].map(|channel| channel as u8)
    });
    Ok(Picture { width, height, pixels: pixels.collect() })
}

/// Builds a board's firmware and draws its frames. Returns its image, and how often each of its
/// instructions ran in the last frame.
///
/// # Errors
/// See [`draw`].
pub fn counts(board: &Board, emulator: &Rp2040js) -> Result<(PathBuf, Counts)> {
    const FLASH: u64 = 0x1000_0000;
    let Drawn { image, folder, .. } = draw(board, emulator, rom()?)?;
    let path = folder.join("counts.bin");
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (words, _) = bytes.as_chunks::<4>();
    // One word per halfword of the flash; the last word is for the boot ROM.
    let counts = words.iter().map(|word| u64::from(u32::from_le_bytes(*word)));
    Ok((image, (FLASH..).step_by(2).zip(counts).filter(|(_, count)| *count > 0).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_widened_to_the_full_range() {
        let picture = from_rgb565(2, 1, &[0xff, 0xff, 0x20, 0x08]).unwrap();
        assert_eq!(picture.pixels, [[255; 4], [8, 4, 0, 255]]);
        assert!(from_rgb565(2, 1, &[0]).is_err());
    }
}
