//! Resources: what a screen stores, and the templates they are made from.

mod error;
pub mod layout;
mod target;
mod template;
mod validate;

pub use error::ResourceError;
pub use target::{Bind, ResourceFlags, TextureTarget, Usage};
pub use template::{ResourceTemplate, minify};
