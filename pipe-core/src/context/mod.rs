//! The rendering context: one trait per chapter of the manual, and [`Context`] for all of them.
//!
//! Calls of this trait are whole draws, so it is `dyn`: a driver implements it, a wrapper
//! implements it around another context, and a frontend holds a `&mut dyn Context`.
//!
//! A call that a driver may lack has a default that returns [`PipeError::Unsupported`]; caps
//! announce it beforehand. Drivers check for handles of destroyed objects and return
//! [`PipeError::StaleHandle`]. [`crate::wrap::Check`] checks all other arguments. Put it above a
//! driver if the caller's data is not trusted. Without it, a driver may respond to invalid
//! arguments with any error or any picture, but never with a panic or an out-of-bounds access.

mod binding;
mod blitting;
mod clearing;
mod compute;
mod cso;
mod drawing;
mod fences;
mod flushing;
mod parameters;
mod queries;
mod render_condition;
mod reset;
mod sampler_views;
mod shader_resources;
mod stream_output;
mod surfaces;
mod transfers;

pub use binding::{ConstantBuffer, ResourceBinding};
pub use blitting::Blitting;
pub use clearing::Clearing;
pub use compute::Compute;
pub use cso::CsoState;
pub use drawing::Drawing;
pub use fences::Fences;
pub use flushing::{Flushing, PresentSource};
pub use parameters::Parameters;
pub use queries::Queries;
pub use render_condition::RenderCondition;
pub use reset::{Bindless, DeviceReset, ResetCallback};
pub use sampler_views::SamplerViews;
pub use shader_resources::ShaderResources;
pub use stream_output::StreamOutputs;
pub use surfaces::Surfaces;
pub use transfers::Transfers;

use crate::error::PipeError;

/// A rendering context: all chapters together. `pipe_context`.
///
/// One thread at a time uses a context, and a context may move between threads ([`Send`]). Several
/// contexts of one screen may be used in several threads at the same time. Objects created by a
/// context belong to it; resources and fences belong to the screen.
pub trait Context<'m>:
    CsoState<'m>
    + ResourceBinding
    + Parameters
    + SamplerViews
    + ShaderResources
    + Surfaces
    + StreamOutputs
    + Clearing
    + Drawing
    + Queries
    + RenderCondition
    + Flushing
    + Fences
    + Blitting
    + Transfers
    + Compute<'m>
    + DeviceReset
    + Bindless
    + Send
{
}

/// A context that a wrapper owns or borrows.
pub enum ContextRef<'c, 'm> {
    /// A borrowed context.
    Borrowed(&'c mut (dyn Context<'m> + 'c)),
    /// An owned context, dropped with the wrapper.
    Owned(os_shim::Box<'c, dyn Context<'m> + 'c>),
}

impl<'c, 'm> ContextRef<'c, 'm> {
    /// Returns the context for calls that change it.
    #[inline]
    pub fn get(&mut self) -> &mut (dyn Context<'m> + 'c) {
        match self {
            Self::Borrowed(context) => *context,
            Self::Owned(context) => &mut **context,
        }
    }

    /// Returns the context for calls that only read.
    #[inline]
    pub fn get_ref(&self) -> &(dyn Context<'m> + 'c) {
        match self {
            Self::Borrowed(context) => *context,
            Self::Owned(context) => &**context,
        }
    }
}

impl<'c, 'm> From<&'c mut (dyn Context<'m> + 'c)> for ContextRef<'c, 'm> {
    fn from(context: &'c mut (dyn Context<'m> + 'c)) -> Self {
        Self::Borrowed(context)
    }
}

impl<'c, 'm, C: Context<'m> + 'c> From<&'c mut C> for ContextRef<'c, 'm> {
    fn from(context: &'c mut C) -> Self {
        Self::Borrowed(context)
    }
}

impl<'c, 'm> From<os_shim::Box<'c, dyn Context<'m> + 'c>> for ContextRef<'c, 'm> {
    fn from(context: os_shim::Box<'c, dyn Context<'m> + 'c>) -> Self {
        Self::Owned(context)
    }
}

/// Returns the error of a default method.
pub(crate) fn unsupported<T>(what: &'static str) -> Result<T, PipeError> {
    Err(PipeError::Unsupported(what))
}
