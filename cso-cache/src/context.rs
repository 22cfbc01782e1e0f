//! The context: caches, what is bound, and who it is bound in.

use os_shim::{Memory, Vec};
use pipe_core::{
    BlendHandle, BlendState, Context, ContextRef, DepthStencilAlphaHandle, DepthStencilAlphaState,
    PipeError, RasterizerHandle, RasterizerState, SamplerHandle, SamplerState, ShaderHandle,
    ShaderType, VertexElement, VertexElementsHandle,
};

use crate::cache::Cache;
use crate::state::{Saved, State, Used};

/// How many objects of each kind are kept, at least 1.
///
/// What is bound or saved is kept even beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Blend states.
    pub blends: usize,
    /// Depth, stencil and alpha states.
    pub depth_stencil_alphas: usize,
    /// Rasterizer states.
    pub rasterizers: usize,
    /// Sampler states.
    pub samplers: usize,
    /// Vertex elements.
    pub vertex_elements: usize,
    /// Shaders.
    pub shaders: usize,
}

impl Limits {
    /// The same for all kinds.
    pub const fn of(limit: usize) -> Self {
        Self {
            blends: limit,
            depth_stencil_alphas: limit,
            rasterizers: limit,
            samplers: limit,
            vertex_elements: limit,
            shaders: limit,
        }
    }
}

impl Default for Limits {
    /// 64: more than most programs make, and a few kilobytes at most.
    fn default() -> Self {
        Self::of(64)
    }
}

/// What the cache did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Objects made.
    pub created: u64,
    /// Objects found instead of made.
    pub hits: u64,
    /// Objects deleted to make room.
    pub evicted: u64,
    /// Calls that set state.
    pub sets: u64,
    /// Calls of them that reached the driver.
    pub binds: u64,
}

/// A shader's name: its stage, and a number that its maker gives it.
pub(crate) type ShaderKey = (ShaderType, u64);

/// The state of a context, set by value.
///
/// Objects are made once for all equal states and bound only when that changes something. All
/// state that has a setter here must be set here; for everything else, and for drawing,
/// [`context`](Self::context) gives the context itself.
pub struct CsoContext<'c, 'm> {
    pub(crate) inner: ContextRef<'c, 'm>,
    pub(crate) blends: Cache<'c, BlendState, BlendHandle>,
    pub(crate) depth_stencil_alphas: Cache<'c, DepthStencilAlphaState, DepthStencilAlphaHandle>,
    pub(crate) rasterizers: Cache<'c, RasterizerState, RasterizerHandle>,
    pub(crate) samplers: Cache<'c, SamplerState, SamplerHandle>,
    pub(crate) elements: Cache<'c, Vec<'c, VertexElement>, VertexElementsHandle>,
    pub(crate) shaders: Cache<'c, ShaderKey, ShaderHandle>,
    pub(crate) memory: Memory<'c>,
    pub(crate) state: State,
    /// What was put aside, and which of it counts.
    pub(crate) saved: Vec<'c, (Saved, State)>,
    /// The driver may have other state bound than `state`: set it whatever it is.
    pub(crate) unknown: bool,
    /// The kinds of state that were ever set.
    pub(crate) touched: Saved,
    pub(crate) used: Used,
    pub(crate) statistics: Statistics,
}

impl<'c, 'm> CsoContext<'c, 'm> {
    /// Caches for a fresh context, lent or owned, with the default limits.
    pub fn new(context: impl Into<ContextRef<'c, 'm>>, memory: Memory<'c>) -> Self {
        Self::with_limits(context, memory, Limits::default())
    }

    /// Caches for a fresh context, lent or owned.
    pub fn with_limits(
        context: impl Into<ContextRef<'c, 'm>>,
        memory: Memory<'c>,
        limits: Limits,
    ) -> Self {
        Self {
            inner: context.into(),
            blends: Cache::new(limits.blends, memory),
            depth_stencil_alphas: Cache::new(limits.depth_stencil_alphas, memory),
            rasterizers: Cache::new(limits.rasterizers, memory),
            samplers: Cache::new(limits.samplers, memory),
            elements: Cache::new(limits.vertex_elements, memory),
            shaders: Cache::new(limits.shaders, memory),
            memory,
            state: State::default(),
            saved: Vec::new_in(memory),
            unknown: false,
            touched: Saved::empty(),
            used: Used::default(),
            statistics: Statistics::default(),
        }
    }

    /// The context, to draw with.
    pub fn context(&mut self) -> &mut (dyn Context<'m> + 'c) {
        self.inner.get()
    }

    /// What the cache did so far.
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How many objects there are.
    pub fn object_count(&self) -> usize {
        self.blends.len()
            + self.depth_stencil_alphas.len()
            + self.rasterizers.len()
            + self.samplers.len()
            + self.elements.len()
            + self.shaders.len()
    }

    /// Whether some state that is bound or saved satisfies `check`.
    pub(crate) fn in_state(
        state: &State,
        saved: &[(Saved, State)],
        check: impl Fn(&State) -> bool,
    ) -> bool {
        check(state) || saved.iter().any(|(_, state)| check(state))
    }

    /// Unbinds everything set here and deletes all objects. Dropping does the same, but cannot
    /// tell what went wrong.
    ///
    /// # Errors
    /// The first error of the driver; the rest is deleted all the same.
    pub fn destroy(mut self) -> Result<(), PipeError> {
        self.release()
    }

    fn release(&mut self) -> Result<(), PipeError> {
        let mut result = self.unbind_all();
        let mut keep = |outcome: Result<(), PipeError>| {
            if result.is_ok() {
                result = outcome;
            }
        };
        let context = self.inner.get();
        while let Some(handle) = self.blends.take_any() {
            keep(context.delete_blend_state(handle));
        }
        while let Some(handle) = self.depth_stencil_alphas.take_any() {
            keep(context.delete_depth_stencil_alpha_state(handle));
        }
        while let Some(handle) = self.rasterizers.take_any() {
            keep(context.delete_rasterizer_state(handle));
        }
        while let Some(handle) = self.samplers.take_any() {
            keep(context.delete_sampler_state(handle));
        }
        while let Some(handle) = self.elements.take_any() {
            keep(context.delete_vertex_elements_state(handle));
        }
        while let Some(handle) = self.shaders.take_any() {
            keep(context.delete_shader_state(handle));
        }
        result
    }
}

impl Drop for CsoContext<'_, '_> {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.release();
    }
}
