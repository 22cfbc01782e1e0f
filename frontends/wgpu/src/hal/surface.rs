//! Surfaces: a texture to draw into, and its copy to a window.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wgpu::rwh::{RawDisplayHandle, RawWindowHandle};
use wgpu_hal as hal;
use wgpu_hal::SurfaceError;
use wgpu_types as wgt;

use super::window::Window;
use super::{Api, Device, Fence};
use crate::machine::Machine;
use crate::run::Run;
use crate::texture::Texture;

/// The time from one frame to the next with [`wgt::PresentMode::Fifo`]: no system tells when its screen is
/// ready, so this is the time of the most common screens.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// A surface of wgpu-hal.
pub struct Surface(Mutex<State>);

struct State {
    /// `None` if pictures cannot be shown: no adapter is compatible with the surface.
    window: Option<Window>,
    configured: Option<Configured>,
    /// The time of the last frame.
    shown: Option<Instant>,
}

/// What a configuration made.
struct Configured {
    /// The texture of all frames. A frame is copied to the window before the next one begins.
    texture: Texture,
    waits: bool,
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Surface")
    }
}

/// Returns what all surfaces with a window can do.
fn capabilities() -> hal::SurfaceCapabilities {
    use wgt::TextureFormat::{Bgra8Unorm, Bgra8UnormSrgb, Rgba8Unorm, Rgba8UnormSrgb};
    let formats = [Bgra8UnormSrgb, Rgba8UnormSrgb, Bgra8Unorm, Rgba8Unorm];
    hal::SurfaceCapabilities {
        formats: formats
            .map(|format| wgt::SurfaceFormatCapabilities {
                format,
                color_spaces: wgt::SurfaceColorSpaces::SRGB,
            })
            .into(),
        maximum_frame_latency: 1..=1,
        current_extent: None,
        usage: wgt::TextureUses::COLOR_TARGET
            | wgt::TextureUses::RESOURCE
            | wgt::TextureUses::COPY_SRC
            | wgt::TextureUses::COPY_DST,
        present_modes: vec![wgt::PresentMode::Fifo, wgt::PresentMode::Immediate],
        composite_alpha_modes: vec![wgt::CompositeAlphaMode::Opaque],
    }
}

impl Surface {
    /// Returns the surface of a window.
    ///
    /// # Safety
    /// The handles are valid until the surface is dropped.
    pub(super) unsafe fn new(display: RawDisplayHandle, window: RawWindowHandle) -> Surface {
        // SAFETY: the caller's promise.
        let window = unsafe { Window::new(display, window) };
        if let Err(error) = &window {
            log::error!("gallium-wgpu cannot show pictures in the window: {error}");
        }
        Surface(Mutex::new(State { window: window.ok(), configured: None, shown: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn capabilities(&self) -> Option<hal::SurfaceCapabilities> {
        self.state().window.as_ref().map(|_| capabilities())
    }

    /// Copies a frame to the window.
    pub(super) fn present(&self, machine: &Machine, frame: &Texture) -> Result<(), SurfaceError> {
        let mut state = self.state();
        let window = state.window.as_mut().ok_or(SurfaceError::Lost)?;
        let [width, height, _] = frame.template().level_size(0).unwrap_or_default();
        let mut pixels = window.pixels(width, height).map_err(|error| lost(&*error))?;
        let is_bgra = frame.format().remove_srgb_suffix() == wgt::TextureFormat::Bgra8Unorm;
        machine.submit(|screen, context| {
            Run::new(screen, context, machine).texels(frame, |y, texels| {
                let row = pixels.chunks_exact_mut(width as usize).nth(y).unwrap_or_default();
                for (pixel, texel) in row.iter_mut().zip(texels.as_chunks::<4>().0) {
                    let &[first, green, third, _] = texel;
                    let [red, blue] = if is_bgra { [third, first] } else { [first, third] };
                    *pixel = u32::from_be_bytes([0, red, green, blue]);
                }
            })
        })?;
        pixels.present().map_err(|error| lost(&error))?;
        state.shown = Some(Instant::now());
        Ok(())
    }
}

/// Returns the error of a window that takes no pictures.
fn lost(error: &dyn fmt::Display) -> SurfaceError {
    log::error!("gallium-wgpu cannot show a picture in the window: {error}");
    SurfaceError::Lost
}

impl hal::Surface for Surface {
    type A = Api;

    unsafe fn configure(
        &self,
        device: &Device,
        config: &hal::SurfaceConfiguration,
    ) -> Result<(), SurfaceError> {
        let texture = Texture::new(
            &device.machine,
            &hal::TextureDescriptor {
                label: None,
                size: config.extent,
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgt::TextureDimension::D2,
                format: config.format,
                usage: config.usage,
                memory_flags: hal::MemoryFlags::empty(),
                view_formats: config.view_formats.clone(),
            },
        )?;
        let waits = config.present_mode == wgt::PresentMode::Fifo;
        self.state().configured = Some(Configured { texture, waits });
        Ok(())
    }

    unsafe fn unconfigure(&self, _: &Device) {
        self.state().configured = None;
    }

    unsafe fn acquire_texture(
        &self,
        timeout: Option<Duration>,
        _: &Fence,
    ) -> Result<hal::AcquiredSurfaceTexture<Api>, SurfaceError> {
        let state = self.state();
        let configured = state.configured.as_ref().ok_or(SurfaceError::Outdated)?;
        if let Some(shown) = state.shown.filter(|_| configured.waits) {
            let rest = FRAME.saturating_sub(shown.elapsed());
            thread::sleep(rest.min(timeout.unwrap_or(rest)));
        }
        let texture = configured.texture.clone();
        Ok(hal::AcquiredSurfaceTexture { texture, suboptimal: false })
    }

    unsafe fn discard_texture(&self, _: Texture) {}
}
