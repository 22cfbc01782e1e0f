//! Buffers: mapping, copies, clears.

use gallium_wgpu::wgpu;

use crate::common::Gpu;

#[test]
fn bytes_written_are_copied_and_read() {
    let gpu = Gpu::new();
    let bytes: Vec<u8> = (0..64).collect();
    let buffer = gpu.buffer(&bytes, wgpu::BufferUsages::VERTEX);
    gpu.queue.write_buffer(&buffer, 8, &[99; 4]);
    let other = gpu.buffer(&[7; 64], wgpu::BufferUsages::INDEX);
    gpu.submit(|encoder| {
        encoder.copy_buffer_to_buffer(&buffer, 4, &other, 32, 16);
        encoder.clear_buffer(&other, 4, Some(8));
    });
    let expected: Vec<u8> = (0..64)
        .map(|at| match at {
            4..12 => 0,
            32..36 => at - 32 + 4,
            36..40 => 99,
            40..48 => at - 32 + 4,
            _ => 7,
        })
        .collect();
    assert_eq!(gpu.bytes(&other), expected);
}

#[test]
fn mapped_at_creation_and_mapped_for_writing() {
    let gpu = Gpu::new();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: true,
    });
    buffer.slice(..).get_mapped_range_mut().unwrap().copy_from_slice(&[1; 16]);
    buffer.unmap();
    assert_eq!(gpu.bytes(&buffer), [1; 16]);
    buffer.slice(8..16).map_async(wgpu::MapMode::Write, |result| result.unwrap());
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    buffer.slice(8..12).get_mapped_range_mut().unwrap().copy_from_slice(&[2; 4]);
    buffer.unmap();
    let expected: Vec<u8> = (0..16).map(|at| if (8..12).contains(&at) { 2 } else { 1 }).collect();
    assert_eq!(gpu.bytes(&buffer), expected);
}

#[test]
fn new_buffers_are_zero() {
    let gpu = Gpu::new();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 1 << 20,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    assert!(gpu.bytes(&buffer).iter().all(|&byte| byte == 0));
}
