//! Resources: the storage of a screen, the templates of resources, and their linear layout (manual,
//! chapter "Resources and derived objects").

mod error;
pub mod layout;
mod target;
mod template;
mod validate;

pub use error::ResourceError;
pub use target::{Bind, ResourceFlags, TextureTarget, Usage};
pub use template::{ResourceTemplate, minify};
