//! The context: caches, bound state, and the driver's context.

use os_shim::{Memory, Vec};
use pipe_core::{
    BlendHandle, BlendState, Context, ContextRef, DepthStencilAlphaHandle, DepthStencilAlphaState,
    PipeError, RasterizerHandle, RasterizerState, SamplerHandle, SamplerState, ShaderHandle,
    ShaderType, VertexElement, VertexElementsHandle,
};

use crate::cache::Cache;
use crate::state::{Saved, State};

/// Limits of the numbers of objects kept, by kind, each at least 1.
///
/// Objects that are bound or saved are kept even beyond the limit.
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
    /// Returns limits that are equal for all kinds.
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
    /// Returns 64 for each kind: more than most programs create, in a few kilobytes.
    fn default() -> Self {
        Self::of(64)
    }
}

/// Counts of the cache's work so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Number of objects created.
    pub created: u64,
    /// Number of objects found instead of created.
    pub hits: u64,
    /// Number of objects deleted to make room.
    pub evicted: u64,
    /// Number of calls that set state.
    pub sets: u64,
    /// Number of these calls that reached the driver.
    pub binds: u64,
}

/// The key of a shader: its stage, and a number that the caller chooses.
pub(crate) type ShaderKey = (ShaderType, u64);

/// A context that takes state by value.
///
/// Equal states share one object, and the driver is called only when state changes. Set state that
/// has a setter here only through this type. [`context`](Self::context) returns the driver's
/// context for all other calls, including draws.
///
/// ```
/// use gallium_cso_cache::CsoContext;
/// use os_shim::Memory;
/// use pipe_core::wrap::{NullContext, NullScreen};
/// use pipe_core::{CompareFunc, DepthStencilAlphaState};
///
/// let memory = Memory::system();
/// let screen = NullScreen::new(memory);
/// let mut driver = NullContext::new(&screen);
/// let mut cso = CsoContext::new(&mut driver, memory);
/// for _frame in 0..2 {
///     cso.set_depth_stencil_alpha(&DepthStencilAlphaState::depth(CompareFunc::Less))?;
///     cso.set_depth_stencil_alpha(&DepthStencilAlphaState::default())?;
///     // cso.context().draw_vbo(…)?;
/// }
/// let statistics = cso.statistics();
/// assert_eq!((statistics.created, statistics.hits, statistics.binds), (2, 2, 4));
/// # Ok::<(), pipe_core::PipeError>(())
/// ```
pub struct CsoContext<'c, 'm> {
    pub(crate) inner: ContextRef<'c, 'm>,
    pub(crate) blends: Cache<'c, BlendState, BlendHandle>,
    pub(crate) depth_stencil_alphas: Cache<'c, DepthStencilAlphaState, DepthStencilAlphaHandle>,
    pub(crate) rasterizers: Cache<'c, RasterizerState, RasterizerHandle>,
    pub(crate) samplers: Cache<'c, SamplerState, SamplerHandle>,
    pub(crate) elements: Cache<'c, Vec<'c, VertexElement>, VertexElementsHandle>,
    pub(crate) shaders: Cache<'c, ShaderKey, ShaderHandle>,
    pub(crate) memory: Memory<'c>,
    pub(crate) state: State<'c>,
    /// The stack of saves: the kinds that count, and the state.
    pub(crate) saved: Vec<'c, (Saved, State<'c>)>,
    /// Set while the driver may have other state bound than `state`: setters then always call the
    /// driver.
    pub(crate) unknown: bool,
    /// The kinds of state that were ever set.
    pub(crate) touched: Saved,
    pub(crate) statistics: Statistics,
}

impl<'c, 'm> CsoContext<'c, 'm> {
    /// Creates caches with the default limits over a context with nothing bound, borrowed or owned.
    pub fn new(context: impl Into<ContextRef<'c, 'm>>, memory: Memory<'c>) -> Self {
        Self::with_limits(context, memory, Limits::default())
    }

    /// Creates caches over a context with nothing bound, borrowed or owned.
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
            state: State::new(memory),
            saved: Vec::new_in(memory),
            unknown: false,
            touched: Saved::empty(),
            statistics: Statistics::default(),
        }
    }

    /// Returns the driver's context, for draws and all state without a setter here.
    pub fn context(&mut self) -> &mut (dyn Context<'m> + 'c) {
        self.inner.get()
    }

    /// Returns the counts of the cache's work so far.
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Returns the number of objects in the caches.
    pub fn object_count(&self) -> usize {
        let caches = [
            self.blends.len(),
            self.depth_stencil_alphas.len(),
            self.rasterizers.len(),
            self.samplers.len(),
            self.elements.len(),
            self.shaders.len(),
        ];
        caches.into_iter().sum()
    }

    /// Returns true if the bound state or a saved one satisfies `check`.
    pub(crate) fn in_state(
        state: &State<'c>,
        saved: &[(Saved, State<'c>)],
        check: impl Fn(&State<'c>) -> bool,
    ) -> bool {
        check(state) || saved.iter().any(|(_, state)| check(state))
    }

    /// Unbinds all state set here and deletes all objects. Dropping the context does this too, but
    /// ignores errors.
    ///
    /// # Errors
    /// The driver's first error; everything else is unbound and deleted nevertheless.
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
        // A destructor cannot report an error.
        let _ = self.release();
    }
}
