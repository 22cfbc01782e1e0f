//! Compute programs, storage buffers, indirect dispatches.

use gallium_wgpu::wgpu;
use wgpu::BufferUsages;

use crate::common::Gpu;

/// Runs a program with buffers bound in order, and returns the words of the last one.
fn run(gpu: &Gpu, wgsl: &str, groups: [u32; 3], buffers: &[&wgpu::Buffer]) -> Vec<u32> {
    let pipeline = gpu.compute(wgsl);
    let resources: Vec<_> = buffers.iter().map(|buffer| buffer.as_entire_binding()).collect();
    let group = gpu.group(&pipeline.get_bind_group_layout(0), &resources);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], groups[2]);
    });
    gpu.words(buffers.last().unwrap())
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn collatz_steps() {
    let gpu = Gpu::new();
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
            if id.x >= arrayLength(&numbers) { return; }
            var n = numbers[id.x];
            var steps = 0u;
            while n > 1 {
                if n % 2 == 0 { n = n / 2; } else { n = 3 * n + 1; }
                steps += 1;
            }
            numbers[id.x] = steps;
        }";
    let numbers: Vec<u32> = (1..=18).collect();
    let buffer = gpu.buffer(&bytes(&numbers), BufferUsages::STORAGE);
    let steps = |mut n: u32| {
        let mut steps = 0;
        while n > 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    let expected: Vec<u32> = numbers.iter().map(|&n| steps(n)).collect();
    assert_eq!(run(&gpu, wgsl, [5, 1, 1], &[&buffer]), expected);
}

#[test]
fn a_matrix_product_with_workgroup_memory() {
    let gpu = Gpu::new();
    let wgsl = "
        @group(0) @binding(0) var<storage> a: array<f32>;
        @group(0) @binding(1) var<storage> b: array<f32>;
        @group(0) @binding(2) var<storage, read_write> c: array<f32>;
        var<workgroup> left: array<array<f32, 8>, 8>;
        var<workgroup> right: array<array<f32, 8>, 8>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u,
                                               @builtin(local_invocation_id) at: vec3u) {
            var sum = 0.0;
            for (var tile = 0u; tile < 2; tile += 1) {
                left[at.y][at.x] = a[id.y * 16 + tile * 8 + at.x];
                right[at.y][at.x] = b[(tile * 8 + at.y) * 16 + id.x];
                workgroupBarrier();
                for (var k = 0u; k < 8; k += 1) { sum += left[at.y][k] * right[k][at.x]; }
                workgroupBarrier();
            }
            c[id.y * 16 + id.x] = sum;
        }";
    let value = |seed: usize, at: usize| ((at * 7 + seed) % 13) as f32 - 6.0;
    let matrix = |seed: usize| -> Vec<f32> { (0..256).map(|at| value(seed, at)).collect() };
    let (a, b) = (matrix(1), matrix(5));
    let buffer = |values: &[f32]| gpu.buffer(bytemuck::cast_slice(values), BufferUsages::STORAGE);
    let c = buffer(&[0.0; 256]);
    let got = run(&gpu, wgsl, [2, 2, 1], &[&buffer(&a), &buffer(&b), &c]);
    for (at, got) in got.into_iter().enumerate() {
        let (row, column) = (at / 16, at % 16);
        // Small integers: every order of the sum is exact.
        let expected: f32 = (0..16).map(|k| a[row * 16 + k] * b[k * 16 + column]).sum();
        assert_eq!(f32::from_bits(got), expected, "row {row}, column {column}");
    }
}

#[test]
fn atomics_of_all_workgroups() {
    let gpu = Gpu::new();
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>, 3>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            atomicAdd(&counts[0], 1u);
            atomicMax(&counts[1], id.x);
            atomicXor(&counts[2], id.x);
        }";
    let buffer = gpu.buffer(&[0; 12], BufferUsages::STORAGE);
    let xor = (0..640).fold(0, |xor, id| xor ^ id);
    assert_eq!(run(&gpu, wgsl, [10, 1, 1], &[&buffer]), [640, 639, xor]);
}

#[test]
fn an_indirect_dispatch_after_a_dispatch_that_wrote_its_size() {
    let gpu = Gpu::new();
    let size = gpu.compute(
        "@group(0) @binding(0) var<storage, read_write> size: array<u32, 3>;
         @compute @workgroup_size(1) fn main() { size = array(3u, 2u, 1u); }",
    );
    let count = gpu.compute(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
         @compute @workgroup_size(2) fn main(@builtin(num_workgroups) size: vec3u) {
             atomicAdd(&count, size.x * 100 + size.y);
         }",
    );
    let arguments = gpu.buffer(&[0; 12], BufferUsages::STORAGE | BufferUsages::INDIRECT);
    let result = gpu.buffer(&[0; 4], BufferUsages::STORAGE);
    let groups = [
        gpu.group(&size.get_bind_group_layout(0), &[arguments.as_entire_binding()]),
        gpu.group(&count.get_bind_group_layout(0), &[result.as_entire_binding()]),
    ];
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&size);
        pass.set_bind_group(0, &groups[0], &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&count);
        pass.set_bind_group(0, &groups[1], &[]);
        pass.dispatch_workgroups_indirect(&arguments, 0);
    });
    // Six workgroups of two invocations.
    assert_eq!(gpu.words(&result), [6 * 2 * 302]);
}

#[test]
fn overrides_and_immediates() {
    let gpu = Gpu::new();
    let module = gpu.shader(
        "override factor: u32 = 3;
         @id(7) override addend: f32;
         @group(0) @binding(0) var<uniform> base: vec4u;
         @group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;
         var<immediate> now: vec2u;
         @compute @workgroup_size(1) fn main() {
             out[0] = now.x * factor + u32(addend);
             out[1] = now.y + base.y;
         }",
    );
    let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[buffer_entry(0, wgpu::BufferBindingType::Uniform), storage_entry(1)],
    });
    let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 8,
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("factor", 5.0), ("7", 2.0)],
            ..Default::default()
        },
        cache: None,
    });
    let base = gpu.buffer(&bytes(&[0, 1000, 0, 0]), BufferUsages::UNIFORM);
    let out = gpu.buffer(&[0; 8], BufferUsages::STORAGE);
    let group = gpu.group(&layout, &[base.as_entire_binding(), out.as_entire_binding()]);
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_immediates(0, &bytes(&[8, 9]));
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.words(&out), [42, 1009]);
}

pub(crate) fn buffer_entry(
    binding: u32,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::all(),
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

fn storage_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let mut entry = buffer_entry(binding, wgpu::BufferBindingType::Storage { read_only: false });
    entry.visibility = wgpu::ShaderStages::COMPUTE;
    entry
}

#[test]
fn storage_textures_and_reads_beyond_the_end() {
    let gpu = Gpu::new();
    let pipeline = gpu.compute(
        "@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3u) {
             textureStore(image, id.xy, vec4f(f32(id.x), f32(id.y), 0.2, 1));
             if id.x + id.y == 0 { out[0] = out[100 + id.x] + 5; }
         }",
    );
    let image = gpu.texture(wgpu::TextureFormat::Rgba8Unorm, [4, 2, 1], |desc| {
        desc.usage |= wgpu::TextureUsages::STORAGE_BINDING;
    });
    let out = gpu.buffer(&[1; 16], BufferUsages::STORAGE);
    let view = image.create_view(&Default::default());
    let group = gpu.group(
        &pipeline.get_bind_group_layout(0),
        &[wgpu::BindingResource::TextureView(&view), out.as_entire_binding()],
    );
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.words(&out)[0], 5);
    for (at, pixel) in gpu.pixels(&image).into_iter().enumerate() {
        let byte = |value: usize| (value.min(1) * 255) as u8;
        assert_eq!(pixel, [byte(at % 4), byte(at / 4), 51, 255]);
    }
}

#[test]
fn a_workgroup_without_invocations_is_a_validation_error() {
    let gpu = Gpu::new();
    let module = gpu.shader(
        "override n = 3;
         @compute @workgroup_size(n - 2) fn main() {}",
    );
    let error = |n: f64| {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let _pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("n", n)],
                ..Default::default()
            },
            cache: None,
        });
        pollster::block_on(scope.pop())
    };
    assert!(error(3.0).is_none());
    let error = error(2.0).expect("a validation error");
    assert!(error.to_string().contains("workgroup_size"), "{error}");
}
