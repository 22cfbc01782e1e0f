//! The adapter.

use std::sync::Arc;

use wgpu_hal as hal;
use wgpu_types as wgt;

use super::{Api, Device, Queue, Surface};
use crate::caps;
use crate::machine::{Machine, Refused};
use crate::options::Options;

/// The adapter of an instance.
#[derive(Debug)]
pub struct Adapter {
    options: Options,
}

impl Adapter {
    pub(super) fn new(options: Options) -> Adapter {
        Adapter { options }
    }
}

impl hal::Adapter for Adapter {
    type A = Api;

    unsafe fn open(
        &self,
        _: wgt::Features,
        _: &wgt::Limits,
        _: &wgt::MemoryHints,
    ) -> Result<hal::OpenDevice<Api>, hal::DeviceError> {
        let machine = Arc::new(Machine::new(&self.options).map_err(Refused::Error)?);
        Ok(hal::OpenDevice {
            queue: Queue::new(Arc::clone(&machine)),
            device: Device::new(machine),
        })
    }

    unsafe fn texture_format_capabilities(
        &self,
        format: wgt::TextureFormat,
    ) -> hal::TextureFormatCapabilities {
        caps::uses(format)
    }

    unsafe fn surface_capabilities(&self, surface: &Surface) -> Option<hal::SurfaceCapabilities> {
        surface.capabilities()
    }

    unsafe fn get_presentation_timestamp(&self) -> wgt::PresentationTimestamp {
        wgt::PresentationTimestamp::INVALID_TIMESTAMP
    }

    // Commands run one after the other, and each sees the work of those before it.
    fn get_ordered_buffer_usages(&self) -> wgt::BufferUses {
        wgt::BufferUses::all()
    }

    fn get_ordered_texture_usages(&self) -> wgt::TextureUses {
        wgt::TextureUses::all()
    }
}
