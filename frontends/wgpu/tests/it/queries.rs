//! Queries: samples that pass, and times.

use gallium_wgpu::wgpu;
use wgpu::BufferUsages;

use crate::common::{Gpu, WHOLE, color_attachment};

fn values(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u64> {
    let bytes = gpu.bytes(buffer);
    bytes.as_chunks().0.iter().map(|value| u64::from_le_bytes(*value)).collect()
}

#[test]
fn occlusion_queries_see_samples() {
    let gpu = Gpu::new();
    let wgsl = format!("{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(1); }}");
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let set = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Occlusion,
        count: 3,
    });
    let results = gpu.buffer(&[0xff; 24], BufferUsages::QUERY_RESOLVE);
    let target = gpu.target(8, 8);
    let view = target.create_view(&Default::default());
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color_attachment(
                &view,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            occlusion_query_set: Some(&set),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.begin_occlusion_query(2);
        pass.draw(0..3, 0..1);
        pass.end_occlusion_query();
        pass.begin_occlusion_query(0);
        pass.end_occlusion_query();
        drop(pass);
        encoder.resolve_query_set(&set, 0..3, &results, 0);
    });
    let values = values(&gpu, &results);
    assert_eq!((values[0], values[1]), (0, 0));
    assert_ne!(values[2], 0);
}

#[test]
fn timestamps_grow() {
    let gpu = Gpu::new();
    assert_eq!(gpu.queue.get_timestamp_period(), 1.0);
    let set = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 4,
    });
    let pipeline = gpu.compute(
        "@group(0) @binding(0) var<storage, read_write> sum: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
             for (var i = 0u; i < 1000; i += 1) { sum[id.x] += i * id.x; }
         }",
    );
    let sum = gpu.buffer(&[0; 4 * 64 * 8], BufferUsages::STORAGE);
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &[sum.as_entire_binding()]);
    let results = gpu.buffer(&[0; 32], BufferUsages::QUERY_RESOLVE);
    gpu.submit(|encoder| {
        encoder.write_timestamp(&set, 0);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &set,
                beginning_of_pass_write_index: Some(1),
                end_of_pass_write_index: Some(2),
            }),
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(8, 1, 1);
        drop(pass);
        encoder.write_timestamp(&set, 3);
        encoder.resolve_query_set(&set, 0..4, &results, 0);
    });
    let times = values(&gpu, &results);
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
    // 512 invocations of a thousand turns.
    assert!(times[2] - times[1] > 1000, "{times:?}");
}
