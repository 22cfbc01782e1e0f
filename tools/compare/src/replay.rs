//! Plays traces on the drivers.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use clap::ValueEnum;
use formats::{Format, Rect};
use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::threads::Pool;
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{PictureDigest, Played, Player, TraceError, read_surface};
use pipe_core::wrap::{NullScreen, TraceScreen};
use pipe_core::{PipeError, ResourceTemplate, Screen};
use raster::{AnyProfile, Config};

/// A driver to play a trace on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Driver {
    /// The driver in the profile of desktops.
    Host,
    /// The driver in the profile of boards.
    Small,
    /// The driver in the profile of the smallest boards.
    Tiny,
    /// The plain driver.
    Reference,
}

/// The limits of playing a trace: it may be untrusted, for example from a bug report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes that the driver and the player may allocate.
    pub memory: usize,
    /// Units of work per call; see [`os_shim::budget`]. The plain driver does not count them.
    pub work: u64,
}

impl Limits {
    /// The memory of a `gallium-vtest` client, and work of about a minute.
    pub const DEFAULT: Self = Limits { memory: 2 << 30, work: 1 << 34 };

    /// No limits.
    pub const NONE: Self = Limits { memory: usize::MAX, work: u64::MAX };
}

/// A driver with limits that lives as long as the program.
pub struct Stage {
    /// The driver.
    pub screen: Box<dyn Screen<'static>>,
    /// The memory of the driver and its player.
    pub memory: Memory<'static>,
    budget: &'static WorkBudget,
    work: u64,
}

impl Driver {
    /// Creates a screen that draws with this many threads; the plain driver uses one.
    pub fn stage(self, threads: usize, limits: Limits) -> Stage {
        let (mut os, config) = (Os::host(), Config::default());
        if threads > 1 {
            os.threads = Box::leak(Box::new(Pool::new(threads)));
        }
        let quota = Box::leak(Box::new(Quota::new(os.memory, limits.memory)));
        os.memory = Memory::new(quota);
        let budget: &'static WorkBudget = Box::leak(Box::default());
        budget.grant(limits.work);
        let screen = match self {
            Self::Host => AnyProfile::Host.screen_with_budget(os, config, budget),
            Self::Small => AnyProfile::Small.screen_with_budget(os, config, budget),
            Self::Tiny => AnyProfile::Tiny.screen_with_budget(os, config, budget),
            Self::Reference => Box::new(reference::Screen::new(os, reference::Config::default())),
        };
        Stage { screen, memory: os.memory, budget, work: limits.work }
    }
}

impl Stage {
    /// Makes the next call with its own budget.
    fn next(&self, player: &mut Player<'_, 'static>) -> Result<Option<Played>> {
        self.budget.grant(self.work);
        let limit = self.memory.usage().capacity.filter(|limit| *limit < usize::MAX);
        next(player).map_err(|error| match limit {
            Some(limit) => error.context(format!(
                "a trace may take {} MiB; if you trust this one, play it with --unlimited",
                limit >> 20
            )),
            None => error,
        })
    }
}

/// The first call with a result that differs from the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The call.
    pub call: Played,
    /// The result that differs, as traced and as played.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Played { index, name, context, .. } = self.call;
        write!(f, "the first call that differs: number {index}, {name}")?;
        if context > 0 {
            write!(f, " of context {context}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// Reads a trace into memory that lives as long as the program.
///
/// # Errors
/// The file cannot be read.
pub fn load(path: &Path) -> Result<&'static [u8]> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Box::leak(bytes.into_boxed_slice()))
}

/// Returns the frames of a trace, in order.
///
/// # Errors
/// The trace is damaged.
pub fn pictures(trace: &'static [u8]) -> Result<Vec<PictureDigest>> {
    let screen = NullScreen::new(Memory::system());
    let mut player = Player::new(&screen, trace, Memory::system())?;
    let mut pictures = Vec::new();
    while let Some(played) = next(&mut player)? {
        let traced = played.picture.and_then(|[traced, _]| traced);
        pictures.extend(traced.filter(|_| played.is_frame));
    }
    Ok(pictures)
}

/// Makes the next call. If the traced program died, the trace ends within a call; this counts as
/// its end.
fn next(player: &mut Player<'_, 'static>) -> Result<Option<Played>> {
    match player.step() {
        Err(TraceError::Truncated) => Ok(None),
        step => step.map_err(|error| anyhow!(error).context("the trace cannot be played on")),
    }
}

/// A trace and the options of playing it.
#[derive(Clone, Copy, Debug)]
pub struct Play<'a> {
    /// The bytes of the trace.
    pub trace: &'static [u8],
    /// The driver.
    pub driver: Driver,
    /// Number of drawing threads.
    pub threads: usize,
    /// The folder for pictures.
    pub pictures: Option<&'a Path>,
    /// Prints every call.
    pub text: bool,
    /// The limits of memory and work.
    pub limits: Limits,
}

impl Play<'_> {
    /// Plays the trace and returns the first call that differs from the trace. If a list of
    /// pictures is given, the trace's pictures are compared with that list instead.
    ///
    /// # Errors
    /// The trace is damaged, or a picture cannot be written.
    pub fn run(&self, others: Option<&[PictureDigest]>) -> Result<Option<Difference>> {
        let stage = self.driver.stage(self.threads, self.limits);
        if !self.text {
            return self.on(&stage, &*stage.screen, others);
        }
        // Calls by the player or between drivers are not calls of the trace.
        let line = |line: fmt::Arguments<'_>| {
            // A reader that has seen enough, such as `head`, closes the pipe.
            let _ = writeln!(std::io::stdout(), "{line}");
        };
        self.on(&stage, &TraceScreen::new(&*stage.screen, &line, Memory::system()), others)
    }

    fn on(
        &self,
        stage: &Stage,
        screen: &dyn Screen<'static>,
        others: Option<&[PictureDigest]>,
    ) -> Result<Option<Difference>> {
        let mut player = Player::new(screen, self.trace, stage.memory)?;
        let start = Instant::now();
        let (mut calls, mut shown, mut first) = (0, 0, None);
        while let Some(played) = stage.next(&mut player)? {
            calls += 1;
            let mut difference = None;
            match others {
                None if !played.is_same => difference = Some(why(&played)),
                Some(others) => {
                    if let (true, Some([_, Some(ours)])) = (played.is_frame, played.picture) {
                        let theirs = others.get(shown);
                        difference = (theirs != Some(&ours)).then(|| match theirs {
                            Some(theirs) => format!("picture {ours}, the other trace has {theirs}"),
                            None => "the other trace has fewer pictures".into(),
                        });
                    }
                }
                None => {}
            }
            if let Some(what) = difference {
                first.get_or_insert(Difference { call: played, what });
            }
            if played.is_frame {
                shown += 1;
                if let Some(folder) = self.pictures {
                    save(screen, &mut player, &played, folder, shown)?;
                }
            }
        }
        let name = screen.get_name();
        let time = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{calls} calls, {shown} pictures on {name}, recorded on {}: {time:.0} ms",
            player.driver()
        );
        if first.is_none() {
            println!("all pictures and answers are those of the trace");
        }
        Ok(first)
    }
}

/// Describes the difference between a call and the trace.
fn why(played: &Played) -> String {
    match (played.error, played.picture) {
        (Some(error @ (PipeError::Stopped(_) | PipeError::OutOfMemory { .. })), _) => {
            format!("refused: {error}; if you trust the trace, play it with --unlimited")
        }
        (Some(error), _) => format!("refused: {error}"),
        (None, Some([traced, ours])) => {
            let text = |digest: Option<PictureDigest>| {
                digest.map_or_else(|| "none".into(), |digest| digest.to_string())
            };
            format!("picture {}, the trace has {}", text(ours), text(traced))
        }
        (None, None) => "another answer".into(),
    }
}

/// The pixels of a colour buffer, row by row.
struct Pixels {
    width: usize,
    pixels: Vec<[u8; 4]>,
}

/// Reads the first colour buffer of a context; `None` if there is none or it cannot be read.
fn pixels(
    screen: &dyn Screen<'static>,
    player: &mut Player<'_, 'static>,
    context: u64,
) -> Option<Pixels> {
    let (resource, template) = player.color_buffer(context)?;
    let (mut bytes, mut format) = (Vec::new(), Format::None);
    let take = |_, of: &ResourceTemplate, row: &[u8]| {
        format = of.format;
        bytes.extend_from_slice(row);
    };
    read_surface(screen, player.context(context)?, resource, &template, take).ok()?;
    let [width, height, _] = template.size(&screen.resource_template(resource).ok()?)?;
    let (width, height) = (width as usize, height as usize);
    let mut pixels = vec![[0; 4]; width * height];
    let stride = format.row_bytes(width);
    formats::unpack_rgba_u8(
        format,
        Rect::new(&mut pixels, width),
        Rect::new(&bytes, stride),
        [width, height],
    )
    .ok()?;
    Some(Pixels { width, pixels })
}

/// Writes the picture of a call to a file.
fn save(
    screen: &dyn Screen<'static>,
    player: &mut Player<'_, 'static>,
    played: &Played,
    folder: &Path,
    number: usize,
) -> Result<()> {
    let Some(Pixels { width, pixels }) = pixels(screen, player, played.context) else {
        return Ok(());
    };
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("picture-{number:05}.png"));
    let file =
        std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let height = pixels.len() / width.max(1);
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(())
}

/// Plays a trace on two drivers, one call at a time. Returns the first call after which a channel
/// of the first colour buffers differs by more than `tolerance` steps of 8 bits.
///
/// # Errors
/// The trace is damaged.
pub fn beside(play: &Play<'_>, other: Driver, tolerance: u8) -> Result<Option<Difference>> {
    let stages = [play.driver, other].map(|driver| driver.stage(play.threads, play.limits));
    let [of_first, of_second] = &stages;
    let (one, two) = (&of_first.screen, &of_second.screen);
    let mut first = Player::new(&**one, play.trace, of_first.memory)?;
    let mut second = Player::new(&**two, play.trace, of_second.memory)?;
    let mut compared = 0;
    let mut refused = None;
    while let (Some(played), Some(beside)) =
        (of_first.next(&mut first)?, of_second.next(&mut second)?)
    {
        if let (None, Some(error)) | (Some(error), None) = (played.error, beside.error) {
            // This may have no effect: frontends set state that they never use.
            refused.get_or_insert((played, error));
        }
        if !played.works {
            continue;
        }
        let ours = pixels(&**one, &mut first, played.context);
        let theirs = pixels(&**two, &mut second, played.context);
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        compared += 1;
        let far =
            |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > tolerance);
        let pairs = || ours.pixels.iter().zip(&theirs.pixels);
        if let Some(at) = pairs().position(far) {
            let count = pairs().filter(|pair| far(*pair)).count();
            let (x, y) = (at % ours.width.max(1), at / ours.width.max(1));
            let (a, b) = (ours.pixels[at], theirs.pixels[at]);
            let mut what = format!(
                "{count} pixels, the first at ({x}, {y}): {a:?} on {}, {b:?} on {}",
                one.get_name(),
                two.get_name()
            );
            if let Some((Played { index, name, .. }, error)) = refused {
                what.push_str(&format!("; one refused call {index}, {name}: {error}"));
            }
            return Ok(Some(Difference { call: played, what }));
        }
    }
    if let Some((Played { index, name, .. }, error)) = refused {
        println!("one refused call {index}, {name}, and maybe more: {error}");
    }
    println!(
        "the colour buffers of {} and {} are alike after {compared} calls",
        one.get_name(),
        two.get_name()
    );
    Ok(None)
}
