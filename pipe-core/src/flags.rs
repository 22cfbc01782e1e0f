//! Flag sets of calls: clears, flushes, barriers, contexts.

/// Prints a flag set as the names of its flags, or "0" if it is empty.
macro_rules! debug_as_flags {
    ($($name:ty),+) => { $(
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                if self.is_empty() { f.write_str("0") } else { bitflags::parser::to_writer(self, f) }
            }
        }
    )+ };
}
pub(crate) use debug_as_flags;

bitflags::bitflags! {
    /// Buffers that a clear fills. `PIPE_CLEAR_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ClearFlags: u32 {
        /// Depth.
        const DEPTH = 1;
        /// Stencil.
        const STENCIL = 2;
        /// Colour buffer 0.
        const COLOR0 = 1 << 2;
        /// Colour buffer 1.
        const COLOR1 = 1 << 3;
        /// Colour buffer 2.
        const COLOR2 = 1 << 4;
        /// Colour buffer 3.
        const COLOR3 = 1 << 5;
        /// Colour buffer 4.
        const COLOR4 = 1 << 6;
        /// Colour buffer 5.
        const COLOR5 = 1 << 7;
        /// Colour buffer 6.
        const COLOR6 = 1 << 8;
        /// Colour buffer 7.
        const COLOR7 = 1 << 9;
        /// All colour buffers.
        const COLOR = 0x3fc;
        /// Depth and stencil.
        const DEPTH_STENCIL = 3;
    }

    /// Properties of a flush. `PIPE_FLUSH_*` (manual, chapter Context, "Flushing").
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct FlushFlags: u32 {
        /// Ends a frame.
        const END_OF_FRAME = 1 << 0;
        /// Lets the work wait until the caller waits for the fence.
        const DEFERRED = 1 << 1;
        /// Requests a fence that can be exported.
        const FENCE_FD = 1 << 2;
        /// Lets the work continue after the call.
        const ASYNC = 1 << 3;
        /// Announces that the caller will wait for the fence at once.
        const HINT_FINISH = 1 << 4;
        /// Requests a fence for the start of the next command. Needs `DEFERRED`.
        const TOP_OF_PIPE = 1 << 5;
        /// Requests a fence for the end of the last command. Needs `DEFERRED`.
        const BOTTOM_OF_PIPE = 1 << 6;
    }

    /// Accesses that must see the writes before a `memory_barrier`. `PIPE_BARRIER_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct BarrierFlags: u32 {
        /// Accesses through persistent mappings.
        const MAPPED_BUFFER = 1 << 0;
        /// Accesses to shader buffers.
        const SHADER_BUFFER = 1 << 1;
        /// Reads of query results in buffers.
        const QUERY_BUFFER = 1 << 2;
        /// Fetches of vertices.
        const VERTEX_BUFFER = 1 << 3;
        /// Fetches of indices.
        const INDEX_BUFFER = 1 << 4;
        /// Reads of constant buffers.
        const CONSTANT_BUFFER = 1 << 5;
        /// Reads of indirect draw counts.
        const INDIRECT_BUFFER = 1 << 6;
        /// Lookups in textures.
        const TEXTURE = 1 << 7;
        /// Accesses to shader images.
        const IMAGE = 1 << 8;
        /// Accesses to attachments.
        const FRAMEBUFFER = 1 << 9;
        /// Writes of stream output.
        const STREAMOUT_BUFFER = 1 << 10;
        /// Accesses to the global memory of compute programs.
        const GLOBAL_BUFFER = 1 << 11;
        /// Updates of buffers by the CPU.
        const UPDATE_BUFFER = 1 << 12;
        /// Updates of textures by the CPU.
        const UPDATE_TEXTURE = 1 << 13;
    }

    /// Reads that `texture_barrier` is for. `PIPE_TEXTURE_BARRIER_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TextureBarrierFlags: u32 {
        /// Lookups in textures that were drawn to.
        const SAMPLER = 1;
        /// Framebuffer fetches.
        const FRAMEBUFFER = 2;
    }

    /// Properties of a context. `PIPE_CONTEXT_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ContextFlags: u32 {
        /// Only launches compute grids; refuses draws, clears and graphics state.
        const COMPUTE_ONLY = 1 << 0;
        /// Checks all calls by the rules of [`wrap::Check`](crate::wrap::Check).
        const DEBUG = 1 << 1;
        /// Makes out-of-bounds accesses of shaders harmless.
        const ROBUST_BUFFER_ACCESS = 1 << 2;
        /// May use a separate thread.
        const PREFER_THREADED = 1 << 3;
        /// Runs before contexts of lower priority. A hint: if the cap `ContextPriorityMask` lacks
        /// the priority, all contexts have the same priority.
        const HIGH_PRIORITY = 1 << 4;
        /// Runs after contexts of higher priority. A hint, like `HIGH_PRIORITY`.
        const LOW_PRIORITY = 1 << 5;
        /// The context is lost when the device is reset.
        const LOSE_CONTEXT_ON_RESET = 1 << 6;
        /// Works on protected content. Refused if the cap `DeviceProtectedContent` is 0.
        const PROTECTED = 1 << 7;
    }
}
debug_as_flags!(ClearFlags, FlushFlags, BarrierFlags, TextureBarrierFlags, ContextFlags);

impl ClearFlags {
    /// Returns the flag of colour buffer `index`; empty if there is no such buffer.
    pub const fn color(index: usize) -> Self {
        if index < crate::limits::MAX_COLOR_BUFS {
            Self::from_bits_truncate(4 << index)
        } else {
            Self::empty()
        }
    }
}

crate::numbered::numbered! {
    /// A reset of the device, and the context that caused it. `PIPE_*_RESET`.
    #[derive(Default)]
    pub enum ResetStatus {
        /// The device was not reset.
        #[default]
        NoReset = 0,
        /// This context caused a reset.
        GuiltyContextReset = 1,
        /// Another context caused a reset.
        InnocentContextReset = 2,
        /// A reset happened for an unknown reason.
        UnknownContextReset = 3,
    }
}
