//! The bytes of resources: boxes as tightly packed rows.

use anyhow::{Context as _, Result};
use pipe_core::resource::layout::Layout;
use pipe_core::*;

/// The most bytes that a picture may have.
const MAX_BYTES: usize = 1 << 30;

/// Reads a box of a resource: rows, tightly packed.
///
/// # Errors
/// As for maps.
pub fn read(
    screen: &(dyn Screen<'static> + '_),
    context: &mut (dyn Context<'static> + '_),
    resource: ResourceHandle,
    level: u32,
    region: &Region,
) -> Result<Vec<u8>> {
    read_as(&screen.resource_template(resource)?, context, resource, level, region)
}

/// Reads a box of a resource with this template: rows, tightly packed.
///
/// # Errors
/// As for maps.
pub fn read_as<'m>(
    template: &ResourceTemplate,
    context: &mut (dyn Context<'m> + '_),
    resource: ResourceHandle,
    level: u32,
    region: &Region,
) -> Result<Vec<u8>> {
    let extent = Layout::of(template)?.extent(region).context("the box exceeds the level")?;
    let [row, rows, layers] = extent;
    let size = row.checked_mul(rows).and_then(|size| size.checked_mul(layers));
    let size = size.filter(|size| *size <= MAX_BYTES).context("the picture exceeds 1 GiB")?;
    let map = context.transfer_map(resource, level, MapFlags::READ, region)?;
    let mut packed = Vec::with_capacity(size);
    let copied = context.transfer_bytes(map.handle).map(|bytes| {
        for layer in 0..layers {
            for y in 0..rows {
                let at = layer.saturating_mul(map.layer_stride) + y.saturating_mul(map.stride);
                packed.extend_from_slice(bytes.get(at..).and_then(|it| it.get(..row))?);
            }
        }
        Some(())
    });
    context.transfer_unmap(map.handle)?;
    copied?.context("the mapped memory is smaller than the box")?;
    Ok(packed)
}

/// Writes a box of a resource from tightly packed rows.
///
/// # Errors
/// As for maps.
pub fn write(
    screen: &(dyn Screen<'static> + '_),
    context: &mut (dyn Context<'static> + '_),
    resource: ResourceHandle,
    level: u32,
    region: &Region,
    packed: &[u8],
) -> Result<()> {
    let template = screen.resource_template(resource)?;
    let extent = Layout::of(&template)?.extent(region).context("the box exceeds the level")?;
    let [row, rows, _] = extent;
    let map = context.transfer_map(resource, level, MapFlags::WRITE, region)?;
    let copied = context.transfer_bytes(map.handle).map(|bytes| {
        for (number, from) in packed.chunks_exact(row.max(1)).enumerate() {
            let (layer, y) = (number / rows.max(1), number % rows.max(1));
            let at = layer.saturating_mul(map.layer_stride) + y.saturating_mul(map.stride);
            bytes.get_mut(at..).and_then(|it| it.get_mut(..row))?.copy_from_slice(from);
        }
        Some(())
    });
    context.transfer_unmap(map.handle)?;
    copied?.context("the mapped memory is smaller than the box")
}
