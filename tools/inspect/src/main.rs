//! `gallium-inspect`: looks inside recordings. `cargo xtask inspect` runs this program.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use gallium_inspect::answer::{self, At};
use gallium_inspect::picture::Picture;
use gallium_inspect::views::{self, Scope, View};
use gallium_inspect::{Inspector, Limits, cost, debug, export, history, mesh, serve, why};

/// Looks inside a recording that a program wrote with GALLIUM_TRACE=FILE.
///
/// Each question plays the recording from its first call to the asked one. In a long recording ask many
/// questions with --serve: it plays the recording once, and then jumps to any call.
#[derive(Parser)]
#[command(name = "gallium-inspect", version)]
struct Options {
    /// The recording.
    file: PathBuf,
    #[command(subcommand)]
    question: Option<Question>,
    /// Serves a page for a browser on the loopback interface, and prints its link.
    #[arg(long)]
    serve: bool,
    /// Writes this file: the page, its engine and the recording in one, which any browser opens.
    #[arg(long, value_name = "HTML", requires = "page", conflicts_with = "serve")]
    export: Option<PathBuf>,
    /// The page with the engine, for `--export`; `cargo xtask inspect` builds it.
    #[arg(long, value_name = "HTML")]
    page: Option<PathBuf>,
    /// The port of the page; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Number of drawing threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Plays without limits of memory and work. By default a recording may use 2 GiB, and about a
    /// minute per call, because it may be untrusted.
    #[arg(long)]
    unlimited: bool,
}

#[derive(Subcommand)]
enum Question {
    /// Lists calls with their arguments.
    Calls {
        /// The first call.
        #[arg(default_value_t = 1)]
        first: u64,
        /// The last call.
        last: Option<u64>,
        /// Lists only calls that may change a picture.
        #[arg(long)]
        draws: bool,
    },
    /// Prints what is bound after a call.
    State {
        /// The call.
        call: u64,
    },
    /// Lists the resources that are alive after a call.
    Resources {
        /// The call.
        call: u64,
    },
    /// Writes the picture of a resource after a call to a PNG file.
    Picture {
        /// The call.
        call: u64,
        /// The file.
        #[arg(short, long, default_value = "picture.png")]
        output: PathBuf,
        /// Keeps alpha; by default the file is opaque.
        #[arg(long)]
        alpha: bool,
        /// Draws overdraw, wireframe or depth instead of the contents of a resource.
        #[arg(long)]
        view: Option<View>,
        /// The draws that the view shows: draw, pass or frame.
        #[arg(long, default_value = "draw")]
        scope: Scope,
        #[command(flatten)]
        of: Of,
    },
    /// Prints a texel of a resource after a call.
    Texel {
        /// The call.
        call: u64,
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        #[command(flatten)]
        of: Of,
    },
    /// Prints the vertices of a draw before the vertex shader.
    Vertices {
        /// The draw.
        call: u64,
        /// The most vertices to print.
        #[arg(long, default_value_t = 32)]
        limit: u32,
    },
    /// Prints a bound shader: TGSI text and lane code.
    Shader {
        /// The call.
        call: u64,
        /// The stage.
        #[arg(default_value = "fragment")]
        stage: String,
    },
    /// Prints every call and fragment that reached a pixel in the frame up to a call.
    History {
        /// The last call.
        call: u64,
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// Begins at the recording's first call instead of the frame's.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        of: Of,
    },
    /// Estimates the instructions of a draw's shaders on a Cortex-M4F.
    Cost {
        /// The draw.
        call: u64,
    },
    /// Explains why a draw shows nothing.
    Why {
        /// The draw.
        call: u64,
    },
    /// Prints the mesh of a draw after the last vertex stage, and the reasons why primitives are not
    /// seen.
    Mesh {
        /// The draw.
        call: u64,
        /// The first primitive to print, from 0.
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// The most primitives to print.
        #[arg(long, default_value_t = 16)]
        limit: usize,
        /// Prints only primitives that are not in the view as a whole.
        #[arg(long)]
        unseen: bool,
    },
    /// Steps the vertex shader of a draw for a vertex.
    DebugVertex {
        /// The draw.
        call: u64,
        /// The number of the vertex in the draw's list, from 0.
        vertex: u32,
        /// The instance, from 0.
        #[arg(long, default_value_t = 0)]
        instance: u32,
        /// The first step, from 1.
        #[arg(long, default_value_t = 1)]
        first: u32,
        /// The most steps to print.
        #[arg(long, default_value_t = 200)]
        limit: u32,
    },
    /// Steps the fragment shader of a draw at a pixel.
    Debug {
        /// The draw.
        call: u64,
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// The number of the fragment at the pixel, from 0.
        #[arg(long, default_value_t = 0)]
        fragment: usize,
        /// The sample of the pixel, from 0, in a target with several samples.
        #[arg(long)]
        sample: Option<u32>,
        /// The first step, from 1.
        #[arg(long, default_value_t = 1)]
        first: u32,
        /// The most steps to print.
        #[arg(long, default_value_t = 200)]
        limit: u32,
    },
}

#[derive(Args)]
struct Of {
    /// The resource, for example `resource#0.1`. By default the first colour buffer.
    #[arg(long, default_value = "")]
    resource: String,
    /// The level.
    #[arg(long)]
    level: Option<u32>,
    /// The layer.
    #[arg(long)]
    layer: Option<u32>,
    /// The sample, from 0; by default the mean of all samples.
    #[arg(long)]
    sample: Option<u32>,
}

impl Of {
    fn at(self, x: u32, y: u32) -> At {
        At {
            resource: self.resource,
            level: self.level,
            layer: self.layer,
            x,
            y,
            sample: self.sample,
        }
    }
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<()> {
    if let (Some(output), Some(page)) = (&options.export, &options.page) {
        export::export(&options.file, page, output)?;
        println!("{}: open it in a browser", output.display());
        return Ok(());
    }
    let mut limits =
        Limits { threads: options.threads, prepares: options.serve, ..Limits::default() };
    if options.unlimited {
        (limits.memory, limits.work) = (usize::MAX, u64::MAX);
    }
    let inspector = Inspector::open(&options.file, limits)?;
    if options.serve {
        let server = serve::Server::new(inspector, options.port)?;
        println!("{}", server.link());
        return server.run();
    }
    let text = match options.question {
        None => summary(&inspector),
        Some(question) => answer(&inspector, question)?,
    };
    // A reader that has seen enough, such as `head`, closes the pipe.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

fn summary(inspector: &Inspector) -> String {
    let listing = inspector.listing();
    let mut text = format!(
        "{} calls, {} of them draw or copy, in {} frames; recorded on {}\n",
        listing.count(),
        listing.works().len(),
        listing.frames().len(),
        listing.driver()
    );
    if let Some(end) = listing.end() {
        text.push_str(&format!("{end}\n"));
    }
    text
}

fn answer(inspector: &Inspector, question: Question) -> Result<String> {
    let listing = inspector.listing();
    Ok(match question {
        Question::Calls { first, last, draws } => {
            let last = last.unwrap_or(listing.count());
            let mut text = String::new();
            for call in listing.describe(first, last)? {
                if call.works || !draws {
                    text.push_str(&format!("{call}\n"));
                }
            }
            text
        }
        Question::State { call } => {
            let state = inspector.at(call, |session| Ok(answer::state(session)))?;
            let mut text = String::new();
            if let Some(error) = state.error {
                text.push_str(&format!("call {call}: {error}\n"));
            }
            for section in state.sections {
                text.push_str(&format!("{}\n", section.title));
                for (name, value) in section.rows {
                    text.push_str(&format!("    {name}: {value}\n"));
                }
            }
            text
        }
        Question::Resources { call } => {
            let list = inspector.at(call, |session| Ok(answer::resources(session)))?;
            let line = |live: &answer::Live| {
                format!("{}: {}, created by call {}\n", live.resource, live.what, live.call)
            };
            list.iter().map(line).collect()
        }
        Question::Picture { call, output, view: Some(view), scope, .. } => {
            let start = match scope {
                Scope::Draw => call,
                _ => listing.frame_start(call),
            };
            let shown = inspector.at(start.saturating_sub(1), move |session| {
                views::view(session, call, view, scope)
            })?;
            std::fs::write(&output, shown.png()?)
                .with_context(|| format!("cannot write {}", output.display()))?;
            let notes: String = shown.notes.iter().map(|note| format!("note: {note}\n")).collect();
            format!("{}: {}\n{notes}", output.display(), shown.summary())
        }
        Question::Picture { call, output, alpha, of, .. } => {
            let at = of.at(0, 0);
            let picture = inspector.at(call, move |session| {
                let place = at.place(session)?;
                Picture::at(session, &place)
            })?;
            std::fs::write(&output, picture.png(!alpha)?)
                .with_context(|| format!("cannot write {}", output.display()))?;
            let (width, height) = (picture.width, picture.height);
            format!("{}: {width} × {height}, {}\n", output.display(), picture.format)
        }
        Question::Texel { call, x, y, of } => {
            let at = of.at(x, y);
            let value = inspector.at(call, move |session| {
                let place = at.place(session)?;
                let picture = Picture::at(session, &place)?;
                picture.value(x as usize, y as usize).context("there is no such texel")
            })?;
            format!("{value}\n")
        }
        Question::Vertices { call, limit } => {
            let vertices =
                inspector.at(0, move |session| answer::vertices(session, call, limit))?;
            let mut text = format!("vertex: {}\n", vertices.inputs.join(", "));
            for (number, values) in vertices.rows {
                text.push_str(&format!("{number:>6}: {}\n", values.join(" ")));
            }
            text
        }
        Question::Mesh { call, first, limit, unseen } => inspector
            .at(call.saturating_sub(1), move |session| {
                mesh::after(session, call, first, limit, unseen)
            })?
            .to_string(),
        Question::Shader { call, stage } => {
            let code = inspector.at(call, move |session| answer::code(session, &stage))?;
            format!("{}\nlane code\n{}", code.text, code.lanes)
        }
        Question::History { call, x, y, all, of } => {
            let at = of.at(x, y);
            let place = inspector.at(call, move |session| at.place(session))?;
            let first = if all { 1 } else { listing.frame_start(call) };
            let events = inspector
                .at(first - 1, move |session| history::history(session, place, first, call))?;
            answer::text_of(&events)
        }
        Question::Cost { call } => inspector
            .at(call.saturating_sub(1), move |session| cost::cost(session, call))?
            .to_string(),
        Question::Why { call } => inspector
            .at(call.saturating_sub(1), move |session| why::why(session, call))?
            .to_string(),
        Question::Debug { call, x, y, fragment, sample, first, limit } => inspector
            .at(call.saturating_sub(1), move |session| {
                debug::of_sample(session, call, ([x, y], sample), fragment, first, limit)
            })?
            .to_string(),
        Question::DebugVertex { call, vertex, instance, first, limit } => inspector
            .at(call.saturating_sub(1), move |session| {
                debug::vertex(session, call, vertex, instance, first, limit)
            })?
            .to_string(),
    })
}
