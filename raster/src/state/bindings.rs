//! The objects and bindings that a draw or a launch reads.

use os_shim::pool::{Pool, RawHandle};
use pipe_core::{RasterizerState, ShaderType};
use tgsi::program::Program;

use super::{Bound, Objects};
use crate::shader::Shader;

/// The objects and bindings that a draw or a launch reads.
#[derive(Clone, Copy)]
pub(crate) struct Bindings<'a, 'm> {
    pub(crate) objects: &'a Objects<'m>,
    pub(crate) bound: &'a Bound<'m>,
}

/// Returns a bound object's state; the default if none is bound.
pub(crate) fn bound_state<T: Copy + Default>(pool: &Pool<'_, T>, handle: Option<RawHandle>) -> T {
    handle.and_then(|handle| pool.get(handle)).copied().unwrap_or_default()
}

impl<'a, 'm> Bindings<'a, 'm> {
    /// Returns the state of the bound rasterizer object.
    pub(crate) fn rasterizer(self) -> RasterizerState {
        bound_state(&self.objects.rasterizers, self.bound.rasterizer)
    }

    /// Returns the shader that is bound to a stage.
    #[inline(always)]
    pub(crate) fn shader(self, stage: ShaderType) -> Option<&'a Shader<'m>> {
        self.objects.shader(self.bound.shader(stage))
    }

    /// Returns the program that is bound to a stage.
    #[inline(always)]
    pub(crate) fn program(self, stage: ShaderType) -> Option<Program<'a>> {
        self.shader(stage).map(Shader::program)
    }

    /// Returns the shader that produces the outputs to stream, clip and rasterize.
    #[inline(always)]
    pub(crate) fn last_vertex_shader(self) -> Option<&'a Shader<'m>> {
        self.objects.shader(self.bound.last_vertex_stage())
    }
}
