//! Surfaces without the feature `window`: no adapter is compatible with them.

use std::time::Duration;

use wgpu::rwh::{RawDisplayHandle, RawWindowHandle};
use wgpu_hal as hal;
use wgpu_hal::SurfaceError;

use super::{Api, Device, Fence};
use crate::machine::Machine;
use crate::texture::Texture;

/// A surface that no configuration fits.
#[derive(Debug)]
pub struct Surface;

/// The error of all surfaces.
const NO_SURFACES: SurfaceError =
    SurfaceError::Other("gallium-wgpu shows pictures in windows only with its feature `window`");

impl Surface {
    /// Returns a surface.
    ///
    /// # Safety
    /// None: the handles are not used.
    pub(super) unsafe fn new(_: RawDisplayHandle, _: RawWindowHandle) -> Surface {
        log::warn!("{NO_SURFACES}");
        Surface
    }

    pub(super) fn capabilities(&self) -> Option<hal::SurfaceCapabilities> {
        None
    }

    pub(super) fn present(&self, _: &Machine, _: &Texture) -> Result<(), SurfaceError> {
        Err(NO_SURFACES)
    }
}

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
