//! Windows: their pixels, through softbuffer.

use std::error::Error;
use std::num::NonZeroU32;

use softbuffer::Buffer;
use wgpu::rwh::{
    DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, RawDisplayHandle,
    RawWindowHandle, WindowHandle,
};

/// A handle that is valid as long as the surface that it belongs to.
#[derive(Debug)]
pub(super) struct Handle<T>(T);

// SAFETY: a handle is an address or a number. Softbuffer passes it to the system, from one thread at a time: the
// surface holds the window behind a lock.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

impl HasDisplayHandle for Handle<RawDisplayHandle> {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        // SAFETY: the promise of `Window::new`.
        Ok(unsafe { DisplayHandle::borrow_raw(self.0) })
    }
}

impl HasWindowHandle for Handle<RawWindowHandle> {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        // SAFETY: the promise of `Window::new`.
        Ok(unsafe { WindowHandle::borrow_raw(self.0) })
    }
}

/// A window.
pub(super) struct Window(softbuffer::Surface<Handle<RawDisplayHandle>, Handle<RawWindowHandle>>);

/// The pixels of the next frame: `0x00RRGGBB`, row by row from the top.
pub(super) type Pixels<'w> = Buffer<'w, Handle<RawDisplayHandle>, Handle<RawWindowHandle>>;

impl Window {
    /// Returns the window of these handles.
    ///
    /// # Safety
    /// The handles are valid until the window is dropped.
    pub(super) unsafe fn new(
        display: RawDisplayHandle,
        window: RawWindowHandle,
    ) -> Result<Window, Box<dyn Error>> {
        let context = softbuffer::Context::new(Handle(display))?;
        Ok(Window(softbuffer::Surface::new(&context, Handle(window))?))
    }

    /// Returns the pixels of a frame of this size.
    pub(super) fn pixels(&mut self, width: u32, height: u32) -> Result<Pixels<'_>, Box<dyn Error>> {
        let side = |pixels| NonZeroU32::new(pixels).ok_or("the picture is empty");
        self.0.resize(side(width)?, side(height)?)?;
        Ok(self.0.buffer_mut()?)
    }
}
