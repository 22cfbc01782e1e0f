//! The entry: instances.

use wgpu_hal as hal;

use super::{Adapter, Api, Surface};
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
        display: wgpu::rwh::RawDisplayHandle,
        window: wgpu::rwh::RawWindowHandle,
    ) -> Result<Surface, hal::InstanceError> {
        // Errors of this type cannot be made outside of wgpu-hal. So a surface that shows nothing exists, and no
        // adapter is compatible with it.
        // SAFETY: wgpu keeps the handles valid until it has dropped the surface.
        Ok(unsafe { Surface::new(display, window) })
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
