//! A window: frames that gallium-wgpu shows, taken from the screen.
//!
//! Other adapters draw the last frame to a texture.

use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use image::RgbaImage;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::raw_window_handle::{HasWindowHandle as _, RawWindowHandle};
use winit::window::{Window, WindowId};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

use super::Case;
use crate::adapter::{Door, Gpu};
use crate::compare::Bounds;
use crate::target;

/// Pixels per side.
const SIZE: PhysicalSize<u32> = PhysicalSize { width: 333, height: 245 };

/// The number of the frame that is judged. It is shown twice: when its second copy is written, its first one is
/// on the screen.
const LAST: u32 = 2;

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    let draw = |door| if door == Door::Gallium { shown() } else { drawn(door) };
    let bounds = Bounds::Coverage { step: 1, share: 0.0, mean: 0.5 };
    vec![Case { name: "window/frames".into(), draw: Box::new(draw), bounds, reference: None }]
}

/// A coloured triangle on a background that depends on the frame.
const SHADER: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let at = array(vec2f(-0.9, -0.7), vec2f(0.8, -0.9), vec2f(0.1, 0.95));
    let colour = array(vec3f(1.0, 0.1, 0.0), vec3f(0.0, 0.9, 0.2), vec3f(0.1, 0.0, 1.0));
    return Corner(vec4f(at[index], 0.0, 1.0), vec4f(colour[index], 1.0));
}

@fragment
fn colour(corner: Corner) -> @location(0) vec4f {
    return corner.colour;
}
";

fn pipeline(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("triangle"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("triangle"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        multiview_mask: None,
        cache: None,
    })
}

/// Draws the frame with this number.
fn frame(gpu: &Gpu, pipeline: &wgpu::RenderPipeline, texture: &wgpu::Texture, number: u32) {
    let view = texture.create_view(&Default::default());
    let blue = f64::from(number) * 0.2;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.6, g: 0.4, b: blue, a: 1.0 }),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    });
    pass.set_pipeline(pipeline);
    pass.draw(0..3, 0..1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
}

/// Draws the last frame to a texture.
pub fn drawn(door: Door) -> Result<RgbaImage> {
    let gpu = door.open(wgpu::Features::empty())?;
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
    let texture = target::create(&gpu, SIZE.width, SIZE.height, usage);
    frame(&gpu, &pipeline(&gpu.device, target::FORMAT), &texture, LAST);
    target::read(&gpu, &texture)
}

/// Shows frames in a window, and takes the picture from the screen.
fn shown() -> Result<RgbaImage> {
    let mut program = Program { shown: None, picture: Err(anyhow!("the window did not open")) };
    EventLoop::new()?.run_app(&mut program)?;
    program.picture
}

/// A program with a window, until it has a picture.
struct Program {
    shown: Option<Shown>,
    picture: Result<RgbaImage>,
}

impl ApplicationHandler for Program {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        match Shown::new(events) {
            Ok(shown) => self.shown = Some(shown),
            Err(error) => {
                self.picture = Err(error);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let (WindowEvent::RedrawRequested, Some(shown)) = (event, &mut self.shown) else { return };
        match shown.next() {
            Ok(None) => shown.window.request_redraw(),
            Ok(Some(picture)) => {
                self.picture = Ok(picture);
                events.exit();
            }
            Err(error) => {
                self.picture = Err(error);
                events.exit();
            }
        }
    }
}

/// An open window.
struct Shown {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    gpu: Gpu,
    pipeline: wgpu::RenderPipeline,
    frames: u32,
}

impl Shown {
    fn new(events: &ActiveEventLoop) -> Result<Shown> {
        let attributes = Window::default_attributes().with_inner_size(SIZE).with_resizable(false);
        let window = Arc::new(events.create_window(attributes)?);
        let instance = gallium_wgpu::instance();
        let surface = instance.create_surface(Arc::clone(&window))?;
        let options = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
        let mut config = surface
            .get_default_config(&adapter, SIZE.width, SIZE.height)
            .context("the adapter cannot draw to the window")?;
        ensure!(config.format.is_srgb(), "a window's first format is {:?}", config.format);
        // What the other adapters draw to is linear.
        config.format = config.format.remove_srgb_suffix();
        surface.configure(&device, &config);
        let pipeline = pipeline(&device, config.format);
        window.request_redraw();
        let gpu = Gpu { instance, adapter, device, queue };
        Ok(Shown { window, surface, gpu, pipeline, frames: 0 })
    }

    /// Shows the next frame. Returns the picture on the screen after the last one.
    fn next(&mut self) -> Result<Option<RgbaImage>> {
        let wgpu::CurrentSurfaceTexture::Success(texture) = self.surface.get_current_texture()
        else {
            bail!("the surface has no texture for frame {}", self.frames);
        };
        frame(&self.gpu, &self.pipeline, &texture.texture, self.frames.min(LAST));
        self.gpu.queue.present(texture);
        self.frames += 1;
        if self.frames < LAST + 2 {
            return Ok(None);
        }
        picture(&self.window).map(Some)
    }
}

/// Returns the pixels of a window on the screen.
fn picture(window: &Window) -> Result<RgbaImage> {
    let id = match window.window_handle()?.as_raw() {
        RawWindowHandle::Xlib(handle) => u32::try_from(handle.window)?,
        RawWindowHandle::Xcb(handle) => handle.window.get(),
        other => bail!("a window of X11 is expected, not {other:?}"),
    };
    let (connection, _) = x11rb::connect(None)?;
    let (width, height) = (u16::try_from(SIZE.width)?, u16::try_from(SIZE.height)?);
    let format = ImageFormat::Z_PIXMAP;
    let image = connection.get_image(format, id, 0, 0, width, height, !0)?.reply()?;
    ensure!(image.depth == 24, "a screen of {} bits is expected to have 24", image.depth);
    let pixels = image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 255]);
    RgbaImage::from_raw(SIZE.width, SIZE.height, pixels.collect()).context("a picture too small")
}
