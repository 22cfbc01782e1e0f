#![doc = include_str!("../README.md")]
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![cfg_attr(
    not(test),
    deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

#[cfg(target_family = "wasm")]
mod abi;
mod bind;
mod report;
mod scene;
mod source;
mod textures;

use serde::{Deserialize, Serialize};

pub use report::Stage;
pub use scene::{Filter, Output, Profile, Shape};
pub use textures::Pattern;

/// The most bytes of a program.
pub const MAX_SOURCE: usize = 1 << 16;
/// The longest side of a picture, in pixels.
pub const MAX_SIDE: u32 = 320;

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// WGSL: entry points for vertices and fragments.
    Wgsl,
    /// TGSI text: programs that begin with `VERT` and `FRAG`.
    Tgsi,
}

/// A program with the scene that it draws.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Program {
    /// The language.
    pub language: Language,
    /// The text.
    pub source: String,
    /// The mesh.
    pub mesh: Shape,
    /// The texture.
    pub texture: Pattern,
    /// The texture's filter.
    pub filter: Filter,
    /// The pixels of the display.
    pub output: Output,
    /// The driver's profile.
    pub profile: Profile,
    /// Width of the picture in pixels, at most [`MAX_SIDE`].
    pub width: u32,
    /// Height of the picture in pixels, at most [`MAX_SIDE`].
    pub height: u32,
    /// The mesh's angle about y, in turns.
    pub turn: f32,
    /// Seconds, for animations.
    pub time: f32,
}

/// A reason why a program cannot be drawn, or a hint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    /// The line in the text, from 1; 0 for the whole program.
    pub line: u32,
    /// The column, from 1; 0 for the whole line.
    pub column: u32,
    /// The message.
    pub message: String,
}

impl Problem {
    /// Returns a problem of the whole program.
    pub(crate) fn whole(message: impl ToString) -> Self {
        Self { line: 0, column: 0, message: message.to_string() }
    }
}

/// The result of a program.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Drawing {
    /// The reasons why nothing is drawn.
    pub problems: Vec<Problem>,
    /// Hints.
    pub notes: Vec<String>,
    /// The entry points, compiled.
    pub stages: Vec<Stage>,
    /// Width of the picture; 0 without a picture.
    pub width: u32,
    /// Height of the picture.
    pub height: u32,
    /// The tiles, in the order of the panel's calls: x, y, width, height.
    pub tiles: Vec<[u32; 4]>,
    /// Red, green, blue and alpha of each pixel, as the panel shows it.
    #[serde(skip)]
    pub pixels: Vec<u8>,
}

/// Compiles and draws a program.
pub fn draw(program: &Program) -> Drawing {
    let mut drawing = Drawing::default();
    if program.source.len() > MAX_SOURCE {
        let bytes = program.source.len();
        drawing.problems.push(Problem::whole(format!(
            "the program has {bytes} bytes: shorten it to {MAX_SOURCE}"
        )));
        return drawing;
    }
    let units = match source::read(program.language, &program.source) {
        Ok(units) => units,
        Err(problems) => {
            drawing.problems = problems;
            return drawing;
        }
    };
    for unit in &units {
        match report::stage(unit) {
            Ok(stage) => drawing.stages.push(stage),
            Err(problem) => drawing.problems.push(problem),
        }
    }
    if drawing.problems.is_empty()
        && let Err(problem) = scene::draw(program, &units, &mut drawing)
    {
        drawing.problems.push(problem);
    }
    drawing
}
