//! Tests of the playground: pictures computed by hand, and the page in a browser.

mod browser;
mod errors;
mod pictures;

use gallium_playground::{Filter, Language, Output, Pattern, Profile, Program, Shape};

/// Returns a program that fills a picture of 128×128 pixels.
fn program(source: &str) -> Program {
    Program {
        language: if source.contains('@') { Language::Wgsl } else { Language::Tgsi },
        source: source.into(),
        mesh: Shape::Square,
        texture: Pattern::Gradient,
        filter: Filter::Nearest,
        output: Output::Rgba8,
        profile: Profile::Small,
        width: 128,
        height: 128,
        turn: 0.0,
        time: 0.0,
    }
}
