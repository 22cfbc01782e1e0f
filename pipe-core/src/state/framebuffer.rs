//! What is drawn to.

use crate::handle::SurfaceHandle;
use crate::key::state_object;
use crate::limits::MAX_COLOR_BUFS;

/// `pipe_framebuffer_state`. By default nothing is attached and nothing can be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FramebufferState {
    /// Width of what is drawn to, in pixels; no attachment may be narrower.
    pub width: u16,
    /// Height of what is drawn to, in pixels; no attachment may be lower.
    pub height: u16,
    /// Layers, without attachments; 0 is 1.
    pub layers: u16,
    /// Samples, without attachments; 0 is 1.
    pub samples: u8,
    /// The colour buffers; fragment output `COLOR[i]` goes to `cbufs[i]`. Holes are allowed.
    pub cbufs: [Option<SurfaceHandle>; MAX_COLOR_BUFS],
    /// The depth and stencil buffer.
    pub zsbuf: Option<SurfaceHandle>,
}

state_object!(FramebufferState { width, height, layers, samples, cbufs, zsbuf });

impl FramebufferState {
    /// One colour buffer, and depth if given.
    pub fn single(
        width: u16,
        height: u16,
        color: SurfaceHandle,
        zsbuf: Option<SurfaceHandle>,
    ) -> Self {
        let mut cbufs = [None; MAX_COLOR_BUFS];
        cbufs[0] = Some(color);
        Self { width, height, cbufs, zsbuf, ..Self::default() }
    }

    /// Colour buffers up to the last one attached (`nr_cbufs`).
    pub fn nr_cbufs(&self) -> usize {
        self.cbufs.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }

    /// All attached surfaces, colours first.
    pub fn attachments(&self) -> impl Iterator<Item = SurfaceHandle> + '_ {
        self.cbufs.iter().chain([&self.zsbuf]).filter_map(|surface| *surface)
    }
}
