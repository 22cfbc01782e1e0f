//! `cargo xtask firmware`: builds firmware, runs it in QEMU, fetches the picture and the figures, and
//! compares both with what they must be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::board::{self, Board, Emulator, Qemu};
use crate::picture::Picture;
use crate::qmp::{self, Qmp};
use crate::{budget, golden, printed, recording, rp2040js, rp2350, shell, size, stream};

/// Runs a scene on an emulated board.
#[derive(Args)]
pub struct Options {
    /// The board: a folder of boards/ with a board.toml.
    pub board: String,
    /// The compiler target of another core, instead of the board's first.
    #[arg(long)]
    pub target: Option<String>,
    /// One scene instead of the three demo scenes; `all` for every scene, `measured` for S1 to S5.
    #[arg(long)]
    pub scene: Option<String>,
    /// The frame of the turntable.
    #[arg(long, default_value_t = 0)]
    pub frame: u32,
    /// Print one JSON object per scene instead of text.
    #[arg(long)]
    pub json: bool,
    /// Print the firmware's own log (defmt), decoded.
    #[arg(long)]
    pub chip_log: bool,
    /// Write a recording of the scene's calls, with their instructions, to this file, for `cargo xtask inspect` and
    /// `replay`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["accept", "chip_log", "json"])]
    pub record: Option<PathBuf>,
    /// Write the instruction counts to board.toml as the budgets of the scenes.
    #[arg(long, conflicts_with_all = ["frame", "chip_log"])]
    pub accept: bool,
}

/// Demo scenes.
pub const DEMOS: [&str; 3] = ["bunny-vertex", "bunny-pixel", "teapot"];

/// Full-screen quads; each measures one operation.
pub const MEASURES: [&str; 5] = ["clear", "fill", "gouraud", "nearest", "bilinear"];

/// The measuring scenes, for which we know counts of other renderers for microcontrollers.
pub const MEASURED: [&str; 5] = ["S1", "S2", "S3", "S4", "S5"];

/// A scene that the near plane clips.
const CLIPPED: [&str; 1] = ["near"];

/// Scenes that boards draw only in a build with a feature: `[features.*]` of `board.toml`.
pub const BY_FEATURE: [&str; 4] = ["teapot-patches", "teapot-patches-native", "S4-samples", "life"];

/// Returns every scene that boards draw.
pub fn scenes() -> impl Iterator<Item = &'static str> {
    DEMOS.into_iter().chain(MEASURES).chain(MEASURED).chain(CLIPPED)
}

/// Time-out after which a firmware counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// Figures that every firmware writes.
const NAMED: [&str; 3] = ["ticks", "heap", "stack"];

/// The result of one scene.
pub struct Outcome {
    /// The frame.
    pub picture: Picture,
    /// Instructions of the counted frame.
    pub instructions: u64,
    /// Peak use of the heap's region, in bytes.
    pub heap: u64,
    /// Peak use of the stack, in bytes.
    pub stack: u64,
    /// Further figures from the firmware, by name.
    pub figures: BTreeMap<String, u64>,
    /// The firmware's log, decoded.
    pub log: Vec<String>,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let mut board = board::find(&options.board)?;
    if let Some(target) = &options.target {
        board = board.with_target(target)?;
    }
    if let Some(chip) = board.rp2350.as_ref().filter(|chip| chip.target == board.target) {
        println!("{}  not run: we have no emulator of this chip", rp2350::check(&board, chip)?);
        return Ok(());
    }
    if let Some(chip) = board.printed.as_ref().filter(|chip| chip.target == board.target) {
        return printed::firmware(&board, chip, options.accept);
    }
    if let Some(file) = &options.record {
        let scene = options.scene.as_deref().unwrap_or(DEMOS[0]);
        recording::record(&board, scene, options.frame, file)?;
        println!("{}: look at it with `cargo xtask inspect`", file.display());
        return Ok(());
    }
    if let Emulator::Rp2040js(emulator) = &board.emulator {
        return rp2040js::firmware(&board, emulator, options);
    }
    // A feature may draw further scenes, which the firmware without it draws, too.
    let feature = options.scene.as_deref().filter(|scene| BY_FEATURE.contains(scene));
    let feature = feature.and_then(|scene| board.feature_of(scene));
    if let (None, Some(scene)) = (feature, options.scene.as_deref()) {
        ensure!(
            !BY_FEATURE.contains(&scene),
            "{}: no [features.*] of its board.toml draws {scene}",
            board.name
        );
    }
    let mut features = Vec::new();
    features.extend(options.chip_log.then_some("chip-log"));
    features.extend(feature.map(|(name, _)| name));
    let image = board.build(&features)?;
    let size = size::measure(&image)?;
    let scenes: Vec<&str> = match options.scene.as_deref() {
        None if board.scenes.is_empty() => DEMOS.to_vec(),
        None | Some("all") => board.scene_names(),
        Some("measured") => MEASURED.to_vec(),
        Some(scene) => vec![scene],
    };
    let folder = shell::root().join("target/firmware").join(&board.name);
    let mut counts = Vec::new();
    for scene in scenes {
        let outcome = emulate(&board, &image, scene, options.frame)?;
        counts.push((scene, outcome.instructions));
        let png = folder.join(format!("{scene}.png"));
        outcome.picture.write(&png)?;
        // The host's picture with an instruction count takes a build of the host's program.
        if options.frame == 0 && !board.shows_count() {
            check(&board, &outcome, scene, 0)?;
        }
        if options.json {
            println!("{}", json(&board, scene, &outcome, &size, &png));
            continue;
        }
        for line in &outcome.log {
            println!("  chip: {line}");
        }
        println!("{scene}: {}", png.display());
        println!(
            "  {:.3} million instructions a frame, {:.1} a pixel",
            outcome.instructions as f64 / 1e6,
            outcome.instructions as f64 / outcome.picture.pixels.len() as f64
        );
        println!("  at most {} bytes of heap, {} of stack", outcome.heap, outcome.stack);
        for (name, value) in &outcome.figures {
            println!("  {name}: {value}");
        }
    }
    if !options.json {
        let held = feature.map_or(&board.budget, |(_, feature)| &feature.budget);
        print!("{}", size::report(&board, held, &size));
    }
    if options.accept {
        return budget::accept(&board, &counts);
    }
    // Budgets apply to frame 0, without a log.
    if options.frame == 0 && !options.chip_log {
        let over =
            counts.iter().filter_map(|(scene, count)| budget::check(&board, scene, *count).err());
        let over: Vec<String> = over.map(|error| error.to_string()).collect();
        ensure!(over.is_empty(), "{}", over.join("\n"));
    }
    Ok(())
}

/// Returns one line of JSON. Names need no escapes; the path does.
fn json(board: &Board, scene: &str, outcome: &Outcome, size: &size::Size, png: &Path) -> String {
    let path = png.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{{\"board\":\"{}\",\"scene\":\"{scene}\",\"width\":{},\"height\":{},\
         \"instructions\":{},\"heap\":{},\"stack\":{},\"flash_bytes\":{},\"ram_bytes\":{},\"assets\":{},\
         \"png\":\"{path}\"}}",
        board.name,
        outcome.picture.width,
        outcome.picture.height,
        outcome.instructions,
        outcome.heap,
        outcome.stack,
        size.flash,
        size.ram(),
        size.assets
    )
}

/// Runs one scene of a built firmware.
pub fn emulate(board: &Board, image: &Path, scene: &str, frame: u32) -> Result<Outcome> {
    board.emulator.install()?;
    // The firmware writes files into QEMU's working directory, so that its command line has no
    // paths.
    let folder = shell::target_dir().join("qemu").join(&board.name).join(scene);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let stream_path = folder.join("stream.bin");
    let _ = fs::remove_file(&stream_path);
    let words = [scene, &frame.to_string()];
    let (log, shown) = start_and_wait(board, image, &folder, &words, None)?;
    let bytes = fs::read(&stream_path)
        .with_context(|| format!("{scene}: the firmware wrote no {}", stream_path.display()))?;
    let stream = stream::parse(&bytes).with_context(|| scene.to_owned())?;
    let figure = |name: &str| {
        stream.figures.get(name).copied().with_context(|| format!("{scene}: no figure `{name}`"))
    };
    let mut figures = stream.figures.clone();
    figures.retain(|name, _| !NAMED.contains(&name.as_str()));
    Ok(Outcome {
        instructions: figure("ticks")? * qemu(board)?.instructions_per_tick,
        heap: figure("heap")?,
        stack: figure("stack")?,
        figures,
        log,
        picture: shown
            .or(stream.frame)
            .with_context(|| format!("{scene}: the firmware drew no frame"))?,
    })
}

/// Runs frame 0 of a scene of a built firmware. QEMU writes the blocks that it translates and
/// executes to a file.
pub fn emulate_logged(board: &Board, image: &Path, scene: &str, log: &Path) -> Result<()> {
    board.emulator.install()?;
    let folder = shell::target_dir().join("qemu").join(&board.name).join(scene);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    start_and_wait(board, image, &folder, &[scene, "0"], Some(log))?;
    Ok(())
}

/// Runs a firmware with the feature `failures`, which draws a scene with each allocation failing in
/// turn. Returns the number of allocations.
pub fn failures(board: &Board, image: &Path, scene: &str) -> Result<u64> {
    let folder = shell::target_dir().join("qemu").join(&board.name).join("failures");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join("stream.bin");
    let _ = fs::remove_file(&path);
    start_and_wait(board, image, &folder, &[scene, &u32::MAX.to_string()], None)?;
    let bytes = fs::read(&path).context("the firmware wrote nothing")?;
    let stream = stream::parse(&bytes)?;
    stream.figures.get("failures").copied().context("the firmware counted nothing")
}

/// Runs a firmware with the feature `replay`, which plays a trace. Returns the file with its
/// frames.
pub fn replay(board: &Board, image: &Path, trace: &Path) -> Result<PathBuf> {
    board.emulator.install()?;
    let folder = shell::target_dir().join("qemu").join(&board.name).join("replay");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let frames = folder.join("frames.bin");
    let _ = fs::remove_file(&frames);
    fs::copy(trace, folder.join("trace.bin"))
        .with_context(|| format!("cannot copy {}", trace.display()))?;
    start_and_wait(board, image, &folder, &[], None)?;
    Ok(frames)
}

/// Fails unless the picture equals the host's, bit for bit.
pub fn check(board: &Board, outcome: &Outcome, scene: &str, frame: u32) -> Result<()> {
    if !board.shows_count() {
        ensure!(frame == 0, "golden images are of frame 0");
        return golden::compare(&outcome.picture, scene, &board.name);
    }
    let path = shell::target_dir().join("qemu").join(&board.name).join(scene).join("host.png");
    let mut host = shell::test_program("gallium-bench")?;
    host.args(["grey", "--scene", scene, "--frame", &frame.to_string()]);
    host.args(["--count", &outcome.instructions.to_string(), "--out"]).arg(&path);
    shell::run(&mut host)?;
    golden::compare_with(&outcome.picture, &Picture::read(&path)?, scene, &board.name)
}

/// Returns the QEMU machine of a board.
fn qemu(board: &Board) -> Result<&Qemu> {
    match &board.emulator {
        Emulator::Qemu(qemu) => Ok(qemu),
        Emulator::Rp2040js(_) => bail!("{}: not a board of QEMU", board.name),
    }
}

/// The firmware's log, and the picture of the display if there is one.
type Ended = (Vec<String>, Option<Picture>);

/// Runs QEMU until it ends or, if there is a display, until its picture is taken. QEMU writes its
/// log of blocks to the file `blocks`.
fn start_and_wait(
    board: &Board,
    image: &Path,
    folder: &Path,
    words: &[&str],
    blocks: Option<&Path>,
) -> Result<Ended> {
    let mut semihosting = String::from("enable=on,target=native,arg=firmware");
    for argument in words {
        ensure!(!argument.contains([',', ' ']), "`{argument}`: no commas or spaces, please");
        semihosting.push_str(&format!(",arg={argument}"));
    }
    let Qemu { program, arguments, .. } = qemu(board)?;
    let mut qemu = shell::command(program);
    qemu.args(arguments)
        .args(["-monitor", "none", "-semihosting-config", &semihosting, "-kernel"])
        .arg(image)
        .current_dir(folder)
        .stdin(Stdio::null());
    if let Some(blocks) = blocks {
        qemu.args(["-d", "nochain,exec,in_asm", "-D"]).arg(blocks);
    }
    let port = match board.screen {
        Some(_) => Some(qmp::free_port()?),
        None => None,
    };
    if let Some(port) = port {
        qemu.args(["-qmp", &qmp::argument(port)]);
    }
    let line = shell::line(&qemu);
    // Files instead of pipes: a firmware that floods its console must not block on us.
    let (console, errors) = (folder.join("console.bin"), folder.join("errors.txt"));
    qemu.stdout(fs::File::create(&console)?).stderr(fs::File::create(&errors)?);
    let mut child = qemu.spawn().with_context(|| format!("cannot start `{line}`"))?;
    let ended = watch(board, &mut child, port, folder, &console);
    // In any case, no emulator stays behind.
    let _ = child.kill();
    let status = child.wait()?;
    let said = fs::read(&console).unwrap_or_default();
    let failed = || {
        let words = String::from_utf8_lossy(&said).into_owned();
        let errors = String::from_utf8_lossy(&fs::read(&errors).unwrap_or_default()).into_owned();
        let meaning = meaning(status);
        format!("`{line}`: {status}{meaning}\n{words}{}", errors.trim_end())
    };
    let (done, shown) = ended.with_context(failed)?;
    let log = decode_log(image, &said)?;
    if !done {
        bail!("{}\n{}", failed(), log.join("\n"));
    }
    Ok((log, shown))
}

/// Explains the exit statuses with which `board_support` ends the emulator.
fn meaning(status: ExitStatus) -> &'static str {
    match status.code() {
        Some(1) => " (the driver returned an error)",
        Some(101) => " (the firmware panicked)",
        Some(102) => {
            " (hard fault: the stack overflowed, or an address without memory was accessed)"
        }
        _ => "",
    }
}

/// Waits for the picture or the end of the process; returns true on success.
fn watch(
    board: &Board,
    child: &mut Child,
    port: Option<u16>,
    folder: &Path,
    console: &Path,
) -> Result<(bool, Option<Picture>)> {
    let start = Instant::now();
    loop {
        if let (Some(screen), Some(port)) = (&board.screen, port)
            && fs::read(console).is_ok_and(|said| said.ends_with(b"shown\n"))
        {
            let mut qmp = Qmp::connect(port)?;
            let dump = qmp.screendump(&folder.join("screen.ppm"))?;
            let picture = qmp::reduce(&dump, screen.magnified)?;
            qmp.quit()?;
            return Ok((true, Some(picture)));
        }
        if let Some(status) = child.try_wait()? {
            ensure!(board.screen.is_none() || !status.success(), "it ended and showed nothing");
            return Ok((status.success(), None));
        }
        ensure!(start.elapsed() < PATIENCE, "not done after {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Decodes defmt frames with the strings in the image; returns nothing if it has no defmt.
fn decode_log(image: &Path, console: &[u8]) -> Result<Vec<String>> {
    let elf = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let Some(table) = defmt_decoder::Table::parse(&elf)? else { return Ok(Vec::new()) };
    let mut decoder = table.new_stream_decoder();
    decoder.received(console);
    let mut lines = Vec::new();
    loop {
        match decoder.decode() {
            Ok(frame) => {
                let level = frame.level().map_or("", |level| level.as_str());
                lines.push(format!("{level:<5} {}", frame.display_message()));
            }
            Err(defmt_decoder::DecodeError::UnexpectedEof) => return Ok(lines),
            Err(defmt_decoder::DecodeError::Malformed) => {
                bail!("the firmware's log is malformed after {} messages", lines.len())
            }
        }
    }
}
