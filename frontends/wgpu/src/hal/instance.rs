//! The entry: instances, and surfaces that are not there.

use std::time::Duration;

use wgpu_hal as hal;
use wgpu_hal::SurfaceError;

use super::{Adapter, Api, Device, Fence, Texture};
use crate::caps;
use crate::options::Options;

/// An instance of wgpu-hal, for `wgpu::Instance::from_hal`.
#[derive(Clone, Default, Debug)]
pub struct Instance {
    options: Options,
}

impl Instance {
    /// Returns an instance with these settings.
    pub fn new(options: Options) -> Instance {
        Instance { options }
    }
}

/// Returns a wgpu instance with one adapter, which draws in software.
///
/// # Examples
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let instance = gallium_wgpu::instance();
/// let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
/// assert_eq!(adapters[0].get_info().device_type, wgpu::DeviceType::Cpu);
/// # Ok(())
/// # }
/// ```
pub fn instance() -> wgpu::Instance {
    instance_with(Options::default())
}

/// Returns a wgpu instance with one adapter that has these settings.
pub fn instance_with(options: Options) -> wgpu::Instance {
    // SAFETY: the instance is usable, and wgpu alone has it from now on.
    unsafe { wgpu::Instance::from_hal::<Api>(Instance::new(options)) }
}

impl hal::Instance for Instance {
    type A = Api;

    unsafe fn init(_: &hal::InstanceDescriptor<'_>) -> Result<Self, hal::InstanceError> {
        Ok(Instance::default())
    }

    unsafe fn create_surface(
        &self,
        _: wgpu::rwh::RawDisplayHandle,
        _: wgpu::rwh::RawWindowHandle,
    ) -> Result<Surface, hal::InstanceError> {
        log::warn!("gallium-wgpu shows nothing in windows: draw to a texture");
        Ok(Surface)
    }

    unsafe fn enumerate_adapters(&self, _: Option<&Surface>) -> Vec<hal::ExposedAdapter<Api>> {
        vec![hal::ExposedAdapter {
            adapter: Adapter::new(self.options.clone()),
            info: caps::info(),
            features: caps::features(),
            capabilities: caps::capabilities(),
        }]
    }
}

/// A surface that no configuration fits: the backend shows nothing in windows.
#[derive(Debug)]
pub struct Surface;

/// The error of all surfaces.
const NO_SURFACES: SurfaceError = SurfaceError::Other("gallium-wgpu shows nothing in windows");

impl hal::Surface for Surface {
    type A = Api;

    unsafe fn configure(
        &self,
        _: &Device,
        _: &hal::SurfaceConfiguration,
    ) -> Result<(), SurfaceError> {
        Err(NO_SURFACES)
    }

    unsafe fn unconfigure(&self, _: &Device) {}

    unsafe fn acquire_texture(
        &self,
        _: Option<Duration>,
        _: &Fence,
    ) -> Result<hal::AcquiredSurfaceTexture<Api>, SurfaceError> {
        Err(NO_SURFACES)
    }

    unsafe fn discard_texture(&self, _: Texture) {}
}
