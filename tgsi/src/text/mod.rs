//! Shaders from and to text.
//!
//! [`parse`] reads a shader. Its `Display` writes it as the reference printer does, so that
//! canonical text is reproduced byte for byte.

mod cursor;
mod declaration;
mod dump;
mod error;
mod gone;
mod instruction;
mod legacy;
mod number;
mod parse;

use crate::names::distance;

pub use error::{Found, SyntaxError, TextError};
pub use parse::{ParseOptions, parse, parse_with};

/// Returns the canonical form of a name for which the manual has another form.
fn canonical(name: &str) -> &str {
    const MANUAL: [(&str, &str); 4] =
        [("1DArray", "1D_ARRAY"), ("2DArray", "2D_ARRAY"), ("RES", "IMAGE"), ("PRIMID", "PRIM_ID")];
    let known = MANUAL.iter().find(|(manual, _)| manual.eq_ignore_ascii_case(name));
    known.map_or(name, |(_, canonical)| canonical)
}

/// Returns the name nearest to `word`, if it is near enough to be meant.
fn nearest(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let near = names.map(|name| (distance(word, name), name));
    let (distance, name) = near.min_by_key(|&(distance, _)| distance)?;
    (!word.is_empty() && distance <= 1 + word.len() / 4).then_some(name)
}
