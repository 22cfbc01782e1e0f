//! The contract's calls, one file per chapter: each checks its arguments and hands on to `state` or
//! `submit`. A call takes no lock itself.

mod binding;
mod bindless;
mod blitting;
mod clearing;
#[cfg(feature = "shader-memory")]
mod compute;
mod cso;
mod drawing;
mod fences;
mod flushing;
mod parameters;
mod queries;
mod reset;
mod shader_resources;
mod stream_output;
mod transfers;
mod views;

#[cfg(not(feature = "shader-memory"))]
use pipe_core::context::Compute;
use pipe_core::context::Context as PipeContext;

use crate::context::Context;
use crate::profile::Profile;

impl<'m, P: Profile> PipeContext<'m> for Context<'_, 'm, P> {}
#[cfg(not(feature = "shader-memory"))]
impl<'m, P: Profile> Compute<'m> for Context<'_, 'm, P> {}
