//! A device, pictures, and values of buffers.

use std::io::Write as _;

use gallium_wgpu::{Options, wgpu};
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// A device with all features of the adapter.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

pub(crate) const RGBA: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The borrowed parts of a pipeline.
pub(crate) struct Lists<'a> {
    pub(crate) layout: Option<&'a wgpu::PipelineLayout>,
    pub(crate) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(crate) targets: &'a [Option<wgpu::ColorTargetState>],
}

impl Default for Lists<'_> {
    fn default() -> Self {
        const TARGETS: &[Option<wgpu::ColorTargetState>] = &[Some(wgpu::ColorTargetState {
            format: RGBA,
            blend: None,
            write_mask: wgpu::ColorWrites::ALL,
        })];
        Lists { layout: None, buffers: &[], targets: TARGETS }
    }
}

impl Gpu {
    pub(crate) fn new() -> Gpu {
        Gpu::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Gpu {
        let instance = gallium_wgpu::instance_with(options);
        let adapter =
            pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
                .unwrap();
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features(),
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .unwrap();
        Gpu { device, queue }
    }

    pub(crate) fn shader(&self, wgsl: &str) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        })
    }

    /// Returns a pipeline of `vs` and `fs` that draws triangle lists to one target.
    pub(crate) fn pipeline(
        &self,
        wgsl: &str,
        edit: impl FnOnce(&mut wgpu::RenderPipelineDescriptor<'_>),
    ) -> wgpu::RenderPipeline {
        self.pipeline_with(wgsl, Lists::default(), edit)
    }

    /// Returns a pipeline with these vertex buffers, targets and groups.
    pub(crate) fn pipeline_with(
        &self,
        wgsl: &str,
        lists: Lists<'_>,
        edit: impl FnOnce(&mut wgpu::RenderPipelineDescriptor<'_>),
    ) -> wgpu::RenderPipeline {
        let module = self.shader(wgsl);
        let mut desc = wgpu::RenderPipelineDescriptor {
            label: None,
            layout: lists.layout,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs"),
                compilation_options: Default::default(),
                buffers: lists.buffers,
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs"),
                compilation_options: Default::default(),
                targets: lists.targets,
            }),
            multiview_mask: None,
            cache: None,
        };
        edit(&mut desc);
        self.device.create_render_pipeline(&desc)
    }

    pub(crate) fn compute(&self, wgsl: &str) -> wgpu::ComputePipeline {
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &self.shader(wgsl),
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        })
    }

    pub(crate) fn texture(
        &self,
        format: wgpu::TextureFormat,
        size: [u32; 3],
        edit: impl FnOnce(&mut wgpu::TextureDescriptor<'_>),
    ) -> wgpu::Texture {
        let [width, height, depth_or_array_layers] = size;
        let mut desc = wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        };
        edit(&mut desc);
        self.device.create_texture(&desc)
    }

    /// Returns a target of `width`×`height` pixels.
    pub(crate) fn target(&self, width: u32, height: u32) -> wgpu::Texture {
        self.texture(RGBA, [width, height, 1], attachment)
    }

    pub(crate) fn buffer(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let usage = usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        self.device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: bytes,
            usage,
        })
    }

    pub(crate) fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = resources
            .iter()
            .enumerate()
            .map(|(binding, resource)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: resource.clone(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    /// Records and submits.
    pub(crate) fn submit(&self, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }

    /// Draws one pass to a cleared target.
    pub(crate) fn pass(
        &self,
        target: &wgpu::Texture,
        record: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let view = target.create_view(&Default::default());
        self.submit(|encoder| record(&mut begin(encoder, &view, wgpu::Color::BLACK)));
    }

    /// Returns the bytes of a buffer.
    pub(crate) fn bytes(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        let read = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.submit(|encoder| encoder.copy_buffer_to_buffer(buffer, 0, &read, 0, buffer.size()));
        read.slice(..).map_async(wgpu::MapMode::Read, |result| result.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = read.slice(..).get_mapped_range().unwrap().to_vec();
        read.unmap();
        note(&bytes);
        bytes
    }

    pub(crate) fn words(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        words(&self.bytes(buffer))
    }

    /// Returns the bytes of level 0 of a texture, layer by layer, row by row.
    pub(crate) fn texels(&self, texture: &wgpu::Texture) -> Vec<u8> {
        self.level(texture, 0, wgpu::TextureAspect::All)
    }

    /// Returns the bytes of one level and aspect, without gaps.
    pub(crate) fn level(
        &self,
        texture: &wgpu::Texture,
        level: u32,
        aspect: wgpu::TextureAspect,
    ) -> Vec<u8> {
        let format = texture.format();
        let size = texture.size().mip_level_size(level, texture.dimension());
        let (block_width, block_height) = format.block_dimensions();
        let bytes = format.block_copy_size(Some(aspect)).unwrap();
        let row = size.width.div_ceil(block_width) * bytes;
        let stride = row.next_multiple_of(256);
        let rows = size.height.div_ceil(block_height);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(stride * rows * size.depth_or_array_layers),
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let physical = wgpu::Extent3d {
            width: size.width.next_multiple_of(block_width),
            height: size.height.next_multiple_of(block_height),
            ..size
        };
        self.submit(|encoder| {
            encoder.copy_texture_to_buffer(
                wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level: level,
                    origin: wgpu::Origin3d::ZERO,
                    aspect,
                },
                wgpu::TexelCopyBufferInfo {
                    buffer: &buffer,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(stride),
                        rows_per_image: Some(rows),
                    },
                },
                physical,
            );
        });
        let bytes = self.bytes(&buffer);
        bytes.chunks(stride as usize).flat_map(|chunk| chunk[..row as usize].to_vec()).collect()
    }

    /// Returns the pixels of an RGBA target.
    pub(crate) fn pixels(&self, texture: &wgpu::Texture) -> Vec<[u8; 4]> {
        self.texels(texture).as_chunks().0.to_vec()
    }

    /// Writes level 0 of a texture: its texels without gaps.
    pub(crate) fn write(&self, texture: &wgpu::Texture, bytes: &[u8]) {
        self.write_level(texture, 0, wgpu::TextureAspect::All, bytes);
    }

    /// Writes one level and aspect of a texture: its texels without gaps.
    pub(crate) fn write_level(
        &self,
        texture: &wgpu::Texture,
        level: u32,
        aspect: wgpu::TextureAspect,
        bytes: &[u8],
    ) {
        let size = texture.size().mip_level_size(level, texture.dimension());
        let (block_width, block_height) = texture.format().block_dimensions();
        let block = texture.format().block_copy_size(Some(aspect)).unwrap();
        let physical = wgpu::Extent3d {
            width: size.width.next_multiple_of(block_width),
            height: size.height.next_multiple_of(block_height),
            ..size
        };
        self.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: level,
                origin: wgpu::Origin3d::ZERO,
                aspect,
            },
            bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(size.width.div_ceil(block_width) * block),
                rows_per_image: Some(size.height.div_ceil(block_height)),
            },
            physical,
        );
    }
}

/// Makes a texture an attachment.
pub(crate) fn attachment(desc: &mut wgpu::TextureDescriptor<'_>) {
    desc.usage |= wgpu::TextureUsages::RENDER_ATTACHMENT;
}

/// Begins a pass that clears its only attachment.
pub(crate) fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    color: wgpu::Color,
) -> wgpu::RenderPass<'e> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(color_attachment(view, wgpu::LoadOp::Clear(color)))],
        ..Default::default()
    })
}

pub(crate) fn color_attachment(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
    }
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).into_iter().map(f32::from_bits).collect()
}

/// The vertex shader of a triangle that covers the target.
pub(crate) const WHOLE: &str = "
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
    }";

/// Adds a line to the file that `GALLIUM_WGPU_NOTES` names: the test, and a hash (FNV-1a) of bytes that it read.
/// `cargo xtask wgpu --processors` compares the files of several processors.
fn note(bytes: &[u8]) {
    let Some(path) = std::env::var_os("GALLIUM_WGPU_NOTES") else { return };
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let thread = std::thread::current();
    let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
    let test = thread.name().unwrap_or("?");
    file.write_all(format!("{test} {} {hash:016x}\n", bytes.len()).as_bytes()).unwrap();
}
