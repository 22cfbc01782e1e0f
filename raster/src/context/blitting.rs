//! Copies between resources.

use os_shim::Vec;
use pipe_core::context::Blitting;
use pipe_core::{PipeError, Region, ResourceHandle};

use super::Context;
use super::transfers::BoxPlace;
use crate::profile::Profile;
use crate::screen::{resource, resource_mut};

impl<P: Profile> Blitting for Context<'_, '_, P> {
    /// Copies texels as they are. Formats must have blocks of the same size.
    ///
    /// # Errors
    /// A box that leaves its level; blocks of different sizes; user memory or a streamed surface
    /// as the destination; out of memory for one row, when both are one resource.
    fn resource_copy_region(
        &mut self,
        dst: ResourceHandle,
        dst_level: u32,
        dst_x: u32,
        dst_y: u32,
        dst_z: u32,
        src: ResourceHandle,
        src_level: u32,
        src_region: &Region,
    ) -> Result<(), PipeError> {
        let dst_region = {
            let at = |value: u32| {
                i32::try_from(value).map_err(|_| PipeError::Invalid("a place beyond any level"))
            };
            Region { x: at(dst_x)?, y: at(dst_y)?, z: at(dst_z)?, ..*src_region }
        };
        let (from, to) = {
            let shared = self.screen.shared.lock();
            let (from, to) = (resource(&shared.resources, src)?, resource(&shared.resources, dst)?);
            let (source, target) = (from.template.format.block(), to.template.format.block());
            if source != target {
                return Err(PipeError::UnsupportedFormat {
                    format: to.template.format,
                    usage: "a copy between texels of different sizes",
                });
            }
            if !to.is_writable() || to.is_streamed() || from.is_streamed() {
                return Err(PipeError::Unsupported("copies of streamed or to user memory"));
            }
            (BoxPlace::of(from, src_level, src_region)?, BoxPlace::of(to, dst_level, &dst_region)?)
        };
        self.flush_if_used(src.raw())?;
        self.flush_if_used(dst.raw())?;
        let mut shared = self.screen.shared.lock();
        let resources = &mut shared.resources;
        // The level that is written is taken out, so the other can be read.
        let same = src == dst && src_level == dst_level;
        let written = resource_mut(resources, dst)?;
        if same {
            let bytes = written.bytes_mut(dst_level)?;
            let mut row: Vec<'_, u8> = Vec::try_filled_in(0, from.row_bytes(), self.os.memory)?;
            for ((.., start), (.., end)) in from.row_starts().zip(to.row_starts()) {
                let Some(source) = bytes.get(start..start + row.len()) else { continue };
                row.copy_from_slice(source);
                if let Some(target) = bytes.get_mut(end..end + row.len()) {
                    target.copy_from_slice(&row);
                }
            }
        } else if let Some(mut bytes) = written.take_level(dst_level) {
            if let Ok(source) = resource(resources, src) {
                let source = source.bytes(src_level);
                let row = from.row_bytes();
                for ((.., start), (.., end)) in from.row_starts().zip(to.row_starts()) {
                    if let (Some(source), Some(target)) =
                        (source.get(start..start + row), bytes.get_mut(end..end + row))
                    {
                        target.copy_from_slice(source);
                    }
                }
            }
            resource_mut(resources, dst)?.put_level(dst_level, bytes);
        }
        drop(shared);
        self.touch();
        Ok(())
    }
}
