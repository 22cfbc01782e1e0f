//! glyphon: text from an atlas, clipped, in several sizes and colours.

use anyhow::{Context as _, Result};
use glyphon::{
    Attrs, Buffer, Cache, Color, ColorMode, Family, FontSystem, Metrics, Resolution, Shaping,
    SwashCache, TextArea, TextAtlas, TextBounds, TextRenderer, Viewport, fontdb,
};
use image::RgbaImage;

use super::Case;
use super::egui::THRESHOLD;
use crate::adapter::Door;
use crate::compare::Bounds;
use crate::target;

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    [
        ("clipped", ColorMode::Web, 1),
        ("accurate", ColorMode::Accurate, 1),
        ("samples", ColorMode::Web, 4),
    ]
    .into_iter()
    .map(|(name, mode, samples)| Case {
        name: format!("glyphon/{name}"),
        bounds: Bounds::Snapshot(THRESHOLD),
        draw: Box::new(move |door| draw(door, mode, samples)),
        reference: None,
    })
    .collect()
}

const TEXT: &str = "Hello world! The quick brown fox jumps over the lazy dog.\n\
    ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 (){}[]<>&%$#@!\n\
    ÀÉÎÕÜ àéîõü ß æ ø å — “quotes” … ½ × ÷ ±\n\
    The text below is clipped at its right and its bottom edge.";

/// Draws four areas of text: small, large and clipped, rotated colours.
fn draw(door: Door, mode: ColorMode, samples: u32) -> Result<RgbaImage> {
    const SIZE: (u32, u32) = (640, 400);
    let gpu = door.open(wgpu::Features::empty())?;
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    let family = fonts.faces().next().context("no font")?.families[0].0.clone();
    let mut fonts = FontSystem::new_with_locale_and_db("en".into(), fonts);
    let cache = Cache::new(&gpu.device);
    let mut viewport = Viewport::new(&gpu.device, &cache);
    viewport.update(&gpu.queue, Resolution { width: SIZE.0, height: SIZE.1 });
    let mut atlas =
        TextAtlas::with_color_mode(&gpu.device, &gpu.queue, &cache, target::FORMAT, mode);
    let multisample = wgpu::MultisampleState { count: samples, ..Default::default() };
    let mut renderer = TextRenderer::new(&mut atlas, &gpu.device, multisample, None);
    let areas = [
        (12.0, 15.0, [255, 255, 255], (0, 640)),
        (20.0, 27.0, [255, 200, 60], (0, 600)),
        (38.0, 44.0, [90, 200, 255], (40, 420)),
        (64.0, 70.0, [230, 80, 120], (100, 560)),
    ];
    let buffers: Vec<Buffer> = areas
        .iter()
        .map(|&(size, line, ..)| {
            let mut buffer = Buffer::new(&mut fonts, Metrics::new(size, line));
            buffer.set_size(Some(620.0), Some(300.0));
            let attributes = Attrs::new().family(Family::Name(&family));
            buffer.set_text(TEXT, &attributes, Shaping::Advanced, None);
            buffer.shape_until_scroll(&mut fonts, false);
            buffer
        })
        .collect();
    let tops = [4.0, 70.0, 170.0, 250.0];
    let texts = buffers.iter().zip(&areas).zip(tops).map(|((buffer, area), top)| {
        let (_, _, [red, green, blue], (left, right)) = *area;
        TextArea {
            buffer,
            left: 8.5,
            top,
            scale: 1.0,
            bounds: TextBounds { left, top: top as i32, right, bottom: top as i32 + 110 },
            default_color: Color::rgb(red, green, blue),
            custom_glyphs: &[],
        }
    });
    let mut swash = SwashCache::new();
    renderer.prepare(
        &gpu.device,
        &gpu.queue,
        &mut fonts,
        &mut atlas,
        &viewport,
        texts,
        &mut swash,
    )?;
    let target = target::create(&gpu, SIZE.0, SIZE.1, wgpu::TextureUsages::RENDER_ATTACHMENT);
    let view = target.create_view(&Default::default());
    let multisampled = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("samples"),
        size: target.size(),
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format: target::FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let many = multisampled.create_view(&Default::default());
    let (view, resolve_target) = if samples > 1 { (&many, Some(&view)) } else { (&view, None) };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    {
        let clear = wgpu::Color { r: 0.05, g: 0.08, b: 0.12, a: 1.0 };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("text"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(clear),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        renderer.render(&atlas, &viewport, &mut pass)?;
    }
    gpu.queue.submit([encoder.finish()]);
    target::read(&gpu, &target)
}
