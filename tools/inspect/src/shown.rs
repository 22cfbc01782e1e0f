//! Presents of targets that had no memory on a board, and are textures here.

use std::ops::Range;

use pipe_core::*;

/// Hands rows of a resource's first level to a panel; pixels with several samples as their means.
///
/// # Errors
/// The rows are outside of the resource; the errors of maps and of the panel.
pub(crate) fn present_rows<'m>(
    context: &mut (dyn Context<'m> + '_),
    (resource, template): (ResourceHandle, ResourceTemplate),
    rows: Range<u32>,
    panel: &mut dyn TilePanel,
) -> Result<(), PipeError> {
    let outside = PipeError::Invalid("the rows are outside of the picture");
    let whole = template.level_region(0).ok_or(outside)?;
    let (width, height) = (whole.width.unsigned_abs(), whole.height.unsigned_abs());
    let count = rows.end.checked_sub(rows.start).ok_or(outside)?;
    let number = |rows: u32| i32::try_from(rows).map_err(|_| outside);
    let region = Region { y: number(rows.start)?, height: number(count)?, depth: 1, ..whole };
    if rows.start == 0 {
        panel.begin(width, height)?;
    }
    let map = context.transfer_map(resource, 0, MapFlags::READ, &region)?;
    let shown = context
        .transfer_bytes(map.handle)
        .map(|bytes| panel.tile(0, rows.start, width, count, template.format, bytes, map.stride));
    context.transfer_unmap(map.handle)?;
    shown??;
    if rows.end == height {
        panel.finish()?;
    }
    Ok(())
}
