//! Draws with embedded-graphics on a resource in memory.

use formats::Format;

use crate::context::Context;
use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::panel::Area;
use crate::panel::graphics::{Canvas, Drawn};
use crate::region::Region;
use crate::transfer::MapFlags;

/// Draws on a rectangle of level 0 of a resource in memory. `draw` gets a canvas of `area`, in the
/// resource's coordinates.
///
/// # Errors
/// The driver's error; [`PipeError::Unsupported`] if the resource's `format` cannot store the
/// colour.
pub fn draw_on<'m, C: Drawn>(
    context: &mut dyn Context<'m>,
    resource: ResourceHandle,
    format: Format,
    area: Area,
    draw: impl FnOnce(&mut Canvas<'_, C>),
) -> Result<(), PipeError> {
    let region = Region::rect(area.x, area.y, area.width, area.height);
    let flags = MapFlags::READ | MapFlags::WRITE;
    let transfer = context.transfer_map(resource, 0, flags, &region)?;
    let bytes = context.transfer_bytes(transfer.handle)?;
    let canvas = Canvas::new(area, format, bytes, transfer.stride);
    let drawn = match canvas {
        Some(mut canvas) => {
            draw(&mut canvas);
            Ok(())
        }
        None => Err(PipeError::Unsupported("drawing this colour on that format")),
    };
    context.transfer_unmap(transfer.handle)?;
    drawn
}
