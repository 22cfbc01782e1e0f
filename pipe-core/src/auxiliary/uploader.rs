//! Uploads for single use: small pieces of data, one after another in a buffer (the manual's
//! `stream_uploader` and `const_uploader`).

use crate::context::Context;
use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::resource::{Bind, ResourceTemplate, Usage};
use crate::screen::Screen;
use crate::transfer::MapFlags;

/// Puts the data of single draws into buffers, many pieces per buffer. `u_upload_mgr`.
///
/// A piece stays valid as long as a binding holds its buffer, or until [`clear`](Self::clear). Each
/// place in a buffer is used once, so no draw waits for another.
///
/// ```
/// use gallium_pipe_core::auxiliary::Uploader;
/// use gallium_pipe_core::wrap::{NullContext, NullScreen};
/// use gallium_pipe_core::{Bind, VertexBuffer, context::ResourceBinding};
/// # use os_shim::Memory;
/// let screen = NullScreen::new(Memory::system());
/// let mut context = NullContext::new(&screen);
/// let mut uploader = Uploader::new(Bind::VERTEX_BUFFER, 65536);
/// for _ in 0..100 {
///     let vertices = [0u8; 48];
///     let (resource, buffer_offset) = uploader.upload(&screen, &mut context, 4, &vertices)?;
///     context.set_vertex_buffers(0, &[Some(VertexBuffer { resource, stride: 16, buffer_offset })])?;
///     // draw …
/// }
/// assert_eq!(screen.resource_count(), 1);
/// uploader.clear(&screen)?;
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
#[derive(Debug)]
pub struct Uploader {
    bind: Bind,
    default_size: u32,
    /// The buffer, its size, and the number of bytes used.
    buffer: Option<(ResourceHandle, u32, u32)>,
}

impl Uploader {
    /// Returns an uploader to buffers of `default_size` bytes with the bind flags `bind`. It
    /// creates the first buffer on demand.
    pub const fn new(bind: Bind, default_size: u32) -> Self {
        Self { bind, default_size, buffer: None }
    }

    /// Copies `data` to an offset that is a multiple of `alignment` bytes; returns the buffer and
    /// the offset.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`] if the data exceeds the size of a buffer, or the driver's error.
    /// The place stays free.
    pub fn upload<'m>(
        &mut self,
        screen: &dyn Screen<'m>,
        context: &mut dyn Context<'m>,
        alignment: u32,
        data: &[u8],
    ) -> Result<(ResourceHandle, u32), PipeError> {
        let limit = u32::MAX.into();
        PipeError::at_most("the bytes to upload", data.len() as u64, limit)?;
        let size = data.len() as u32;
        let fits = |(buffer, whole, used): (ResourceHandle, u32, u32)| {
            let start = used.checked_next_multiple_of(alignment.max(1))?;
            let end = start.checked_add(size).filter(|end| *end <= whole)?;
            Some((buffer, whole, start, end))
        };
        let (buffer, whole, start, end) = match self.buffer.and_then(fits) {
            Some(place) => place,
            None => {
                let whole = size.max(self.default_size).max(1);
                let template = ResourceTemplate {
                    usage: Usage::Stream,
                    ..ResourceTemplate::buffer(whole, self.bind)
                };
                let buffer = screen.resource_create(&template)?;
                self.clear(screen)?;
                self.buffer = Some((buffer, whole, 0));
                (buffer, whole, 0, size)
            }
        };
        // The place is not in use yet.
        let flags = MapFlags::WRITE | MapFlags::UNSYNCHRONIZED;
        context.buffer_subdata(buffer, flags, start, data)?;
        self.buffer = Some((buffer, whole, end));
        Ok((buffer, start))
    }

    /// Releases the buffer; bindings keep it.
    ///
    /// # Errors
    /// The driver's error.
    pub fn clear<'m>(&mut self, screen: &dyn Screen<'m>) -> Result<(), PipeError> {
        self.buffer.take().map_or(Ok(()), |(buffer, ..)| screen.resource_destroy(buffer))
    }
}

#[cfg(test)]
mod tests {
    use os_shim::Memory;

    use super::*;
    use crate::wrap::{NullContext, NullScreen};

    #[test]
    fn places_are_aligned_and_never_shared() {
        let screen = NullScreen::new(Memory::system());
        let mut context = NullContext::new(&screen);
        let mut uploader = Uploader::new(Bind::CONSTANT_BUFFER, 64);
        let mut upload = |alignment, size: usize| {
            let data = [0; 256];
            uploader.upload(&screen, &mut context, alignment, &data[..size]).expect("room")
        };
        let (first, start) = upload(16, 10);
        assert_eq!(start, 0);
        assert_eq!(upload(16, 20), (first, 16));
        assert_eq!(upload(4, 4), (first, 36));
        assert_eq!(upload(0, 24), (first, 40), "to the last byte");
        let (second, start) = upload(4, 1);
        assert!(second != first && start == 0);
        // A piece larger than the default size gets a buffer of exactly its size.
        let (third, start) = upload(4, 200);
        assert!(third != second && start == 0);
        assert_eq!(screen.resource_template(third).expect("alive").width0, 200);
        assert_eq!(screen.resource_count(), 1, "others are let go");
        uploader.clear(&screen).expect("alive");
        uploader.clear(&screen).expect("nothing left to do");
        assert_eq!(screen.resource_count(), 0);
    }
}
