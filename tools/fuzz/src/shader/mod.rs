//! Shaders: text, tokens, and execution.

mod execute;
mod text;
mod tokens;

pub use execute::run as execute;
pub use text::run as text;
pub use tokens::run as tokens;
