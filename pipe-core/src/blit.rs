//! Blits: copies that scale, convert and resolve.

use formats::Format;

use crate::handle::ResourceHandle;
use crate::region::Region;
use crate::state::{ScissorState, TexFilter, WindowRectangles};

bitflags::bitflags! {
    /// Channels that a blit writes. `PIPE_MASK_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct BlitMask: u8 {
        /// Red.
        const R = 1;
        /// Green.
        const G = 2;
        /// Blue.
        const B = 4;
        /// Alpha.
        const A = 8;
        /// All colours.
        const RGBA = 15;
        /// Depth.
        const Z = 0x10;
        /// Stencil.
        const S = 0x20;
        /// Depth and stencil.
        const ZS = 0x30;
    }
}

/// The source or destination of a blit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlitSurface {
    /// The resource.
    pub resource: ResourceHandle,
    /// The mipmap level.
    pub level: u32,
    /// The box; negative sizes mirror.
    pub region: Region,
    /// The format to read or write; may reinterpret the resource's format.
    pub format: Format,
}

/// A blit. `pipe_blit_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlitInfo {
    /// The destination.
    pub dst: BlitSurface,
    /// The source.
    pub src: BlitSurface,
    /// Channels that are written.
    pub mask: BlitMask,
    /// The filter if source and destination differ in size.
    pub filter: TexFilter,
    /// Limits writes to destination pixels inside the scissor.
    pub scissor: Option<ScissorState>,
    /// Limits writes to destination pixels that these rectangles keep.
    pub window_rectangles: WindowRectangles,
    /// Makes the blit depend on the render condition.
    pub render_condition_enable: bool,
    /// Blends by the source's alpha.
    pub alpha_blend: bool,
    /// Resolves by taking sample 0 instead of the mean.
    pub sample0_only: bool,
}

impl BlitInfo {
    /// Returns a blit of colours without scissor, blending and render condition.
    pub fn new(dst: BlitSurface, src: BlitSurface, filter: TexFilter) -> Self {
        Self {
            dst,
            src,
            mask: BlitMask::RGBA,
            filter,
            scissor: None,
            window_rectangles: WindowRectangles::default(),
            render_condition_enable: false,
            alpha_blend: false,
            sample0_only: false,
        }
    }
}
