//! Recordings that firmware writes: `cargo xtask firmware BOARD --record FILE`.
//!
//! Firmware has no texts of its programs. Its recording has their names, and the texts are in a section of the
//! ELF file that no chip loads.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use object::{Object, ObjectSection};
use pipe_core::wrap::record::{Calls, with_texts};

use crate::board::{Board, Emulator};
use crate::{firmware, golden, replay, rp2040js, shell};

/// The section of an ELF file with the texts of its programs.
const SECTION: &str = ".gallium.programs";

/// Arguments for cargo that build the host's driver with the integer kernels of boards.
pub const KERNELS: [&str; 2] = ["--features", "spans-filtered"];

/// Returns the profile of the board that wrote a recording: `small` or `tiny`; `None` for other recordings.
///
/// # Errors
/// The file cannot be read.
pub fn board_profile(recording: &Path) -> Result<Option<&'static str>> {
    let file = fs::File::open(recording);
    let file = file.with_context(|| format!("cannot read {}", recording.display()))?;
    let mut head = Vec::new();
    file.take(1 << 12).read_to_end(&mut head)?;
    // The player names the damage of a recording without a driver's name.
    let Ok(calls) = Calls::new(&head) else { return Ok(None) };
    Ok(["small", "tiny"]
        .into_iter()
        .find(|profile| calls.driver().contains(&format!("({profile})"))))
}

/// Writes the recording of a firmware with the texts of its programs, so that hosts can play it.
///
/// # Errors
/// A file cannot be read or written; the ELF file has no texts, or lacks one that the recording names.
pub fn resolve(recording: &Path, elf: &Path, to: &Path) -> Result<()> {
    let trace = fs::read(recording);
    let trace = trace.with_context(|| format!("cannot read {}", recording.display()))?;
    let bytes = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
    let file = object::File::parse(&*bytes);
    let file = file.with_context(|| format!("{}: not an ELF file", elf.display()))?;
    let Some(section) = file.section_by_name(SECTION) else {
        bail!(
            "{}: no section {SECTION}: build the firmware with the feature `record` of gallium-pipe-core",
            elf.display()
        );
    };
    let mut resolved = Vec::new();
    let whole = with_texts(&trace, section.data()?, &mut |bytes| resolved.extend_from_slice(bytes));
    whole.map_err(|error| {
        anyhow!("{}: {error}, and it is not this one: {}", recording.display(), elf.display())
    })?;
    fs::write(to, resolved).with_context(|| format!("cannot write {}", to.display()))
}

/// Returns the file to play: the recording itself, or with an ELF file a copy that has its texts.
///
/// # Errors
/// As for [`resolve`].
pub fn playable(recording: &Path, elf: Option<&Path>) -> Result<PathBuf> {
    let Some(elf) = elf else { return Ok(recording.to_owned()) };
    let folder = shell::target_dir().join("recordings");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let name = recording.file_name().context("a recording's name, please")?;
    let to = folder.join(name);
    resolve(recording, elf, &to)?;
    Ok(to)
}

/// Draws on an emulated board that records its calls, and writes the recording to `to`. A board of QEMU draws two
/// frames of a scene, a Pico its cube.
///
/// # Errors
/// The board does not record; it fails; its picture is not the host's.
pub fn record(board: &Board, scene: &str, frame: u32, to: &Path) -> Result<()> {
    ensure!(
        board.record.is_some(),
        "{}: no firmware of this board records (board.toml, `record`)",
        board.name
    );
    if let Emulator::Rp2040js(emulator) = &board.emulator {
        let (image, recording) = rp2040js::record(board, emulator)?;
        return resolve(&recording, &image, to);
    }
    let image = board.build(&["record"])?;
    let outcome = firmware::emulate(board, &image, scene, frame)?;
    if frame == 0 {
        golden::compare(&outcome.picture, scene, &board.name)?;
    }
    let folder = shell::target_dir().join("qemu").join(&board.name).join(scene);
    resolve(&folder.join("recording.bin"), &image, to)
}

/// Records on a board, and plays the recording on the host: each picture must be the board's, bit for bit.
///
/// # Errors
/// As for [`record`]; a picture differs.
pub fn test(board: &Board, scene: &str) -> Result<String> {
    let folder = shell::target_dir().join("recordings");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{}-{scene}", board.name));
    record(board, scene, 0, &path)?;
    let said = replay::pictures_are_same(&path, shell::test_program("gallium-replay")?)?;
    Ok(format!(": {} bytes\n{said}", fs::metadata(&path)?.len()))
}
