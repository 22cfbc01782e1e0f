//! The queue: a submission runs at once.

use std::sync::Arc;

use wgpu_hal as hal;
use wgpu_hal::{DeviceError, SurfaceError};

use super::{Api, CommandBuffer, Fence, Surface, Texture};
use crate::machine::Machine;
use crate::run::Run;

/// The queue of a device.
#[derive(Debug)]
pub struct Queue {
    machine: Arc<Machine>,
}

impl Queue {
    pub(super) fn new(machine: Arc<Machine>) -> Queue {
        Queue { machine }
    }
}

impl hal::Queue for Queue {
    type A = Api;

    unsafe fn submit(
        &self,
        command_buffers: &[&CommandBuffer],
        _: &[&Texture],
        (fence, value): (&Fence, hal::FenceValue),
    ) -> Result<(), DeviceError> {
        self.machine.submit(|screen, context| {
            let mut run = Run::new(screen, context, &self.machine);
            for buffer in command_buffers {
                run.commands(buffer.commands())?;
            }
            run.finish()
        })?;
        fence.signal(value);
        Ok(())
    }

    unsafe fn present(&self, surface: &Surface, texture: Texture) -> Result<(), SurfaceError> {
        surface.present(&self.machine, &texture)
    }

    unsafe fn wait_for_idle(&self) -> Result<(), DeviceError> {
        self.machine.check()
    }

    unsafe fn get_timestamp_period(&self) -> f32 {
        1.0
    }
}
