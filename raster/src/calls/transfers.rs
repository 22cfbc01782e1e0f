//! Transfers: data into and out of resources.

use pipe_core::context::Transfers;
#[cfg(feature = "es2")]
use pipe_core::{MapFlags, PipeError, Region, ResourceHandle, Transfer, TransferHandle};

use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "es2")]
use crate::report::Features;
#[cfg(feature = "es2")]
use crate::submit::BoxData;

#[cfg(not(feature = "es2"))]
impl<P: Profile> Transfers for Context<'_, '_, P> {}

#[cfg(feature = "es2")]
impl<P: Profile> Transfers for Context<'_, '_, P> {
    fn transfer_map(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        if let Some(contradiction) = usage.contradiction() {
            return Err(PipeError::Invalid(contradiction));
        }
        self.renderer.map(&mut self.state, handle, level, usage, region)
    }

    fn transfer_bytes(&mut self, handle: TransferHandle) -> Result<&mut [u8], PipeError> {
        let Context { state, renderer } = self;
        if state.maps()?.get(handle)?.is_direct {
            return renderer.lend(state, handle);
        }
        renderer.look_at(state, handle)?;
        let transfer = state.maps_mut()?.open.get_mut(handle.raw());
        transfer.map(|open| &mut open.bytes[..]).ok_or_else(|| PipeError::stale(handle))
    }

    fn transfer_flush_region(
        &mut self,
        handle: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        let Context { state, renderer } = self;
        let transfer = state.maps()?.get(handle)?;
        let mapped = &transfer.region;
        let size = [mapped.width, mapped.height, mapped.depth].map(|value| value.max(0) as u32);
        PipeError::within(region, size)?;
        let writes = transfer.usage.contains(MapFlags::WRITE) && !transfer.is_direct;
        renderer.take_lent_back(state);
        if writes { renderer.write_back(state, handle, region) } else { Ok(()) }
    }

    fn transfer_unmap(&mut self, handle: TransferHandle) -> Result<(), PipeError> {
        self.renderer.unmap(&mut self.state, handle)
    }

    fn buffer_subdata(
        &mut self,
        handle: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let size = u32::try_from(data.len())
            .map_err(|_| PipeError::Invalid("the data exceeds the buffer"))?;
        let region = Region::bytes(offset, size);
        self.texture_subdata(handle, 0, usage, &region, data, data.len(), data.len())
    }

    fn texture_subdata(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
        data: &[u8],
        stride: usize,
        layer_stride: usize,
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        let data = BoxData { data, stride, layer_stride };
        self.renderer.write_box(&mut self.state, (handle, level), usage, region, data)
    }

    #[cfg(feature = "desktop")]
    fn resource_commit(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        self.renderer.commit(&mut self.state, (resource, level), region, commit)
    }
}
