//! Small flag sets of calls: clears, flushes, barriers, contexts.

/// Prints a flag set as the names of its flags, "0" when none is set.
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
    /// Which buffers a clear is about. `PIPE_CLEAR_*`.
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

    /// How to flush. `PIPE_FLUSH_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct FlushFlags: u32 {
        /// The frame is complete.
        const END_OF_FRAME = 1 << 0;
        /// A fence is wanted; the flush itself can wait until someone waits for it.
        const DEFERRED = 1 << 1;
        /// The fence can be exported.
        const FENCE_FD = 1 << 2;
        /// The flush may go on after the call.
        const ASYNC = 1 << 3;
        /// The caller will wait for the fence at once.
        const HINT_FINISH = 1 << 4;
        /// The fence is for the start of the next command.
        const TOP_OF_PIPE = 1 << 5;
        /// The fence is for the end of the last command.
        const BOTTOM_OF_PIPE = 1 << 6;
    }

    /// Which writes later reads must see. `PIPE_BARRIER_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct BarrierFlags: u32 {
        /// Through persistent mappings.
        const MAPPED_BUFFER = 1 << 0;
        /// Through shader buffers.
        const SHADER_BUFFER = 1 << 1;
        /// Of query results.
        const QUERY_BUFFER = 1 << 2;
        /// As vertices.
        const VERTEX_BUFFER = 1 << 3;
        /// As indices.
        const INDEX_BUFFER = 1 << 4;
        /// As constants.
        const CONSTANT_BUFFER = 1 << 5;
        /// As arguments of indirect draws.
        const INDIRECT_BUFFER = 1 << 6;
        /// As textures.
        const TEXTURE = 1 << 7;
        /// As shader images.
        const IMAGE = 1 << 8;
        /// As attachments.
        const FRAMEBUFFER = 1 << 9;
        /// Of stream output.
        const STREAMOUT_BUFFER = 1 << 10;
        /// Of global compute memory.
        const GLOBAL_BUFFER = 1 << 11;
        /// By buffer updates.
        const UPDATE_BUFFER = 1 << 12;
        /// By texture updates.
        const UPDATE_TEXTURE = 1 << 13;
    }

    /// What `texture_barrier` is about. `PIPE_TEXTURE_BARRIER_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TextureBarrierFlags: u32 {
        /// Sampled textures.
        const SAMPLER = 1;
        /// Attachments read by fetches.
        const FRAMEBUFFER = 2;
    }

    /// What kind of context. `PIPE_CONTEXT_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ContextFlags: u32 {
        /// No drawing.
        const COMPUTE_ONLY = 1 << 0;
        /// Checks its caller.
        const DEBUG = 1 << 1;
        /// Accesses out of bounds are harmless.
        const ROBUST_BUFFER_ACCESS = 1 << 2;
        /// May use a thread of its own.
        const PREFER_THREADED = 1 << 3;
        /// Goes before others.
        const HIGH_PRIORITY = 1 << 4;
        /// Goes after others.
        const LOW_PRIORITY = 1 << 5;
        /// Is lost on a reset.
        const LOSE_CONTEXT_ON_RESET = 1 << 6;
        /// Works on protected content.
        const PROTECTED = 1 << 7;
    }
}
debug_as_flags!(ClearFlags, FlushFlags, BarrierFlags, TextureBarrierFlags, ContextFlags);

impl ClearFlags {
    /// Colour buffer `index`; nothing when there is no such buffer.
    pub const fn color(index: usize) -> Self {
        if index < crate::limits::MAX_COLOR_BUFS {
            Self::from_bits_truncate(1 << (index + 2))
        } else {
            Self::empty()
        }
    }
}

crate::numbered::numbered! {
    /// Whether the device was reset. `PIPE_*_RESET`.
    #[derive(Default)]
    pub enum ResetStatus {
        /// It was not.
        #[default]
        NoReset = 0,
        /// By this context's fault.
        GuiltyContextReset = 1,
        /// By another's fault.
        InnocentContextReset = 2,
        /// By an unknown fault.
        UnknownContextReset = 3,
    }
}
