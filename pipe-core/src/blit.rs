//! Copies that scale, convert and resolve.

use formats::Format;

use crate::handle::ResourceHandle;
use crate::region::Region;
use crate::state::{ScissorState, TexFilter, WindowRectangles};

bitflags::bitflags! {
    /// What a blit writes. `PIPE_MASK_*`.
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

/// One end of a blit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlitSurface {
    /// The resource.
    pub resource: ResourceHandle,
    /// Its level.
    pub level: u32,
    /// The box; negative sizes mirror.
    pub region: Region,
    /// The format to read or write in.
    pub format: Format,
}

/// `pipe_blit_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlitInfo {
    /// Where to.
    pub dst: BlitSurface,
    /// Where from.
    pub src: BlitSurface,
    /// What is written.
    pub mask: BlitMask,
    /// How it is scaled.
    pub filter: TexFilter,
    /// Destination pixels outside stay.
    pub scissor: Option<ScissorState>,
    /// Destination pixels these drop stay.
    pub window_rectangles: WindowRectangles,
    /// Whether the render condition applies.
    pub render_condition_enable: bool,
    /// Whether to blend by source alpha.
    pub alpha_blend: bool,
    /// Whether to take sample 0 instead of the mean.
    pub sample0_only: bool,
}

impl BlitInfo {
    /// A plain copy of colours.
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
