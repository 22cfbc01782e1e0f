//! The place of a surface: the part of its resource's bytes that is drawn to.

use pipe_core::{SurfaceRange, SurfaceTemplate};

use super::{Resource, pixel_bytes};
use crate::features::BUFFER_SURFACES;

/// The place of a surface in its resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SurfacePlace {
    pub(crate) level: u32,
    /// The first layer's offset in the level's bytes.
    pub(crate) offset: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) layers: u32,
    /// Bytes from one row to the next, and from one layer to the next.
    pub(crate) row_stride: usize,
    pub(crate) layer_stride: usize,
}

impl Resource<'_> {
    /// Returns the place of a surface; `None` if the resource has no such level. A buffer's
    /// elements are one row.
    #[inline(always)]
    pub(crate) fn surface(&self, template: &SurfaceTemplate) -> Option<SurfacePlace> {
        match template.range {
            SurfaceRange::Texture { level, first_layer, last_layer } => {
                let place = self.place(level)?;
                Some(SurfacePlace {
                    level,
                    offset: first_layer as usize * place.layer_stride,
                    width: place.width,
                    height: place.height,
                    layers: last_layer.saturating_sub(first_layer).saturating_add(1),
                    row_stride: place.row_stride,
                    layer_stride: place.layer_stride,
                })
            }
            SurfaceRange::Buffer { first_element, last_element } if BUFFER_SURFACES => {
                let pixel = pixel_bytes(template.format);
                let width = last_element.saturating_sub(first_element).saturating_add(1);
                let row_stride = width as usize * pixel;
                Some(SurfacePlace {
                    level: 0,
                    offset: first_element as usize * pixel,
                    width,
                    height: 1,
                    layers: 1,
                    row_stride,
                    layer_stride: row_stride,
                })
            }
            SurfaceRange::Buffer { .. } => None,
        }
    }
}
