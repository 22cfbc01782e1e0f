//! The attachments that draws write to.

use crate::handle::SurfaceHandle;
use crate::key::state_object;
use crate::limits::MAX_COLOR_BUFS;

/// The colour, depth and stencil buffers of draws. `pipe_framebuffer_state`. By default nothing is
/// attached.
///
/// ```
/// # use gallium_pipe_core::{wrap::NullScreen, *};
/// # use os_shim::Memory;
/// # let screen = NullScreen::new(Memory::system());
/// # let mut context = screen.context_create(ContextFlags::empty())?;
/// let format = Format::B8G8R8A8Unorm;
/// let template = ResourceTemplate::texture_2d(format, 640, 480, Bind::RENDER_TARGET);
/// let color = screen.resource_create(&template)?;
/// let surface = context.create_surface(color, &SurfaceTemplate::of(format))?;
/// let framebuffer = FramebufferState::single(640, 480, surface, None);
/// context.set_framebuffer_state(&framebuffer)?;
/// assert_eq!(framebuffer.nr_cbufs(), 1);
/// # Ok::<(), PipeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FramebufferState {
    /// Width of the area to draw to, in pixels; no attachment may be narrower.
    pub width: u16,
    /// Height of the area to draw to, in pixels; no attachment may be lower.
    pub height: u16,
    /// Number of layers of a framebuffer without attachments; 0 means 1.
    pub layers: u16,
    /// Number of samples of a framebuffer without attachments; 0 means 1.
    pub samples: u8,
    /// The colour buffers: fragment output `COLOR[i]` goes to `cbufs[i]`, and is dropped if this is
    /// `None`.
    pub cbufs: [Option<SurfaceHandle>; MAX_COLOR_BUFS],
    /// The depth and stencil buffer. Without one, depth and stencil tests pass.
    pub zsbuf: Option<SurfaceHandle>,
}

state_object!(FramebufferState { width, height, layers, samples, cbufs, zsbuf });

impl FramebufferState {
    /// Returns a framebuffer with one colour buffer, and with `zsbuf` if given; sizes in pixels.
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

    /// Returns the number of colour buffers up to the last one attached (Gallium's `nr_cbufs`).
    pub fn nr_cbufs(&self) -> usize {
        self.cbufs.iter().rposition(Option::is_some).map_or(0, |last| last.saturating_add(1))
    }

    /// Iterates over the attached surfaces, colour buffers first.
    pub fn attachments(&self) -> impl Iterator<Item = SurfaceHandle> + '_ {
        self.cbufs.iter().chain([&self.zsbuf]).filter_map(|surface| *surface)
    }
}
