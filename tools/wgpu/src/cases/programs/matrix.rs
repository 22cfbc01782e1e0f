//! A product of two matrices, by tiles in workgroup memory. All values are whole and below 2²⁴, so that any order
//! of the sums gives the same picture.

use super::{Frame, buffer, compute, group, submit};
use crate::adapter::Gpu;

/// Rows and columns.
pub(super) const SIDE: u32 = 512;

const SHADER: &str = "
const side = 512u;
const tile = 16u;

@group(0) @binding(0) var<storage> left: array<f32>;
@group(0) @binding(1) var<storage> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> colours: array<u32>;

var<workgroup> a: array<array<f32, tile>, tile>;
var<workgroup> b: array<array<f32, tile>, tile>;

@compute @workgroup_size(tile, tile)
fn multiply(@builtin(global_invocation_id) cell: vec3u, @builtin(local_invocation_id) at: vec3u) {
    var sum = 0.0;
    for (var start = 0u; start < side; start += tile) {
        a[at.y][at.x] = left[cell.y * side + start + at.x];
        b[at.y][at.x] = right[(start + at.y) * side + cell.x];
        workgroupBarrier();
        for (var i = 0u; i < tile; i += 1u) {
            sum += a[at.y][i] * b[i][at.x];
        }
        workgroupBarrier();
    }
    colours[cell.y * side + cell.x] = (u32(sum) * 2654435761u) | 0xff000000u;
}
";

/// Makes the program.
pub(super) fn make(gpu: &Gpu, texture: &wgpu::Texture) -> Frame {
    let pipeline = compute(gpu, SHADER);
    let cells = 0..SIDE * SIDE;
    let values = |step: u32, count: u32| -> Vec<u32> {
        cells.clone().map(|cell| ((cell * step / 7 % count) as f32).to_bits()).collect()
    };
    let usage = wgpu::BufferUsages::STORAGE;
    let left = buffer(gpu, &values(3, 13), usage);
    let right = buffer(gpu, &values(5, 11), usage);
    let colours = buffer(gpu, &values(0, 1), usage | wgpu::BufferUsages::COPY_SRC);
    let group = group(
        gpu,
        &pipeline.get_bind_group_layout(0),
        &[&left, &right, &colours].map(wgpu::Buffer::as_entire_binding),
    );
    let (gpu, texture) = (gpu.clone(), texture.clone());
    Box::new(move |_| {
        submit(&gpu, |encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(SIDE / 16, SIDE / 16, 1);
            drop(pass);
            encoder.copy_buffer_to_texture(
                wgpu::TexelCopyBufferInfo {
                    buffer: &colours,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(SIDE * 4),
                        rows_per_image: None,
                    },
                },
                texture.as_image_copy(),
                texture.size(),
            );
        });
    })
}
