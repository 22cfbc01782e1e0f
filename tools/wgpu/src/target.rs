//! A texture to draw into, and its pixels.

use std::sync::mpsc;

use anyhow::{Context as _, Result};
use image::RgbaImage;

use crate::adapter::Gpu;

/// The format of every target: what the pictures hold.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Creates a target of this size.
pub fn create(gpu: &Gpu, width: u32, height: u32, usage: wgpu::TextureUsages) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("target"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: usage | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Copies the pixels of `texture` to memory and waits for them.
pub fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Result<RgbaImage> {
    let (width, height) = (texture.width(), texture.height());
    let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("pixels"),
        size: u64::from(stride) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(stride),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = mpsc::channel();
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // The receiver waits below.
        let _ = sender.send(result);
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    receiver.recv()?.context("the pixels cannot be mapped")?;
    let bytes = buffer.slice(..).get_mapped_range()?;
    let row = width as usize * 4;
    let pixels = bytes.chunks_exact(stride as usize).flat_map(|line| &line[..row]).copied();
    RgbaImage::from_raw(width, height, pixels.collect()).context("a picture of another size")
}
