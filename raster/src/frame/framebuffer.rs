//! The framebuffer: the surfaces that a scene is drawn to, resolved from the bound state.

use formats::Format;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::PipeError;

use crate::device::is_idle;
use crate::features::{MEMORY_SURFACES, Only, SAMPLES, STAGES};
use crate::lanes::COLOR_BUFFERS;
use crate::resource::Resource;

/// The error for surfaces with memory in builds without them.
pub(crate) const NO_MEMORY_SURFACES: PipeError =
    PipeError::Unsupported("surfaces with memory (the feature `memory-surfaces` has them)");

/// The number of attachments: colour buffers and, last, the depth buffer.
pub(crate) const ATTACHMENTS: usize = COLOR_BUFFERS + 1;
/// The index of the depth buffer.
pub(super) const DEPTH: usize = COLOR_BUFFERS;

/// A surface that is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attachment {
    pub(crate) resource: RawHandle,
    pub(crate) level: u32,
    /// The first layer's offset in the level's bytes, and the size of all layers. Both are 0 if
    /// streamed.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    /// Bytes from one layer to the next.
    pub(crate) layer_stride: usize,
    pub(crate) stride: usize,
    pub(crate) format: Format,
    /// Bytes of a pixel.
    pub(crate) pixel: usize,
    /// Set if the surface has no memory: tiles go to a panel.
    pub(crate) streamed: bool,
}

impl Attachment {
    /// Returns true if the surface has no memory.
    #[inline(always)]
    pub(crate) fn is_streamed(&self) -> bool {
        !MEMORY_SURFACES || self.streamed
    }

    /// Returns true if the surface has more columns, rows or layers than these, at `samples`
    /// samples per pixel.
    pub(crate) fn exceeds(&self, [columns, rows, layers]: [u32; 3], samples: u32) -> bool {
        self.stride > (columns * samples) as usize * self.pixel
            || self.layer_stride > rows as usize * self.stride
            || self.bytes > layers as usize * self.layer_stride
    }
}

/// The surfaces that a scene is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Framebuffer {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Colour buffers and, last, the depth buffer.
    pub(crate) attachments: [Option<Attachment>; ATTACHMENTS],
    layers: Only<u32, { STAGES as usize }>,
    samples: Only<u32, { SAMPLES as usize }>,
}

impl Framebuffer {
    pub(crate) fn color(&self) -> &[Option<Attachment>] {
        &self.attachments[..DEPTH]
    }

    pub(crate) fn depth(&self) -> Option<&Attachment> {
        self.attachments[DEPTH].as_ref()
    }

    /// Returns true if tiles must go to a panel.
    #[inline(always)]
    pub(crate) fn is_streamed(&self) -> bool {
        !MEMORY_SURFACES || self.color().iter().flatten().any(Attachment::is_streamed)
    }

    /// Returns true if there is nothing to draw to.
    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || (!MEMORY_SURFACES && self.shown().is_none())
    }

    /// Returns true if attachment `index` exists and has no memory.
    pub(super) fn is_streamed_at(&self, index: usize) -> bool {
        self.attachments
            .get(index)
            .is_some_and(|it| it.as_ref().is_some_and(Attachment::is_streamed))
    }

    /// Returns true if an attachment has memory, which keeps its samples.
    pub(crate) fn is_kept(&self) -> bool {
        self.attachments.iter().flatten().any(|attachment| !attachment.is_streamed())
    }

    /// Returns the attachment to show on a panel, which is the first colour buffer, and its index.
    pub(super) fn shown(&self) -> Option<(usize, &Attachment)> {
        self.color().iter().enumerate().find_map(|(index, slot)| Some((index, slot.as_ref()?)))
    }

    /// Returns the index of the attachment that is shown.
    pub(crate) fn shown_index(&self) -> Option<usize> {
        self.shown().map(|(index, _)| index)
    }

    /// Returns the samples per pixel. Each sample is one plane of an attachment.
    #[inline(always)]
    pub(crate) fn samples(&self) -> u32 {
        self.samples.get().map_or(1, |samples| (*samples).max(1))
    }

    /// Sets the samples per pixel.
    #[inline(always)]
    pub(crate) fn set_samples(&mut self, samples: u32) {
        self.samples.set(samples);
    }

    /// Returns the number of layers that primitives can select, counted from each surface's first
    /// layer.
    #[inline(always)]
    pub(crate) fn layers(&self) -> u32 {
        self.layers.get().map_or(1, |layers| (*layers).max(1))
    }

    /// Sets the number of layers that primitives can select.
    #[inline(always)]
    pub(crate) fn set_layers(&mut self, layers: u32) {
        self.layers.set(layers);
    }

    /// Returns true if an attachment in memory has pixels beyond the framebuffer's area.
    pub(crate) fn is_exceeded(&self) -> bool {
        let mut attachments = self.attachments.iter().flatten();
        let area = [self.width, self.height, self.layers()];
        attachments.any(|it| !it.is_streamed() && it.exceeds(area, self.samples()))
    }

    /// Returns true if a surface of the framebuffer belongs to the resource.
    pub(crate) fn uses(&self, resource: RawHandle) -> bool {
        self.attachments.iter().flatten().any(|attachment| attachment.resource == resource)
    }

    /// Returns true if all surfaces can be drawn to now; see [`is_idle`].
    pub(crate) fn is_idle(&self, resources: &Pool<'_, Resource<'_>>) -> bool {
        self.attachments.iter().flatten().all(|attachment| is_idle(resources, attachment.resource))
    }

    /// Returns the format of every attachment; [`Format::None`] for empty slots.
    pub(super) fn formats(&self) -> [Format; ATTACHMENTS] {
        let format = |attachment: &Attachment| attachment.format;
        self.attachments.each_ref().map(|slot| slot.as_ref().map_or(Format::None, format))
    }
}
