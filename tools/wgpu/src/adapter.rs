//! The adapters that draw: one software Vulkan driver to compare with, and the two doors of this project.

use anyhow::{Context as _, Result, bail};
use egui_wgpu::{WgpuSetup, WgpuSetupExisting};

/// The adapters, by the name on the command line.
pub const NAMES: [&str; 3] = [LAVAPIPE, "gl", "gallium"];

/// The name of the adapter with the expected pictures.
pub const LAVAPIPE: &str = "lavapipe";

/// A way to reach an adapter. Each case opens its own device, as separate tests do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Mesa's Vulkan driver lavapipe.
    Lavapipe,
    /// wgpu's GL backend, on Mesa's EGL without a display.
    Gl,
    /// The backend gallium-wgpu.
    Gallium,
}

/// An open device, with what leads to it.
#[derive(Clone)]
pub struct Gpu {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Door {
    /// Returns the door with this name.
    pub fn named(name: &str) -> Result<Door> {
        Ok(match name {
            LAVAPIPE => Door::Lavapipe,
            "gl" => Door::Gl,
            "gallium" => Door::Gallium,
            other => bail!("`{other}` is no adapter; choose one of {}", NAMES.join(", ")),
        })
    }

    fn instance(self) -> wgpu::Instance {
        let backends = match self {
            Door::Lavapipe => wgpu::Backends::VULKAN,
            Door::Gl => wgpu::Backends::GL,
            Door::Gallium => return gallium_wgpu::instance(),
        };
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = backends;
        wgpu::Instance::new(descriptor)
    }

    /// Opens a device with the default limits and `features`, if the adapter has them.
    pub fn open(self, features: wgpu::Features) -> Result<Gpu> {
        let instance = self.instance();
        let options = wgpu::RequestAdapterOptions {
            // The machine may also have a GPU.
            force_fallback_adapter: self == Door::Lavapipe,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .context("wgpu finds no adapter")?;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: features & adapter.features(),
            required_limits: wgpu::Limits::default(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .context("the adapter opens no device")?;
        Ok(Gpu { instance, adapter, device, queue })
    }
}

impl Gpu {
    /// Returns the set-up for egui's test renderer.
    pub fn into_egui(self) -> WgpuSetup {
        let Gpu { instance, adapter, device, queue } = self;
        WgpuSetup::Existing(WgpuSetupExisting { instance, adapter, device, queue })
    }
}
