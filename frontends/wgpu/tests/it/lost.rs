//! Hostile programs, and programs that break the rules.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use gallium_wgpu::{Options, wgpu};
use wgpu::BufferUsages;

use crate::common::{Gpu, WHOLE};

/// Returns a receiver of the reason why a device is lost.
fn losses(gpu: &Gpu) -> mpsc::Receiver<wgpu::DeviceLostReason> {
    let (sender, receiver) = mpsc::channel();
    gpu.device.set_device_lost_callback(move |reason, _| {
        let _ = sender.send(reason);
    });
    gpu.device.on_uncaptured_error(std::sync::Arc::new(|_| ()));
    receiver
}

#[test]
fn an_endless_loop_of_a_compute_program_loses_the_device() {
    let options = Options { command_time: Duration::from_millis(300), ..Options::default() };
    let gpu = Gpu::with(options.clone());
    let losses = losses(&gpu);
    let pipeline = gpu.compute(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64) fn main() { loop { out[0] += 1; if out[1] == 7 { break; } } }",
    );
    let out = gpu.buffer(&[0; 8], BufferUsages::STORAGE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[out.as_entire_binding()]);
    let start = Instant::now();
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1000, 1000, 1);
    });
    assert!(start.elapsed() < Duration::from_secs(60));
    let _ = gpu.device.poll(wgpu::PollType::Poll);
    assert_eq!(losses.recv_timeout(Duration::from_secs(1)), Ok(wgpu::DeviceLostReason::Unknown));
    // Another device works.
    let gpu = Gpu::with(options);
    assert_eq!(gpu.bytes(&gpu.buffer(&[1, 2, 3, 4], BufferUsages::VERTEX)), [1, 2, 3, 4]);
}

#[test]
fn an_endless_loop_of_a_fragment_program_loses_the_device() {
    let options = Options { command_time: Duration::from_millis(300), ..Options::default() };
    let gpu = Gpu::with(options);
    let losses = losses(&gpu);
    let wgsl = format!(
        "{WHOLE} @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             var x = p.x;
             loop {{ x += 1; if x < 0 {{ break; }} }}
             return vec4f(x);
         }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let target = gpu.target(2048, 2048);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    });
    let _ = gpu.device.poll(wgpu::PollType::Poll);
    assert_eq!(losses.recv_timeout(Duration::from_secs(1)), Ok(wgpu::DeviceLostReason::Unknown));
}

#[test]
fn the_memory_of_a_device_has_a_limit() {
    let gpu = Gpu::with(Options { memory: Some(64 << 20), ..Options::default() });
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let _texture = gpu.texture(wgpu::TextureFormat::Rgba8Unorm, [8192, 8192, 1], |_| ());
    let error = pollster::block_on(scope.pop());
    assert!(matches!(error, Some(wgpu::Error::OutOfMemory { .. })), "{error:?}");
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let small = gpu.texture(wgpu::TextureFormat::Rgba8Unorm, [64, 64, 1], |_| ());
    assert!(pollster::block_on(scope.pop()).is_none());
    gpu.write(&small, &[5; 64 * 64 * 4]);
    assert_eq!(gpu.texels(&small), [5; 64 * 64 * 4]);
}

#[test]
fn a_draw_without_its_group_is_an_error_of_validation() {
    let gpu = Gpu::new();
    let wgsl = format!(
        "@group(0) @binding(0) var<uniform> color: vec4f;
         {WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return color; }}"
    );
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let target = gpu.target(1, 1);
    gpu.pass(&target, |pass| {
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    });
    let error = pollster::block_on(scope.pop());
    assert!(matches!(error, Some(wgpu::Error::Validation { .. })), "{error:?}");
}
